package raw

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
	"github.com/carousel-sim/carousel/traces/packed/packedtest"
)

func encode(list ...record) []byte {
	var b []byte
	for _, r := range list {
		b = binary.LittleEndian.AppendUint64(b, r.stamp)
		b = binary.LittleEndian.AppendUint64(b, r.virtual)
		b = binary.LittleEndian.AppendUint64(b, r.physical)
		b = binary.LittleEndian.AppendUint64(b, r.pc)
		b = binary.LittleEndian.AppendUint32(b, r.gap)
		b = append(b, r.kind, r.size)
		b = binary.LittleEndian.AppendUint16(b, r.cpu)
	}
	return b
}

// imported runs an import of recordings in memory and gives back each core's records and edges.
func imported(t *testing.T, c traces.ImportConfig, files ...[]byte) (*traces.File, traces.Imported, error) {
	t.Helper()
	var inputs []*input
	for core, b := range files {
		from, err := packed.NewReader("recording", bytes.NewReader(b))
		if err != nil {
			return nil, traces.Imported{}, err
		}
		defer from.Close()
		in := &input{name: "recording", core: core, from: from.Reader}
		if err := in.next(); err != nil {
			return nil, traces.Imported{}, err
		}
		inputs = append(inputs, in)
	}
	var out bytes.Buffer
	report, err := importFrom(inputs, c, traces.ToStream(&out, traces.DefaultWriterConfig()))
	if err != nil {
		return nil, report, err
	}
	f, err := traces.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), traces.DefaultReaderConfig())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Verify(); err != nil && !errors.Is(err, traces.ErrAddress) {
		t.Fatal(err)
	}
	return f, report, nil
}

func contents(t *testing.T, f *traces.File, core int) ([]traces.Record, []traces.Edge) {
	t.Helper()
	r, e := make([]traces.Record, 100), make([]traces.Edge, 100)
	n, err := f.ReadRecords(core, r)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.ReadEdges(core, e)
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return r[:n], e[:m]
}

func TestRules(t *testing.T) {
	f, report, err := imported(t, traces.ImportConfig{}, encode(
		record{stamp: 10, virtual: 0x400000, pc: 0x400004, gap: 2, kind: kindFetch, size: 6},
		record{stamp: 11, virtual: 0x7fff0008, pc: 0x400004, size: 3},
		record{stamp: 12, virtual: 2, physical: 202 << 48, gap: saturatedGap, kind: kindEvent},
		record{stamp: 14, virtual: 0x7fff0010, pc: 0x400010, gap: 5, kind: kindLock, size: 2},
		record{stamp: 15, virtual: 0x7fff0010, pc: 0x400010, kind: kindLock | kindStore, size: 2},
		record{stamp: 16, virtual: 0x7fff0010, pc: 0x400010, gap: 3, kind: kindLock | kindStore | kindAtomic, size: 2},
		record{stamp: 20, virtual: 0xfee00000, pc: 0x400013, gap: 1, kind: kindDevice, size: 2},
		record{stamp: 21, virtual: 0x7fff003c, pc: 0x400014, gap: 1, kind: kindStore, size: 3},
		record{stamp: 22, virtual: 0x7fff0100, pc: 0x400020, gap: 1, kind: kindString, size: 0},
		record{stamp: 23, virtual: 0x7fff0101, pc: 0x400020, kind: kindString | kindStore, size: 0},
	))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, _ := contents(t, f, 0)
	want := []traces.Record{
		{Address: 0, Instructions: 3, Kind: traces.Fetch, Size: 6},
		{Address: 0x1008, Size: 3},
		{Address: 0x1010, Instructions: 5, Kind: traces.Atomic, Size: 2},
		{Address: 0x1010, Instructions: 3, Kind: traces.Atomic, Size: 2},
		{Address: 0x103c, Instructions: 2, Kind: traces.Store, Size: 2},
		{Address: 0x1040, Kind: traces.Store, Size: 2},
		{Address: 0x1100, Instructions: 1},
		{Address: 0x1101, Kind: traces.Store},
		{Kind: traces.End},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	pages, err := f.ReadPages(0)
	if err != nil || !reflect.DeepEqual(pages, []traces.Page{{Virtual: 0x400, Frame: 0}, {Virtual: 0x7fff0, Frame: 1}}) {
		t.Errorf("pages %v, %v", pages, err)
	}
	for _, c := range report.Input {
		if want, ok := map[string]uint64{"raw records": 10, "events, left out": 1, "futex calls among them": 1, "device accesses, left out": 1,
			"stores merged into atomics": 1, "saturated instruction gaps, taken as 0": 1, "pieces of accesses that crossed a line": 2}[c.Name]; ok && c.N != want {
			t.Errorf("%s: %d, want %d", c.Name, c.N, want)
		}
	}
}

// TestOnlyOneInstructionIsMerged: the store of a later LOCK instruction is an access of its own.
func TestOnlyOneInstructionIsMerged(t *testing.T) {
	f, _, err := imported(t, traces.ImportConfig{}, encode(record{stamp: 1, virtual: 8, pc: 1, kind: kindLock, size: 2},
		record{stamp: 2, virtual: 8, pc: 1, gap: 1, kind: kindLock | kindStore, size: 2}, record{stamp: 3, virtual: 16, pc: 2, gap: 1, kind: kindLock, size: 3},
		record{stamp: 4, virtual: 24, pc: 2, kind: kindLock, size: 3}, record{stamp: 5, virtual: 16, pc: 2, kind: kindLock | kindStore, size: 3},
		record{stamp: 6, virtual: 24, pc: 2, kind: kindLock | kindStore, size: 3}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, _ := contents(t, f, 0); len(got) != 5 || got[1].Kind != traces.Atomic || got[3].Address != 24 {
		t.Errorf("%+v", got)
	}
}

func TestEdgesFollowTheStamps(t *testing.T) {
	f, _, err := imported(t, traces.ImportConfig{},
		encode(record{stamp: 1, virtual: 0x1000, kind: kindStore}, record{stamp: 2, virtual: 0x1040, kind: kindStore, gap: 1}, record{stamp: 8, virtual: 0x2000, gap: 1}),
		encode(record{stamp: 3, virtual: 0x3000, cpu: 1}, record{stamp: 4, virtual: 0x1040, gap: 1, cpu: 1}, record{stamp: 5, virtual: 0x1000, gap: 1, cpu: 1},
			record{stamp: 6, virtual: 0x2000, gap: 1, kind: kindStore | kindAtomic | kindLock, cpu: 1}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, first := contents(t, f, 0)
	_, second := contents(t, f, 1)
	if !reflect.DeepEqual(first, []traces.Edge{{At: 2, Position: 3, Producer: 1}}) || !reflect.DeepEqual(second, []traces.Edge{{At: 1, Position: 1}}) {
		t.Errorf("edges %v and %v", first, second)
	}
}

func TestPhysicalAddressesAreKept(t *testing.T) {
	f, report, err := imported(t, traces.ImportConfig{}, encode(record{stamp: 1, virtual: 0xffff_8000_0000_0040, physical: 0x1234_5040, size: 3}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, _ := contents(t, f, 0); got[0].Address != 0x1234_5040 || report.Metadata.Addresses != "physical" {
		t.Errorf("%+v, %s", got, report.Metadata.Addresses)
	}
}

func TestStampsCutAllThreads(t *testing.T) {
	one := encode(record{stamp: 1, virtual: 0, gap: 9}, record{stamp: 3, virtual: 8, gap: 9}, record{stamp: 5, virtual: 16, gap: 2})
	f, _, err := imported(t, traces.ImportConfig{FromStamp: 3, ToStamp: 5}, one)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, _ := contents(t, f, 0); !reflect.DeepEqual(got, []traces.Record{{Address: 8, Instructions: 1}, {Kind: traces.End}}) {
		t.Errorf("%+v", got)
	}
	if err := (traces.ImportConfig{FromStamp: 5, ToStamp: 5}).Validate(); err == nil {
		t.Error("an empty range of stamps is accepted")
	}
}

func TestBadRecordings(t *testing.T) {
	good := encode(record{stamp: 1}, record{stamp: 2}, record{stamp: 3})
	zipped := packedtest.All(t, bytes.Repeat([]byte{0}, 400))["zstd"]
	for _, c := range []struct {
		name   string
		bytes  []byte
		want   error
		offset int64
	}{
		{"cut", good[:100], traces.ErrTruncated, 80},
		{"stamps fall", encode(record{stamp: 2}, record{stamp: 1}), traces.ErrIllegal, 40},
		{"stamps repeat", encode(record{stamp: 2}, record{stamp: 2}), traces.ErrIllegal, 40},
		{"two processors", encode(record{stamp: 1}, record{stamp: 2, cpu: 1}), traces.ErrIllegal, 40},
		{"unknown kind", encode(record{stamp: 1, kind: 64}), traces.ErrIllegal, 0},
		{"too large", encode(record{stamp: 1}, record{stamp: 2, size: 7}), traces.ErrIllegal, 40},
		{"zstd cut", zipped[:len(zipped)-3], traces.ErrTruncated, 0},
	} {
		_, _, err := imported(t, traces.ImportConfig{}, c.bytes)
		var e *traces.Error
		if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Offset != c.offset {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestFilesAreOrderedByNumber(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"t10.rec", "t9.rec.zst", "notes.txt", "t1.rec"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := list([]string{dir})
	if err != nil || !strings.HasSuffix(strings.Join(files, " "), "t10.rec") || filepath.Base(files[0]) != "t1.rec" || len(files) != 3 {
		t.Errorf("%v, %v", files, err)
	}
	if _, err := list([]string{t.TempDir()}); err == nil {
		t.Error("an empty folder is accepted")
	}
}

// TestRealRecordings compares with the counts in the recordings' description.
func TestRealRecordings(t *testing.T) {
	for _, c := range []struct {
		folder                       string
		records, accesses, edgesUpTo uint64
	}{{"nas-is-s", 6704106, 6582934, 700}, {"nas-sp-s", 1922208, 1385591, 40000}} {
		path := filepath.Join("..", "..", "..", "shared", "traces", c.folder)
		if _, err := os.Stat(path); err != nil {
			t.Skip("no recordings here")
		}
		var out bytes.Buffer
		report, err := Import([]string{path}, traces.ImportConfig{Workload: c.folder}, traces.ToStream(&out, traces.DefaultWriterConfig()))
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]uint64{}
		for _, k := range report.Input {
			n[k.Name] = k.N
		}
		sum := report.Sum()
		if n["raw records"] != c.records || n["data accesses"] != c.accesses || len(report.Totals) != 16 {
			t.Errorf("%s: %v", c.folder, n)
		}
		if sum.Accesses()+n["stores merged into atomics"] != c.accesses || sum.Records != c.records-n["events, left out"]-n["stores merged into atomics"]+16 {
			t.Errorf("%s: %+v from %v", c.folder, sum, n)
		}
		if sum.Edges == 0 || sum.Edges > c.edgesUpTo || sum.Instructions < 4000000 || sum.Instructions > 4020000 {
			t.Errorf("%s: %+v", c.folder, sum)
		}
	}
}

func FuzzImport(f *testing.F) {
	f.Add(encode(record{stamp: 1, virtual: 0x3c, size: 3}, record{stamp: 2, kind: kindLock, gap: 1}), encode(record{stamp: 3, virtual: 0x38}))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if file, _, err := imported(t, traces.ImportConfig{}, a, b); err == nil {
			file.Close()
		}
	})
}
