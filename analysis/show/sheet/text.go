package sheet

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/carousel-sim/carousel/analysis/metrics"
)

// None stands for a value that is absent.
const None = metrics.Absent

// Text writes a value for people: numbers with a fraction as [Number] does, switches as yes and no,
// lists with commas, and pointers as what they point to, or [None].
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return None
	case string:
		return printable(v)
	case fmt.Stringer:
		return v.String()
	case float64:
		return Number(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return None
		}
		return Text(v.Elem().Interface())
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = Text(v.Index(i).Interface())
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(value)
}

// printable writes control characters other than tabs and line breaks as Go escapes: a name in a
// file may hold sequences that a terminal would obey.
func printable(text string) string {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if strings.IndexFunc(text, control) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if control(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Number writes a quantity with four significant digits, as estimates are written.
func Number(v float64) string { return metrics.Number(v) }

// title is the tag of a field that a sheet shows.
const title = "title"

// Of returns a sheet with a row for each structure of a list, and a column for each field that has
// a title.
func Of[T any](list []T) *Sheet {
	s := &Sheet{}
	for _, f := range titled(reflect.TypeFor[T]()) {
		s.Header = append(s.Header, f.Tag.Get(title))
	}
	for i := range list {
		s.Add(values(list[i])...)
	}
	return s
}

// Facts returns a sheet with a row for each field of a structure that has a title: what it is, and
// its value.
func Facts(structure any) *Sheet {
	s := New("what", "value")
	all := values(structure)
	for i, f := range titled(reflect.TypeOf(structure)) {
		s.Add(f.Tag.Get(title), all[i])
	}
	return s
}

// titled lists the fields that have a title.
func titled(t reflect.Type) (list []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get(title) != "" {
			list = append(list, f)
		}
	}
	return list
}

// values returns the values of the fields that have a title.
func values(structure any) (list []any) {
	v := reflect.ValueOf(structure)
	for _, f := range titled(v.Type()) {
		list = append(list, v.FieldByIndex(f.Index).Interface())
	}
	return list
}
