package tables

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// columnsKey is the Parquet metadata key under which units and meanings are kept, as a JSON list:
// Parquet has no metadata per column.
const columnsKey = "carousel.columns"

// WriteParquet writes rows as a Parquet file, whose pages zstd may compress. It goes through the
// low-level writer: the Arrow-to-Parquet bridge would bring in a remote-procedure-call library and
// quadruple the program's size.
func (t *Table[R]) WriteParquet(w io.Writer, rows []R, manifest string, zstd bool) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("table %s: %w", t.Name, err)
		}
	}()
	description, err := t.parquetMetadata(manifest)
	if err != nil {
		return err
	}
	codec := compress.Codecs.Uncompressed
	if zstd && len(rows) >= compressedRows {
		codec = compress.Codecs.Zstd
	}
	properties := parquet.NewWriterProperties(
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithCompression(codec), parquet.WithDictionaryDefault(false))
	// Only the Writer side of w is shown, or the library would close it.
	out := file.NewParquetWriter(struct{ io.Writer }{w}, t.parquetSchema(),
		file.WithWriterProps(properties), file.WithWriteMetadata(description))
	for part := range slices.Chunk(rows, batchRows) {
		if err := t.writeRowGroup(out, part); err != nil {
			return err
		}
	}
	return out.Close()
}

func (t *Table[R]) parquetSchema() *schema.GroupNode {
	var fields schema.FieldList
	for _, c := range t.Columns {
		repetition := parquet.Repetitions.Required
		if c.Null {
			repetition = parquet.Repetitions.Optional
		}
		switch c.Type {
		case textType:
			fields = append(fields, schema.MustPrimitive(schema.NewPrimitiveNodeLogical(c.Name, repetition, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1)))
		case countType:
			fields = append(fields, schema.MustPrimitive(schema.NewPrimitiveNodeLogical(c.Name, repetition, schema.NewIntLogicalType(64, false), parquet.Types.Int64, 0, -1)))
		default:
			fields = append(fields, schema.MustPrimitive(schema.NewPrimitiveNode(c.Name, repetition, parquet.Types.Double, -1, 0)))
		}
	}
	return schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1))
}

func (t *Table[R]) parquetMetadata(manifest string) (metadata.KeyValueMetadata, error) {
	type column struct {
		Name string `json:"name"`
		Unit string `json:"unit"`
		Doc  string `json:"doc"`
	}
	list := make([]column, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = column{c.Name, c.Unit, c.Doc}
	}
	text, err := json.Marshal(list)
	kv := metadata.NewKeyValueMetadata()
	for _, pair := range [][2]string{
		{versionKey, SchemaVersion}, {manifestKey, manifest}, {tableKey, t.Doc}, {columnsKey, string(text)},
	} {
		err = cmp.Or(err, kv.Append(pair[0], pair[1]))
	}
	return kv, err
}

func (t *Table[R]) writeRowGroup(out *file.Writer, rows []R) error {
	group := out.AppendRowGroup()
	for _, c := range t.Columns {
		chunk, err := group.NextColumn()
		if err == nil {
			err = writeChunk(chunk, rows, &c)
		}
		if err == nil {
			err = chunk.Close()
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return group.Close()
}

func writeChunk[R any](chunk file.ColumnChunkWriter, rows []R, c *Column[R]) error {
	switch w := chunk.(type) {
	case *file.ByteArrayColumnChunkWriter:
		return writeValues(w.WriteBatch, rows, c, func(v string) parquet.ByteArray { return parquet.ByteArray(v) })
	case *file.Int64ColumnChunkWriter:
		return writeValues(w.WriteBatch, rows, c, func(v uint64) int64 { return int64(v) })
	case *file.Float64ColumnChunkWriter:
		return writeValues(w.WriteBatch, rows, c, func(v float64) float64 { return v })
	}
	return fmt.Errorf("no writer for a column chunk of type %T", chunk)
}

// writeValues writes the present values of a column, and its definition levels (1 present, 0 absent) when
// the column may have gaps.
func writeValues[T, S, R any](write func(values []S, levels, repetitions []int16) (int64, error), rows []R, c *Column[R], stored func(T) S) error {
	var values []S
	var levels []int16
	for r := range rows {
		level := int16(0)
		if v, known := value(c.Cell(&rows[r])).(T); known {
			values, level = append(values, stored(v)), 1
		}
		if c.Null {
			levels = append(levels, level)
		}
	}
	_, err := write(values, levels, nil)
	return err
}
