package tables

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// numbersFile writes columns of several types in two batches, as a file or as a stream.
func numbersFile(t *testing.T, asFile bool) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
		{Name: "c", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true}, {Name: "d", Type: arrow.PrimitiveTypes.Float64}}, nil)
	path := filepath.Join(t.TempDir(), "x.arrow")
	f := must.Get(os.Create(path))
	defer f.Close()
	var w interface {
		Write(arrow.Record) error
		Close() error
	} = ipc.NewWriter(f, ipc.WithSchema(schema))
	if asFile {
		w = must.Get(ipc.NewFileWriter(f, ipc.WithSchema(schema), ipc.WithZstd()))
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for batch := range 2 {
		for row := range 3 {
			v := 3*batch + row
			b.Field(0).(*array.Int32Builder).Append(int32(v) - 4)
			b.Field(3).(*array.Float64Builder).Append(1)
			if v == 2 {
				b.Field(1).AppendNull()
				b.Field(2).AppendNull()
				continue
			}
			b.Field(1).(*array.Uint64Builder).Append(uint64(v))
			b.Field(2).(*array.ListBuilder).Append(true)
			for k := range row {
				b.Field(2).(*array.ListBuilder).ValueBuilder().(*array.Int64Builder).Append(int64(v + k))
			}
		}
		must.Do(w.Write(b.NewRecord()))
	}
	must.Do(w.Close())
	all := must.Get(os.ReadFile(path))
	return all
}

// numbers reads columns b and c of all rows.
func numbers(all []byte) (list [][]uint64, s *Stream, err error) {
	if s, err = NewStream("x", bufio.NewReader(bytes.NewReader(all))); err != nil {
		return nil, s, err
	}
	for {
		ok, err := s.Next()
		if err != nil || !ok {
			return list, s, err
		}
		row, _ := s.Numbers(1, nil)
		row, _ = s.Numbers(2, row)
		list = append(list, row)
	}
}

// TestStream: rows of files and streams come one by one, across batches, with lists and nulls.
func TestStream(t *testing.T) {
	for _, asFile := range []bool{true, false} {
		all := numbersFile(t, asFile)
		list, s, err := numbers(all)
		if want := [][]uint64{{0}, {1, 1}, nil, {3}, {4, 4}, {5, 5, 6}}; err != nil || !reflect.DeepEqual(list, want) || !IsArrow(string(all[:8])) {
			t.Errorf("%v, %v", list, err)
		}
		if got := s.Names(); !reflect.DeepEqual(got, []string{"a", "b", "c", "d"}) {
			t.Error(got)
		}
		s, _ = NewStream("x", bufio.NewReader(bytes.NewReader(all)))
		if at, offset := s.Place(); at != "the schema" || offset != -1 {
			t.Error(at, offset)
		}
		_, _ = s.Next()
		if at, _ := s.Place(); at != "record 1" {
			t.Error(at)
		}
		for column, says := range map[int]string{0: "type int32 that is no whole number", 3: "type float64"} {
			if _, problem := s.Numbers(column, nil); !strings.Contains(problem, says) {
				t.Errorf("column %d: %q", column, problem)
			}
		}
	}
}

// TestStreamCut: a file that is cut off anywhere ends in an error, never as if that were all.
func TestStreamCut(t *testing.T) {
	all := numbersFile(t, true)
	for n := 0; n < len(all); n += 29 {
		if list, _, err := numbers(all[:n]); err == nil || len(list) > 6 {
			t.Fatalf("cut to %d of %d bytes: %v, %v", n, len(all), list, err)
		}
	}
	if _, _, err := numbers([]byte("ARROW1\x00\x00nonsense")); err == nil || !strings.Contains(err.Error(), "x is not a readable Arrow file") {
		t.Error(err)
	}
}
