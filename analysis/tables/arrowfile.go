package tables

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// arrowFile is an Arrow IPC file with the types of columns that tables have. The Arrow library allocates
// whatever a length in a file asks for, so one wrong bit could end the program: only a file whose checksum is
// right is given to it.
type arrowFile struct {
	path     string
	reader   *ipc.FileReader
	metadata map[string]string // of the schema
	columns  []ColumnDescription
}

// tableBytes bounds a table, which is read whole.
const tableBytes = 4 << 30

// openArrow reads a file and its schema.
func openArrow(path string) (f *arrowFile, err error) {
	content, sealed, err := wholefile.ReadSealed(path, tableBytes)
	if err == nil && !sealed {
		err = fmt.Errorf("%s has no checksum: a version of carousel before checksums, or another program, wrote it; "+
			"give the command of the study again, which writes its tables from finished points, or with --force simulates it again", path)
	}
	if err != nil {
		return nil, err
	}
	defer notReadable(path, &err)
	f = &arrowFile{path: path}
	if f.reader, err = ipc.NewFileReader(bytes.NewReader(content)); err != nil {
		return nil, err
	}
	schema := f.reader.Schema()
	f.metadata = schema.Metadata().ToMap()
	for _, field := range schema.Fields() {
		c := ColumnDescription{Name: field.Name, Null: field.Nullable}
		c.Unit, _ = field.Metadata.GetValue(unitKey)
		c.Doc, _ = field.Metadata.GetValue(docKey)
		for name, kind := range arrowTypes {
			if kind.ID() == field.Type.ID() {
				c.Type = name
			}
		}
		if c.Type == "" {
			return nil, fmt.Errorf("column %q has a type that no table has; tables have utf8, uint64 and double", c.Name)
		}
		f.columns = append(f.columns, c)
	}
	return f, nil
}

// notReadable names the file of an error, and turns a panic about a damaged file into one: the library
// panics where lengths or places in a file are wrong.
func notReadable(path string, err *error) {
	if broken := recover(); broken != nil {
		*err = fmt.Errorf("%s is not a readable Arrow file: %v", path, broken)
	} else if *err != nil {
		*err = fmt.Errorf("%s is not a readable Arrow file: %w", path, *err)
	}
}
