package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// Setting is a value for a key, and where it was given.
type Setting struct {
	Key    Key
	Value  any // of the key's type
	Origin Origin
}

// Layer is the settings of one place; of two for the same key the later counts.
type Layer []Setting

// setting makes a setting of a key by name. read makes its value from what was given.
func setting[T any](keys []Key, name string, given T, origin Origin, read func(Key, T) (any, error)) (Setting, error) {
	k, err := find(keys, name)
	if err == nil {
		var value any
		if value, err = read(k, given); err == nil {
			return Setting{k, value, origin}, nil
		}
		err = fmt.Errorf("%s %w", k.Name, err)
	}
	return Setting{}, fmt.Errorf("%s: %w", origin, err)
}

// ParseText makes a setting of a text, as it stands behind --set and in environment variables.
// Lists are separated by commas.
func ParseText(name, text string, origin Origin) (Setting, error) {
	return setting(allKeys(), name, text, origin, Key.parse)
}

// Decode makes a setting of what a YAML file holds for a key of some structure: a number, a text, a
// switch or a list.
func Decode(keys []Key, name string, raw any, origin Origin) (Setting, error) {
	return setting(keys, name, raw, origin, Key.convert)
}

// Assignments reads texts of the form key=value.
func Assignments(texts []string) (Layer, error) {
	var layer Layer
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: write key=value, such as --set chip.core.window=128", text)
		}
		s, err := ParseText(strings.TrimSpace(name), value, Origin{Kind: FromSet})
		if err != nil {
			return nil, err
		}
		layer = append(layer, s)
	}
	return layer, nil
}

// Environment reads the variables whose names begin with CAROUSEL_ from a list of NAME=value.
// Variables in others belong to the program and are not looked at.
func Environment(variables []string, others ...string) (Layer, error) {
	var layer Layer
	known := names(allKeys(), Key.Variable)
	for _, entry := range variables {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "CAROUSEL_") || slices.Contains(others, name) {
			continue
		}
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("environment variable %s names no configuration key%s", name, suggest.Text(name, known))
		}
		s, err := ParseText(allKeys()[i].Name, text, Origin{Kind: FromEnvironment, Name: name})
		if err != nil {
			return nil, err
		}
		layer = append(layer, s)
	}
	return layer, nil
}

// ReadFile reads a configuration file: YAML with nested or dotted keys, or the manifest.json of
// results, whose configuration is taken.
func ReadFile(path string) (Layer, error) {
	content, _, err := wholefile.ReadSealed(path, wholefile.TextBytes)
	if errors.Is(err, wholefile.ErrChecksum) {
		return nil, fmt.Errorf("cannot read the configuration file %w; if you have edited it, remove its line \"checksum\"", err)
	} else if err != nil {
		return nil, fmt.Errorf("cannot read the configuration file: %w", err)
	}
	return Parse(path, content)
}

// Parse reads the content of a configuration file. The path is for messages and origins.
func Parse(path string, content []byte) (Layer, error) {
	root, err := ParseYAML(path, content)
	if err != nil || root == nil {
		return nil, err
	}
	var manifest struct {
		Study, Kind   string
		Configuration yaml.Node
		Plan          struct{ Kind string }
	}
	if root.Decode(&manifest) == nil && manifest.Study != "" && !manifest.Configuration.IsZero() {
		if manifest.Plan.Kind == "messages" {
			return nil, fmt.Errorf("%s is the manifest of a study of kind messages, which is configured by its plan; use carousel sweep with the plan", path)
		}
		root = &manifest.Configuration
	} else if manifest.Study == "" && manifest.Kind != "" {
		return nil, fmt.Errorf("%s is a plan (it has the key kind), not a configuration; carousel sweep --dry-run checks it", path)
	}
	var layer Layer
	err = Leaves(root, path, func(name string, at, value *yaml.Node) error {
		if value.ShortTag() == "!!null" && slices.ContainsFunc(allKeys(), func(k Key) bool { return k.in(name) }) {
			return nil // a section without keys
		}
		var raw any
		if err := value.Decode(&raw); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", path, at.Line, name, err)
		}
		s, err := Decode(allKeys(), name, raw, Origin{Kind: FromFile, Name: path, Line: at.Line})
		layer = append(layer, s)
		return err
	})
	return layer, err
}

// ParseYAML reads the one document of a YAML file and returns its root, nil for an empty file. The
// name is for messages.
func ParseYAML(name string, content []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, more yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := decoder.Decode(&more); err == nil {
		return nil, fmt.Errorf("%s:%d: a second document starts here; one document is allowed", name, more.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	root := document.Content[0]
	return root, prepare(name, root)
}

// mostKeys is how many keys one section may have. The library compares each with each.
const mostKeys = 10_000

// prepare refuses sections with too many keys, and makes all whole numbers decimal.
func prepare(name string, node *yaml.Node) error {
	if node.Kind == yaml.MappingNode && len(node.Content) > 2*mostKeys {
		return fmt.Errorf("%s:%d: a section with %d keys starts here; at most %d are allowed", name, node.Line, len(node.Content)/2, mostKeys)
	}
	if node.Kind == yaml.ScalarNode && node.ShortTag() != "!!str" {
		node.Value = Decimal(node.Value)
	}
	for _, part := range node.Content {
		if err := prepare(name, part); err != nil {
			return err
		}
	}
	return nil
}

// Leaves walks through nested sections of a YAML mapping and calls visit with the dotted name of
// each key, and with the nodes of the key and of its value. A key that is given twice is an error;
// file is for its message.
func Leaves(node *yaml.Node, file string, visit func(name string, at, value *yaml.Node) error) error {
	return leaves(node, "", file, map[string]int{}, visit)
}

func leaves(node *yaml.Node, prefix, file string, lines map[string]int, visit func(name string, at, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: keys with values are needed here, such as seed: 7", file, node.Line)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		at, value := node.Content[i], node.Content[i+1]
		name := prefix + strings.ToLower(at.Value)
		var err error
		if value.Kind == yaml.MappingNode {
			err = leaves(value, name+".", file, lines, visit)
		} else if first, twice := lines[name]; twice {
			err = fmt.Errorf("%s:%d: %s is given twice, first in line %d", file, at.Line, name, first)
		} else {
			lines[name] = at.Line
			err = visit(name, at, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Kind is a sort of place where values come from.
type Kind uint8

// The kinds, the stronger the later.
const (
	FromDefault     Kind = iota
	FromKey              // follows the value of another key
	FromFile             // a configuration file
	FromEnvironment      // an environment variable
	FromPlan             // a plan of a sweep
	FromSet              // a text key=value
	FromFlag             // a flag of the command line
)

// Origin is the place where a value comes from. The zero Origin is the defaults.
type Origin struct {
	Kind Kind
	Name string // of the key, file, variable, plan or flag; a flag without its dashes
	Line int    // in a plan or a file, from 1; 0 when it is not known
}

// Given reports whether the user gave the value.
func (o Origin) Given() bool { return o.Kind >= FromFile }

// String returns the origin as messages, tables and manifests have it: "default", the key that is
// followed, "study.yaml:3", the variable, "--set" or "--runs".
func (o Origin) String() string {
	switch {
	case o.Kind == FromDefault:
		return "default"
	case o.Kind == FromSet:
		return "--set"
	case o.Kind == FromFlag:
		return "--" + o.Name
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	}
	return o.Name
}

// Label names the value of a key in errors: "--runs", "CAROUSEL_RUNS", "--set runs" or "study.yaml:3 runs". A default
// is named by the flag.
func (o Origin) Label(key string) string {
	switch o.Kind {
	case FromDefault, FromKey:
		return "--" + key
	case FromEnvironment, FromFlag:
		return o.String()
	}
	return o.String() + " " + key
}

// MarshalText returns String.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
