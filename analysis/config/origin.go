package config

import "fmt"

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

// MarshalText returns String.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
