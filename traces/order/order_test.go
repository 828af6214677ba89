package order

import (
	"maps"
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

// TestAddsCommute: adds come after the last write of another kind and before every read, but
// neither wait for each other nor learn what other adders knew.
func TestAddsCommute(t *testing.T) {
	f := NewFinder(4)
	f.Write(0, 0, word(1), 8)
	f.Write(1, 0, word(2), 8)
	first, second := slices.Clone(f.Add(1, 1, word(1), 8)), slices.Clone(f.Add(2, 0, word(1), 8))
	if want := []Writer{{Position: 0, Thread: 0}}; !slices.Equal(first, want) || !slices.Equal(second, want) {
		t.Errorf("adds wait for %v and %v; want the last write each", first, second)
	}
	if got := read(f, 2, 1, 2); !slices.Equal(got, []Writer{{Position: 0, Thread: 1}}) {
		t.Errorf("thread 2 adds after thread 1 and then reads its data: %v; nothing has ordered them", got)
	}
	if got := read(f, 3, 0, 1); !slices.Equal(got, []Writer{{Position: 0, Thread: 2}, {Position: 1, Thread: 1}}) {
		t.Errorf("a read waits for %v; want the last add of each thread", got)
	}
	f.Write(3, 1, word(1), 8)
	if got := f.Add(0, 1, word(1), 8); !slices.Equal(got, []Writer{{Position: 1, Thread: 3}}) {
		t.Errorf("an add after another write waits for %v", got)
	}
}

// TestFalseSharingOrdersNothing writes words of one line, and parts of one word, by several
// threads.
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
	add      bool
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
		writers := map[uint64][]int{} // of each byte: its last write, and what has been added since
		n := rapid.IntRange(1, 60).Draw(t, "accesses")
		for i := range n {
			kind := rapid.IntRange(0, 2).Draw(t, "kind")
			a := access{thread: rapid.IntRange(0, threads-1).Draw(t, "thread"), size: 1 << rapid.IntRange(0, 4).Draw(t, "size"), write: kind > 0, add: kind > 1}
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
			if !a.write || a.add {
				needed := map[int]bool{}
				for b := a.at; b < a.at+a.size; b++ {
					for _, w := range writers[b] {
						if all[w].thread != a.thread && !order[w] && !(a.add && all[w].add) {
							needed[w] = true
						}
					}
				}
				var edges []Writer
				if a.add {
					edges = f.Add(a.thread, a.position, a.at, a.size)
				} else {
					edges = f.Read(a.thread, a.position, a.at, a.size)
				}
				for _, e := range edges {
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
			} else {
				f.Write(a.thread, a.position, a.at, a.size)
			}
			if a.write {
				same := func(w int) bool { return w < i && all[w].thread == a.thread && all[w].add == a.add }
				for b := a.at; b < a.at+a.size; b++ {
					if !a.add {
						writers[b] = nil
					}
					writers[b] = append(slices.DeleteFunc(writers[b], same), i)
					// The thread's last write of a word stands for its earlier ones of the kind.
					for o := b &^ 7; o < b&^7+8; o++ {
						for k, w := range writers[o] {
							if same(w) {
								writers[o][k] = i
							}
						}
					}
				}
			}
			all, before = append(all, a), append(before, order)
			last[a.thread] = i
		}
	})
}

// TestBodiesKeepEveryDependence: where any core may do a body, what a read needs follows from
// edges, from the order within bodies, and from what came before the first body of every thread.
func TestBodiesKeepEveryDependence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threads := rapid.IntRange(2, 4).Draw(t, "threads")
		f := NewFinder(threads)
		type step struct {
			thread   int
			position uint64
			before   map[int]bool
		}
		var all []step
		now := make([]map[int]bool, threads)    // what the next access of a thread comes after
		prefix := make([]map[int]bool, threads) // that before its first body
		active := make([]bool, threads)
		count := make([]uint64, threads)
		for i := range now {
			now[i] = map[int]bool{}
		}
		writer := map[uint64]int{}
		for i := range rapid.IntRange(1, 80).Draw(t, "accesses") {
			thread, kind, at := rapid.IntRange(0, threads-1).Draw(t, "thread"), rapid.IntRange(0, 5).Draw(t, "kind"), rapid.Uint64Range(0, 5).Draw(t, "word")
			if kind == 0 {
				f.Begin(thread, count[thread])
				if prefix[thread] == nil {
					prefix[thread] = now[thread]
				}
				now[thread] = map[int]bool{}
				for j := range all {
					known := true
					for o := range threads {
						knows := prefix[o]
						if knows == nil {
							knows = now[o]
						}
						known = known && (!active[o] || knows[j])
					}
					if known {
						now[thread][j] = true
					}
				}
				continue
			}
			a := step{thread: thread, position: count[thread], before: now[thread]}
			count[thread]++
			active[thread] = true
			if kind < 4 {
				for _, e := range f.Read(thread, a.position, word(at), 8) {
					for j := range all {
						if o := &all[j]; o.thread == int(e.Thread) && o.position == e.Position {
							maps.Copy(a.before, o.before)
							a.before[j] = true
						}
					}
				}
				if w, ok := writer[at]; ok && all[w].thread != thread && !a.before[w] {
					t.Fatalf("access %d of thread %d is not ordered after %+v", i, thread, all[w])
				}
			} else {
				f.Write(thread, a.position, word(at), 8)
				writer[at] = len(all)
			}
			now[thread] = maps.Clone(a.before)
			now[thread][len(all)] = true
			all = append(all, a)
		}
	})
}

// TestBodiesForgetOtherBodies: an edge to a body tells nothing of an earlier body of the same
// thread, a meeting tells everything, and what all knew before their first bodies needs no edge.
func TestBodiesForgetOtherBodies(t *testing.T) {
	f := NewFinder(2)
	f.Write(0, 0, word(1), 8)
	f.Write(0, 1, word(2), 8)
	if got := read(f, 1, 0, 2); len(got) != 1 {
		t.Fatalf("the first read waits for %v", got)
	}
	f.Begin(0, 2)
	f.Write(0, 2, word(3), 8)
	f.Begin(0, 3)
	f.Write(0, 3, word(4), 8)
	f.Begin(1, 1)
	if got := read(f, 1, 1, 4); !slices.Equal(got, []Writer{{Position: 3}}) {
		t.Errorf("the read of the second body waits for %v", got)
	}
	if got := read(f, 1, 2, 3); !slices.Equal(got, []Writer{{Position: 2}}) {
		t.Errorf("the read of the first body waits for %v", got)
	}
	if got := read(f, 1, 3, 1); len(got) > 0 {
		t.Errorf("a read of what everybody knew waits for %v", got)
	}
	f.Meet([]int{0, 1}, func(thread int) uint64 { return 4 })
	if got := read(f, 1, 5, 3); len(got) > 0 {
		t.Errorf("a read behind a meeting waits for %v", got)
	}
}

// TestBodiesNeedNoMoreEdges: an edge into a body stands for all that the body does before, from its first
// record to its last. Threads that have done nothing do not make others forget.
func TestBodiesNeedNoMoreEdges(t *testing.T) {
	f := NewFinder(3)
	f.Begin(0, 2)
	f.Write(0, 2, word(1), 8)
	f.Write(0, 3, word(2), 8)
	f.Write(0, 4, word(3), 8)
	f.Begin(0, 5)
	if got := read(f, 1, 0, 3); len(got) != 1 {
		t.Fatalf("the first read waits for %v", got)
	}
	for _, before := range []uint64{1, 2} {
		if got := read(f, 1, before, before); len(got) > 0 {
			t.Errorf("word %d of the same body waits for %v", before, got)
		}
	}
	f = NewFinder(3)
	f.Write(0, 0, word(1), 8)
	read(f, 1, 0, 1)
	f.Begin(0, 1)
	f.Begin(1, 1)
	if got := read(f, 1, 1, 1); len(got) > 0 {
		t.Errorf("what both threads knew before their bodies waits for %v, and the third thread has done nothing", got)
	}
}

// TestMeetingsOrder: a read behind a meeting does not wait for writes before it. Neither does a read of
// a third thread that already waits for one of those that have met.
func TestMeetingsOrder(t *testing.T) {
	f := NewFinder(3)
	f.Write(0, 3, word(1), 8)
	f.Meet([]int{0, 1}, func(thread int) uint64 { return [...]uint64{3, 0}[thread] })
	if got := read(f, 1, 1, 1); len(got) > 0 {
		t.Errorf("a read behind the meeting waits for %v", got)
	}
	f.Write(1, 2, word(2), 8)
	if got := read(f, 2, 0, 2); !slices.Equal(got, []Writer{{Position: 2, Thread: 1}}) {
		t.Fatalf("a thread that has not met waits for %v", got)
	}
	if got := read(f, 2, 1, 1); len(got) > 0 {
		t.Errorf("and then for %v, before the meeting", got)
	}
}
