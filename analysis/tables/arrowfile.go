package tables

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// arrowFile is an Arrow IPC file in memory with the types of columns that tables have. The
// package does not read files with the Arrow library, which allocates whatever a length in a file
// asks for: one wrong bit would end the program.
//
// The methods of arrowFile and batch panic where a file is damaged, as those of flatbuffers do;
// notReadable makes an error of it.
type arrowFile struct {
	path     string
	content  []byte
	sealed   bool              // the file names its checksum
	metadata map[string]string // of the schema
	columns  []fileColumn
	footer   object
	left     int // bytes that may still be allocated
	zstd     *zstd.Decoder
}

// fileColumn is a column of a file.
type fileColumn struct {
	ColumnDescription
	node, buffer int // its first one in a record batch
}

// A file may take so much memory, and so much more for each of its bytes. Tables compress well,
// but less. zstd makes no more than 128 KiB of 4 bytes.
const (
	leastMemory   = 256 << 20
	memoryPerByte = 1 << 10
	mostExpansion = 1 << 15
)

// notReadable turns a panic about a damaged file into an error.
func notReadable(path string, err *error) {
	if broken := recover(); broken != nil {
		*err = fmt.Errorf("%s is not a readable Arrow file: %v", path, broken)
	}
}

// tableBytes bounds a table, which is read whole.
const tableBytes = 4 << 30

// openArrow reads a file and its schema.
func openArrow(path string) (f *arrowFile, err error) {
	defer notReadable(path, &err)
	content, sealed, err := wholefile.ReadSealed(path, tableBytes)
	if err != nil {
		return nil, err
	}
	f = &arrowFile{path: path, content: content, sealed: sealed, left: leastMemory + memoryPerByte*len(content)}
	body, complete := bytes.CutSuffix(content, ipc.Magic)
	if !complete || !bytes.HasPrefix(content, ipc.Magic) {
		panic("it does not start and end as one")
	}
	end := len(body) - 4
	f.footer = root(body[end-int(binary.LittleEndian.Uint32(body[end:])) : end])
	schema := f.footer.child(1)
	if schema.number(0, 2) != 0 {
		panic("its numbers are not little-endian")
	}
	f.metadata = f.pairs(schema, 2)
	buffer := 0
	for i, field := range f.children(schema, 1) {
		column, buffers := f.column(field)
		column.node, column.buffer = i, buffer
		f.columns = append(f.columns, column)
		buffer += buffers
	}
	return f, nil
}

// column reads a field of a schema. It returns the number of buffers of the column, too.
func (f *arrowFile) column(field object) (c fileColumn, buffers int) {
	const integer, float, text = 2, 3, 5 // types
	c.Name, c.Null = f.text(field, 0), field.number(1, 1) != 0
	metadata := f.pairs(field, 6)
	c.Unit, c.Doc, buffers = metadata[unitKey], metadata[docKey], 2
	kind, dictionary := field.number(2, 1), field.slot(4) != 0
	switch {
	case kind == text && !dictionary:
		c.Type, buffers = textType, 3
	case kind == integer && field.child(3).number(0, 4) == 64 && field.child(3).number(1, 1) == 0 && !dictionary:
		c.Type = countType
	case kind == float && field.child(3).number(0, 2) == 2 && !dictionary:
		c.Type = numberType
	default:
		panic(fmt.Sprintf("column %q has a type that no table has; tables have utf8, uint64 and double", c.Name))
	}
	return c, buffers
}

// pairs reads a list of keys and values.
func (f *arrowFile) pairs(from object, slot int) map[string]string {
	pairs := map[string]string{}
	for _, pair := range f.children(from, slot) {
		pairs[f.text(pair, 0)] = f.text(pair, 1)
	}
	return pairs
}

// children lists the tables that a table has in a member.
func (f *arrowFile) children(of object, slot int) []object {
	const size = 4
	n := len(of.structs(slot, size)) / size
	f.take(n * int(unsafe.Sizeof(of))) // a damaged file may name a list more than once
	list := make([]object, n)
	for i := range list {
		at := of.Vector(of.slot(slot)) + flatbuffers.UOffsetT(size*i)
		list[i] = object{flatbuffers.Table{Bytes: of.Bytes, Pos: of.Indirect(at)}}
	}
	return list
}

func (f *arrowFile) text(from object, slot int) string {
	text := from.bytes(slot)
	f.take(len(text))
	return string(text)
}

// take notes the allocation of n bytes.
func (f *arrowFile) take(n int) {
	if n < 0 || n > f.left {
		panic("it asks for more memory than a file of its size needs")
	}
	f.left -= n
}

// batch is a record batch of a file.
type batch struct {
	file       *arrowFile
	rows       int
	header     object
	body       []byte
	compressed bool
}

// batches lists the record batches.
func (f *arrowFile) batches() (list []batch) {
	const size = 24
	blocks, from := f.footer.structs(3, size), 0
	for ; len(blocks) > 0; blocks = blocks[size:] {
		start, meta, length := number(blocks, 8), number(blocks[8:], 4), number(blocks[16:], 8)
		if start < from {
			panic("record batches overlap")
		}
		from = start + meta + length
		message := root(f.content[start : start+meta][8:])
		b := batch{file: f, header: message.child(2), body: f.content[start+meta : from]}
		if message.number(1, 1) != 3 {
			panic("a block is no record batch")
		}
		if b.rows = b.header.number(0, 8); b.header.slot(3) != 0 {
			b.compressed = true
			if b.header.child(3).number(0, 1) != 1 {
				panic("it is compressed, but not by zstd")
			}
		}
		list = append(list, b)
	}
	return list
}

// buffer returns the content of a buffer of the batch, of which size bytes are needed.
func (b *batch) buffer(i, size int) []byte {
	const record = 16
	at := b.header.structs(2, record)[record*i:]
	raw := b.body[number(at, 8):][:number(at[8:], 8)]
	if b.compressed && len(raw) > 0 {
		raw = b.file.decompress(raw)
	}
	if len(raw) < size {
		panic("a column is too short")
	}
	return raw
}

// decompress returns the content of a compressed buffer, whose first bytes say how long it is.
func (f *arrowFile) decompress(raw []byte) []byte {
	size, raw := number(raw, 8), raw[8:]
	if size == -1 {
		return raw // stored as it is
	}
	if size > mostExpansion*len(raw) {
		panic("a buffer is longer than its content can be")
	}
	f.take(size)
	if f.zstd == nil {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			panic(err)
		}
		f.zstd = decoder
	}
	content, err := f.zstd.DecodeAll(raw, make([]byte, 0, size))
	if err == nil && len(content) != size {
		err = errors.New("a buffer is too short")
	}
	if err != nil {
		panic(err)
	}
	return content
}

// cells are the cells of a column in a batch.
type cells struct{ present, content, text []byte }

func (b *batch) cells(c *fileColumn) (all cells) {
	const record = 16
	node := b.header.structs(1, record)[record*c.node:]
	if number(node, 8) != b.rows {
		panic("its columns differ in length")
	}
	if number(node[8:], 8) != 0 {
		all.present = b.buffer(c.buffer, (b.rows+7)/8)
	}
	if c.Type != textType {
		all.content = b.buffer(c.buffer+1, 8*b.rows)
		return all
	}
	all.content, all.text = b.buffer(c.buffer+1, 4*(b.rows+1)), b.buffer(c.buffer+2, 0)
	return all
}

// known reports whether a row has a cell.
func (c *cells) known(row int) bool { return c.present == nil || c.present[row/8]>>(row%8)&1 != 0 }

func (c *cells) count(row int) uint64 { return binary.LittleEndian.Uint64(c.content[8*row:]) }

func (c *cells) float(row int) float64 { return math.Float64frombits(c.count(row)) }

// bytes is a text; it shares the memory of the batch.
func (c *cells) bytes(row int) []byte {
	return c.text[number(c.content[4*row:], 4):number(c.content[4*row+4:], 4)]
}

// object is a table of a flatbuffer. Its members have numbers, called slots.
type object struct{ flatbuffers.Table }

func root(buffer []byte) object {
	return object{flatbuffers.Table{Bytes: buffer, Pos: flatbuffers.GetUOffsetT(buffer)}}
}

// slot returns where a member is, relative to the table; 0 if the table does not have it.
func (o object) slot(n int) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(o.Offset(flatbuffers.VOffsetT(4 + 2*n)))
}

// number returns an integer of size bytes; 0 if there is none.
func (o object) number(slot, size int) int {
	at := o.slot(slot)
	if at == 0 {
		return 0
	}
	return number(o.Bytes[o.Pos+at:], size)
}

// number reads a signed integer of size bytes.
func number(from []byte, size int) (v int) {
	for i := range size {
		v |= int(from[i]) << (8 * i)
	}
	return v << (64 - 8*size) >> (64 - 8*size)
}

func (o object) bytes(slot int) []byte {
	if at := o.slot(slot); at != 0 {
		return o.ByteVector(o.Pos + at)
	}
	return nil
}

func (o object) child(slot int) object {
	at := o.slot(slot)
	if at == 0 {
		panic("a part of its metadata is missing")
	}
	return object{flatbuffers.Table{Bytes: o.Bytes, Pos: o.Indirect(o.Pos + at)}}
}

// structs returns the memory of a list whose elements have size bytes.
func (o object) structs(slot, size int) []byte {
	at := o.slot(slot)
	if at == 0 {
		return nil
	}
	start := int(o.Vector(at))
	return o.Bytes[start : start+size*o.VectorLen(at)]
}
