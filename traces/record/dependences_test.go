package record

import (
	"bytes"
	"debug/elf"
	"io"
	"path/filepath"
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

// dataAccess is a load or store of a recording.
type dataAccess struct {
	kind       traces.Kind
	address    uint64 // virtual
	dependence int
}

// dataAccesses records a program without fetches.
func dataAccesses(t *testing.T, program ...string) (list []dataAccess) {
	t.Helper()
	c := DefaultConfig()
	var said bytes.Buffer
	c.Cores, c.Program, c.Cache, c.Fetches, c.Marker, c.Errors = 1, program, cache, false, true, &said
	path := filepath.Join(t.TempDir(), "dependences.trace")
	if _, err := Run(t.Context(), c, traces.ToFile(path, traces.DefaultWriterConfig())); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	f, err := traces.Open(path, traces.DefaultReaderConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	f.Rewind()
	pages := map[uint64]uint64{}
	table, err := f.ReadPages(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range table {
		pages[p.Frame] = p.Virtual
	}
	records := make([]traces.Record, 4096)
	for {
		n, err := f.ReadRecords(0, records)
		if err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		for _, r := range records[:n] {
			if r.Kind.IsAccess() {
				list = append(list, dataAccess{r.Kind, pages[r.Address>>12]<<12 | r.Address&4095, int(r.Dependence)})
			}
		}
	}
}

// TestDependences records chains of loads. The test builds the ring of nodes as dependences.c does,
// so it knows which node each load of a chain leads to: the load of that node depends on it.
func TestDependences(t *testing.T) {
	for _, flags := range [][]string{{"-O0"}, {"-O2"}, {"-O3", "-mavx2", "-mfma"}} {
		program := compile(t, "dependences.c", append(flags, "-static")...)
		ring := newRing(t, program)
		for _, what := range []string{"chase", "mix", "indices"} {
			chained, found := ring.chains(t, dataAccesses(t, program, what), what == "chase" && flags[0] != "-O0")
			if chained < 3990 || found*100 < chained*99 {
				t.Errorf("%v, %s: %d of %d loads of chains depend on the load that has their address", flags, what, found, chained)
			}
		}
		streamed := 0
		list := dataAccesses(t, program, "stream")
		for _, a := range list {
			if a.kind == traces.Load && a.dependence > 0 {
				streamed++
			}
		}
		if flags[0] != "-O0" && streamed*100 > len(list) {
			t.Errorf("%v, stream: %d of %d loads have dependences, and none depends on another", flags, streamed, len(list))
		}
	}
}

const ringNodes, nodeBytes = 4096, 64

// ring is the array of nodes of dependences.c.
type ring struct {
	base uint64
	next [ringNodes]int
}

// newRing links the nodes as link_up of dependences.c does, and finds them in the program.
func newRing(t *testing.T, program string) *ring {
	t.Helper()
	r := new(ring)
	var order [ringNodes]int
	for i := range order {
		order[i] = i
	}
	for i, s := ringNodes-1, uint32(1); i > 0; i-- {
		s = s*1664525 + 1013904223
		k := int(s>>8) % i
		order[i], order[k] = order[k], order[i]
	}
	for i := range order {
		r.next[order[i]] = order[(i+1)%ringNodes]
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == "nodes" && s.Size == ringNodes*nodeBytes {
			r.base = s.Value
			return r
		}
	}
	t.Fatal("the program has no symbol nodes")
	return nil
}

// node returns which node a load reads, or -1.
func (r *ring) node(a dataAccess) int {
	if at := a.address - r.base; a.kind == traces.Load && at < ringNodes*nodeBytes {
		return int(at / nodeBytes)
	}
	return -1
}

// keptWithin is how many accesses after the load of a pointer compiled code stores it, where it does.
const keptWithin = 16

// chains counts the loads of nodes that an earlier load leads to, and those of them that depend on
// it, or on a load of the place where its result was kept in between.
func (r *ring) chains(t *testing.T, list []dataAccess, exact bool) (chained, found int) {
	t.Helper()
	leader := map[int]int{}    // by node, the latest load that leads to it
	stored := map[uint64]int{} // by address, the latest store
	from := make([]int, len(list))
	for i, a := range list {
		if from[i] = -1; a.kind == traces.Store {
			stored[a.address] = i
		} else if at, known := stored[a.address]; known {
			from[i] = at
		}
		node := r.node(a)
		if node < 0 {
			continue
		}
		if lead, known := leader[node]; known && i-lead < 64 {
			chained++
			on := i - a.dependence
			if kept := from[on]; on == lead || kept > lead && kept-lead <= keptWithin && a.dependence > 0 {
				found++
			}
			if exact && on != lead {
				t.Fatalf("access %d depends on the one %d before it, want %d", i, a.dependence, i-lead)
			}
		}
		leader[r.next[node]] = i
	}
	return chained, found
}
