package config

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// convert makes a value of type t from what a configuration file holds, without guessing: a number
// is not a text, and 1.5 is not a whole number.
func convert(t reflect.Type, raw any) (any, error) {
	out := reflect.New(t).Elem()
	if err := assign(out, raw); err != nil {
		return nil, err
	}
	return out.Interface(), nil
}

// parse makes a value of type t from a text: an environment variable, the right side of --set or
// the value of a flag. Lists are separated by commas.
func parse(t reflect.Type, text string) (any, error) {
	if t.Kind() == reflect.Slice {
		var parts []any
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, scalar(t.Elem(), part))
			} else if text != "" {
				return nil, fmt.Errorf("is %q, which has an empty element; write a comma between two elements only", text)
			}
		}
		return convert(t, parts)
	}
	return convert(t, scalar(t, text))
}

// scalar reads a text the way a file would be read for a field of type t. What does not parse stays
// a text, for assign to refuse.
func scalar(t reflect.Type, text string) any {
	text = strings.TrimSpace(text)
	switch {
	case readsText(t) || choicesOf(t) != nil:
		return text
	case t.Kind() == reflect.Bool:
		if v, err := strconv.ParseBool(text); err == nil {
			return v
		}
	case isWhole(t.Kind()) || t.Kind() == reflect.Float64:
		if v, err := strconv.ParseInt(text, 0, 64); err == nil {
			return int(v)
		}
		if v, err := strconv.ParseUint(text, 0, 64); err == nil {
			return v
		}
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
	}
	return text
}

func assign(out reflect.Value, raw any) error {
	t := out.Type()
	if names := choicesOf(t); names != nil {
		return assignChoice(out, names, raw)
	}
	if readsText(t) {
		text, ok := raw.(string)
		if !ok {
			return mismatch("a text", raw)
		}
		return out.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	}
	switch {
	case t.Kind() == reflect.String:
		text, ok := raw.(string)
		if !ok {
			return fmt.Errorf("%w; put it in quotes", mismatch("a text", raw))
		}
		out.SetString(text)
	case t.Kind() == reflect.Bool:
		v, ok := raw.(bool)
		if !ok {
			return mismatch("true or false", raw)
		}
		out.SetBool(v)
	case t.Kind() == reflect.Float64:
		v, ok := asFloat(raw)
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			return mismatch("a number", raw)
		}
		out.SetFloat(v)
	case isWhole(t.Kind()):
		return assignWhole(out, raw)
	case t.Kind() == reflect.Slice:
		return assignList(out, raw)
	default:
		return fmt.Errorf("has a type that cannot be configured: %s", t)
	}
	return nil
}

func assignChoice(out reflect.Value, names []string, raw any) error {
	text, _ := raw.(string)
	i := slices.Index(names, text)
	if i < 0 {
		return fmt.Errorf("is %v; %s are allowed%s", raw, strings.Join(names, ", "), Suggestion(text, names))
	}
	if out.CanInt() {
		out.SetInt(int64(i))
	} else {
		out.SetUint(uint64(i))
	}
	return nil
}

func assignWhole(out reflect.Value, raw any) error {
	if v, ok := raw.(uint64); ok && v > math.MaxInt64 && out.CanUint() && !out.OverflowUint(v) {
		out.SetUint(v)
		return nil
	}
	v, ok := asFloat(raw)
	if !ok || v != math.Trunc(v) || math.Abs(v) >= 1<<63 {
		return mismatch("a whole number", raw)
	}
	n := int64(v)
	switch exact := raw.(type) { // a float64 does not hold every whole number
	case int:
		n = int64(exact)
	case int64:
		n = exact
	case uint64:
		n = int64(exact)
	}
	if out.CanInt() {
		if out.OverflowInt(n) {
			return fmt.Errorf("is %v, which is too large for this key", raw)
		}
		out.SetInt(n)
		return nil
	}
	if n < 0 {
		return fmt.Errorf("is %v; it must not be negative", raw)
	}
	if out.OverflowUint(uint64(n)) {
		return fmt.Errorf("is %v, which is too large for this key", raw)
	}
	out.SetUint(uint64(n))
	return nil
}

func assignList(out reflect.Value, raw any) error {
	parts, ok := raw.([]any)
	if !ok {
		return mismatch("a list", raw)
	}
	if len(parts) > 0 { // an empty list stays nil, as in the defaults, or it would change run keys
		out.Set(reflect.MakeSlice(out.Type(), len(parts), len(parts)))
	}
	for i, part := range parts {
		if err := assign(out.Index(i), part); err != nil {
			return fmt.Errorf("element %d %w", i, err)
		}
	}
	return nil
}

func asFloat(raw any) (float64, bool) {
	switch v := raw.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// mismatch says what a value is and what is needed.
func mismatch(want string, raw any) error {
	switch raw.(type) {
	case string:
		return fmt.Errorf("is %q; %s is needed", raw, want)
	case map[string]any:
		return fmt.Errorf("is a section; %s is needed", want)
	}
	return fmt.Errorf("is %v; %s is needed", raw, want)
}

func isWhole(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uint64 }

// readsText reports whether a type reads itself from text.
func readsText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// Text returns a value in the form that --set takes.
func Text(value any) string {
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice {
		return fmt.Sprint(value)
	}
	parts := make([]string, list.Len())
	for i := range parts {
		parts[i] = fmt.Sprint(list.Index(i).Interface())
	}
	return strings.Join(parts, ",")
}
