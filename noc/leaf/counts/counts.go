// Package counts adds and subtracts counters: all numbers in structures and arrays. Texts and truth values
// stay as they are.
package counts

import "reflect"

// Since takes the counts at a start off those at an end, so that what has counted from the start of a run
// can be read for a part of it.
func Since[T any](end, start *T) { add(reflect.ValueOf(end).Elem(), reflect.ValueOf(start).Elem(), -1) }

// Add adds more counts to a sum.
func Add[T any](sum, more *T) { add(reflect.ValueOf(sum).Elem(), reflect.ValueOf(more).Elem(), 1) }

// add adds the counts of another value, times a sign.
func add(counts, other reflect.Value, sign int64) {
	switch counts.Kind() {
	case reflect.Struct:
		for i := range counts.NumField() {
			add(counts.Field(i), other.Field(i), sign)
		}
	case reflect.Array:
		for i := range counts.Len() {
			add(counts.Index(i), other.Index(i), sign)
		}
	case reflect.String, reflect.Bool:
	case reflect.Float64:
		counts.SetFloat(counts.Float() + float64(sign)*other.Float())
	default:
		counts.SetUint(counts.Uint() + uint64(sign)*other.Uint())
	}
}
