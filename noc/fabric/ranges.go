package fabric

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// CheckRange reports whether a number of an engine's configuration is allowed. The error names
// the key, the value and what is allowed.
func CheckRange[T int | float64](key string, value, least, most T) error {
	if value >= least && value <= most {
		return nil
	}
	return fmt.Errorf("%s is %v; use %v to %v", key, value, least, most)
}

// CheckMultiple is CheckRange for multiples of another number, whose own range is checked elsewhere.
func CheckMultiple(key string, value int, of string, number int) error {
	if number > 0 && value%number != 0 {
		return fmt.Errorf("%s is %d; use a multiple of %s (%d)", key, value, of, number)
	}
	return nil
}

// CheckChoice is CheckRange for named choices.
func CheckChoice[T ~string](key string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	var names []string
	for _, a := range allowed {
		names = append(names, fmt.Sprintf("%q", a))
	}
	last := len(names) - 1
	return fmt.Errorf("%s is %q; use %s or %s", key, value, strings.Join(names[:last], ", "), names[last])
}

// RuleText appends to a text the rules in which a configuration differs from the usual one, such as
// ", entry_hold=false". A field that decides a rule has the tag rule, with the name of its key.
func RuleText[C any](text string, c, usual C) string {
	is, was := reflect.ValueOf(c), reflect.ValueOf(usual)
	for i := range is.NumField() {
		if key := is.Type().Field(i).Tag.Get("rule"); key != "" && !is.Field(i).Equal(was.Field(i)) {
			text += fmt.Sprintf(", %s=%v", key, is.Field(i))
		}
	}
	return text
}
