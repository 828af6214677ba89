package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

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

// ParseText makes a setting of a text, as it stands behind --set and in environment variables.
// Lists are separated by commas.
func ParseText(name, text string, origin Origin) (Setting, error) {
	return parseText(allKeys(), name, text, origin.Place(), origin)
}

func parseText(keys []Key, name, text, place string, origin Origin) (Setting, error) {
	k, err := find(keys, name, place)
	if err != nil {
		return Setting{}, err
	}
	value, err := parse(k.kind, text)
	return k.setting(value, err, place, origin)
}

// Decode makes a setting of what a file holds for a key of some structure: a number, a text, a
// switch or a list, which is not converted.
func Decode(keys []Key, name string, raw any, origin Origin) (Setting, error) {
	place := origin.Place()
	k, err := find(keys, name, place)
	if err != nil {
		return Setting{}, err
	}
	value, err := convert(k.kind, raw)
	return k.setting(value, err, place, origin)
}

// setting completes a value that was read, or tells why it was not.
func (k Key) setting(value any, err error, place string, origin Origin) (Setting, error) {
	if err != nil {
		return Setting{}, &KeyError{Keys: []string{k.Name}, Origin: origin, Err: fmt.Errorf("%s: %s %w", place, k.Name, err)}
	}
	return Setting{k, value, origin}, nil
}

// IsList reports whether the key's value is a list.
func (k Key) IsList() bool { return k.kind.Kind() == reflect.Slice }

// Assignments reads texts of the form key=value.
func Assignments(texts []string) (Layer, error) {
	var layer Layer
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: write key=value, such as --set chip.core.window=128", text)
		}
		s, err := parseText(allKeys(), strings.TrimSpace(name), value, "--set "+text, Origin{Kind: FromSet})
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
	keys := allKeys()
	known := make([]string, len(keys))
	for i, k := range keys {
		known[i] = k.Variable()
	}
	for _, entry := range variables {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "CAROUSEL_") || slices.Contains(others, name) {
			continue
		}
		i := slices.Index(known, name)
		if i < 0 {
			return nil, &KeyError{Err: fmt.Errorf("environment: %s names no configuration key%s", name, Suggestion(name, known))}
		}
		s, err := parseText(keys, keys[i].Name, text, "environment: "+name, Origin{Kind: FromEnvironment, Name: name})
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
	content, err := wholefile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration file %w", err)
	}
	return Parse(path, content)
}

// Parse reads the content of a configuration file. The path is for messages and origins.
func Parse(path string, content []byte) (Layer, error) {
	root, err := ParseYAML(path, content)
	if err != nil || root == nil {
		return nil, err
	}
	if root, err = configurationIn(path, content, root); err != nil {
		return nil, err
	}
	var layer Layer
	err = Leaves(root, path, func(name string, at, value *yaml.Node) error {
		var raw any
		if err := value.Decode(&raw); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", path, value.Line, name, err)
		}
		if raw == nil && isSection(allKeys(), name) {
			return nil // a section without keys
		}
		s, err := Decode(allKeys(), name, raw, Origin{Kind: FromFile, Name: path, Line: at.Line})
		layer = append(layer, s)
		return err
	})
	return layer, err
}

// configurationIn returns the configuration inside a manifest; every other file is one itself.
func configurationIn(path string, content []byte, root *yaml.Node) (*yaml.Node, error) {
	var manifest struct {
		Study         *string         `json:"study"`
		Configuration json.RawMessage `json:"configuration"`
		Plan          struct {
			Kind string `json:"kind"`
		} `json:"plan"`
	}
	if json.Unmarshal(content, &manifest) != nil || manifest.Study == nil || manifest.Configuration == nil {
		return root, nil
	}
	if manifest.Plan.Kind == "messages" {
		return nil, fmt.Errorf("%s is of a study of messages, whose keys stand in its plan; give the plan to carousel sweep", path)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "configuration" {
			return root.Content[i+1], nil
		}
	}
	return root, nil
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
		return nil, fmt.Errorf("%s:%d: a second document begins here; a file holds one", name, more.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return document.Content[0], nil
}

func isSection(keys []Key, name string) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return strings.HasPrefix(k.Name, name+".") })
}

// Leaves walks through nested sections of a YAML mapping and calls visit with the dotted name of
// each key, and with the nodes of the key and of its value. A key that is given twice is an error;
// file is for its message.
func Leaves(node *yaml.Node, file string, visit func(name string, at, value *yaml.Node) error) error {
	lines := map[string]int{}
	return leaves(node, "", file, lines, visit)
}

func leaves(node *yaml.Node, prefix, file string, lines map[string]int, visit func(name string, at, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: there must be keys with values here, such as seed: 7", file, node.Line)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		at, value := node.Content[i], node.Content[i+1]
		name := prefix + strings.ToLower(at.Value)
		var err error
		if value.Kind == yaml.MappingNode {
			err = leaves(value, name+".", file, lines, visit)
		} else if first, twice := lines[name]; twice {
			err = &KeyError{Keys: []string{name}, Err: fmt.Errorf("%s:%d: %s is given twice, first in line %d", file, at.Line, name, first)}
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
