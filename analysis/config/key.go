package config

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// Key is a scalar or a list of a configuration structure.
type Key struct {
	Name string // dotted, such as chip.core.window
	Unit string // such as cycles; "" for counts without a unit, names and switches
	Doc  string // what the value means, as a clause without a full stop

	field   []int // where it is in the structure
	kind    reflect.Type
	choices []string // the only names that are allowed; nil where others are
}

// Keys returns all keys of a Config, in the order of its fields.
func Keys() []Key { return slices.Clone(allKeys()) }

var allKeys = sync.OnceValue(KeysOf[Config])

// KeysOf returns the keys of a configuration structure in the order of its fields. The tags of a
// field say what its key means: unit, doc, and choices where only some names are allowed; a type with
// a method Choices needs no such tag. The tag
// of, on a section, completes the sentences of the keys in it. The tag key gives a key another name
// than its field's; "-" marks a field that is no key, because something else decides it. An embedded
// structure is no section of its own.
func KeysOf[T any]() []Key { return appendKeys(nil, reflect.TypeFor[T](), "", "", nil) }

func appendKeys(list []Key, t reflect.Type, prefix, of string, path []int) []Key {
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("key")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = keyName(f.Name)
		}
		at := append(slices.Clone(path), i)
		if f.Type.Kind() == reflect.Struct {
			section, owner := prefix+name+".", f.Tag.Get("of")
			if f.Anonymous {
				section, owner = prefix, cmp.Or(owner, of)
			}
			list = appendKeys(list, f.Type, section, owner, at)
			continue
		}
		doc := f.Tag.Get("doc")
		if of != "" && !strings.Contains(doc, "{of}") {
			doc += " of {of}"
		}
		doc = strings.ReplaceAll(doc, "{of}", of)
		list = append(list, Key{Name: prefix + name, Unit: f.Tag.Get("unit"), Doc: doc, field: at, kind: f.Type, choices: choicesOf(f)})
	}
	return list
}

// border is where one word of a field's name ends and the next begins.
var border = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// keyName turns a field's name into a key: StoreBuffer is store_buffer, ClockGHz clock_ghz, L1 l1.
func keyName(field string) string {
	return strings.ToLower(border.ReplaceAllString(strings.ReplaceAll(field, "GHz", "Ghz"), "${1}${3}_${2}${4}"))
}

// Variable returns the environment variable of the key: chip.core.width has
// CAROUSEL_CHIP_CORE_WIDTH.
func (k Key) Variable() string {
	return "CAROUSEL_" + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

// Value returns the key's value in a structure that has it.
func (k Key) Value(structure any) any {
	return reflect.ValueOf(structure).FieldByIndex(k.field).Interface()
}

// Set sets the key in the structure that a pointer leads to; value is of the type that Value
// returns.
func (k Key) Set(structure, value any) {
	reflect.ValueOf(structure).Elem().FieldByIndex(k.field).Set(reflect.ValueOf(value))
}

// Choices are the only names that are allowed; nil where others are.
func (k Key) Choices() []string { return k.choices }

// IsList reports whether the key's value is a list.
func (k Key) IsList() bool { return k.kind.Kind() == reflect.Slice }

// choicesOf returns the only names that are allowed as a field, nil where others are: those of its
// type or of its tag.
func choicesOf(f reflect.StructField) []string {
	if x, ok := reflect.Zero(f.Type).Interface().(interface{ Choices() []string }); ok {
		return x.Choices()
	}
	if tag := f.Tag.Get("choices"); tag != "" {
		return strings.Split(tag, ",")
	}
	return nil
}

// in reports whether the key is in a section.
func (k Key) in(section string) bool { return strings.HasPrefix(k.Name, section+".") }

// Match returns the keys whose names match one of the patterns, and all keys without any. A pattern
// is a key, a section, which stands for all keys in it, or one of package path, in which a star
// also matches dots. A pattern without a key is an error.
func Match(keys []Key, patterns ...string) ([]Key, error) {
	if len(patterns) == 0 {
		return keys, nil
	}
	chosen := map[string]bool{}
	for _, pattern := range patterns {
		found := false
		for _, k := range keys {
			whole, err := path.Match(pattern, k.Name)
			if err != nil {
				return nil, fmt.Errorf("%q is not a valid pattern: %w; write a key, a section, or a pattern such as 'chip.core.*'", pattern, err)
			}
			if whole || k.in(pattern) {
				chosen[k.Name], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no key matches %q%s", pattern, suggest.Text(pattern, KeyNames(keys)))
		}
	}
	return slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return !chosen[k.Name] }), nil
}

// KeyNames lists the names of keys.
func KeyNames(keys []Key) []string { return names(keys, func(k Key) string { return k.Name }) }

// find looks a key up.
func find(keys []Key, name string) (Key, error) {
	for _, k := range keys {
		if k.Name == strings.ToLower(name) {
			return k, nil
		}
	}
	if i := slices.IndexFunc(keys, func(k Key) bool { return k.in(name) }); i >= 0 {
		return Key{}, fmt.Errorf("%s is a section; set one of its keys, such as %s", name, keys[i].Name)
	}
	return Key{}, fmt.Errorf("unknown key %q%s (see carousel config show)", name, suggest.Text(name, KeyNames(keys)))
}
