// Package order finds the dependence edges between the threads of a recording.
//
// There is one type, [Finder]. It is shown every access of every thread in the order in which they
// were recorded, and says which reads depend on a write of another thread and are not yet ordered
// after it. The recorder, importers and simulators that execute programs can use it: all see the
// accesses of several threads in one order.
//
// Law: the edges it reports, together with program order, imply every read-after-write dependence
// of the recording between the last writer of a byte and each later reader, but those between two
// calls of Add. They come from one total order, so they are acyclic.
//
// Granularity is the word of 8 bytes, with a mask of bytes per thread where threads write different
// bytes of one word. Threads that use different bytes of a cache line are not ordered: what such
// false sharing costs follows from the coherence protocol alone. Where one thread writes several
// parts of a word one after the other, its last write stands for all of them.
//
// A fetch-and-add, or another atomic that computes a new value from the old one, commutes with
// others of its kind: its order after those is not recorded, so that it can come first elsewhere.
// It comes after the last write of another kind, and reads of the word come after all of them
// (Add). A compare-and-swap that its thread tries again until it succeeds is taken in the same way.
// An addition that decides by what it finds which way its thread goes is a Read, and then an Add.
//
// An edge is left out when vector clocks show that program order and earlier edges imply it: thread
// t knows, for every other thread u, a position up to which all of u's accesses come before t's
// next one. An edge to a write brings along what the writer knew when it wrote.
//
// A replay may give what a thread does behind a ticket, a body, to another core (Begin). Program
// order then holds within bodies alone: an edge to a body tells nothing of earlier bodies of its
// thread, and a body begins with what every thread knew before its first body, or since the
// latest meeting of all. What a thread writes in one body and reads in a later one is in no
// order.
//
// The loop is the caller's: Read, Write or Add is called once per access.
package order

import (
	"slices"
	"sort"
)

// Bytes is the granularity of edges that a [Finder] has found.
const Bytes = 8

const wordsPerLine = 8

// Finder holds the last writers of every word and what each thread knows. Its memory grows with the
// lines written and with the edges found.
type Finder struct {
	lines map[uint64]*[wordsPerLine]lastWrite
	// others are, for each word that several threads have written parts of or added to, the writes
	// besides the one in lines. No two of a word's writes share a byte, but those by Add.
	others map[uint64][]lastWrite
	clocks [][]uint64 // per thread and other thread: accesses below this position come before
	// history is, per thread, its clock after each edge it has received, to look up what it knew
	// when it wrote.
	history [][]knowledge
	limit   int // entries per history
	shared  uint64
	found   []Writer
	// begins are, per thread, the positions at which its bodies have begun since the latest
	// meeting of all. floors are what a thread has known, whole, since its latest body began, and
	// bases what it knew before its first one; nil without bodies.
	begins [][]uint64
	floors [][]uint64
	bases  [][]uint64
	active []bool // threads that have accessed something
}

// Writer is a write that a read comes after: a thread and a position in its stream.
type Writer struct {
	Position uint64
	Thread   uint16
}

// lastWrite is the last write of some bytes of a word.
type lastWrite struct {
	position uint64
	thread   uint16
	bytes    uint8 // a bit for each byte of the word; 0: never written
	split    bool  // of the entry in lines: there are others
	added    bool  // by Add: writes by others before it still count
}

type knowledge struct {
	position uint64 // of the access that received the edge
	clock    []uint64
}

// historyWords bounds the clocks in all histories together, in words of 8 bytes; what is forgotten
// only costs needless edges.
const historyWords = 8 << 20

// NewFinder makes a finder for the given number of threads.
func NewFinder(threads int) *Finder {
	f := &Finder{limit: max(8, historyWords/(threads*threads)), lines: map[uint64]*[wordsPerLine]lastWrite{}, others: map[uint64][]lastWrite{},
		clocks: make([][]uint64, threads), history: make([][]knowledge, threads), begins: make([][]uint64, threads), floors: make([][]uint64, threads),
		bases: make([][]uint64, threads), active: make([]bool, threads)}
	for i := range f.clocks {
		f.clocks[i] = make([]uint64, threads)
	}
	return f
}

// masks calls visit for each word that bytes at an address lie in, with a bit for each byte of the
// word that is among them.
func masks(address, bytes uint64, visit func(word uint64, mask uint8)) {
	for end := address + bytes; address < end; {
		word := address / Bytes
		n := min(end, (word+1)*Bytes) - address
		visit(word, uint8((1<<n-1)<<(address%Bytes)))
		address += n
	}
}

// Read takes a read of bytes at an address by a thread, at a position of its stream. It returns the
// writes that the read must wait for, mostly none; the slice is valid until the next call. An
// exchange is a Read and then a Write at one position.
func (f *Finder) Read(thread int, position, address, bytes uint64) []Writer {
	return f.read(thread, position, address, bytes, false)
}

// Add takes an atomic that computes the new value from the old one. It returns what it must wait
// for, as Read does; other calls of Add are not among that.
func (f *Finder) Add(thread int, position, address, bytes uint64) []Writer {
	after := f.read(thread, position, address, bytes, true)
	f.write(thread, position, address, bytes, true)
	return after
}

func (f *Finder) read(thread int, position, address, bytes uint64, adds bool) []Writer {
	f.active[thread] = true
	f.search(thread, address, bytes, adds)
	if len(f.found) == 0 {
		return nil
	}
	f.shared++
	clock := f.clocks[thread]
	f.found = slices.DeleteFunc(f.found, func(w Writer) bool { return f.knows(thread, w) })
	if len(f.found) > 1 {
		f.reduce()
	}
	for _, w := range f.found {
		f.learn(clock, w)
	}
	if len(f.found) > 0 {
		f.remember(thread, position)
	}
	return f.found
}

// Fresh reports whether a read would come after a write that it is not ordered after yet.
func (f *Finder) Fresh(thread int, address, bytes uint64) bool {
	f.search(thread, address, bytes, false)
	return slices.ContainsFunc(f.found, func(w Writer) bool { return !f.knows(thread, w) })
}

// search finds the writes of other threads that a read returns.
func (f *Finder) search(thread int, address, bytes uint64, adds bool) {
	f.found = f.found[:0]
	masks(address, bytes, func(word uint64, mask uint8) {
		line := f.lines[word/wordsPerLine]
		if line == nil {
			return
		}
		w := &line[word%wordsPerLine]
		f.find(w, thread, mask, adds)
		if w.split {
			for i := range f.others[word] {
				f.find(&f.others[word][i], thread, mask, adds)
			}
		}
	})
}

// find notes a write of bytes that a thread reads, or adds to, if another thread's. Of one thread
// only the latest counts.
func (f *Finder) find(w *lastWrite, thread int, mask uint8, adds bool) {
	if w.bytes&mask == 0 || int(w.thread) == thread || adds && w.added {
		return
	}
	for i := range f.found {
		if f.found[i].Thread == w.thread {
			f.found[i].Position = max(f.found[i].Position, w.position)
			return
		}
	}
	f.found = append(f.found, Writer{Position: w.position, Thread: w.thread})
}

// reduce drops the writes that another one found is known to come after.
func (f *Finder) reduce() {
	all := slices.Clone(f.found)
	f.found = slices.DeleteFunc(f.found, func(w Writer) bool {
		return slices.ContainsFunc(all, func(later Writer) bool {
			clock := f.knew(later)
			return later.Thread != w.Thread && clock != nil && f.covers(clock, w)
		})
	})
}

// Write tells that a thread writes bytes at an address.
func (f *Finder) Write(thread int, position, address, bytes uint64) {
	f.write(thread, position, address, bytes, false)
}

func (f *Finder) write(thread int, position, address, bytes uint64, adds bool) {
	f.active[thread] = true
	masks(address, bytes, func(word uint64, mask uint8) {
		line := f.lines[word/wordsPerLine]
		if line == nil {
			line = new([wordsPerLine]lastWrite)
			f.lines[word/wordsPerLine] = line
		}
		w := &line[word%wordsPerLine]
		now := lastWrite{position: position, thread: uint16(thread), bytes: mask, added: adds}
		switch {
		case !w.split && (w.bytes&^mask == 0 && !adds || w.bytes == 0 || w.thread == now.thread && w.added == adds):
			now.bytes |= w.bytes
			*w = now
		default:
			f.share(word, w, now)
		}
	})
}

// share puts the latest write of a word among those of other threads that have left other bytes, or
// that it adds to.
func (f *Finder) share(word uint64, w *lastWrite, now lastWrite) {
	old, mask := append(f.others[word], *w), now.bytes
	kept := old[:0]
	for _, o := range old {
		if o.thread == now.thread && o.added == now.added {
			now.bytes |= o.bytes
			continue
		}
		if !now.added {
			o.bytes &^= mask
		}
		if o.bytes != 0 {
			o.split = false
			kept = append(kept, o)
		}
	}
	if now.split = len(kept) > 0; now.split {
		f.others[word] = kept
	} else {
		delete(f.others, word)
	}
	*w = now
}

// knew returns what a thread knew when it wrote, or nil.
func (f *Finder) knew(w Writer) []uint64 {
	h := f.history[w.Thread]
	if n := sort.Search(len(h), func(i int) bool { return h[i].position > w.Position }); n > 0 {
		return h[n-1].clock
	}
	return nil
}

// learn joins to a clock what the writer knew when it wrote.
func (f *Finder) learn(clock []uint64, w Writer) {
	for u, known := range f.knew(w) {
		clock[u] = max(clock[u], known)
	}
	clock[w.Thread] = max(clock[w.Thread], w.Position+1)
}

// knows reports whether a thread comes after a write.
func (f *Finder) knows(thread int, w Writer) bool {
	floor := f.floors[thread]
	return floor != nil && floor[w.Thread] > w.Position || f.covers(f.clocks[thread], w)
}

// covers reports whether a clock says that a write comes before: of a body, it tells of nothing
// earlier.
func (f *Finder) covers(clock []uint64, w Writer) bool {
	known, begins := clock[w.Thread], f.begins[w.Thread]
	if known <= w.Position || len(begins) == 0 {
		return known > w.Position
	}
	later := sort.Search(len(begins), func(i int) bool { return begins[i] >= known })
	return later == 0 || begins[later-1] <= w.Position
}

// Begin takes that a body of a thread begins at a position.
func (f *Finder) Begin(thread int, position uint64) {
	if len(f.begins[thread]) == 0 {
		f.bases[thread] = f.base(thread)
	}
	f.begins[thread] = append(f.begins[thread], position)
	floor := slices.Clone(f.bases[thread])
	for t := range f.clocks {
		base := f.bases[t]
		switch {
		case !f.active[t]:
			continue
		case base == nil:
			base = f.base(t)
		}
		for u, known := range base {
			if u != t {
				floor[u] = min(floor[u], known)
			}
		}
	}
	floor[thread] = 0 // a thread does not ask what it knows of itself
	f.floors[thread], f.clocks[thread] = floor, slices.Clone(floor)
	f.remember(thread, position)
}

// base returns what a thread that has begun no body knows of what others did before their first
// one.
func (f *Finder) base(thread int) []uint64 {
	base := slices.Clone(f.clocks[thread])
	for u, begins := range f.begins {
		if len(begins) > 0 && base[u] > begins[0] {
			base[u] = 0
		}
	}
	return base
}

// Meet takes a meeting of threads at a barrier: all accesses of a thread up to the position that
// last returns for it come before the next ones of the others. If there are bodies, all threads
// that have some meet.
func (f *Finder) Meet(threads []int, last func(thread int) uint64) {
	joined := make([]uint64, len(f.clocks))
	for _, t := range threads {
		for u, known := range f.clocks[t] {
			joined[u] = max(joined[u], known)
		}
		joined[t] = max(joined[t], last(t)+1)
	}
	for _, t := range threads {
		copy(f.clocks[t], joined)
		f.floors[t], f.bases[t], f.begins[t] = nil, nil, nil
		f.remember(t, last(t))
	}
}

func (f *Finder) remember(thread int, position uint64) {
	h := f.history[thread]
	if len(h) == f.limit {
		h = h[:copy(h, h[f.limit/2:])]
	}
	f.history[thread] = append(h, knowledge{position: position, clock: append([]uint64(nil), f.clocks[thread]...)})
}

// Shared returns the number of reads of bytes that another thread wrote last.
func (f *Finder) Shared() uint64 { return f.shared }
