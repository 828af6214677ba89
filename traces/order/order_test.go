package order

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// word returns the address of a word of 8 bytes; read tells of a read of one.
func word(n uint64) uint64 { return n * 8 }

func read(f *Finder, thread int, position, n uint64) []Writer {
	return slices.Clone(f.Read(thread, position, word(n), 8))
}

func TestFinderReduces(t *testing.T) {
	f := NewFinder(3)
	f.Write(0, 0, word(7), 8)
	f.Write(0, 1, word(8), 8)
	if got := read(f, 1, 0, 8); !slices.Equal(got, []Writer{{Position: 1, Thread: 0}}) {
		t.Fatalf("first read: %v", got)
	}
	if got := read(f, 1, 1, 7); len(got) > 0 {
		t.Errorf("the write before an ordered write needs no edge: %v", got)
	}
	f.Write(1, 2, word(9), 8)
	if got := read(f, 2, 0, 9); !slices.Equal(got, []Writer{{Position: 2, Thread: 1}}) {
		t.Fatalf("read of thread 1's word: %v", got)
	}
	if got := read(f, 2, 1, 7); len(got) > 0 {
		t.Errorf("thread 2 knows of thread 0's write through thread 1: %v", got)
	}
	f.Write(0, 2, word(7), 8)
	if got := read(f, 2, 2, 7); len(got) == 0 {
		t.Error("a new version needs an edge")
	}
	if f.Shared() != 5 {
		t.Errorf("%d shared reads", f.Shared())
	}
}

// TestFalseSharingOrdersNothing writes words of one line, and parts of one word, by several threads.
func TestFalseSharingOrdersNothing(t *testing.T) {
	f := NewFinder(4)
	for position := range uint64(10) {
		for thread := range 2 {
			counter := word(uint64(thread))
			if got := f.Read(thread, 2*position, counter, 8); len(got) > 0 {
				t.Fatalf("thread %d waits for %v", thread, got)
			}
			f.Write(thread, 2*position+1, counter, 8)
		}
	}
	for position := range uint64(10) {
		for thread := range 4 {
			half := word(5) + 2*uint64(thread)
			if got := f.Read(thread, 100+2*position, half, 2); len(got) > 0 {
				t.Fatalf("thread %d waits for %v", thread, got)
			}
			f.Write(thread, 101+2*position, half, 2)
		}
	}
	if got := f.Read(0, 200, word(5), 8); len(got) != 3 {
		t.Errorf("the whole word has parts of three other threads: %v", got)
	}
}

type access struct {
	thread   int
	at, size uint64
	write    bool
	position uint64
}

// TestFinderImpliesEveryDependence compares with plain reachability over program order and edges,
// and demands that no edge is needless.
func TestFinderImpliesEveryDependence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threads := rapid.IntRange(2, 4).Draw(t, "threads")
		f := NewFinder(threads)
		var all []access
		var before [][]bool // before[i][j]: access j comes before access i
		last := slices.Repeat([]int{-1}, threads)
		count := make([]uint64, threads)
		writer := map[uint64]int{} // of each byte
		n := rapid.IntRange(1, 60).Draw(t, "accesses")
		for i := range n {
			a := access{thread: rapid.IntRange(0, threads-1).Draw(t, "thread"), size: 1 << rapid.IntRange(0, 4).Draw(t, "size"), write: rapid.Bool().Draw(t, "write")}
			a.at = rapid.Uint64Range(48, 80).Draw(t, "at") // across a line
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
			if a.write {
				f.Write(a.thread, a.position, a.at, a.size)
				for b := a.at; b < a.at+a.size; b++ {
					writer[b] = i
					// The thread's last write of a word stands for its earlier ones.
					for o := b &^ 7; o < b&^7+8; o++ {
						if w, written := writer[o]; written && accessOf(all, w, a).thread == a.thread {
							writer[o] = i
						}
					}
				}
			} else {
				needed := map[int]bool{}
				for b := a.at; b < a.at+a.size; b++ {
					if w, written := writer[b]; written && all[w].thread != a.thread && !order[w] {
						needed[w] = true
					}
				}
				for _, e := range f.Read(a.thread, a.position, a.at, a.size) {
					w := slices.IndexFunc(all, func(o access) bool { return o.thread == int(e.Thread) && o.position == e.Position })
					if !needed[w] {
						t.Fatalf("access %d %+v: needless edge %+v", i, a, e)
					}
					for other := range needed {
						if other != w && before[other][w] {
							t.Fatalf("access %d %+v: edge %+v follows from one to %+v", i, a, e, all[other])
						}
					}
					join(w)
				}
				for w := range needed {
					if !order[w] {
						t.Fatalf("access %d %+v is not ordered after %+v", i, a, all[w])
					}
				}
			}
			all, before = append(all, a), append(before, order)
			last[a.thread] = i
		}
	})
}

// accessOf returns an access by its number: one of all, or the one that comes next.
func accessOf(all []access, number int, next access) access {
	if number == len(all) {
		return next
	}
	return all[number]
}
