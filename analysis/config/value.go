package config

import (
	"encoding"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// convert makes a value of the key's type from what a YAML file holds without a type in mind, and
// without guessing: a number is not a text, and 1.5 is not a whole number.
func (k Key) convert(raw any) (any, error) {
	if number, ok := raw.(int); ok && slices.Contains(k.choices, strconv.Itoa(number)) {
		raw = strconv.Itoa(number) // a file needs no quotes where it cannot mean anything else
	}
	value, err := convert(k.kind, raw)
	if text, ok := raw.(string); ok && err != nil && k.choices != nil {
		return nil, fmt.Errorf("is %q; use %s%s", text, strings.Join(k.choices, ", "), suggest.Text(text, k.choices))
	}
	return value.Interface(), err
}

// parse makes a value of the key's type from a text: an environment variable, the right side of
// --set or the value of a flag. Lists are separated by commas; an element with a comma is in double quotes.
func (k Key) parse(text string) (any, error) {
	if !k.IsList() {
		return k.convert(scalar(k.kind, text))
	}
	list := []any{}
	if strings.TrimSpace(text) != "" {
		r := csv.NewReader(strings.NewReader(text))
		r.TrimLeadingSpace = true
		lines, err := r.ReadAll()
		if err != nil || len(lines) != 1 {
			return nil, fmt.Errorf("is %s; put an element that contains a comma or a double quote into double quotes, and double those inside", text)
		}
		for _, part := range lines[0] {
			if strings.TrimSpace(part) == "" {
				return nil, fmt.Errorf("is %q, which has an empty element; write a comma between two elements only", text)
			}
			list = append(list, scalar(k.kind.Elem(), part))
		}
	}
	return k.convert(list)
}

// Decimal leaves out zeros before a whole number, which readers of YAML and of flags take for a mark of octal
// numbers: 010 is 10. Other texts stay.
func Decimal(text string) string { return zeros.ReplaceAllString(text, "$1$2") }

var zeros = regexp.MustCompile(`^([+-]?)0+([0-9]+)$`)

// scalar is what a file would hold for a text where a value of type t is needed.
func scalar(t reflect.Type, text string) (raw any) {
	text = strings.TrimSpace(text)
	node := yaml.Node{Kind: yaml.ScalarNode, Value: Decimal(text)}
	switch on, err := strconv.ParseBool(text); {
	case t.Kind() == reflect.Bool && err == nil:
		return on // 1 is common in the environment
	case sort(t) == "string" || node.Decode(&raw) != nil: // in a file a text may need quotes
		return text
	}
	return raw
}

// sort is what values of type t are in a file, by the name that JSON schemas have for it: string,
// which includes types that read themselves from text, boolean, number, array or integer.
func sort(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.String || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return "string"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Float64:
		return "number"
	case t.Kind() == reflect.Slice:
		return "array"
	}
	return "integer"
}

// needed says in messages what a sort of value is.
var needed = map[string]string{"string": "a text in quotes", "boolean": "true or false", "number": "a number", "array": "a list", "integer": "a whole number"}

// convert makes a value of type t. JSON takes numbers and switches as strictly as is needed here; YAML
// would cut off fractions. An empty list is nil, as in the defaults, or it would change run keys.
func convert(t reflect.Type, raw any) (reflect.Value, error) {
	value, found := reflect.New(t).Elem(), reflect.ValueOf(raw)
	switch list, _ := raw.([]any); sort(t) {
	case "array":
		for i, part := range list {
			element, err := convert(t.Elem(), part)
			if err != nil {
				return value, fmt.Errorf("element %d %w", i, err)
			}
			value = reflect.Append(value, element)
		}
		if list != nil {
			return value, nil
		}
	case "string":
		if text, ok := raw.(string); !ok {
			break
		} else if reader, ok := value.Addr().Interface().(encoding.TextUnmarshaler); ok {
			return value, reader.UnmarshalText([]byte(text))
		}
		value.SetString(found.String())
		return value, nil
	default:
		content, err := json.Marshal(raw)
		if err == nil && raw != nil && json.Unmarshal(content, value.Addr().Interface()) == nil {
			return value, nil
		}
		if found.CanInt() || found.CanUint() || found.CanFloat() && found.Float() == math.Trunc(found.Float()) {
			if sort(t) == "integer" {
				return value, fmt.Errorf("is %v, which is negative or too large", raw)
			}
		}
	}
	return value, fmt.Errorf("is %s; %s is needed", shown(raw), needed[sort(t)])
}

// shown is what a file holds in a message.
func shown(raw any) string {
	switch v := raw.(type) {
	case nil:
		return `""`
	case string:
		return strconv.Quote(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a section"
	}
	return fmt.Sprint(raw)
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
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.Write(parts) // a builder takes everything
	w.Flush()
	return strings.TrimSuffix(text.String(), "\n")
}

// Schema describes every key of a configuration file, as a JSON schema (draft 2020-12).
func Schema() map[string]any {
	usual := Default()
	root := sectionSchema(nest(func(k Key) any {
		one := typeSchema(k.kind)
		if allowed := k.choices; allowed != nil {
			one["enum"] = allowed
		}
		one["default"], one["description"] = k.Value(usual), k.Doc
		if k.Unit != "" {
			one["description"] = k.Doc + " (" + k.Unit + ")"
		}
		return one
	}))
	root["$schema"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "Carousel configuration"
	return root
}

// keySchema is the schema of a key, as opposed to a section of such.
type keySchema map[string]any

// sectionSchema describes a section, in which there are no keys but those that are listed.
func sectionSchema(parts map[string]any) map[string]any {
	for name, part := range parts {
		if section, ok := part.(map[string]any); ok {
			parts[name] = sectionSchema(section)
		}
	}
	return map[string]any{"type": "object", "properties": parts, "additionalProperties": false}
}

func typeSchema(t reflect.Type) keySchema {
	one := keySchema{"type": sort(t)}
	switch {
	case sort(t) == "array":
		one["items"] = typeSchema(t.Elem())
	case sort(t) == "integer" && t.Kind() >= reflect.Uint:
		one["minimum"] = 0
	}
	return one
}

// nest puts a value for every key into nested sections, as configuration files have them.
func nest(value func(Key) any) map[string]any {
	root := map[string]any{}
	for _, k := range allKeys() {
		at := root
		parts := strings.Split(k.Name, ".")
		for _, part := range parts[:len(parts)-1] {
			if at[part] == nil {
				at[part] = map[string]any{}
			}
			at = at[part].(map[string]any)
		}
		at[parts[len(parts)-1]] = value(k)
	}
	return root
}
