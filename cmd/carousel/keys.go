package main

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// key is one scalar or list of the configuration: its dotted name and where it is in the structure.
type key struct {
	name  string
	field []int
	kind  reflect.Type
}

// keysOf lists the keys of a configuration structure in the order of its fields.
func keysOf(structure reflect.Type) []key { return appendKeys(nil, structure, "", nil) }

func appendKeys(list []key, t reflect.Type, prefix string, path []int) []key {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		at := append(append([]int(nil), path...), i)
		name := prefix + keyName(f.Name)
		if f.Type.Kind() == reflect.Struct {
			list = appendKeys(list, f.Type, name+".", at)
			continue
		}
		list = append(list, key{name: name, field: at, kind: f.Type})
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

// variable is the environment variable of a key: chip.core.width is CAROUSEL_CHIP_CORE_WIDTH.
func variable(name string) string {
	return "CAROUSEL_" + strings.ToUpper(strings.ReplaceAll(name, ".", "_"))
}

// choices lists the names of an enumeration: an integer type with a String method that names each of
// its values from 0. It is empty for every other type.
func choices(t reflect.Type) (names []string) {
	if !isWhole(t.Kind()) || !t.Implements(reflect.TypeFor[fmt.Stringer]()) {
		return nil
	}
	// A String method may be an index into a table; the end of the table ends the enumeration.
	defer func() { _ = recover() }()
	seen := map[string]bool{}
	for i := range 64 {
		v := reflect.New(t).Elem()
		if v.CanInt() {
			v.SetInt(int64(i))
		} else {
			v.SetUint(uint64(i))
		}
		name := v.Interface().(fmt.Stringer).String()
		if seen[name] || !isWord(name) || name == "unknown" {
			break
		}
		seen[name] = true
		names = append(names, name)
	}
	return names
}

// isWord reports whether a text can be the name of a choice; "Policy(7)" and "7" cannot.
func isWord(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && r != '-' && r != '_' && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

func isWhole(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uint64 }

// readsText reports whether values of a type are written as text and parsed by the type itself.
func readsText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
