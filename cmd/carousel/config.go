package main

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// Origin tells where a value comes from: "default", "file NAME", "env NAME", "plan NAME:LINE", "set",
// "flag --NAME", or the key that it follows.
type Origin string

// place is the origin in a message: "--set", "--runs", "environment variable X", "file Y" or "plan.yaml:3".
func (o Origin) place() string {
	kind, name, _ := strings.Cut(string(o), " ")
	switch kind {
	case "set":
		return "--set"
	case "flag":
		return name
	case "env":
		return "environment variable " + name
	case "plan":
		return name
	}
	return string(o)
}

// Configuration is the effective settings and where each of them comes from.
type Configuration struct {
	Settings
	Origins map[string]Origin
}

// Given reports whether the user has set a key.
func (c *Configuration) Given(name string) bool {
	kind, _, _ := strings.Cut(string(c.Origins[name]), " ")
	return slices.Contains([]string{"file", "env", "plan", "set", "flag"}, kind)
}

// Check validates the settings. The message names the key, and where its value comes from.
func (c *Configuration) Check() error {
	if err := c.Validate(); err != nil {
		return c.blame(err)
	}
	return nil
}

// blame adds to a complaint that starts with a key where the key's value comes from.
func (c *Configuration) blame(err error) error {
	culprit := ""
	for name := range c.Origins {
		if strings.HasPrefix(err.Error(), name) && len(name) > len(culprit) && c.Given(name) {
			culprit = name
		}
	}
	if culprit != "" {
		err = fmt.Errorf("%w (given by %s)", err, c.Origins[culprit].place())
	}
	return usageError{err}
}

// sources are the places of values, weakest first.
type sources struct {
	file  string   // a YAML file, or ""
	env   []string // NAME=value
	plan  *plan    // its fixed settings, or nil
	set   []string // key=value, as given to --set
	flags *pflag.FlagSet
	// bound names the key that a flag sets.
	bound map[string]string
}

// loader collects values for known keys. viper reads the file and decodes the result; every value passes
// through convert or parse first, because viper would drop a misspelt key in silence and bend types.
type loader struct {
	keys    []key
	names   []string
	viper   *viper.Viper
	origins map[string]Origin
}

// load merges all sources over the defaults.
func load(from sources) (*Configuration, error) {
	l := &loader{keys: settingKeys(), viper: viper.New(), origins: map[string]Origin{}}
	defaults := reflect.ValueOf(DefaultSettings())
	for _, k := range l.keys {
		l.names = append(l.names, k.name)
		l.viper.SetDefault(k.name, defaults.FieldByIndex(k.field).Interface())
		l.origins[k.name] = "default"
	}
	for _, step := range []func(sources) error{l.readFile, l.readEnvironment, l.readPlan, l.readSet, l.readFlags} {
		if err := step(from); err != nil {
			return nil, usageError{err}
		}
	}
	c := &Configuration{Settings: DefaultSettings(), Origins: l.origins}
	if err := l.viper.UnmarshalExact(&c.Settings, strict); err != nil {
		return nil, usageError{fmt.Errorf("configuration: %w", err)}
	}
	if err := c.derive(); err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

// strict makes the decoder take values as they are and find fields by their key.
func strict(d *mapstructure.DecoderConfig) {
	d.WeaklyTypedInput = false
	d.DecodeHook = nil
	d.MatchName = func(key, field string) bool { return key == keyName(field) }
}

// find looks a key up; unknown ones are an error with a suggestion.
func (l *loader) find(name, place string) (key, error) {
	if i := slices.Index(l.names, strings.ToLower(name)); i >= 0 {
		return l.keys[i], nil
	}
	for _, n := range l.names {
		if strings.HasPrefix(n, name+".") {
			return key{}, fmt.Errorf("%s: %s is a section; set one of its keys, such as %s", place, name, n)
		}
	}
	return key{}, fmt.Errorf("%s: unknown key %q%s (see carousel config show)", place, name, didYouMean(name, l.names))
}

func (l *loader) store(k key, value any, origin Origin) {
	l.viper.Set(k.name, value)
	l.origins[k.name] = origin
}

func (l *loader) readFile(from sources) error {
	if from.file == "" {
		return nil
	}
	file := viper.New()
	file.SetConfigFile(from.file)
	file.SetConfigType("yaml")
	if err := file.ReadInConfig(); err != nil {
		return fmt.Errorf("cannot read the configuration file %s: %w", from.file, err)
	}
	written := file.AllKeys()
	slices.Sort(written)
	for _, name := range written {
		raw := file.Get(name)
		place := from.file
		if line := lineOf(from.file, name); line > 0 {
			place = fmt.Sprintf("%s:%d", from.file, line)
		}
		if raw == nil && slices.ContainsFunc(l.names, func(n string) bool { return strings.HasPrefix(n, name+".") }) {
			continue // a section without keys
		}
		k, err := l.find(name, place)
		if err != nil {
			return err
		}
		value, err := convert(k.kind, raw)
		if err != nil {
			return fmt.Errorf("%s: %s %w", place, k.name, err)
		}
		l.store(k, value, Origin("file "+from.file))
	}
	return nil
}

// reserved are environment variables with our prefix that are no configuration keys.
var reserved = []string{"CAROUSEL_CONFIG"}

func (l *loader) readEnvironment(from sources) error {
	variables := make([]string, len(l.names))
	for i, n := range l.names {
		variables[i] = variable(n)
	}
	for _, entry := range from.env {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "CAROUSEL_") || slices.Contains(reserved, name) {
			continue
		}
		i := slices.Index(variables, name)
		if i < 0 {
			return fmt.Errorf("environment: %s names no configuration key%s", name, didYouMean(name, variables))
		}
		if err := l.readText(l.keys[i], text, "environment: "+name, Origin("env "+name)); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) readSet(from sources) error {
	for _, entry := range from.set {
		name, text, ok := strings.Cut(entry, "=")
		if !ok {
			return fmt.Errorf("--set %s: write key=value, such as --set chip.core.window=128", entry)
		}
		k, err := l.find(strings.TrimSpace(name), "--set "+entry)
		if err != nil {
			return err
		}
		if err := l.readText(k, text, "--set "+entry, "set"); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) readFlags(from sources) (err error) {
	if from.flags == nil {
		return nil
	}
	from.flags.Visit(func(f *pflag.Flag) {
		name, ok := from.bound[f.Name]
		if !ok || err != nil {
			return
		}
		k := l.keys[slices.Index(l.names, name)]
		err = l.readText(k, f.Value.String(), "--"+f.Name, Origin("flag --"+f.Name))
	})
	return err
}

func (l *loader) readText(k key, text, place string, origin Origin) error {
	value, err := parse(k.kind, text)
	if err != nil {
		return fmt.Errorf("%s: %s %w", place, k.name, err)
	}
	l.store(k, value, origin)
	return nil
}

// lineOf finds the line of a dotted key in a YAML file by following its parts downwards; 0 when it is
// written in a way that this simple search does not see.
func lineOf(file, name string) int {
	content, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	parts := strings.Split(name, ".")
	for i, line := range strings.Split(string(content), "\n") {
		word, _, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && strings.EqualFold(strings.Trim(word, `"'`), parts[0]) {
			if parts = parts[1:]; len(parts) == 0 {
				return i + 1
			}
		}
	}
	return 0
}
