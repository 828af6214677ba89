package config

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// decode makes a value of the key's type from a part of a YAML file, without guessing: a number is
// not a text, and 1.5 is not a whole number.
func (k Key) decode(node *yaml.Node) (any, error) {
	if err := fits(k.kind, node); err != nil {
		return nil, err
	}
	out := reflect.New(k.kind)
	if err := node.Decode(out.Interface()); err != nil {
		if allowed := k.closed(); allowed != nil {
			return nil, fmt.Errorf("is %q; use %s%s", node.Value, strings.Join(allowed, ", "), suggest.Text(node.Value, allowed))
		}
		return nil, fmt.Errorf("is %s, which is negative or too large", node.Value)
	}
	value := out.Elem()
	if k.IsList() && value.Len() == 0 { // nil, as in the defaults, or it would change run keys
		value.SetZero()
	}
	return value.Interface(), nil
}

// parse makes a value of the key's type from a text: an environment variable, the right side of
// --set or the value of a flag. Lists are separated by commas.
func (k Key) parse(text string) (any, error) {
	if !k.IsList() {
		return k.decode(scalar(k.kind, text))
	}
	list := yaml.Node{Kind: yaml.SequenceNode}
	if strings.TrimSpace(text) != "" {
		for part := range strings.SplitSeq(text, ",") {
			if strings.TrimSpace(part) == "" {
				return nil, fmt.Errorf("is %q, which has an empty element; write a comma between two elements only", text)
			}
			list.Content = append(list.Content, scalar(k.kind.Elem(), part))
		}
	}
	return k.decode(&list)
}

// convert makes a value of the key's type from what a YAML file holds without a type in mind.
func (k Key) convert(raw any) (any, error) {
	var node yaml.Node
	if err := node.Encode(raw); err != nil {
		return nil, err
	}
	return k.decode(&node)
}

// scalar is a text as a file would hold it for a value of type t.
func scalar(t reflect.Type, text string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Value: strings.TrimSpace(text)}
	if sort(t) == "string" {
		node.Tag = "!!str" // in a file it may need quotes
	} else if v, err := strconv.ParseBool(node.Value); err == nil && t.Kind() == reflect.Bool {
		node.Value = strconv.FormatBool(v) // 1 is common in the environment
	}
	return node
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

// fits returns an error if a node is not of the sort that a value of type t needs. The decoder would
// cut off fractions, and take the letters of a number as a text.
func fits(t reflect.Type, node *yaml.Node) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	ok, tag := false, node.ShortTag()
	switch sort(t) {
	case "string":
		ok = tag == "!!str"
	case "boolean":
		ok = tag == "!!bool"
	case "number":
		ok = tag == "!!int" || tag == "!!float" && !math.IsInf(number(node), 0)
	case "integer":
		v := number(node)
		ok = tag == "!!int" || tag == "!!float" && v == math.Trunc(v) && math.Abs(v) < 1<<63
	case "array":
		ok = node.Kind == yaml.SequenceNode
	}
	if !ok {
		return fmt.Errorf("is %s; %s is needed", shown(node), needed[sort(t)])
	}
	for i, part := range node.Content { // of a list
		if err := fits(t.Elem(), part); err != nil {
			return fmt.Errorf("element %d %w", i, err)
		}
	}
	return nil
}

// number is the value of a node with the tag of a float, infinite where it has none.
func number(node *yaml.Node) float64 {
	v, err := strconv.ParseFloat(strings.ReplaceAll(node.Value, "_", ""), 64)
	if err != nil || math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

// shown is a node in a message.
func shown(node *yaml.Node) string {
	switch tag := node.ShortTag(); {
	case node.Kind == yaml.MappingNode:
		return "a section"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case tag == "!!str" || tag == "!!null":
		return strconv.Quote(node.Value)
	}
	return node.Value
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
