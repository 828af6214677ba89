package tables

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// The keys of the schema and field metadata.
const (
	versionKey  = "carousel.schema_version"
	manifestKey = "carousel.manifest"
	tableKey    = "carousel.table"
	checksumKey = "carousel.checksum" // of the file, see wholefile.Seal
	unitKey     = "unit"
	docKey      = "doc"
)

// arrowTypes are the types of columns in files.
var arrowTypes = map[string]arrow.DataType{textType: arrow.BinaryTypes.String, countType: arrow.PrimitiveTypes.Uint64, numberType: arrow.PrimitiveTypes.Float64}

// batchRows bounds a record batch, and with it the memory of reader and writer.
const batchRows = 1 << 16

// schema is the table's Arrow schema with its metadata.
func (t *Table[R]) schema(manifest string) *arrow.Schema {
	fields := make([]arrow.Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = arrow.Field{
			Name: c.Name, Type: arrowTypes[c.Type], Nullable: c.Null,
			Metadata: arrow.NewMetadata([]string{unitKey, docKey}, []string{c.Unit, c.Doc}),
		}
	}
	metadata := arrow.NewMetadata([]string{versionKey, manifestKey, tableKey, checksumKey},
		[]string{SchemaVersion, manifest, t.Doc, "{" + wholefile.BlankChecksum + "}"})
	return arrow.NewSchema(fields, &metadata)
}

// compressedRows is the least number of rows that are worth compressing: each column has buffers or
// pages of its own, and the library makes a compressor for each.
const compressedRows = 1000

// Compression says how the buffers of an Arrow file are compressed, and the pages of a Parquet file.
type Compression uint8

const (
	Zstd         Compression = iota
	Uncompressed             // for readers that cannot read zstd
	LZ4                      // of Arrow alone: takes a fraction of the time for up to 1.5 times the size
)

// WriteArrow writes rows as an Arrow IPC file. Its metadata, which stands at the start and at the end
// of the file, holds the file's checksum.
func (t *Table[R]) WriteArrow(w io.Writer, rows []R, manifest string, compression Compression) error {
	var content arrowBuffer
	if err := t.encode(&content, rows, manifest, compression); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	wholefile.Seal(content.Bytes())
	_, err := w.Write(content.Bytes())
	return err
}

// arrowBuffer is a file in memory. Its writer seeks only to learn where it is.
type arrowBuffer struct{ bytes.Buffer }

func (b *arrowBuffer) Seek(int64, int) (int64, error) { return int64(b.Len()), nil }

func (t *Table[R]) encode(w io.WriteSeeker, rows []R, manifest string, compression Compression) error {
	schema := t.schema(manifest)
	options := []ipc.Option{ipc.WithSchema(schema)}
	if len(rows) >= compressedRows {
		switch compression {
		case Zstd:
			options = append(options, ipc.WithZstd())
		case LZ4:
			options = append(options, ipc.WithLZ4())
		}
	}
	file, err := ipc.NewFileWriter(w, options...)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(rows, batchRows) {
		if err := t.writeBatch(file, schema, part); err != nil {
			return err
		}
	}
	return file.Close()
}

func (t *Table[R]) writeBatch(file *ipc.FileWriter, schema *arrow.Schema, rows []R) error {
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	for i, c := range t.Columns {
		field := builder.Field(i)
		field.Reserve(len(rows))
		for r := range rows {
			appendCell(field, c.Cell(&rows[r]))
		}
	}
	record := builder.NewRecord()
	defer record.Release()
	return file.Write(record)
}

// appendCell appends a cell, or null where it is absent.
func appendCell(field array.Builder, cell any) {
	switch v := value(cell).(type) {
	case nil:
		field.AppendNull()
	case string:
		field.(*array.StringBuilder).Append(v)
	case uint64:
		field.(*array.Uint64Builder).Append(v)
	case float64:
		field.(*array.Float64Builder).Append(v)
	}
}
