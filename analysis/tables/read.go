package tables

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// ReadArrow reads a table's file back: its rows in order, and the manifest of the study that wrote
// it. Columns are found by name; one that the table has and the file lacks is an error, unless its
// cells may be absent, as they then are. Further columns of the file are passed over.
func (t *Table[R]) ReadArrow(path string) (rows []R, manifest string, err error) {
	defer notReadable(path, &err)
	file, release, err := openArrow(path)
	if err != nil {
		return nil, "", err
	}
	defer release()
	position, err := t.match(path, file.Schema())
	if err != nil {
		return nil, "", err
	}
	for b := range file.NumRecords() {
		record, err := file.Record(b)
		if err != nil {
			return nil, "", fmt.Errorf("%s: batch %d: %w", path, b, err)
		}
		rows = t.appendRows(rows, record, position)
	}
	metadata := file.Schema().Metadata()
	manifest, _ = metadata.GetValue(manifestKey)
	return rows, manifest, nil
}

// notReadable turns a panic of the Arrow reader, which some damaged files cause, into an error.
func notReadable(path string, err *error) {
	if broken := recover(); broken != nil {
		*err = fmt.Errorf("%s is not a readable Arrow file: %v", path, broken)
	}
}

// openArrow opens a file; the caller calls release.
func openArrow(path string) (file *ipc.FileReader, release func(), err error) {
	f, err := wholefile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer notReadable(path, &err)
	if file, err = ipc.NewFileReader(f); err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s is not a readable Arrow file: %w", path, err)
	}
	return file, func() { file.Close(); f.Close() }, nil
}

// match finds each of the table's columns in a file's schema and checks version and types.
func (t *Table[R]) match(path string, schema *arrow.Schema) ([]int, error) {
	metadata := schema.Metadata()
	if v, ok := metadata.GetValue(versionKey); !ok || v != SchemaVersion {
		return nil, fmt.Errorf("%s: the schema version is %q, and this program reads version %s; simulate the study again (--force), or read it with the program that wrote it", path, v, SchemaVersion)
	}
	var row R
	position := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		at := schema.FieldIndices(c.Name)
		kind, nullable := shape(c.Cell(&row))
		if len(at) == 0 && nullable {
			position[i] = absent
			continue
		}
		if len(at) != 1 {
			return nil, fmt.Errorf("%s: table %s needs one column %q; the file has %d", path, t.Name, c.Name, len(at))
		}
		if have := schema.Field(at[0]).Type; !arrow.TypeEqual(have, kind) {
			return nil, fmt.Errorf("%s: column %q holds %s; table %s has %s there", path, c.Name, have, t.Name, kind)
		}
		position[i] = at[0]
	}
	return position, nil
}

// absent is the position of a column that the file does not have: one that came to the table later.
const absent = -1

func (t *Table[R]) appendRows(rows []R, record arrow.Record, position []int) []R {
	first, n := len(rows), int(record.NumRows())
	rows = append(rows, make([]R, n)...)
	for i, c := range t.Columns {
		if position[i] == absent {
			continue
		}
		column := record.Column(position[i])
		for r := range n {
			if column.IsNull(r) {
				continue
			}
			cell := c.Cell(&rows[first+r])
			switch values := column.(type) {
			case *array.String:
				// Cloned: the batch's buffers must not stay alive for a few names.
				setCell(cell, string([]byte(values.Value(r))))
			case *array.Uint64:
				setCell(cell, values.Value(r))
			case *array.Float64:
				setCell(cell, values.Value(r))
			}
		}
	}
	return rows
}
