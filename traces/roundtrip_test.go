package traces

import (
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// fataler is a test of either package.
type fataler interface {
	Helper()
	Fatal(...any)
}

// readAll drains one core of a source.
func readAll(t fataler, s Source, core, batch int) ([]Record, []Edge) {
	t.Helper()
	return drain(t, core, batch, s.ReadRecords), drain(t, core, batch, s.ReadEdges)
}

func drain[T any](t fataler, core, batch int, read func(int, []T) (int, error)) (all []T) {
	t.Helper()
	for b := make([]T, batch); ; {
		n, err := read(core, b)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b[:n]...)
	}
}

func encodeTrace(t fataler, records [][]Record, edges [][]Edge, pages []Page, block int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := must.Get(NewWriter(&b, DefaultMetadata("test", len(records)), WriterConfig{BlockRecords: block}))
	for core := range records {
		must.Do(w.WriteRecords(core, records[core]))
		if core < len(edges) {
			must.Do(w.WriteEdges(core, edges[core]))
		}
	}
	must.Do(w.WritePages(0, pages))
	must.Do(w.Close())
	return b.Bytes()
}

func openBytes(b []byte) (*File, error) {
	return OpenReader(bytes.NewReader(b), int64(len(b)), DefaultReaderConfig())
}

// anyRecord draws records of every shape, most of them along a few streams of addresses.
func anyRecord(t *rapid.T) Record {
	kind := Kind(rapid.IntRange(0, int(End)-1).Draw(t, "kind"))
	address := rapid.OneOf(rapid.Uint64Range(0, 4096), rapid.Uint64Range(0, 1<<32-1)).Draw(t, "address")
	if !kind.IsAccess() {
		address = rapid.OneOf(rapid.Uint64Range(0, LockWord-1), rapid.Uint64Range(LockWord, LockWord+1<<32-1)).Draw(t, "object")
	}
	return Record{Address: address, Kind: kind,
		Instructions: rapid.OneOf(rapid.Uint32Range(0, 3), rapid.Uint32()).Draw(t, "instructions"),
		Dependence:   rapid.OneOf(rapid.Just(uint16(0)), rapid.Uint16()).Draw(t, "dependence"),
		Size:         rapid.Uint8().Draw(t, "size"), Count: rapid.Uint16().Draw(t, "count")}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cores := rapid.IntRange(1, 4).Draw(t, "cores")
		records, edges := make([][]Record, cores), make([][]Edge, cores)
		for core := range records {
			records[core] = append(rapid.SliceOfN(rapid.Custom(anyRecord), 0, 200).Draw(t, "records"), Record{Kind: End, Instructions: 9})
			at := uint64(0)
			for range rapid.IntRange(0, 30).Draw(t, "edges") {
				if cores == 1 {
					break
				}
				at += rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64Range(0, 1<<40)).Draw(t, "at")
				producer := (core + rapid.IntRange(1, cores-1).Draw(t, "producer")) % cores
				edges[core] = append(edges[core], Edge{At: at, Position: rapid.Uint64().Draw(t, "position"), Producer: uint16(producer)})
			}
		}
		pages := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Page {
			return Page{Virtual: rapid.Uint64().Draw(t, "virtual"), Frame: rapid.Uint64().Draw(t, "frame")}
		})).Draw(t, "pages")
		b := encodeTrace(t, records, edges, pages, rapid.IntRange(1, 64).Draw(t, "block"))
		f := must.Get(openBytes(b))
		defer f.Close()
		batch := rapid.IntRange(1, 90).Draw(t, "batch")
		for core := range records {
			r, e := readAll(t, f, core, batch)
			if !reflect.DeepEqual(r, records[core]) {
				t.Fatalf("core %d: records differ", core)
			}
			if len(e) != len(edges[core]) || len(e) > 0 && !reflect.DeepEqual(e, edges[core]) {
				t.Fatalf("core %d: edges differ", core)
			}
		}
		if p, err := f.ReadPages(0); err != nil || len(p) != len(pages) || len(p) > 0 && !reflect.DeepEqual(p, pages) {
			t.Fatalf("pages differ: %v", err)
		}
	})
}

// stencil makes the records of a loop over four arrays with a stack access and a table lookup, in
// the proportions of a compiled kernel.
func stencil(core, n int) []Record {
	records := make([]Record, 0, n)
	base := uint64(core) << 24
	random := uint64(core + 1)
	for i := 0; len(records) < n; i++ {
		at := base + uint64(i)*8
		random = random*6364136223846793005 + 1442695040888963407
		for k, r := range [...]Record{
			{Address: at, Instructions: 2, Size: 3}, {Address: at + 1<<20, Instructions: 1, Size: 3},
			{Address: base + 1<<21 + random>>51*4, Instructions: 3, Size: 2},
			{Address: at + 3<<20, Instructions: 2, Size: 3, Kind: Store}, {Address: base + 4<<20 + 0xd38, Instructions: 1, Size: 3, Kind: Store},
		} {
			if i%16 == 0 && k == 0 {
				records = append(records, Record{Address: base + 5<<20 + uint64(i%256)*4, Kind: Fetch, Size: 6, Instructions: 1})
			}
			records = append(records, r)
		}
	}
	return append(records[:n-1], Record{Kind: End})
}

// BenchmarkDecode reads traces over and over: one of a kernel, and the embedded recordings.
func BenchmarkDecode(b *testing.B) {
	const cores, each = 4, 1 << 18
	records := make([][]Record, cores)
	for core := range records {
		records[core] = stencil(core, each)
	}
	plain := encodeTrace(b, records, nil, nil, DefaultWriterConfig().BlockRecords)
	b.Run("stencil", func(b *testing.B) { decodes(b, plain) })
	for _, name := range []string{"nas-is-s", "nas-sp-s"} {
		file, err := os.ReadFile("../workloads/recorded/" + name + ".trace")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) { decodes(b, file) })
	}
}

// decodes reads all records of a file, and reports how fast, and how much a stream of records takes.
func decodes(b *testing.B, file []byte) {
	f, err := openBytes(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	batch := make([]Record, 1024)
	b.ReportAllocs()
	total := 0
	for b.Loop() {
		f.Rewind()
		for core := range f.Cores() {
			for {
				n, err := f.ReadRecords(core, batch)
				if n == 0 {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				total += n
			}
		}
	}
	b.ReportMetric(float64(total)/1e6/b.Elapsed().Seconds(), "Mrecords/s")
	b.ReportMetric(float64(len(file))*float64(b.N)/float64(total), "bytes/record")
	b.ReportMetric(float64(held(f))/1024, "KB/stream")
}

// held is how many bytes the largest stream of a file takes.
func held(f *File) (most int) {
	for core := range f.records {
		r := &f.records[core]
		most = max(most, int(unsafe.Sizeof(*r))+cap(r.plain))
	}
	return most
}
