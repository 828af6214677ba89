package tables

import (
	"fmt"
	"reflect"
	"slices"
)

// SchemaVersion counts incompatible changes of names, order, types or meaning of columns.
const SchemaVersion = "2"

// Maybe is a cell that may be absent. The zero value is absent.
type Maybe[T any] struct {
	Value T
	Known bool
}

// Some is a cell that is present.
func Some[T any](v T) Maybe[T] { return Maybe[T]{Value: v, Known: true} }

// Ratio is a cell of a mean; absent when there was nothing to take it over.
func Ratio(sum, n uint64) Maybe[float64] {
	if n == 0 {
		return Maybe[float64]{}
	}
	return Some(float64(sum) / float64(n))
}

// Column is one column of a table with rows R.
type Column[R any] struct {
	ColumnDescription
	// Cell points to the column's field of a row: a string, uint64 or float64, or a Maybe of one.
	Cell func(*R) any
}

// ColumnDescription says what a column holds.
type ColumnDescription struct {
	Name string `json:"name"`
	Type string `json:"type"` // text, count or number
	Unit string `json:"unit"` // "" for names and plain counts
	Null bool   `json:"null"` // whether a cell may be absent
	Doc  string `json:"doc"`  // one sentence
}

// The types of columns.
const (
	textType   = "text"
	countType  = "count"
	numberType = "number"
)

// column makes a column of its cells, which tell its type.
func column[R any](name, unit, doc string, cell func(*R) any) Column[R] {
	c := Column[R]{ColumnDescription{Name: name, Unit: unit, Doc: doc}, cell}
	switch v := cell(new(R)).(type) {
	case *string, *Maybe[string]:
		c.Type = textType
	case *uint64, *Maybe[uint64]:
		c.Type = countType
	case *float64, *Maybe[float64]:
		c.Type = numberType
	default:
		panic(fmt.Sprintf("tables: no column type for a cell of type %T", v))
	}
	_, c.Null = cell(new(R)).(interface{ content() any })
	return c
}

// Table names the columns of a row type.
type Table[R any] struct {
	Name    string // also the file's name, without its extension
	Doc     string // what a row stands for
	Columns []Column[R]
}

// newTable makes a table with a column for each field of a row with the tag col, in their order. The tags
// unit and doc say what the column holds.
func newTable[R any](name, doc string) *Table[R] {
	return &Table[R]{Name: name, Doc: doc, Columns: columnsOf[R](reflect.TypeFor[R](), nil)}
}

// columnsOf lists the columns of a structure, and of those that are its fields. path leads to it from a
// row.
func columnsOf[R any](structure reflect.Type, path []int) (list []Column[R]) {
	for i := range structure.NumField() {
		f, at := structure.Field(i), append(slices.Clone(path), i)
		if name := f.Tag.Get("col"); name != "" {
			list = append(list, column(name, f.Tag.Get("unit"), f.Tag.Get("doc"), func(row *R) any {
				return reflect.ValueOf(row).Elem().FieldByIndex(at).Addr().Interface()
			}))
		} else if f.Type.Kind() == reflect.Struct {
			list = append(list, columnsOf[R](f.Type, at)...)
		}
	}
	return list
}

// content is the value; nil where it is absent.
func (m Maybe[T]) content() any {
	if !m.Known {
		return nil
	}
	return m.Value
}

// value is the content of a cell; nil where it is absent.
func value(cell any) any {
	if m, ok := cell.(interface{ content() any }); ok {
		return m.content()
	}
	return reflect.ValueOf(cell).Elem().Interface()
}

// setCell stores a value read from a file.
func setCell[T any](cell any, v T) {
	if m, ok := cell.(*Maybe[T]); ok {
		*m = Some(v)
		return
	}
	*cell.(*T) = v
}
