// Package counts subtracts counters, so that what has counted from the start of a run can be read for a
// part of it.
package counts

import "reflect"

// Since takes the counts at a start off those at an end: all unsigned numbers in structures and arrays.
// Texts stay as they are.
func Since[T any](end, start *T) {
	subtract(reflect.ValueOf(end).Elem(), reflect.ValueOf(start).Elem())
}

func subtract(counts, start reflect.Value) {
	switch counts.Kind() {
	case reflect.Struct:
		for i := range counts.NumField() {
			subtract(counts.Field(i), start.Field(i))
		}
	case reflect.Array:
		for i := range counts.Len() {
			subtract(counts.Index(i), start.Index(i))
		}
	case reflect.String:
	default:
		counts.SetUint(counts.Uint() - start.Uint())
	}
}
