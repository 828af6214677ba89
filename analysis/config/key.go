package config

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Key is a scalar or a list of a configuration structure.
type Key struct {
	Name string // dotted, such as chip.core.window
	Unit string // such as cycles; "" for counts without a unit, names and switches
	Doc  string // what the value means, as a clause without a full stop

	field   []int // where it is in the structure
	kind    reflect.Type
	choices string // its names, separated by commas; "" where there is no tag
}

// Keys returns all keys of a Config, in the order of its fields.
func Keys() []Key { return slices.Clone(allKeys()) }

var allKeys = sync.OnceValue(KeysOf[Config])

// KeysOf returns the keys of a configuration structure in the order of its fields. The tags of a
// field say what its key means: unit and doc. The tag of, on a section, completes the sentences of
// the keys in it. The tag key gives a key another name than its field's; "-" marks a field that is
// no key, because something else decides it.
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
			list = appendKeys(list, f.Type, prefix+name+".", f.Tag.Get("of"), at)
			continue
		}
		doc := f.Tag.Get("doc")
		if of != "" {
			doc += " of " + of
		}
		list = append(list, Key{Name: prefix + name, Unit: f.Tag.Get("unit"), Doc: doc, field: at, kind: f.Type, choices: f.Tag.Get("choices")})
	}
	return list
}

// unusual are field names whose words the general rule would cut in the wrong places.
var unusual = strings.NewReplacer("GHz", "Ghz", "VCs", "Vcs", "MHz", "Mhz", "FIFOs", "Fifos")

// keyName turns a field's name into a key: StoreBuffer is store_buffer, ClockGHz clock_ghz, L1 l1.
func keyName(field string) string {
	letters := []rune(unusual.Replace(field))
	var b strings.Builder
	for i, r := range letters {
		if unicode.IsUpper(r) && i > 0 {
			afterSmall := !unicode.IsUpper(letters[i-1])
			beforeSmall := i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if afterSmall || beforeSmall {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
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

// closed is the names of an enumeration, or those of the tag choices of its field.
func (k Key) closed() []string {
	if k.choices != "" {
		return strings.Split(k.choices, ",")
	}
	return choicesOf(k.kind)
}

// enumeration is a number whose values have names, counted from 0.
type enumeration interface{ Names() []string }

// choicesOf returns the names of an enumeration, and nil for every other type.
func choicesOf(t reflect.Type) []string {
	if e, ok := reflect.Zero(t).Interface().(enumeration); ok {
		return e.Names()
	}
	return nil
}

// Match returns the keys whose names match one of the patterns, and all keys without any. A pattern
// is a key, a section, which stands for all keys in it, or one of package path, in which a star
// also matches dots. A pattern without a key is an error.
func Match(keys []Key, patterns ...string) ([]Key, error) {
	matches := make([]bool, len(keys))
	for _, pattern := range patterns {
		found := false
		for i, k := range keys {
			whole, err := path.Match(pattern, k.Name)
			if err != nil {
				return nil, fmt.Errorf("%q is no pattern: %w; write a key, a section, or a pattern such as 'chip.core.*'", pattern, err)
			}
			if whole || strings.HasPrefix(k.Name, pattern+".") {
				matches[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no key matches %q%s", pattern, Suggestion(pattern, keyNames(keys)))
		}
	}
	var list []Key
	for i, k := range keys {
		if matches[i] || len(patterns) == 0 {
			list = append(list, k)
		}
	}
	return list, nil
}

// keyNames lists the names of keys.
func keyNames(keys []Key) []string { return names(keys, func(k Key) string { return k.Name }) }

// find looks a key up. A name that is no key is a *KeyError with a suggestion, at the given place.
func find(keys []Key, name, place string) (Key, error) {
	for _, k := range keys {
		if k.Name == strings.ToLower(name) {
			return k, nil
		}
	}
	wrong := &KeyError{Keys: []string{name}}
	for _, k := range keys {
		if strings.HasPrefix(k.Name, name+".") {
			wrong.Err = fmt.Errorf("%s: %s is a section; set one of its keys, such as %s", place, name, k.Name)
			return Key{}, wrong
		}
	}
	wrong.Err = fmt.Errorf("%s: unknown key %q%s (see carousel config show)", place, name, Suggestion(name, keyNames(keys)))
	return Key{}, wrong
}
