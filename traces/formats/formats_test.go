package formats

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/csv"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// samples are one small file per row of the table.
func samples() map[string][]byte {
	champsim := make([]byte, 128)
	champsim[0], champsim[64] = 4, 8
	elastic := "gem5" + "\x0b\x0a\x03cpu\x10\x00\x18\x64\x20\x78" + // a load, a computation and a store with their dependences
		"\x0b\x08\x0a\x10\x01\x18\x88\x40\x20\x08\x38\x00" + "\x09\x08\x0b\x10\x03\x38\xf4\x03\x40\x0a" + "\x0d\x08\x0e\x10\x02\x18\xbc\x40\x20\x04\x38\x00\x40\x0b"
	return map[string][]byte{
		"elastic":      []byte(elastic),
		"synchrotrace": []byte("@ 1,0,0,1 $ 0x40 0x47\n"),
		"drmemtrace":   []byte("\x19\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00" + "\x0a\x00\x04\x00\x00\x00\x40\x00\x00\x00\x00\x00" + "\x1a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		"csv":          []byte("core,gap,kind,address,size\n0,1,load,0x10,8\n"),
		"champsim":     champsim,
		"pinatrace":    []byte("0x401000: R 0x7ffd1000\n0x401004: W 0x7ffd1008\n#eof\n"),
		"dramtrace":    []byte("0x12345680 R\n0x4cbd56c0 W\n"),
		"ramulator":    []byte("37 20734016\n1 20846400 20841280\n"),
		"lackey":       []byte("==12== Lackey\nI  04001000,3\n L 1ffeff7e0,8\n"), "din": []byte("2 400000\n0 7fff0010\n")}
}

// zipped compresses bytes with gzip.
func zipped(t *testing.T, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(plain); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEveryFormatIsRecognisedAndImported: plain and compressed. (Package packed has all compressions.)
func TestEveryFormatIsRecognisedAndImported(t *testing.T) {
	for _, f := range Table {
		for _, b := range [][]byte{samples()[f.Name], zipped(t, samples()[f.Name])} {
			path := filepath.Join(t.TempDir(), "sigil.events.out-1") // one format insists on its names
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			found, err := Recognise(path)
			if f.Name == "ramulator" { // always in doubt
				if err == nil || !strings.Contains(err.Error(), "--from ramulator") {
					t.Errorf("%s: recognised as %q, %v", f.Name, found.Name, err)
				}
			} else if err != nil || found.Name != f.Name {
				t.Errorf("%s: recognised as %q, %v", f.Name, found.Name, err)
				continue
			}
			var out bytes.Buffer
			report, err := f.Import([]string{path}, traces.ImportConfig{Workload: WorkloadOf([]string{path})}, traces.ToStream(&out, traces.DefaultWriterConfig()))
			if err != nil || report.Metadata.Workload != "sigil" || report.Sum().Records < 2 {
				t.Errorf("%s: %+v, %v", f.Name, report, err)
				continue
			}
			tracetest.Open(t, out.Bytes())
		}
	}
}

// TestRoundTrip: what a format that can be written makes of a trace is recognised, and gives the
// same trace.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(4) {
		roundTrip(t, "csv", tracetest.Random(seed, 1+int(seed), 500))
	}
}

func roundTrip(t *testing.T, name string, want tracetest.Trace) {
	f := tracetest.Open(t, tracetest.Write(want))
	var b bytes.Buffer
	if err := csv.Export(&b, f, f.Metadata()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := Recognise(path); err != nil || found.Name != name {
		t.Errorf("%s is recognised as %q, %v", name, found.Name, err)
	}
	file, _, err := tracetest.Import(t, csv.Import, traces.ImportConfig{}, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	if !reflect.DeepEqual(got.Records, want.Records) {
		t.Errorf("%s: the records have changed", name)
	}
	for core := range want.Edges {
		if len(want.Edges[core])+len(got.Edges[core]) > 0 && !reflect.DeepEqual(got.Edges[core], want.Edges[core]) {
			t.Errorf("%s: the edges of core %d have changed", name, core)
		}
	}
}

func TestUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("hello, world"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Recognise(path); err == nil {
		t.Error("anything is recognised")
	}
	if _, err := Find("dramsim"); err == nil {
		t.Error("anything is found")
	}
}

// mutable are files of each format to be damaged: samples, all versions and layouts, and a trace in those that can be
// written.
func mutable(t testing.TB) map[string][][]byte {
	all := map[string][][]byte{}
	for name, b := range samples() {
		all[name] = [][]byte{b}
	}
	f := tracetest.Open(t, tracetest.Write(tracetest.Random(4, 3, 40)))
	var b bytes.Buffer
	if err := csv.Export(&b, f, f.Metadata()); err != nil {
		t.Fatal(err)
	}
	add := func(name, content string) { all[name] = append(all[name], []byte(content)) }
	add("csv", b.String())
	add("csv", "kind,core,gap,size,address,after,physical\nload,0,3,8,0x7fff0010,,0x10\nstore,2,1,4,4096,0:0,0x2000\nlock,0,1,sleeps,7,,\nunlock,0,1,,7,,\nload,1,1.0,64,,2:0,64\n")
	add("synchrotrace", "@ 5,2,1,1 $ 0x1000 0x1007 * 0x2000 0x2003\n^ 3^0x77\n! 4096\n^ 1^0x9\n@ 1,0,0,1 $ 0x3000 0x3007\n^ 2^0x9\n^ 6^0x9&0x8\n^ 5^0x55\nIOP_cnt: 12\n")
	add("synchrotrace", "0,1,42,0,1,1 $ 0x10 0x17 * 0x20 0x27\n1,1,pth_ty:1^0x50\n2,1,1,0,0,2 $ 0x30 0x37 $ 64 71\n3,1,pth_ty:2^0x50\n")
	add("lackey", "==7== Lackey\nSB 04001000\nI  04001000,3\n L 1ffeff7e0,8\n M 1ffeff7fe,16\nprogram output\nI  0400103e,7\n S 10,4096\n--7-- x\nI  04002000,1\n L ffffffffffffffff,1\n")
	add("din", "r 1000 4\nw 0x1008 8 comment\ni 400000 4\nm 10 1\nc 0 1\n\n2 4000c0\n1 7fff003e\n3 0\n0 0XaB\n")
	add("pinatrace", "#\n# Memory Access Trace Generated By Pin\n#\n0x7f2b1c0a1b40: R     0x7ffd0000000c  4               0x2a\n0x7f2b1c0a1b40: W 0x7ffd0000003c 16 0xff0\n0x7f2b1c0a1b44: R (nil) 1\n#eof\n")
	add("dramtrace", "0x7d00 P_FETCH 60\n0x8000 P_MEM_WR 65\n0x8000 READ 70\n0x40 BOFF 60\n0x80 write 00ff\n")
	add("champsim", string(champsimRecords(5, 72, 2)))
	add("champsim", string(champsimRecords(5, 96, 4)))
	var entries []byte
	for _, e := range [][3]uint64{{25, 0, 5}, {22, 0, 7}, {24, 0, 6}, {28, 9, 0x240}, {28, 2, 777}, {47, 4, 0x00c10ff0}, {10, 4, 0x400048}, {0, 4, 0x20}, {1, 4, 0x20}, {17, 3, 0x050505},
		{22, 0, 9}, {24, 0, 6}, {28, 2, 800}, {10, 2, 0x400100}, {0, 1, 0x1000}, {29, 2, 0x400100}, {0, 1, 0x1001}, {3, 1, 0x70}, {22, 0, 7}, {28, 2, 900}, {48, 3, 0x400057}, {1, 16, 0x38}, {23, 0, 7}, {26, 0, 0}} {
		entries = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(entries, uint16(e[0])), uint16(e[1]))
		entries = binary.LittleEndian.AppendUint64(entries, e[2])
	}
	add("drmemtrace", string(entries)) // threads take turns
	return all
}

// lineCounters count lines of texts in a second way: each expression counts those of a name.
var lineCounters = map[string]map[string]string{
	"csv":          {"rows": `(?m)^[^#\r\n].*$`}, // and the names of the columns
	"synchrotrace": {"computations": `(?m)^[ \t\v\f\r]*(@[ \t\v\f\r]|\d+,\d+,\d+,\d+)`, "communications": `(?m)^[ \t\v\f\r]*(#|\d+,\d+[ \t\v\f\r]+#)`},
	"lackey":       {"fetches": `(?m)^[ \t\v\f\r]*I[ \t\v\f\r]+[0-9a-fA-F]+,\d+[ \t\v\f\r]*$`, "stores": `(?m)^[ \t\v\f\r]*[SM][ \t\v\f\r]+[0-9a-fA-F]+,\d+[ \t\v\f\r]*$`, "loads": `(?m)^[ \t\v\f\r]*[LM][ \t\v\f\r]+[0-9a-fA-F]+,\d+[ \t\v\f\r]*$`},
	"din":          {"fetches": `(?m)^[ \t\v\f\r]*[2i][ \t\v\f\r]`, "stores": `(?m)^[ \t\v\f\r]*[1w][ \t\v\f\r]`, "loads": `(?m)^[ \t\v\f\r]*[0rm][ \t\v\f\r]`},
	"pinatrace":    {"stores": `(?m)^[^#\n]*[ \t\v\f\r]W[ \t\v\f\r]`, "loads": `(?m)^[^#\n]*[ \t\v\f\r]R[ \t\v\f\r]`},
	"dramtrace":    {"stores": `(?m)[ \t\v\f\r](W|WRITE|P_MEM_WR|BOFF|write)\b`, "loads": `(?m)[ \t\v\f\r](R|READ|P_MEM_RD|P_LOCK_RD|P_LOCK_WR|read)\b`},
	"ramulator":    {"loads": `(?m)^[ \t\v\f\r]*[^ \t\v\f\r\n]+`, "stores": `(?m)^[ \t\v\f\r]*[^ \t\v\f\r\n]+[ \t\v\f\r]+[^ \t\v\f\r\n]+[ \t\v\f\r]+[^ \t\v\f\r\n]+`},
}

// miscounted compares the counts of an import with those of a second counter, and names one that
// differs.
func miscounted(format string, b []byte, done traces.Imported) string {
	want := map[string]uint64{}
	for name, expression := range lineCounters[format] {
		want[name] = uint64(len(regexp.MustCompile(expression).FindAll(b, -1)))
	}
	switch format {
	case "csv":
		want["rows"]--
	case "elastic":
		b = b[4:]
		for header := true; len(b) > 0; header = false {
			length, n := binary.Uvarint(b)
			if b = b[uint64(n)+length:]; !header {
				want["records read"]++
			}
		}
	case "champsim":
		want["instructions"] = 0
		for _, n := range done.Input {
			for _, bytes := range []uint64{64, 72, 96} {
				if n.Name == "instructions" && n.N*bytes == uint64(len(b)) {
					want["instructions"] = n.N
				}
			}
		}
	case "drmemtrace":
		for ; len(b) >= 12; b = b[12:] {
			switch kind := b[0]; {
			case kind >= 10 && kind <= 16 || kind == 31 || kind == 48 || kind == 49:
				want["instructions"]++
			case kind == 17:
				want["instructions"] += uint64(b[2])
			}
			want["entries"]++
		}
	}
	for _, n := range done.Input {
		if w, counted := want[n.Name]; counted && w != n.N {
			return fmt.Sprintf("%s: %d, and a second counter finds %d", n.Name, n.N, w)
		}
	}
	return ""
}

// TestMutatedInputs: whatever is done to a file, its import ends with an error that names the file,
// or with a trace that passes verify and has the counts of a second counter, or with one of which
// verify says where it is wrong, so that it is not kept. Memory is bounded by the size of buffers.
// CAROUSEL_LONG damages 20,000 files of each format.
func TestMutatedInputs(t *testing.T) {
	n := 200
	if os.Getenv("CAROUSEL_LONG") != "" {
		n = 20_000
	}
	files := mutable(t)
	path := filepath.Join(t.TempDir(), "sigil.events.out-1") // one format insists on its names
	for _, f := range Table {
		r := rand.New(rand.NewPCG(1, uint64(len(f.Name))))
		refused, dropped, kept := 0, 0, 0
		for i := range n {
			b := tracetest.Mutate(r, files[f.Name][i%len(files[f.Name])])
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			done, err := f.Import([]string{path}, traces.ImportConfig{Workload: "x", Times: i%2 == 0}, func(m traces.Metadata) (*traces.Writer, error) {
				out.Reset()
				return traces.NewWriter(&out, m, traces.DefaultWriterConfig())
			})
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 24<<20 {
				t.Errorf("%s, file %d: %d bytes of memory for a file of %d\n%.300q", f.Name, i, took, len(b), b)
			}
			if err != nil {
				if refused++; err.Error() == "" || strings.Contains(err.Error(), "runtime error") {
					t.Errorf("%s, file %d: %v\n%q", f.Name, i, err, b)
				}
				continue
			}
			file, err := traces.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), traces.DefaultReaderConfig())
			if err == nil {
				_, err = file.Verify()
				file.Close()
			}
			switch {
			case err == nil:
				kept++
				if problem := miscounted(f.Name, b, done); problem != "" {
					t.Errorf("%s, file %d: %s\n%q", f.Name, i, problem, b)
				}
			case errors.As(err, new(*traces.Error)):
				dropped++
			default:
				t.Errorf("%s, file %d: %v\n%q", f.Name, i, err, b)
			}
		}
		t.Logf("%-12s %d refused, %d not kept, %d kept", f.Name, refused, dropped, kept)
	}
}

// FuzzImport: whatever is in a file, its import ends with a trace or with an error that has a place.
func FuzzImport(f *testing.F) {
	files := mutable(f)
	for i, format := range Table {
		for _, b := range files[format.Name] {
			f.Add(uint8(i), b)
		}
	}
	f.Add(uint8(0), []byte("\x1F\x8B\x08\x00"))
	f.Fuzz(func(t *testing.T, format uint8, b []byte) {
		path := filepath.Join(t.TempDir(), "sigil.events.out-1")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		to := traces.ToStream(io.Discard, traces.DefaultWriterConfig())
		_, err := Table[int(format)%len(Table)].Import([]string{path}, traces.ImportConfig{Instructions: 10_000}, to)
		if err != nil && !errors.As(err, new(*traces.Error)) {
			t.Error(err)
		}
	})
}

// TestCutInTheMiddle: a text that ends in the middle of the program is not kept, and the error names
// the place; one that lacks only its last newline is whole.
func TestCutInTheMiddle(t *testing.T) {
	text := "core,gap,kind,address,size,count\n0,1,barrier,1,0,2\n0,0,end,0,0,0\n1,1,load,0x10,8,0\n1,1,barrier,1,0,2\n1,0,end,0,0,0"
	dir := t.TempDir()
	from, to := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	prove, c := traces.DefaultReaderConfig(), traces.DefaultWriterConfig()
	c.Prove = &prove
	bring := func(text string) error {
		if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := csv.Import([]string{from}, traces.ImportConfig{Workload: "x"}, traces.ToFile(to, c))
		return err
	}
	var place *traces.Error
	if err := bring(text[:strings.LastIndex(text, "1,1,barrier")]); !errors.As(err, &place) {
		t.Errorf("%v, want an error with a place", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%v are left", left)
	}
	if err := bring(text); err != nil {
		t.Errorf("without its last newline: %v", err)
	}
}
