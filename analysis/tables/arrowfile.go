package tables

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// arrowFile is an Arrow IPC file with the types of columns that tables have. The Arrow library reads
// it with a limit of memory, because it allocates whatever a length in a file asks for: one wrong
// bit would end the program.
type arrowFile struct {
	path     string
	sealed   bool // the file names its checksum
	reader   *ipc.FileReader
	limit    *limited
	metadata map[string]string // of the schema
	columns  []ColumnDescription
}

// tableBytes bounds a table, which is read whole.
const tableBytes = 4 << 30

// openArrow reads a file and its schema.
func openArrow(path string) (f *arrowFile, err error) {
	content, sealed, err := wholefile.ReadSealed(path, tableBytes)
	if err != nil {
		return nil, err
	}
	defer notReadable(path, &err)
	checkLists(content)
	f = &arrowFile{path: path, sealed: sealed, limit: &limited{memory.NewGoAllocator(), leastMemory + memoryPerByte*len(content)}}
	if f.reader, err = ipc.NewFileReader(bytes.NewReader(content), ipc.WithAllocator(f.limit)); err != nil {
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

// A file may take so much memory, and so much more for each of its bytes. Tables compress well,
// but less.
const (
	leastMemory   = 256 << 20
	memoryPerByte = 1 << 10
)

// limited allocates memory up to a limit.
type limited struct {
	memory.Allocator
	left int // bytes
}

// take notes the allocation of n bytes.
func (l *limited) take(n int) {
	if n < 0 || n > l.left {
		panic("it asks for more memory than a file of its size needs")
	}
	l.left -= n
}

// Allocate implements memory.Allocator.
func (l *limited) Allocate(size int) []byte {
	l.take(size)
	return l.Allocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (l *limited) Reallocate(size int, old []byte) []byte {
	l.take(size)
	return l.Allocator.Reallocate(size, old)
}

// checkLists panics if the lists in the schema of a file have more elements than the file has room for: the
// library allocates as many as a list says that it has.
func checkLists(content []byte) {
	end := len(content) - len(ipc.Magic) - 4
	footer := flatbuffers.Table{Bytes: content[end-int(binary.LittleEndian.Uint32(content[end:])) : end]}
	footer.Pos = flatbuffers.GetUOffsetT(footer.Bytes)
	left := len(footer.Bytes) / flatbuffers.SizeUOffsetT
	each := func(t flatbuffers.Table, list flatbuffers.VOffsetT, visit func(flatbuffers.Table)) {
		at := flatbuffers.UOffsetT(t.Offset(list))
		if at == 0 {
			return
		}
		n := t.VectorLen(at)
		if left -= n; left < 0 {
			panic("a list is longer than the file")
		}
		for i := range n {
			visit(flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Vector(at) + flatbuffers.UOffsetT(flatbuffers.SizeUOffsetT*i))})
		}
	}
	// Where the lists are: the fields and the metadata of a schema, and the fields and the metadata of a field.
	const fields, metadata, ownFields, ownMetadata = 6, 8, 14, 16
	pair := func(flatbuffers.Table) {}
	var field func(flatbuffers.Table)
	field = func(t flatbuffers.Table) {
		each(t, ownFields, field)
		each(t, ownMetadata, pair)
	}
	const schema = 6
	root := flatbuffers.Table{Bytes: footer.Bytes, Pos: footer.Indirect(footer.Pos + flatbuffers.UOffsetT(footer.Offset(schema)))}
	each(root, fields, field)
	each(root, metadata, pair)
}
