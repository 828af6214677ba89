package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// ReadArrow reads a table's file back: its rows in order, and the manifest of the study that wrote
// it. Columns are found by name; one that the table has and the file lacks is an error, unless its
// cells may be absent, as they then are. Further columns of the file are passed over.
func (t *Table[R]) ReadArrow(path string) (rows []R, manifest string, err error) {
	file, err := openArrow(path)
	if err == nil {
		rows, err = t.decode(file)
	}
	if err != nil {
		return nil, "", err
	}
	return rows, file.metadata[manifestKey], nil
}

// decode returns the rows of an open file.
func (t *Table[R]) decode(file *arrowFile) (rows []R, err error) {
	position, err := t.match(file.path, file)
	if err != nil {
		return nil, err
	}
	defer notReadable(file.path, &err)
	for i := range file.reader.NumRecords() {
		batch, err := file.reader.RecordAt(i)
		if err != nil {
			return nil, err
		}
		n := int(batch.NumRows())
		first := len(rows)
		rows = append(rows, make([]R, n)...)
		for k, c := range t.Columns {
			if position[k] != absent {
				c.read(batch.Column(position[k]), rows[first:])
			}
		}
		batch.Release()
	}
	return rows, nil
}

// match finds each of the table's columns in a file and checks version and types.
func (t *Table[R]) match(path string, file *arrowFile) ([]int, error) {
	if v := file.metadata[versionKey]; v != SchemaVersion {
		return nil, fmt.Errorf("%s: the schema version is %q, and this program reads version %s; simulate the study again (--force), or read it with the program that wrote it", path, v, SchemaVersion)
	}
	position := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		named := func(f ColumnDescription) bool { return f.Name == c.Name }
		position[i] = slices.IndexFunc(file.columns, named)
		switch at := position[i]; {
		case at == absent && !c.Null:
			return nil, fmt.Errorf("%s: table %s needs a column %q, which the file does not have", path, t.Name, c.Name)
		case at == absent:
		case slices.IndexFunc(file.columns[at+1:], named) >= 0:
			return nil, fmt.Errorf("%s: the file has column %q twice", path, c.Name)
		case file.columns[at].Type != c.Type:
			return nil, fmt.Errorf("%s: column %q holds %s; table %s has %s there", path, c.Name, file.columns[at].Type, t.Name, c.Type)
		}
	}
	return position, nil
}

// absent is the position of a column that the file does not have: one that came to the table later.
const absent = -1

// read fills the cells of rows from a column of a file.
func (c *Column[R]) read(column arrow.Array, rows []R) {
	last := "" // rows of a run have their key in common
	for r := range rows {
		if column.IsNull(r) {
			if !c.Null {
				panic(fmt.Sprintf("column %q has no value in a row", c.Name))
			}
			continue
		}
		cell := c.Cell(&rows[r])
		switch values := column.(type) {
		case *array.String:
			if text := values.Value(r); text != last {
				last = strings.Clone(text) // the other texts of the file need not stay in memory
			}
			setCell(cell, last)
		case *array.Uint64:
			setCell(cell, values.Value(r))
		case *array.Float64:
			setCell(cell, values.Value(r))
		}
	}
}
