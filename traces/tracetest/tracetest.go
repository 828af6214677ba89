// Package tracetest makes legal random traces and reads traces back, for tests of formats.
package tracetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// Trace is a trace in slices.
type Trace struct {
	Metadata traces.Metadata
	Records  [][]traces.Record
	Edges    [][]traces.Edge
	Pages    [][]traces.Page
}

// Source returns the trace without its pages.
func (t Trace) Source() *traces.Memory {
	return traces.NewMemory(t.Records, t.Edges)
}

// Random makes a trace of several cores with records of all kinds, edges and dependences. It
// follows one total order, and nothing waits while it holds a lock, so that it can be replayed in
// every way.
func Random(seed uint64, cores, records int) Trace {
	r := rand.New(rand.NewPCG(seed, 7))
	t := Trace{Metadata: traces.DefaultMetadata("random", cores), Records: make([][]traces.Record, cores), Edges: make([][]traces.Edge, cores)}
	accesses, held := make([]int, cores), make([]bool, cores)
	last := cores - 1 // is created by core 0, and joined in the end
	add := func(core int, x traces.Record) {
		if x.Kind.IsAccess() {
			accesses[core]++
		}
		t.Records[core] = append(t.Records[core], x)
	}
	if cores > 1 {
		add(0, traces.Record{Kind: traces.Create, Address: uint64(last)})
	}
	for range records {
		core := r.IntN(cores)
		x := traces.Record{Kind: traces.Kind(r.IntN(int(traces.Fence) + 1)), Instructions: uint32(r.IntN(4))}
		switch roll := r.IntN(20); {
		case roll == 0 && !held[core]:
			add(core, traces.Record{Kind: traces.Lock, Address: uint64(core), Instructions: 9, Size: uint8(core % 2)})
			held[core] = true
			continue
		case roll == 1 && held[core]:
			add(core, traces.Record{Kind: traces.Unlock, Address: uint64(core), Instructions: 1, Size: uint8(core % 2)})
			held[core] = false
			continue
		case roll == 2 && !slices.Contains(held, true) && cores > 1:
			for c := range cores {
				add(c, traces.Record{Kind: traces.Barrier, Address: 3, Count: uint16(cores), Size: traces.Sleeps, Instructions: 2})
			}
			continue
		case roll == 3 && !held[core] && cores > 1:
			other := (core + 1 + r.IntN(cores-1)) % cores
			if n := len(t.Records[other]); n > 0 {
				t.Edges[core] = append(t.Edges[core], traces.Edge{At: uint64(len(t.Records[core])), Producer: uint16(other), Position: uint64(r.IntN(n))})
			}
		}
		if x.Kind.IsAccess() {
			x.Size = uint8(r.IntN(7))
			x.Address = uint64(r.IntN(1<<20)) &^ (1<<x.Size - 1)
			if accesses[core] > 0 && r.IntN(3) == 0 {
				x.Dependence = uint16(1 + r.IntN(min(accesses[core], 60000)))
			}
		}
		add(core, x)
	}
	for core := range cores {
		if held[core] {
			add(core, traces.Record{Kind: traces.Unlock, Address: uint64(core)})
		}
		if core == last && core > 0 {
			add(0, traces.Record{Kind: traces.Join, Address: uint64(last)})
			add(0, traces.Record{Kind: traces.End, Instructions: 5})
		}
		if core > 0 || cores == 1 {
			add(core, traces.Record{Kind: traces.End, Instructions: 5})
		}
	}
	return t
}

// Write makes the native file of a trace.
func Write(from Trace) []byte { return write(from.Source(), from.Metadata, from.Pages) }

func write(s traces.Source, m traces.Metadata, maps [][]traces.Page) []byte {
	var out bytes.Buffer
	w := must.Get(traces.NewWriter(&out, m, traces.WriterConfig{BlockRecords: 64}))
	must.Do(traces.Copy(w, s))
	for core, pages := range maps {
		must.Do(w.WritePages(core, pages))
	}
	must.Do(w.Close())
	return out.Bytes()
}

// Open opens a native file in memory and proves that it can be replayed.
func Open(t testing.TB, file []byte) *traces.File {
	f := must.Get(traces.OpenReader(bytes.NewReader(file), int64(len(file)), traces.DefaultReaderConfig()))
	t.Cleanup(func() { f.Close() })
	must.Get(f.Verify())
	return f
}

// Check proves that a source can be replayed.
func Check(t testing.TB, s traces.Source) traces.Survey {
	return must.Get(Open(t, write(s, traces.DefaultMetadata("x", s.Cores()), nil)).Verify())
}

// Import imports files of these contents, in one folder, and returns the native file.
func Import(t testing.TB, f traces.Importer, c traces.ImportConfig, contents ...[]byte) ([]byte, traces.Imported, error) {
	var paths []string
	dir := t.TempDir()
	for i, b := range contents {
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("core%d", i)))
		must.Do(os.WriteFile(paths[i], b, 0o600))
	}
	var out bytes.Buffer
	done, err := f(paths, c, traces.ToStream(&out, traces.DefaultWriterConfig()))
	return out.Bytes(), done, err
}

// Lines lists the records of all cores, one line each: "0 +1 load 0x10 8" is core, instructions,
// kind, address and bytes.
func (t Trace) Lines() string {
	var b strings.Builder
	for core, records := range t.Records {
		for _, r := range records {
			fmt.Fprintf(&b, "%d +%d %s %#x %d\n", core, r.Instructions, r.Kind, r.Address, 1<<r.Size)
		}
	}
	return b.String()
}

// Read returns all of a native file.
func Read(t testing.TB, file []byte) Trace {
	f := Open(t, file)
	got := Trace{Metadata: f.Metadata()}
	for core := range f.Cores() {
		records, edges := Drain(f, core, 100)
		got.Records, got.Edges, got.Pages = append(got.Records, records), append(got.Edges, edges), append(got.Pages, must.Get(f.ReadPages(core)))
	}
	return got
}

// Drain reads what is left of a core's streams, in portions of a size.
func Drain(s traces.Source, core, batch int) ([]traces.Record, []traces.Edge) {
	return drain(core, batch, s.ReadRecords), drain(core, batch, s.ReadEdges)
}

func drain[T any](core, batch int, read func(int, []T) (int, error)) (all []T) {
	for b := make([]T, batch); ; {
		n, err := read(core, b)
		if n == 0 && (err == nil || errors.Is(err, io.EOF)) {
			return all
		}
		must.Do(err)
		all = append(all, b[:n]...)
	}
}

// Public returns the path of a public recording in the folder CAROUSEL_PUBLIC, and skips the test if
// it is not there. Recordings of others are not part of the repository.
func Public(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("CAROUSEL_PUBLIC"), name)
	if _, err := os.Stat(path); err != nil || os.Getenv("CAROUSEL_PUBLIC") == "" {
		t.Skip("CAROUSEL_PUBLIC names no folder with " + name)
	}
	return path
}

// Mutate damages a file: it cuts it, or changes, removes, repeats or inserts some bytes.
func Mutate(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		end := at + r.IntN(min(64, len(b)-at)+1)
		switch r.IntN(6) {
		case 0:
			b = b[:at]
		case 1:
			b[at] ^= 1 << r.IntN(8)
		case 2:
			b[at] = "0179-,: \n\xff"[r.IntN(10)]
		case 3:
			b = slices.Delete(b, at, end)
		case 4:
			b = slices.Insert(b, at, slices.Clone(b[at:end])...)
		default:
			b = slices.Insert(b, at, byte(r.UintN(256)))
		}
	}
	return b
}
