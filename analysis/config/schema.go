package config

import (
	"reflect"
	"strings"
)

// SchemaNode is a part of a JSON schema (draft 2020-12), as far as configurations need it.
type SchemaNode struct {
	Schema      string                 `json:"$schema,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        string                 `json:"type"`
	Default     any                    `json:"default,omitempty"`
	Enum        []string               `json:"enum,omitempty"`
	Minimum     *int                   `json:"minimum,omitempty"`
	Items       *SchemaNode            `json:"items,omitempty"`
	Properties  map[string]*SchemaNode `json:"properties,omitempty"`
	// Strict is false in sections: keys that are not listed are not allowed.
	Strict *bool `json:"additionalProperties,omitempty"`
}

// Schema describes every key of a configuration file.
func Schema() *SchemaNode {
	root := newSection()
	root.Schema, root.Title = "https://json-schema.org/draft/2020-12/schema", "Carousel configuration"
	usual := Default()
	for _, k := range Keys() {
		at := root
		parts := strings.Split(k.Name, ".")
		for _, part := range parts[:len(parts)-1] {
			if at.Properties[part] == nil {
				at.Properties[part] = newSection()
			}
			at = at.Properties[part]
		}
		leaf := typeSchema(k.kind)
		if leaf.Type == "string" {
			leaf.Enum = k.closed()
		}
		leaf.Default = k.Value(usual)
		leaf.Description = k.Doc
		if k.Unit != "" {
			leaf.Description += " (" + k.Unit + ")"
		}
		at.Properties[parts[len(parts)-1]] = leaf
	}
	return root
}

func newSection() *SchemaNode {
	return &SchemaNode{Type: "object", Properties: map[string]*SchemaNode{}, Strict: new(bool)}
}

func typeSchema(t reflect.Type) *SchemaNode {
	switch {
	case choicesOf(t) != nil:
		return &SchemaNode{Type: "string"}
	case t.Kind() == reflect.Bool:
		return &SchemaNode{Type: "boolean"}
	case t.Kind() == reflect.Float64:
		return &SchemaNode{Type: "number"}
	case t.Kind() == reflect.Slice:
		return &SchemaNode{Type: "array", Items: typeSchema(t.Elem())}
	case isWhole(t.Kind()):
		n := &SchemaNode{Type: "integer"}
		if t.Kind() >= reflect.Uint {
			n.Minimum = new(int)
		}
		return n
	}
	return &SchemaNode{Type: "string"}
}
