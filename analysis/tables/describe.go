package tables

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow"
)

// Description says what a table holds, for documentation.
type Description struct {
	Name    string              `json:"name"`
	Doc     string              `json:"doc"` // what a row stands for
	Columns []ColumnDescription `json:"columns"`
}

// ColumnDescription says what a column holds.
type ColumnDescription struct {
	Name string `json:"name"`
	Type string `json:"type"` // text, count or number
	Unit string `json:"unit"` // "" for names and plain counts
	Null bool   `json:"null"` // whether a cell may be absent
	Doc  string `json:"doc"`
}

// Describe returns the description of the table's columns.
func (t *Table[R]) Describe() Description { return describe(t.Name, t.schema("")) }

// kindNames are the storage types for people.
var kindNames = map[arrow.DataType]string{textType: "text", countType: "count", numberType: "number"}

// describe reads a schema with its metadata.
func describe(name string, schema *arrow.Schema) Description {
	d, metadata := Description{Name: name}, schema.Metadata()
	d.Doc, _ = metadata.GetValue(tableKey)
	for _, f := range schema.Fields() {
		c := ColumnDescription{Name: f.Name, Null: f.Nullable}
		c.Unit, _ = f.Metadata.GetValue(unitKey)
		c.Doc, _ = f.Metadata.GetValue(docKey)
		for kind, name := range kindNames {
			if arrow.TypeEqual(f.Type, kind) {
				c.Type = name
			}
		}
		d.Columns = append(d.Columns, c)
	}
	return d
}

// Descriptions returns the descriptions of all result tables, in the order in which a study writes
// them.
func Descriptions() []Description {
	var list []Description
	for _, p := range new(Rows).parts(true) {
		list = append(list, p.describe())
	}
	return append(list, SummaryTable(nil).Describe(), Claims.Describe(), FigurePoints.Describe())
}

// DescribeFolder returns the descriptions of the tables that a folder has, as its files tell them. They may
// have columns that no other file of that table has: those of a sweep's axes in the table summary.
func DescribeFolder(dir string) ([]Description, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	var found []Description
	for _, t := range Descriptions() {
		file, release, err := openArrow(filepath.Join(dir, t.Name+".arrow"))
		switch {
		case err == nil:
			found = append(found, describe(t.Name, file.Schema()))
			release()
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return found, nil
}
