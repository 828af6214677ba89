package record

import (
	"bytes"
	"encoding/binary"
	"io"
	"path/filepath"
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

// dataAccess is a load or store of a recording with values.
type dataAccess struct {
	kind       traces.Kind
	address    uint64 // virtual
	value      uint64
	dependence int
}

// dataAccesses records a program with what it reads and writes, and without fetches.
func dataAccesses(t *testing.T, program ...string) (list []dataAccess) {
	t.Helper()
	c := DefaultConfig()
	var said bytes.Buffer
	c.Cores, c.Program, c.Cache, c.Values, c.Fetches, c.Marker, c.Errors = 1, program, cache, true, false, true, &said
	path := filepath.Join(t.TempDir(), "values.trace")
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
	for position := uint64(0); ; {
		n, err := f.ReadRecords(0, records)
		if err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		var values traces.Values
		if err := f.ReadValues(0, position, n, &values); err != nil {
			t.Fatal(err)
		}
		for i, r := range records[:n] {
			if r.Kind.IsAccess() {
				var word [8]byte
				copy(word[:], values.Of(i))
				list = append(list, dataAccess{r.Kind, pages[r.Address>>12]<<12 | r.Address&4095, binary.LittleEndian.Uint64(word[:]), int(r.Dependence)})
			}
		}
		position += uint64(n)
	}
}

// TestDependences records chains of loads that are known by their values: where a load reads what
// an earlier one has read the address of, it depends on that one.
func TestDependences(t *testing.T) {
	for _, flags := range [][]string{{"-O0"}, {"-O2"}, {"-O3", "-mavx2", "-mfma"}} {
		program := compile(t, "dependences.c", append(flags, "-static")...)
		for _, what := range []string{"chase", "mix"} {
			list := dataAccesses(t, program, what)
			chained, found := chainsFound(t, list, what == "chase" && flags[0] != "-O0")
			if chained < 3990 || found*100 < chained*99 {
				t.Errorf("%v, %s: %d of %d loads of chains depend on the load that has their address", flags, what, found, chained)
			}
		}
		chained, found := indicesFound(dataAccesses(t, program, "indices"))
		if chained < 3990 || found*100 < chained*99 {
			t.Errorf("%v, indices: %d of %d loads of chains depend on the load that has their address", flags, found, chained)
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

// chainsFound counts the loads whose address an earlier load has read, and those of them that
// depend on it, or on a load that has read it from where it was kept in between.
func chainsFound(t *testing.T, list []dataAccess, exact bool) (chained, found int) {
	t.Helper()
	reader := map[uint64]int{}
	for i, a := range list {
		if a.kind != traces.Load {
			continue
		}
		if from, known := reader[a.address]; known && i-from < 64 {
			chained++
			if a.dependence > 0 && list[i-a.dependence].value == a.address {
				found++
			}
			if exact && a.dependence != i-from {
				t.Fatalf("access %d depends on the one %d before it, want %d", i, a.dependence, i-from)
			}
		}
		reader[a.value] = i
	}
	return chained, found
}

// indicesFound is chainsFound of a chain whose loads read the indices of nodes of 64 bytes, from
// node 0 on.
func indicesFound(list []dataAccess) (chained, found int) {
	const nodes, bytes, offset = 4096, 64, 8
	base := ^uint64(0)
	for _, a := range list {
		if a.address%bytes == offset {
			base = min(base, a.address-offset) // the stack is above
		}
	}
	for i, a := range list {
		if at := a.address - base; a.kind == traces.Load && at < nodes*bytes && at > bytes {
			chained++
			if a.dependence > 0 && uint64(uint32(list[i-a.dependence].value)) == at/bytes {
				found++
			}
		}
	}
	return chained, found
}
