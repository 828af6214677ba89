package config

import (
	"reflect"
	"strings"
)

// Schema describes every key of a configuration file, as a JSON schema (draft 2020-12).
func Schema() map[string]any {
	usual := Default()
	root := sectionSchema(nest(func(k Key) any {
		one := typeSchema(k.kind)
		if allowed := k.closed(); allowed != nil {
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
