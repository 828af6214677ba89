package tables

import (
	"fmt"
	"reflect"
	"slices"
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
	defer notReadable(file.path, &err)
	position, err := t.match(file.path, file)
	if err != nil {
		return nil, err
	}
	for _, b := range file.batches() {
		rows = t.appendRows(rows, &b, position)
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
		named := func(f fileColumn) bool { return f.Name == c.Name }
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

// appendRows appends the rows of a record batch.
func (t *Table[R]) appendRows(rows []R, b *batch, position []int) []R {
	b.file.take(b.rows * int(reflect.TypeFor[R]().Size()))
	first := len(rows)
	rows = append(rows, make([]R, b.rows)...)
	for i, c := range t.Columns {
		if position[i] == absent {
			continue
		}
		column, last := &b.file.columns[position[i]], ""
		values := b.cells(column)
		for r := range b.rows {
			cell := c.Cell(&rows[first+r])
			switch {
			case !values.known(r):
				if !c.Null {
					panic(fmt.Sprintf("column %q has no value in row %d", c.Name, first+r))
				}
			case column.Type == textType:
				if text := values.bytes(r); string(text) != last { // rows of a run have their key in common
					last = string(text)
				}
				setCell(cell, last)
			case column.Type == countType:
				setCell(cell, values.count(r))
			default:
				setCell(cell, values.float(r))
			}
		}
	}
	return rows
}
