package order

import (
	"testing"

	"pgregory.net/rapid"
)

func TestFinderReduces(t *testing.T) {
	f := NewFinder(3)
	f.Write(0, 0, 7)
	f.Write(0, 1, 8)
	if p, at, ok := f.Read(1, 0, 8); !ok || p != 0 || at != 1 {
		t.Fatalf("first read: core %d, %d, %v", p, at, ok)
	}
	if _, _, ok := f.Read(1, 1, 7); ok {
		t.Error("the write before an ordered write needs no edge")
	}
	f.Write(1, 2, 9)
	if p, at, ok := f.Read(2, 0, 9); !ok || p != 1 || at != 2 {
		t.Fatalf("read of thread 1's line: core %d, %d, %v", p, at, ok)
	}
	if _, _, ok := f.Read(2, 1, 7); ok {
		t.Error("thread 2 knows of thread 0's write through thread 1")
	}
	f.Write(0, 2, 7)
	if _, _, ok := f.Read(2, 2, 7); !ok {
		t.Error("a new version needs an edge")
	}
	if f.Edges() != 3 || f.Shared() != 5 {
		t.Errorf("%d edges, %d shared reads", f.Edges(), f.Shared())
	}
}

type access struct {
	thread, line int
	write        bool
	position     int
}

// TestFinderImpliesEveryDependence compares with plain reachability over program order and edges,
// and demands that no edge is needless.
func TestFinderImpliesEveryDependence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threads := rapid.IntRange(2, 4).Draw(t, "threads")
		f := NewFinder(threads)
		var all []access
		var before [][]bool // before[i][j]: access j comes before access i
		last := make([]int, threads)
		count := make([]int, threads)
		for i := range last {
			last[i] = -1
		}
		writer := map[int]int{}
		n := rapid.IntRange(1, 60).Draw(t, "accesses")
		for i := range n {
			a := access{thread: rapid.IntRange(0, threads-1).Draw(t, "thread"), line: rapid.IntRange(0, 4).Draw(t, "line"), write: rapid.Bool().Draw(t, "write")}
			a.position = count[a.thread]
			count[a.thread]++
			order := make([]bool, n)
			join := func(j int) {
				order[j] = true
				for k, b := range before[j] {
					order[k] = order[k] || b
				}
			}
			if j := last[a.thread]; j >= 0 {
				join(j)
			}
			w, written := writer[a.line]
			foreign := written && all[w].thread != a.thread
			if a.write {
				f.Write(a.thread, uint64(a.position), uint64(a.line))
				writer[a.line] = i
			} else {
				p, at, edge := f.Read(a.thread, uint64(a.position), uint64(a.line))
				if want := foreign && !order[max(w, 0)]; edge != want {
					t.Fatalf("access %d %+v: edge %v, want %v", i, a, edge, want)
				}
				if edge {
					if int(p) != all[w].thread || int(at) != all[w].position {
						t.Fatalf("access %d: edge to core %d, %d", i, p, at)
					}
					join(w)
				}
			}
			all, before = append(all, a), append(before, order)
			last[a.thread] = i
		}
	})
}
