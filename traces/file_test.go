package traces

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBatchReadsDoNotAllocate(t *testing.T) {
	records, edges := make([][]Record, 2), make([][]Edge, 2)
	for core := range records {
		records[core] = stencil(core, 5000)
		for i := range 500 {
			edges[core] = append(edges[core], Edge{At: uint64(9 * i), Position: uint64(8 * i), Producer: uint16(1 - core)})
		}
	}
	f, err := openBytes(encodeTrace(t, records, edges, nil, 512))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	batch, edgeBatch := make([]Record, 100), make([]Edge, 100)
	pass := func() {
		f.Rewind()
		for core := range 2 {
			for n, total := 1, 0; n > 0; total += n {
				n, _ = f.ReadRecords(core, batch)
				if n == 0 && total != 5000 {
					t.Fatalf("%d records", total)
				}
			}
			for n, total := 1, 0; n > 0; total += n {
				n, _ = f.ReadEdges(core, edgeBatch)
				if n == 0 && total != 500 {
					t.Fatalf("%d edges", total)
				}
			}
		}
	}
	if n := testing.AllocsPerRun(5, pass); n != 0 {
		t.Errorf("%v allocations per pass", n)
	}
}

func TestFileAppearsOnlyWhenComplete(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.trace")
	w, err := CreateFile(path, DefaultMetadata("x", 2), DefaultWriterConfig())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRecords(0, []Record{{Kind: End}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, ErrMissingStream) {
		t.Errorf("a core without an end: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
	if w, err = CreateFile(path, DefaultMetadata("x", 1), DefaultWriterConfig()); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRecords(0, []Record{{Kind: End}}); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRecords(0, []Record{{Kind: Load}}); !errors.Is(err, ErrIllegal) {
		t.Errorf("a record after the end: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, DefaultReaderConfig())
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestWriterRefusesForeignEdges(t *testing.T) {
	w, err := NewWriter(&bytes.Buffer{}, DefaultMetadata("x", 2), DefaultWriterConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range [][]Edge{{{Producer: 0}}, {{Producer: 2}}, {{At: 2, Producer: 1}, {At: 1, Producer: 1}}} {
		if err := w.WriteEdges(0, e); !errors.Is(err, ErrIllegal) {
			t.Errorf("%v: %v", e, err)
		}
	}
}

func TestOpenSaysWhatItIs(t *testing.T) {
	later := encodeTrace(t, [][]Record{{{Kind: End}}}, nil, nil, 1)
	later[8] = 3
	for _, c := range []struct {
		bytes []byte
		want  error
		says  string
	}{
		{nil, ErrTruncated, "empty"},
		{[]byte("PK\x03\x04 something else"), ErrNotATrace, "import"},
		{[]byte(headMagic), ErrTruncated, "within its head"},
		{later, ErrVersion, "version 3"},
	} {
		if _, err := openBytes(c.bytes); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.bytes, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	records, edges, pages := smallTrace()
	f.Add(encodeTrace(f, records, edges, pages, 8))
	f.Add(encodeTrace(f, [][]Record{{{Kind: End}}}, nil, nil, 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		if file, err := openBytes(b); err == nil {
			_, _ = file.Verify()
			file.Close()
		}
	})
}

// FuzzRecordColumns goes past the checksums: any columns decode or are refused.
func FuzzRecordColumns(f *testing.F) {
	f.Add(uint16(2), []byte{0, 3, 0, 0, 1, 0, 0, 0}, []byte{0, 255}, []byte{1, 3, 0, 0, 1, 0, 0, 0}, []byte{8, 0, 0, 0, 0, 0, 0, 0}, []byte{0, 0xc1}, []byte{5}, []byte{})
	f.Fuzz(func(t *testing.T, entries uint16, shapes, codes, literals, steps, addresses, deltas, dependences []byte) {
		c := columns{columnShapes: shapes, columnShapeCodes: codes, columnLiterals: literals, columnSteps: steps,
			columnAddresses: addresses, columnFirstDelta: deltas, columnFirstDelta + 3: deltas, columnDependences: dependences}
		var d recordDecoder
		if !d.open(int(entries), &c) {
			return
		}
		batch := make([]Record, 16)
		for d.left() > 0 {
			n := d.read(batch)
			for _, r := range batch[:n] {
				if r.Kind >= Kinds && !d.corrupt {
					t.Fatalf("%+v", r)
				}
			}
		}
	})
}

func FuzzParseText(f *testing.F) {
	f.Add("core 0\n+1 store 0x10 2 = 00ff\n+1 load 0x10 4 after 1 = 00112233")
	f.Add("core 0\n+1 load 0x10 8 after 0\nedge 1 2\n+0 barrier 1 of 2\npage 0 1 2\n+1 end\nmetadata {\"cores\":2}")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := ParseText("f", strings.NewReader(textHead+"\n"+text))
		if err != nil {
			return
		}
		_, _ = Check(parsed, 4<<30)
		parsed.Rewind()
		var b bytes.Buffer
		if err := Cat(&b, parsed, parsed.Metadata(), DefaultCatConfig()); err != nil {
			t.Fatal(err)
		}
		if _, err := ParseText("f", &b); err != nil {
			t.Fatalf("%v:\n%s", err, b.String())
		}
	})
}

// FuzzValueColumns goes past the checksums: any columns decode or are refused.
func FuzzValueColumns(f *testing.F) {
	f.Add(uint16(3), []byte{0, 1, 3}, []byte{7}, []byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, entries uint16, codes, bytes, words []byte) {
		c := columns{columnCodes: codes, columnValues: bytes, columnValues + 2: words}
		var d valueDecoder
		if !d.open(int(entries), &c) {
			return
		}
		var v Values
		d.read(int(entries), &v)
		total := 0
		for i := range v.Len() {
			total += len(v.Of(i))
		}
		if v.Len() != int(entries) || total != len(bytes)+len(words) {
			t.Fatalf("%d values of %d bytes", v.Len(), total)
		}
	})
}

func FuzzVarintColumns(f *testing.F) {
	f.Add(uint16(2), []byte{1, 0}, []byte{1, 1}, []byte{3, 0x80, 1})
	f.Fuzz(func(t *testing.T, entries uint16, first, second, third []byte) {
		c := columns{columnFirst: first, columnSecond: second, columnThird: third}
		var d edgeDecoder
		d.open(int(entries), &c)
		if n, ok := d.read(make([]Edge, entries)); ok && n != int(entries) {
			t.Fatalf("%d of %d edges", n, entries)
		}
		if pages, ok := decodePages(nil, int(entries), &c); ok && len(pages) != int(entries) {
			t.Fatalf("%d of %d pages", len(pages), entries)
		}
	})
}
