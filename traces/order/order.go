// Package order finds the dependence edges between the threads of a recording.
//
// There is one type, [Finder]. It is shown every access of every thread in the order in which they
// were recorded, and says which reads depend on a write of another thread and are not yet ordered
// after it.
//
// Law: the edges it reports, together with program order, imply every read-after-write dependence
// of the recording between a line's last writer and each later reader. They come from one total
// order, so they are acyclic.
//
// Granularity is the 64-byte line, not the word. Coherence moves lines, so this is the order in
// which a chip has to hand lines from writer to reader; the table of writers is eight times
// smaller; and a read after several words of a line have been written by one thread is one edge
// instead of up to eight. The price: when two threads write different words of a line, only the
// later one is remembered, and the order of a reader after the earlier one is kept only as far as
// other edges imply it. Replay carries no data values, so this changes timing alone.
//
// An edge is left out when vector clocks show that program order and earlier edges imply it: thread
// t knows, for every other thread u, a position up to which all of u's accesses come before t's
// next one. An edge to a write brings along what the writer knew when it wrote.
//
// The loop is the caller's: Read and Write are called once per access.
package order

import "sort"

// Finder holds the last writer of every line and what each thread knows. Its memory grows with the
// lines touched and with the edges found.
type Finder struct {
	writers map[uint64]write
	clocks  [][]uint64 // per thread and other thread: accesses below this position come before
	// history is, per thread, its clock after each edge it has received, to look up what it knew
	// when it wrote.
	history [][]knowledge
	limit   int // entries per history
	edges   uint64
	shared  uint64
}

type write struct {
	position uint64
	thread   uint16
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
	limit := max(8, historyWords/(threads*threads))
	f := &Finder{limit: limit, writers: map[uint64]write{}, clocks: make([][]uint64, threads), history: make([][]knowledge, threads)}
	for i := range f.clocks {
		f.clocks[i] = make([]uint64, threads)
	}
	return f
}

// Read tells that a thread reads a line at a position of its stream. It returns the writer that the
// read must wait for, and whether there is one. An atomic is a Read and then a Write at one
// position.
func (f *Finder) Read(thread int, position, line uint64) (producer uint16, at uint64, edge bool) {
	w, written := f.writers[line]
	if !written || int(w.thread) == thread {
		return 0, 0, false
	}
	f.shared++
	clock := f.clocks[thread]
	if clock[w.thread] > w.position {
		return 0, 0, false
	}
	f.learn(clock, w)
	f.remember(thread, position)
	f.edges++
	return w.thread, w.position, true
}

// Write tells that a thread writes a line.
func (f *Finder) Write(thread int, position, line uint64) {
	f.writers[line] = write{position: position, thread: uint16(thread)}
}

// learn joins to a clock what the writer knew when it wrote.
func (f *Finder) learn(clock []uint64, w write) {
	h := f.history[w.thread]
	if n := sort.Search(len(h), func(i int) bool { return h[i].position > w.position }); n > 0 {
		for u, known := range h[n-1].clock {
			clock[u] = max(clock[u], known)
		}
	}
	clock[w.thread] = max(clock[w.thread], w.position+1)
}

// Meet tells that threads have met at a barrier: whatever a thread did up to the position that last
// returns for it comes before what the others do next.
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

// Edges returns the number of edges reported; Shared the number of reads of a line that another
// thread wrote last.
func (f *Finder) Edges() uint64  { return f.edges }
func (f *Finder) Shared() uint64 { return f.shared }
