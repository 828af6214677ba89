package tables

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Name names a column of records: a column of a table, a part of a whole, or an axis of a sweep.
// Code takes the names of columns from Col, so that a wrong one does not compile.
type Name struct{ text string }

func (n Name) String() string { return n.text }

// AxisName names an axis by its configuration key.
func AxisName(key string) Name { return Name{key} }

// RecordName is the name of the column in records.
func (c *Column[R]) RecordName() Name { return Name{c.Name} }

// columnNames fills a structure of names: the field MissLatencyMean is the column miss_latency_mean.
func columnNames[T any]() (names T) {
	known := map[string]string{} // columns by the names of their fields, in lower case
	for _, name := range MeasuredColumns() {
		known[strings.ReplaceAll(name, "_", "")] = name
	}
	v := reflect.ValueOf(&names).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i).Name
		name := known[strings.ToLower(field)]
		if name == "" {
			panic(fmt.Sprintf("tables: no table has a column for the field %s of Col", field))
		}
		v.Field(i).Set(reflect.ValueOf(Name{name}))
	}
	return names
}

// MeasuredColumns lists the columns of tables that records have.
func MeasuredColumns() (names []string) {
	for _, d := range []Description{Runs.Describe(), TrafficPoints.Describe(), Batches.Describe()} {
		for _, c := range d.Columns {
			names = append(names, c.Name)
		}
	}
	for _, c := range EnergyParts {
		names = append(names, c.Name)
	}
	return names
}

// Named returns columns of the table for a variable of a package. It panics if one does not
// exist, so that the program ends at its start.
func (t *Table[R]) Named(names ...string) (list []Name) {
	for _, name := range names {
		if !slices.ContainsFunc(t.Columns, func(c Column[R]) bool { return c.Name == name }) {
			panic(fmt.Sprintf("tables: table %s has no column %q", t.Name, name))
		}
		list = append(list, Name{name})
	}
	return list
}

// Texts returns names as texts.
func Texts(names ...Name) (list []string) {
	for _, n := range names {
		list = append(list, n.text)
	}
	return list
}
