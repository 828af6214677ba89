package main

import (
	"reflect"
	"strings"
)

// manifestSettings gives the effective value of every key as nested sections, in the form that --config
// reads, and where the keys that were set come from.
func manifestSettings(c *Configuration) (values map[string]any, given map[string]string) {
	values, given = map[string]any{}, map[string]string{}
	settings := reflect.ValueOf(c.Settings)
	for _, k := range settingKeys() {
		at := values
		parts := strings.Split(k.name, ".")
		for _, part := range parts[:len(parts)-1] {
			if at[part] == nil {
				at[part] = map[string]any{}
			}
			at = at[part].(map[string]any)
		}
		v := settings.FieldByIndex(k.field)
		if v.Kind() == reflect.Slice && v.IsNil() {
			v = reflect.MakeSlice(v.Type(), 0, 0) // a list without elements, not null
		}
		at[parts[len(parts)-1]] = v.Interface()
		if c.Given(k.name) {
			given[k.name] = string(c.Origins[k.name])
		}
	}
	return values, given
}
