package main

import (
	"reflect"
	"strings"
)

// schemaNode is a JSON schema (draft 2020-12), as far as configurations need it.
type schemaNode struct {
	Schema      string                 `json:"$schema,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        string                 `json:"type"`
	Default     any                    `json:"default,omitempty"`
	Enum        []string               `json:"enum,omitempty"`
	Minimum     *int                   `json:"minimum,omitempty"`
	Items       *schemaNode            `json:"items,omitempty"`
	Properties  map[string]*schemaNode `json:"properties,omitempty"`
	// Strict forbids keys that are not listed.
	Strict *bool `json:"additionalProperties,omitempty"`
}

// configurationSchema describes every key of a configuration file.
func configurationSchema() *schemaNode {
	root := section()
	root.Schema, root.Title = "https://json-schema.org/draft/2020-12/schema", "Carousel configuration"
	defaults := reflect.ValueOf(DefaultSettings())
	for _, k := range settingKeys() {
		at := root
		parts := strings.Split(k.name, ".")
		for _, part := range parts[:len(parts)-1] {
			if at.Properties[part] == nil {
				at.Properties[part] = section()
			}
			at = at.Properties[part]
		}
		leaf := typeSchema(k.kind)
		leaf.Default = defaults.FieldByIndex(k.field).Interface()
		about := keyFacts[k.name]
		leaf.Description = about.doc
		if about.unit != "" {
			leaf.Description += " (" + about.unit + ")"
		}
		at.Properties[parts[len(parts)-1]] = leaf
	}
	return root
}

func section() *schemaNode {
	return &schemaNode{Type: "object", Properties: map[string]*schemaNode{}, Strict: new(bool)}
}

func typeSchema(t reflect.Type) *schemaNode {
	switch names := choices(t); {
	case names != nil:
		return &schemaNode{Type: "string", Enum: names}
	case t.Kind() == reflect.Bool:
		return &schemaNode{Type: "boolean"}
	case t.Kind() == reflect.Float64:
		return &schemaNode{Type: "number"}
	case t.Kind() == reflect.Slice:
		return &schemaNode{Type: "array", Items: typeSchema(t.Elem())}
	case isWhole(t.Kind()):
		n := &schemaNode{Type: "integer"}
		if t.Kind() >= reflect.Uint {
			n.Minimum = new(int)
		}
		return n
	}
	return &schemaNode{Type: "string"}
}
