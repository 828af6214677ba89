package config

import (
	"fmt"
	"strings"
)

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

// String returns the origin in the words of tables and manifests: "default", the key that is
// followed, "file NAME", "env NAME", "plan NAME:LINE", "set" or "flag --NAME".
func (o Origin) String() string {
	switch o.Kind {
	case FromKey:
		return o.Name
	case FromFile:
		return "file " + o.Name
	case FromEnvironment:
		return "env " + o.Name
	case FromPlan:
		if o.Line == 0 {
			return strings.TrimSpace("plan " + o.Name)
		}
		return fmt.Sprintf("plan %s:%d", o.Name, o.Line)
	case FromSet:
		return "set"
	case FromFlag:
		return "flag --" + o.Name
	}
	return "default"
}

// MarshalText returns String.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Place returns the origin in the words of a message: "--set", "--runs", "environment variable X"
// or "study.yaml:3".
func (o Origin) Place() string {
	switch o.Kind {
	case FromFlag:
		return "--" + o.Name
	case FromSet:
		return "--set"
	case FromEnvironment:
		return "environment variable " + o.Name
	}
	if o.Line > 0 {
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	}
	return o.String()
}

// KeyError is a mistake in the value or the name of a key. Its text says what is wrong, what is
// allowed, and where it was given.
type KeyError struct {
	Keys   []string // the key, or the keys that do not go together; none when it cannot be told
	Origin Origin   // of the first; the defaults when nobody gave it
	Err    error
}

// Error returns the text.
func (e *KeyError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *KeyError) Unwrap() error { return e.Err }

// InputError is a bad input file, as opposed to a bad configuration.
type InputError struct{ Err error }

// Error returns the text, which names the file.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *InputError) Unwrap() error { return e.Err }

// givenBy is " (given by --set)", or names the keys where there are several.
func givenBy(names []string, origins map[string]Origin) string {
	var places []string
	for _, name := range names {
		o := origins[name]
		switch {
		case !o.Given():
		case len(names) == 1:
			places = append(places, "given by "+o.Place())
		default:
			places = append(places, fmt.Sprintf("%s given by %s", name, o.Place()))
		}
	}
	if places == nil {
		return ""
	}
	return " (" + strings.Join(places, ", ") + ")"
}
