package traces

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
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
	if n := must.Allocations(5, pass); n != 0 {
		t.Errorf("%v allocations per pass", n)
	}
}

func TestFileAppearsOnlyWhenComplete(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.trace")
	for _, c := range []struct {
		what  string
		cores int
		more  []Record // of core 0, after its end
		want  error
	}{{"a core without an end", 2, nil, ErrMissingStream}, {"a record after the end", 1, []Record{{Kind: Load}}, ErrIllegal}, {"a whole trace", 1, nil, nil}} {
		w := must.Get(CreateFile(path, DefaultMetadata("x", c.cores), DefaultWriterConfig()))
		must.Do(w.WriteRecords(0, []Record{{Kind: End}}))
		if err := w.WriteRecords(0, c.more); c.more != nil && !errors.Is(err, c.want) {
			t.Errorf("%s is written: %v", c.what, err)
		}
		if err := w.Close(); !errors.Is(err, c.want) || w.Err() != err {
			t.Errorf("%s: %v", c.what, err)
		}
		if entries, _ := os.ReadDir(dir); (len(entries) == 0) != (c.want != nil) {
			t.Errorf("%s leaves %v", c.what, entries)
		}
	}
	f := must.Get(Open(path, DefaultReaderConfig()))
	f.Close()
}

func TestWriterRefusesForeignEdges(t *testing.T) {
	for _, e := range [][]Edge{{{Producer: 0}}, {{Producer: 2}}, {{At: 2, Producer: 1}, {At: 1, Producer: 1}}} {
		w := must.Get(NewWriter(&bytes.Buffer{}, DefaultMetadata("x", 2), DefaultWriterConfig()))
		if err := w.WriteEdges(0, e); !errors.Is(err, ErrIllegal) {
			t.Errorf("%v: %v", e, err)
		}
	}
}

func TestOpenSaysWhatItIs(t *testing.T) {
	later := encodeTrace(t, [][]Record{{{Kind: End}}}, nil, nil, 1)
	later[8] = MajorVersion + 1
	withValues := bytes.Clone(later)
	withValues[8] = valuesVersion
	for _, c := range []struct {
		bytes []byte
		want  error
		says  string
	}{
		{nil, ErrTruncated, "empty"},
		{[]byte("PK\x03\x04 something else"), ErrNotATrace, "import"},
		{[]byte(headMagic), ErrTruncated, "within its head"},
		{later, ErrVersion, "version 7"},
		{withValues, ErrVersion, "record or import it again"},
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

// FuzzRecordColumns goes past the checksums: any columns decode, as their description says, or are
// refused.
func FuzzRecordColumns(f *testing.F) {
	f.Add(uint16(2), []byte{0, 3, 0, 0, 1, 0, 0, 0}, []byte{0, 255}, []byte{1, 3, 0, 0, 1, 0, 0, 0}, []byte{8, 0, 0, 0, 0, 0, 0, 0},
		[]byte{0, 0xc1}, []byte{5}, []byte{}, []byte{}, []byte{}, []byte{})
	f.Add(uint16(4), []byte{0, 3, 0, 0, 1, 0, 0, 0}, []byte{0, 0, 0, 0}, []byte{}, []byte{},
		[]byte{0xf1, 0xe2, 0xd1, 0xc2}, []byte{0xff}, []byte{0xfe, 0xff}, []byte{1, 2, 3, 4}, []byte{1, 2, 3, 4, 5, 6, 7, 0xff}, []byte{1, 2, 3, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, entries uint16, shapes, codes, literals, steps, addresses, ones, twos, fours, eights, dependences []byte) {
		c := columns{columnShapes: shapes, columnShapeCodes: codes, columnLiterals: literals, columnSteps: steps, columnAddresses: addresses,
			columnFirstDelta: ones, columnFirstDelta + 1: twos, columnFirstDelta + 2: fours, columnFirstDelta + 3: eights, columnDependences: dependences}
		var plain []byte
		for _, column := range c {
			plain = append(plain, column...)
		}
		want, legal := decodePlainly(int(entries), c)
		var d recordDecoder
		ok := d.open(int(entries), append(plain, make([]byte, decoderSlack)...), &c)
		var got []Record
		for batch := make([]Record, 16); ok && d.left() > 0; {
			n := d.read(batch)
			ok = !d.corrupt
			got = append(got, batch[:n]...)
		}
		if ok = ok && d.spent(); ok != legal || ok && !slices.Equal(got, want) {
			t.Fatalf("%v %+v\nwant %v %+v", ok, got, legal, want)
		}
	})
}

// decodePlainly decodes columns as format.go describes them, one record at a time, and reports
// whether they are legal.
func decodePlainly(entries int, c columns) (records []Record, legal bool) {
	shapes, steps, dependences := c[columnShapes], c[columnSteps], c[columnDependences]
	if len(shapes)%8 != 0 || len(shapes) > 255*8 || len(steps)%8 != 0 || len(steps) > 12*8 ||
		len(c[columnShapeCodes]) != entries || len(c[columnAddresses]) != entries || len(dependences) != 0 && len(dependences) != 2*entries {
		return nil, false
	}
	for at := 0; at < len(shapes); at += 8 {
		if Kind(shapes[at]) >= Kinds {
			return nil, false
		}
	}
	var slots [16]uint64
	for i := range entries {
		var s []byte
		switch code := int(c[columnShapeCodes][i]); {
		case code < len(shapes)/8:
			s = shapes[8*code:]
		case code == 255 && len(c[columnLiterals]) >= 8:
			s, c[columnLiterals] = c[columnLiterals], c[columnLiterals][8:]
		default:
			return nil, false
		}
		slot, class := c[columnAddresses][i]&15, int(c[columnAddresses][i]>>4)
		var from []byte
		switch column := columnFirstDelta + class - 12; {
		case class < 12 && class < len(steps)/8:
			from = steps[8*class : 8*class+8]
		case class >= 12 && len(c[column]) >= 1<<(class-12):
			from, c[column] = c[column][:1<<(class-12)], c[column][1<<(class-12):]
		default:
			return nil, false
		}
		difference := uint64(int64(int8(from[len(from)-1])))
		for b := len(from) - 2; b >= 0; b-- {
			difference = difference<<8 | uint64(from[b])
		}
		slots[slot] += difference
		r := Record{Kind: Kind(s[0]), Size: s[1], Count: littleEndian.Uint16(s[2:]), Instructions: littleEndian.Uint32(s[4:]), Address: slots[slot]}
		if len(dependences) > 0 {
			r.Dependence = uint16(dependences[i]) | uint16(dependences[entries+i])<<8
		}
		if r.Kind >= Kinds {
			return nil, false
		}
		records = append(records, r)
	}
	left := len(c[columnLiterals])
	for _, column := range c[columnFirstDelta : columnFirstDelta+4] {
		left += len(column)
	}
	return records, left == 0
}

// TestStreamsAreSmall: a reader holds no stream of records in more than 64 KB, however unlike the
// records are.
func TestStreamsAreSmall(t *testing.T) {
	const n = 40000
	records := make([][]Record, 1)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n - 1 {
		records[0] = append(records[0], Record{Address: r.Uint64(), Instructions: r.Uint32(), Kind: Kind(i % 4), Size: 6, Dependence: uint16(1 + i%5)})
	}
	records[0] = append(records[0], Record{Kind: End})
	var file bytes.Buffer
	w, err := NewWriter(&file, DefaultMetadata("test", 1), DefaultWriterConfig())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteRecords(0, records[0]), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := OpenReader(bytes.NewReader(file.Bytes()), int64(file.Len()), ReaderConfig{MemoryBytes: 1<<64 - 1})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, _ := readAll(t, f, 0, 1000)
	if !slices.Equal(got, records[0]) {
		t.Fatal("the records have changed")
	}
	if most := held(f); most > 64<<10 {
		t.Errorf("a stream takes %d bytes", most)
	}
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

func TestMemoryEndsEveryStream(t *testing.T) {
	given := [][]Record{{{Address: 64, Instructions: 1}}, {}, {{Kind: End, Instructions: 7}}}
	m := NewMemory(given, [][]Edge{{{At: 0, Producer: 1}}})
	for core, want := range []int{2, 1, 1} {
		var all []Record
		for one := make([]Record, 1); ; {
			n, err := m.ReadRecords(core, one)
			if errors.Is(err, io.EOF) {
				break
			}
			all = append(all, one[:n]...)
		}
		if len(all) != want || all[want-1].Kind != End {
			t.Errorf("core %d: %v, want %d records with one end", core, all, want)
		}
	}
	if len(given[0]) != 1 {
		t.Error("the caller's slice has changed")
	}
	edges := make([]Edge, 4)
	if n, err := m.ReadEdges(0, edges); n != 1 || err != nil {
		t.Errorf("edges: %d, %v", n, err)
	}
	if n, err := m.ReadEdges(2, edges); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("no edges: %d, %v", n, err)
	}
	m.Rewind()
	if n, _ := m.ReadRecords(0, make([]Record, 9)); n != 2 {
		t.Errorf("%d records after rewinding", n)
	}
}

// TestTicketsInFiles: a file keeps the numbers of tickets, and which lines stand for each other,
// and says so by its version and digest.
func TestTicketsInFiles(t *testing.T) {
	var digests [3]string
	for i, own := range [][][]uint64{nil, {{7, 8}, {0, 9}}, {{7, 8}, {1, 9}}} {
		m := DefaultMetadata("test", 2)
		m.Tickets = true
		var b bytes.Buffer
		w := must.Get(NewWriter(&b, m, DefaultWriterConfig()))
		var records []Record
		for n := range uint64(300) {
			records = append(records, Record{Kind: Atomic, Size: 2, Count: TicketCount(n)}, Record{Kind: Load, Instructions: uint32(n)})
		}
		must.Do(Copy(w, NewMemory([][]Record{records, {{Kind: Atomic, Count: TicketCount(300)}}}, nil).WithTickets(own)))
		must.Do(w.Close())
		f := must.Get(OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()), DefaultReaderConfig()))
		survey := must.Get(f.Verify())
		if got, ok := f.Again().Tickets(); ok != (own != nil) || !slices.EqualFunc(got, own, slices.Equal) || survey.Totals[0].Tickets != 300 || f.Version() != "5.0" {
			t.Errorf("version %s, tickets %v, %t, %+v", f.Version(), got, ok, survey.Totals)
		}
		read := make([]Record, 600)
		for n := 0; n < len(read); {
			n += must.Get(f.ReadRecords(0, read[n:]))
		}
		if !slices.Equal(read, records) {
			t.Error("other records are read")
		}
		f.Rewind()
		digest, _, err := Digest(t.Context(), f)
		must.Do(err)
		digests[i] = digest
	}
	if digests[0] == digests[1] || digests[1] == digests[2] {
		t.Errorf("equal digests: %v", digests)
	}
	uneven := must.Get(NewWriter(io.Discard, DefaultMetadata("test", 2), DefaultWriterConfig()))
	uneven.GiveTickets([][]uint64{{1}, {2}})
	if uneven.tickets {
		t.Error("a trace whose metadata has no tickets gives some")
	}
}
