package tables

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// columnsKey is the Parquet metadata key under which units and meanings are kept, as a JSON list:
// Parquet has no metadata per column.
const columnsKey = "carousel.columns"

// compressedRows is the least number of rows that are worth compressing: each column has pages of
// its own, and the library makes a compressor for each.
const compressedRows = 1000

// WriteParquet writes rows as a Parquet file, whose pages zstd may compress. It goes through the
// low-level writer: the Arrow-to-Parquet bridge would bring in a remote-procedure-call library and
// quadruple the program's size.
func (t *Table[R]) WriteParquet(w io.Writer, rows []R, manifest string, zstd bool) error {
	root, err := t.parquetSchema()
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	description, err := t.parquetMetadata(manifest)
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	codec := compress.Codecs.Uncompressed
	if zstd && len(rows) >= compressedRows {
		codec = compress.Codecs.Zstd
	}
	properties := parquet.NewWriterProperties(
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithCompression(codec), parquet.WithDictionaryDefault(false))
	// Only the Writer side of w is shown, or the library would close it.
	out := file.NewParquetWriter(struct{ io.Writer }{w}, root,
		file.WithWriterProps(properties), file.WithWriteMetadata(description))
	for len(rows) > 0 {
		n := min(len(rows), batchRows)
		if err := t.writeRowGroup(out, rows[:n]); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		rows = rows[n:]
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	return nil
}

func (t *Table[R]) parquetSchema() (*schema.GroupNode, error) {
	var row R
	var fields schema.FieldList
	for _, c := range t.Columns {
		kind, nullable := shape(c.Cell(&row))
		repetition := parquet.Repetitions.Required
		if nullable {
			repetition = parquet.Repetitions.Optional
		}
		var node schema.Node
		var err error
		switch kind {
		case textType:
			node, err = schema.NewPrimitiveNodeLogical(c.Name, repetition, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1)
		case countType:
			node, err = schema.NewPrimitiveNodeLogical(c.Name, repetition, schema.NewIntLogicalType(64, false), parquet.Types.Int64, 0, -1)
		default:
			node, err = schema.NewPrimitiveNode(c.Name, repetition, parquet.Types.Double, -1, 0)
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		fields = append(fields, node)
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
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
	if err != nil {
		return nil, err
	}
	kv := metadata.NewKeyValueMetadata()
	for _, pair := range [][2]string{
		{versionKey, SchemaVersion}, {manifestKey, manifest}, {tableKey, t.Doc}, {columnsKey, string(text)},
	} {
		if err := kv.Append(pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	return kv, nil
}

func (t *Table[R]) writeRowGroup(out *file.Writer, rows []R) error {
	group := out.AppendRowGroup()
	for _, c := range t.Columns {
		chunk, err := group.NextColumn()
		if err != nil {
			return err
		}
		if err := writeChunk(chunk, rows, c.Cell); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
		if err := chunk.Close(); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return group.Close()
}

func writeChunk[R any](chunk file.ColumnChunkWriter, rows []R, cell func(*R) any) (err error) {
	switch w := chunk.(type) {
	case *file.ByteArrayColumnChunkWriter:
		values, levels := gather[string](rows, cell)
		bytes := make([]parquet.ByteArray, len(values))
		for i, v := range values {
			bytes[i] = parquet.ByteArray(v)
		}
		_, err = w.WriteBatch(bytes, levels, nil)
	case *file.Int64ColumnChunkWriter:
		values, levels := gather[uint64](rows, cell)
		signed := make([]int64, len(values))
		for i, v := range values {
			signed[i] = int64(v)
		}
		_, err = w.WriteBatch(signed, levels, nil)
	case *file.Float64ColumnChunkWriter:
		values, levels := gather[float64](rows, cell)
		_, err = w.WriteBatch(values, levels, nil)
	default:
		err = fmt.Errorf("no writer for a column chunk of type %T", chunk)
	}
	return err
}

// gather lists the present values of a column, and its definition levels (1 present, 0 absent) when
// the column may have gaps.
func gather[T, R any](rows []R, cell func(*R) any) (values []T, levels []int16) {
	_, nullable := shape(cell(new(R)))
	for r := range rows {
		level := int16(0)
		if v, known := value(cell(&rows[r])).(T); known {
			values, level = append(values, v), 1
		}
		if nullable {
			levels = append(levels, level)
		}
	}
	return values, levels
}
