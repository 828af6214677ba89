package drmemtrace

import (
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// encode writes entries as the format is documented; no test here has a file that DynamoRIO has
// made.
func encode(list ...entry) []byte {
	var b []byte
	for _, e := range list {
		b = binary.LittleEndian.AppendUint16(b, e.kind)
		b = binary.LittleEndian.AppendUint16(b, e.size)
		b = binary.LittleEndian.AppendUint64(b, e.value)
	}
	return b
}

func begin(thread, process uint64) []entry {
	return []entry{{typeHeader, 0, 5}, {typeThread, 0, thread}, {typeProcess, 0, process}, {typeMarker, 12, 5}, {typeMarker, markerFileType, 0x240}, {typeMarker, 2, 777}}
}

// program: a load, a string instruction of two turns, a bundle across a line, a LOCK instruction,
// an exchange, a prefetch, and a store of 16 bytes across a line.
func program() []byte {
	return encode(append(begin(7, 6),
		entry{10, 4, 0x400030}, entry{typeRead, 8, 0x7000_0010},
		entry{10, 2, 0x400034}, entry{typeRead, 1, 0x7000_1000}, entry{typeNoFetch, 2, 0x400034}, entry{typeRead, 1, 0x7000_1001},
		entry{typeBundle, 3, 0x050505}, entry{48, 3, 0x400045},
		entry{typeEncoding, 4, 0x00c10ff0}, entry{10, 4, 0x400048}, entry{typeRead, 4, 0x7000_0020}, entry{typeWrite, 4, 0x7000_0020},
		entry{typeEncoding, 3, 0x078748}, entry{10, 3, 0x40004c}, entry{typeRead, 8, 0x7000_0028}, entry{typeWrite, 8, 0x7000_0028},
		entry{3, 1, 0x7000_0000}, entry{20, 64, 0x7000_0000}, entry{typeRead, 0, 0x7000_0000},
		entry{10, 4, 0x40004f}, entry{typeWrite, 16, 0x7000_0038}, entry{10, 4, 0x400048}, entry{typeRead, 4, 0x7000_0020}, entry{typeWrite, 4, 0x7000_0020},
		entry{typeExit, 0, 7}, entry{typeFooter, 0, 0})...)
}

var want = []traces.Record{
	{Address: 0x000, Kind: traces.Fetch, Size: 6, Instructions: 1}, {Address: 0x1010, Size: 3},
	{Address: 0x2000, Instructions: 1}, {Address: 0x2001},
	{Address: 0x040, Kind: traces.Fetch, Size: 6, Instructions: 3}, // the bundle is at 36, 3b and 40 to 44
	{Address: 0x1020, Kind: traces.Atomic, Size: 2, Instructions: 2}, {Address: 0x1028, Kind: traces.Atomic, Size: 3, Instructions: 1},
	{Address: 0x1038, Kind: traces.Store, Size: 3, Instructions: 1}, {Address: 0x1040, Kind: traces.Store, Size: 3},
	{Address: 0x1020, Kind: traces.Atomic, Size: 2, Instructions: 1}, {Kind: traces.End},
}

func TestImport(t *testing.T) {
	file, done, err := tracetest.Import(t, Import, traces.ImportConfig{}, program())
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	if !reflect.DeepEqual(got.Records[0], want) {
		t.Errorf("%+v\nwant\n%+v", got.Records[0], want)
	}
	if got.Metadata.Target != "x86_64" || got.Metadata.CoreNames[0] != "thread 7" {
		t.Errorf("%+v", got.Metadata)
	}
	for _, n := range done.Input {
		if want := map[string]uint64{"entries": 32, "instructions": 10, "further turns of string instructions": 1, "reads": 6, "writes": 4,
			"pairs of them that are atomics": 3, "prefetches, left out": 1, "flushes, left out": 1, "accesses of no bytes, left out": 1, "markers": 3}[n.Name]; n.N != want {
			t.Errorf("%s: %d, want %d", n.Name, n.N, want)
		}
	}
}

func TestThreadsShareTheirProcess(t *testing.T) {
	one := func(thread, process uint64) []byte {
		return encode(append(begin(thread, process), entry{10, 4, 0x400000}, entry{typeWrite, 8, 0x7000_0000}, entry{typeFooter, 0, 0})...)
	}
	file, _, err := tracetest.Import(t, Import, traces.ImportConfig{}, one(1, 1), one(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if got := tracetest.Read(t, file); got.Records[1][1].Address != got.Records[0][1].Address || got.Metadata.AddressSpaces != 1 {
		t.Errorf("%+v", got)
	}
	if file, _, err = tracetest.Import(t, Import, traces.ImportConfig{Instructions: 1}, one(1, 1), one(1, 2)); err != nil {
		t.Fatal(err)
	}
	if got := tracetest.Read(t, file); got.Records[1][1].Address == got.Records[0][1].Address || got.Metadata.AddressSpaces != 2 {
		t.Errorf("%+v", got)
	}
	if _, _, err := tracetest.Import(t, Import, traces.ImportConfig{}, one(1, 1), one(1, 2), one(2, 2)); err == nil || !strings.Contains(err.Error(), "3 files are of 2 processes") {
		t.Error(err)
	}
}

func TestLimit(t *testing.T) {
	file, done, err := tracetest.Import(t, Import, traces.ImportConfig{Instructions: 2}, program())
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	if !reflect.DeepEqual(got.Records[0], append(append([]traces.Record(nil), want[:4]...), traces.Record{Kind: traces.End})) || done.Sum().Instructions != 2 {
		t.Errorf("%+v", got.Records[0])
	}
}

// TestCutAnywhere: a file without its footer is cut off, and the error names the first byte that is
// missing's entry.
func TestCutAnywhere(t *testing.T) {
	whole := program()
	for n := 0; n < len(whole); n += 5 {
		_, _, err := tracetest.Import(t, Import, traces.ImportConfig{}, whole[:n])
		var e *traces.Error
		if !errors.Is(err, traces.ErrTruncated) || !errors.As(err, &e) || e.Offset != int64(n/entryBytes*entryBytes) {
			t.Fatalf("cut to %d: %v", n, err)
		}
	}
}

func TestBadEntries(t *testing.T) {
	for _, c := range []struct {
		says   string
		offset int64
		entry  entry
	}{{"type 30", 72, entry{30, 1, 1}}, {"type 50", 72, entry{50, 0, 0}}, {"instruction of 0 bytes", 72, entry{10, 0, 1}},
		{"bundle of 1", 72, entry{typeBundle, 1, 1}}, {"thread 9 in the file of thread 7", 72, entry{typeThread, 0, 9}},
		{"encoding of 9", 72, entry{typeEncoding, 9, 0}}, {"address space", 72, entry{typeRead, 8, ^uint64(0) - 3}}} {
		_, _, err := tracetest.Import(t, Import, traces.ImportConfig{}, encode(append(begin(7, 6), c.entry, entry{typeFooter, 0, 0})...))
		var e *traces.Error
		if !errors.As(err, &e) || e.Offset != c.offset || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.says, err)
		}
	}
	if _, _, err := tracetest.Import(t, Import, traces.ImportConfig{}, encode(entry{10, 4, 8}, entry{typeFooter, 0, 0})); !errors.Is(err, traces.ErrNotATrace) || !strings.Contains(err.Error(), "raw") {
		t.Error(err)
	}
}
