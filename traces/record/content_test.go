package record

import (
	"io"
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

// content is a trace in slices.
type content struct {
	Records [][]traces.Record
	Edges   [][]traces.Edge
}

// slurp reads a source into memory.
func slurp(t *testing.T, s traces.Source) *content {
	t.Helper()
	m := &content{Records: make([][]traces.Record, s.Cores()), Edges: make([][]traces.Edge, s.Cores())}
	for core := range s.Cores() {
		r, e := make([]traces.Record, 4096), make([]traces.Edge, 4096)
		for {
			n, err := s.ReadRecords(core, r)
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			m.Records[core] = append(m.Records[core], r[:n]...)
		}
		for {
			n, err := s.ReadEdges(core, e)
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			m.Edges[core] = append(m.Edges[core], e[:n]...)
		}
	}
	return m
}

// happensBefore replays a trace and gives, per core, how many records of each core come before its
// end.
func happensBefore(t *testing.T, m *content) [][]uint64 {
	t.Helper()
	n := len(m.Records)
	done, edge := make([]uint64, n), make([]int, n)
	clocks, starts := make([][]uint64, n), make([][]uint64, n)
	history := make([][][]uint64, n) // clock of each record
	created := make([]bool, n)
	for i := range m.Records {
		clocks[i] = make([]uint64, n)
		for _, r := range m.Records[i] {
			if r.Kind == traces.Create {
				created[r.Address] = true
			}
		}
	}
	join := func(to, from []uint64) {
		for i := range to {
			to[i] = max(to[i], from[i])
		}
	}
	// open[i] is one more than the position of a barrier that core i may pass.
	open := make([]uint64, n)
	// meet opens a barrier when all are there, and joins their clocks.
	meet := func(r traces.Record) {
		var there []int
		all := make([]uint64, n)
		for i, records := range m.Records {
			if done[i] < uint64(len(records)) && open[i] != done[i]+1 && records[done[i]].Kind == r.Kind && records[done[i]].Address == r.Address {
				there = append(there, i)
				clocks[i][i] = done[i] + 1
				join(all, clocks[i])
			}
		}
		if len(there) == int(r.Count) {
			for _, i := range there {
				copy(clocks[i], all)
				open[i] = done[i] + 1
			}
		}
	}
	for progress := true; progress; {
		progress = false
		for i, records := range m.Records {
		core:
			for done[i] < uint64(len(records)) {
				if done[i] == 0 && created[i] {
					if starts[i] == nil {
						break
					}
					join(clocks[i], starts[i])
				}
				for ; edge[i] < len(m.Edges[i]) && m.Edges[i][edge[i]].At == done[i]; edge[i]++ {
					e := m.Edges[i][edge[i]]
					if done[e.Producer] <= e.Position {
						break core
					}
					join(clocks[i], history[e.Producer][e.Position])
				}
				if r := records[done[i]]; r.Kind == traces.Barrier && open[i] != done[i]+1 {
					if meet(r); open[i] != done[i]+1 {
						break
					}
				}
				clocks[i][i] = done[i] + 1
				history[i] = append(history[i], append([]uint64(nil), clocks[i]...))
				if r := records[done[i]]; r.Kind == traces.Create {
					starts[r.Address] = append([]uint64(nil), clocks[i]...)
				}
				done[i]++
				progress = true
			}
		}
	}
	for i := range done {
		if done[i] != uint64(len(m.Records[i])) {
			t.Fatalf("core %d stops at record %d", i, done[i])
		}
	}
	return clocks
}
