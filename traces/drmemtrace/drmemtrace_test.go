package drmemtrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
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
			"pairs of them that are atomics": 3, "prefetches, left out": 1, "flushes, left out": 1, "accesses of no bytes, left out": 1, "markers": 3, "times among them": 1}[n.Name]; n.N != want {
			t.Errorf("%s: %d, want %d", n.Name, n.N, want)
		}
	}
}

// TestEncodingOfATurn: a chunk that begins within a string instruction gives the encoding again, before a turn. It is
// not that of the next instruction.
func TestEncodingOfATurn(t *testing.T) {
	file, done, err := tracetest.Import(t, Import, traces.ImportConfig{}, encode(append(begin(7, 6),
		entry{typeEncoding, 2, 0xa4f3}, entry{typeNoFetch, 2, 0x400034}, entry{typeRead, 1, 0x7000_1001},
		entry{typeEncoding, 4, 0x00c10ff0}, entry{10, 4, 0x400048}, entry{typeRead, 4, 0x7000_0020}, entry{typeWrite, 4, 0x7000_0020},
		entry{typeExit, 0, 7}, entry{typeFooter, 0, 0})...))
	if err != nil {
		t.Fatal(err)
	}
	if got := tracetest.Read(t, file).Records[0]; len(got) != 4 || got[2].Kind != traces.Atomic {
		t.Errorf("%+v, %+v", got, done.Input)
	}
}

// TestChunks: the parts of a file must follow each other.
func TestChunks(t *testing.T) {
	for _, c := range []struct {
		ends  []uint64
		wrong string
	}{{[]uint64{0, 1, 2}, ""}, {[]uint64{4, 5}, ""}, {[]uint64{0, 2}, "the end of chunk 2 instead of chunk 1"}, {[]uint64{0, 1, 1}, "the end of chunk 1 instead of chunk 2"}} {
		list := begin(7, 6)
		for _, number := range c.ends {
			list = append(append(list, instructions(2, 0x1000)...), entry{typeMarker, markerChunk, number})
		}
		_, _, err := tracetest.Import(t, Import, traces.ImportConfig{}, encode(append(list, entry{typeExit, 0, 7}, entry{typeFooter, 0, 0})...))
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("ends of chunks %v: %v, want %q", c.ends, err, c.wrong)
		}
	}
}

// TestCopies: one note tells of threads that are in several files, which may be copies.
func TestCopies(t *testing.T) {
	_, done, err := tracetest.Import(t, Import, traces.ImportConfig{}, program(), program(), program())
	if notes := strings.Join(done.Metadata.Notes, "\n"); err != nil || strings.Count(notes, "threads that other files have: 2, the first of thread 7;") != 1 {
		t.Errorf("%v, %q", err, done.Metadata.Notes)
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
	if file, _, err = tracetest.Import(t, Import, traces.ImportConfig{}, one(1, 1), one(1, 2), one(2, 2)); err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	if a, b, c := got.Records[0][1].Address, got.Records[1][1].Address, got.Records[2][1].Address; a == b || b != c || got.Metadata.AddressSpaces != 3 || !reflect.DeepEqual(got.Pages[1], got.Pages[2]) {
		t.Errorf("two processes of three threads: %+v", got)
	}
}

// TestProcessesOnOneCore: address spaces are told apart if threads take turns in a file, and refused on one core.
func TestProcessesOnOneCore(t *testing.T) {
	list := append(begin(7, 6), instructions(3, 0x1000)...)
	list = append(append(list, entry{typeThread, 0, 9}, entry{typeProcess, 0, 5}), instructions(2, 0x1000)...)
	list = append(append(list, entry{typeThread, 0, 7}, entry{typeProcess, 0, 6}), instructions(1, 0x1000)...)
	f, done, err := importFiles(t, write(t, filepath.Join(t.TempDir(), "x.trace"), append(list, entry{typeFooter, 0, 0})...))
	if err != nil || done.Metadata.AddressSpaces != 2 {
		t.Fatalf("%+v, %v", done.Metadata, err)
	}
	if got := tracetest.Read(t, f); got.Records[0][1].Address == got.Records[1][1].Address {
		t.Errorf("%+v", got.Records)
	}
	list[4].value |= coreSharded
	if _, _, err := importFiles(t, write(t, filepath.Join(t.TempDir(), "x.trace"), append(list, entry{typeFooter, 0, 0})...)); err == nil || !strings.Contains(err.Error(), "process 5 in the stream of process 6") {
		t.Error(err)
	}
}

// TestTimes: what follows a time waits for what came before an earlier time of another thread.
func TestTimes(t *testing.T) {
	one := func(thread uint64, times ...uint64) []byte {
		list := begin(thread, 1)
		list[len(list)-1].value = times[0]
		for i, time := range times {
			if i > 0 {
				list = append(list, entry{typeMarker, markerTime, time})
			}
			list = append(list, instructions(1, 0x1000*thread)...)
		}
		return encode(append(list, entry{typeFooter, 0, 0})...)
	}
	// Thread 1 has the records 0 and 1 from time 10, 2 from 20 and 3 from 30; thread 2 has 0 and 1 from 20, 2 from 25.
	file, done, err := tracetest.Import(t, Import, traces.ImportConfig{Times: true}, one(1, 10, 20, 30), one(2, 20, 25))
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	want := [][]traces.Edge{{{At: 3, Position: 1, Producer: 1}}, {{At: 2, Position: 1}}}
	if !reflect.DeepEqual(got.Edges, want) {
		t.Errorf("%+v, want %+v", got.Edges, want)
	}
	if notes := strings.Join(done.Metadata.Notes, "\n"); !strings.Contains(notes, "ordered by their 5 times, with 2 edges") {
		t.Error(notes)
	}
	if _, done, err = tracetest.Import(t, Import, traces.ImportConfig{}, one(1, 10, 20, 30), one(2, 20, 25)); err != nil || !strings.Contains(strings.Join(done.Metadata.Notes, "\n"), "5 times of them, by which --times orders them") {
		t.Error(done.Metadata.Notes, err)
	}
	// Equal times order nothing, so that no threads wait for each other.
	if file, _, err = tracetest.Import(t, Import, traces.ImportConfig{Times: true}, one(1, 10, 10, 10), one(2, 10, 10)); err != nil || len(tracetest.Read(t, file).Edges[0]) > 0 {
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
		{"bundle of 1", 72, entry{typeBundle, 1, 1}},
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
	short := entry{typeHeader, 0, 5 | typeMarker<<32 | 9<<48} // the next entry begins after 8 bytes
	if _, _, err := tracetest.Import(t, Import, traces.ImportConfig{}, encode(short, entry{0x20, 0, 0})); !errors.Is(err, traces.ErrNotATrace) || !strings.Contains(err.Error(), "32-bit") {
		t.Error(err)
	}
}

// instructions are so many, each with a load of its own line.
func instructions(n, from uint64) (list []entry) {
	for i := range n {
		list = append(list, entry{10, 4, 0x400000 + 4*i}, entry{typeRead, 8, from + 64*i})
	}
	return list
}

// importFiles imports files of these names.
func importFiles(t *testing.T, files ...string) ([]byte, traces.Imported, error) {
	t.Helper()
	var out bytes.Buffer
	done, err := Import(files, traces.ImportConfig{}, func(m traces.Metadata) (*traces.Writer, error) {
		out.Reset() // a file is read again if threads take turns in it
		return traces.NewWriter(&out, m, traces.DefaultWriterConfig())
	})
	if err != nil {
		return nil, done, err
	}
	return out.Bytes(), done, nil
}

func write(t *testing.T, name string, list ...entry) string {
	t.Helper()
	must.Do(os.MkdirAll(filepath.Dir(name), 0o700))
	must.Do(os.WriteFile(name, encode(list...), 0o600))
	return name
}

// TestCoreSharded: threads take turns in the file of a core, which becomes one stream.
func TestCoreSharded(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for core := range uint64(2) {
		list := []entry{{typeHeader, 0, 5}, {typeMarker, 12, 5}, {typeMarker, markerFileType, 0x240 | coreSharded}, {typeThread, 0, 7}, {typeProcess, 0, 6}}
		list = append(list, instructions(3, 0x1000*core)...)
		list = append(list, entry{typeThread, 0, 8}, entry{typeProcess, 0, 6})
		list = append(list, instructions(2, 0x8000)...)
		files = append(files, write(t, filepath.Join(dir, fmt.Sprintf("drmemtrace.core.%06d.trace", core)), append(list, entry{typeFooter, 0, 0})...))
	}
	_, done, err := importFiles(t, files...)
	if err != nil || len(done.Totals) != 2 || done.Totals[0].Instructions != 5 || done.Totals[1].Loads != 5 || done.Metadata.CoreNames[1] != "core 1" {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestInterleaved: threads take turns in one old file, and each becomes a core.
func TestInterleaved(t *testing.T) {
	list := append(begin(7, 6), instructions(3, 0x1000)...)
	list = append(list, entry{typeThread, 0, 9}, entry{typeProcess, 0, 6})
	list = append(list, instructions(2, 0x2000)...)
	list = append(list, entry{typeThread, 0, 7}, entry{typeProcess, 0, 6})
	list = append(list, instructions(4, 0x3000)...)
	list = append(list, entry{typeExit, 0, 7}, entry{typeFooter, 0, 0})
	_, done, err := importFiles(t, write(t, filepath.Join(t.TempDir(), "x.trace"), list...))
	if err != nil || len(done.Totals) != 2 || done.Totals[0].Instructions != 7 || done.Totals[1].Instructions != 2 || done.Metadata.CoreNames[1] != "thread 9" {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestWindows: a folder for each window; a thread that begins later is idle before.
func TestWindows(t *testing.T) {
	dir := t.TempDir()
	file := func(window, thread, n uint64) string {
		list := append(begin(thread, 6), instructions(n, 0x1000*thread)...)
		return write(t, filepath.Join(dir, fmt.Sprintf("trace/window.%04d/%d.trace", window, thread)), append(list, entry{typeFooter, 0, 0})...)
	}
	content, done, err := importFiles(t, file(0, 7, 3), file(1, 7, 4), file(1, 8, 5))
	if err != nil {
		t.Fatal(err)
	}
	f := tracetest.Open(t, content)
	if _, err := f.Verify(); err != nil || f.Windows() != 2 || f.Cores() != 2 {
		t.Errorf("%d windows, %d cores, %v", f.Windows(), f.Cores(), err)
	}
	want := []uint64{3, 0, 4, 5}
	for i, n := range want {
		if done.Totals[i].Instructions != n {
			t.Errorf("stream %d: %d instructions, want %d", i, done.Totals[i].Instructions, n)
		}
	}
	if _, _, err := importFiles(t, file(0, 7, 3), file(0, 7, 3)); err == nil || !strings.Contains(err.Error(), "thread 7 has another file in this window") {
		t.Error(err)
	}
	if _, done, err := importFiles(t, file(1, 7, 4), file(1, 8, 5)); err != nil || done.Metadata.Windows != nil || len(done.Totals) != 2 {
		t.Errorf("one window: %+v, %v", done.Metadata, err)
	}
	other := write(t, filepath.Join(dir, "apart.trace"), append(begin(8, 6), entry{typeFooter, 0, 0})...)
	if _, _, err := importFiles(t, file(0, 7, 3), other); err == nil || !strings.Contains(err.Error(), "import them apart") {
		t.Error(err)
	}
}

// TestAtomicsOfAArch64: exclusive pairs, compare and swap, and the operations of LSE.
func TestAtomicsOfAArch64(t *testing.T) {
	for name, c := range map[string]struct {
		codes []uint32
		want  string // kinds of the accesses
	}{
		"ldxr, stxr":             {[]uint32{0xC85F7C01, 0xC8027C03}, "load atomic"},
		"ldaxr, stlxr of a word": {[]uint32{0x885FFC01, 0x8802FC03}, "load atomic"},
		"ldxp, stxp":             {[]uint32{0xC87F0801, 0xC8230801}, "load atomic"},
		"ldr, str":               {[]uint32{0xF9400001, 0xF9000001}, "load store"},
		"casal":                  {[]uint32{0xC8E1FC02}, "atomic"},
		"ldaddal":                {[]uint32{0xF8E10002}, "atomic"},
		"swpal":                  {[]uint32{0xF8E18002}, "atomic"},
	} {
		list := []entry{{typeHeader, 0, 5}, {typeThread, 0, 7}, {typeProcess, 0, 6}, {typeMarker, markerFileType, typeARM64}}
		for i, code := range c.codes {
			list = append(list, entry{typeEncoding, 4, uint64(code)}, entry{10, 4, 0x400000 + 4*uint64(i)})
			if i == 0 {
				list = append(list, entry{typeRead, 8, 0x7000})
			}
			if i == 1 || len(c.codes) == 1 {
				list = append(list, entry{typeWrite, 8, 0x7000})
			}
		}
		f, _, err := importFiles(t, write(t, filepath.Join(t.TempDir(), "x.trace"), append(list, entry{typeFooter, 0, 0})...))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range tracetest.Read(t, f).Records[0] {
			if r.Kind.IsAccess() && r.Kind != traces.Fetch {
				got = append(got, r.Kind.String())
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// TestPublicRecordings: counts of DynamoRIO's own tests.
func TestPublicRecordings(t *testing.T) {
	for folder, want := range map[string]uint64{"drmemtrace.threadsig.x64.tracedir": 650_576, "drmemtrace.threadsig-core-sharded.x64.tracedir": 650_576} {
		files := must.Get(filepath.Glob(filepath.Join(tracetest.Public(t, "drmemtrace/"+folder), "*.trace.zip")))
		_, done, err := importFiles(t, files...)
		if err != nil || done.Sum().Instructions != want {
			t.Errorf("%s: %d instructions, want %d; %v", folder, done.Sum().Instructions, want, err)
		}
	}
}
