package elastic

import (
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// The traces of these tests are written byte by byte after inst_dep_record.proto.

// framed is a message of fields and values in pairs, behind its length.
func framed(pairs ...uint64) []byte {
	var m []byte
	for i := 0; i < len(pairs); i += 2 {
		m = binary.AppendUvarint(binary.AppendUvarint(m, pairs[i]<<3), pairs[i+1])
	}
	return append(binary.AppendUvarint(nil, uint64(len(m))), m...)
}

func file(records ...[]byte) []byte {
	b := append([]byte("gem5"), 11, 1<<3|2, 3, 'c', 'p', 'u', 2<<3, 0, 3<<3, 100, 4<<3, 120)
	for _, r := range records {
		b = append(b, r...)
	}
	return b
}

// program: a load, a load at the sum of it and something older, a computation between, a store, and a swap; two
// instructions were filtered out before the second load.
func program() []byte {
	return file(
		framed(1, 10, 2, load, 3, 0x2008, 4, 8, 5, 0, 7, 0),
		framed(1, 11, 2, compute, 7, 500, 8, 10),
		framed(1, 14, 2, load, 3, 0x3010, 4, 4, 7, 0, 8, 11, 8, 3, 9, 2),
		framed(1, 15, 2, store, 3, 0x203c, 4, 12, 6, 10, 6, 14, 7, 20, 8, 14),
		framed(1, 16, 2, load, 3, 0x2040, 4, 64, 5, 0x01000000, 7, 0),
		framed(1, 17, 2, store, 3, 0x2000, 4, 4, 5, linked, 7, 0),
		framed(1, 18, 2, load, 3, 0x2000, 4, 0, 7, 0),
		framed(1, 19, 2, compute, 7, 0),
	)
}

func TestImport(t *testing.T) {
	f, done, err := tracetest.Import(t, Import, traces.ImportConfig{}, program())
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, f).Records[0]
	want := []traces.Record{
		{Address: 0x0008, Size: 3, Instructions: 1},
		{Address: 0x1010, Size: 2, Instructions: 4, Dependence: 1},
		{Address: 0x003c, Kind: traces.Store, Size: 2, Instructions: 1, Dependence: 1},
		{Address: 0x0000, Kind: traces.Atomic, Size: 2, Instructions: 2},
		{Kind: traces.End, Instructions: 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it has\n%+v\nwant\n%+v", got, want)
	}
	counts := map[string]uint64{"records read": 8, "instructions": 10, "loads": 2, "stores": 1, "atomic operations, and locked and exclusive stores": 1, "prefetches, left out": 1,
		"delays of computations, left out": 2, "dependences without data, left out": 2, "accesses of no bytes, left out": 1,
		"bytes beyond a power of two or the end of a line, left out": 8, "dependences on instructions that are not in the file, left out": 1}
	for _, c := range done.Input {
		if counts[c.Name] != c.N {
			t.Errorf("%s: %d, want %d", c.Name, c.N, counts[c.Name])
		}
	}
}

// TestAtomics: a swap and each operation that reads and writes memory is an atomic, whether gem5 calls it a load or a
// store; a load-linked is a load.
func TestAtomics(t *testing.T) {
	kinds := map[uint64]traces.Kind{0: traces.Load, linked: traces.Load, 0x00400000: traces.Atomic, 0x00800000: traces.Atomic, 0x40000000: traces.Atomic, 0x80000000: traces.Atomic}
	for flags, want := range kinds {
		f, _, err := tracetest.Import(t, Import, traces.ImportConfig{}, file(framed(1, 10, 2, load, 3, 0x2008, 4, 8, 5, flags, 7, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if got := tracetest.Read(t, f).Records[0][0].Kind; got != want {
			t.Errorf("a load with flags %#x is a %s, want %s", flags, got, want)
		}
	}
}

// TestSharing: two files are two cores, which share physical addresses.
func TestSharing(t *testing.T) {
	f, done, err := tracetest.Import(t, Import, traces.ImportConfig{}, program(), program())
	if err != nil {
		t.Fatal(err)
	}
	if a, b := tracetest.Read(t, f).Records[0], tracetest.Read(t, f).Records[1]; !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
	if !strings.Contains(strings.Join(done.Metadata.Notes, "\n"), "no order between cores") {
		t.Errorf("%q", done.Metadata.Notes)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		content   []byte
		condition error
		want      string
	}{
		{program()[:38], traces.ErrTruncated, "the file ends within record 1"},
		{[]byte("gem5"), traces.ErrNotATrace, "no size of the window"},
		{append([]byte("gem5"), 7, 1<<3|2, 1, 'm', 3<<3, 100, 2<<3, 0), traces.ErrNotATrace, "no size of the window"},
		{[]byte("GEM5"), traces.ErrNotATrace, `begins with "gem5"`},
		{file(framed(1, 4, 2, 5, 7, 0)), traces.ErrIllegal, "instruction 4: type 5 is not known"},
		{file(framed(1, 4, 2, load, 7, 0)), traces.ErrIllegal, "it has no address"},
		{file(framed(1, 4, 2, compute, 7, 0), framed(1, 4, 2, compute, 7, 0)), traces.ErrIllegal, "it follows instruction 4"},
		{file(framed(1, 4, 2, compute, 7, 0, 8, 9)), traces.ErrIllegal, "it depends on instruction 9, which comes later"},
		{file(framed(1, 4, 2, load, 3, 0, 4, 1<<20, 7, 0)), traces.ErrIllegal, "it has 1048576 bytes"},
		{file([]byte{2, 1<<3 | 2, 0}), traces.ErrIllegal, "field 1 has the wire type 2"},
	} {
		if _, _, err := tracetest.Import(t, Import, traces.ImportConfig{}, c.content); !errors.Is(err, c.condition) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.content, err, c.want)
		}
	}
}
