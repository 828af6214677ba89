package cmp

import (
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/traces"
)

// store is a store or unlock from dispatch until it is visible.
type store struct {
	block  coherence.Block
	record uint32 // modulo 2^32
	offset uint8  // of its first byte in the block
	size   uint8
	kind   traces.Kind
	taken  bool // a load has taken its value
}

// stores are a core's stores and unlocks in program order, numbered as they enter the window. Those
// that have retired are the store buffer, oldest first; behind them are those that are still in the
// window.
type stores struct {
	ring    []store // store n is at n%len(ring), a power of two
	visible uint64  // stores that have left
	retired uint64  // stores that have left the window
	entered uint64
	ready   noc.Cycle // the oldest one may become visible from here on
	refused bool      // the cache has refused the access of the oldest one: wait for retry
	pending bool      // the access of the oldest one has been started
	// words has, for each hash of an 8-byte word, one more than the number of the youngest store to
	// it, visible or not. Most loads learn from it that no store can forward to them; the others
	// learn where to begin the search. The hash must spread arrays at any distance from each other,
	// which the low bits of an address do not. The object of an unlock counts as an address, and
	// entries 2^16 stores old may look young: both only cost a search.
	words [512]uint16
	// objects are those of the unlocks among the stores, in order.
	objects queue.FIFO[uint64]
}

func newStores(c CoreConfig) stores {
	return stores{ring: make([]store, powerOfTwo(c.Window+c.StoreBuffer))}
}

// powerOfTwo returns the smallest power of two that is at least n.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

func (q *stores) at(n uint64) *store { return &q.ring[n&uint64(len(q.ring)-1)] }

// buffered returns the number of stores that have retired and are not yet visible.
func (q *stores) buffered() int { return int(q.retired - q.visible) }

// front returns the oldest store of a buffer that is not empty.
func (q *stores) front() *store { return q.at(q.visible) }

// mayDrain reports whether the oldest store of the buffer may become visible from ready on.
func (q *stores) mayDrain() bool {
	return q.visible != q.retired && !q.pending && !q.refused
}

// enter takes in a store at its dispatch.
func (q *stores) enter(o *operation, b coherence.Block) {
	if o.kind == traces.Unlock {
		q.objects.Push(o.address)
	}
	q.append(o, b)
}

// append makes the youngest store of an operation, and enters it into words.
func (q *stores) append(o *operation, b coherence.Block) {
	s := q.at(q.entered)
	q.entered++
	s.block, s.record, s.offset, s.size, s.kind, s.taken = b, o.index, uint8(o.address%coherence.BlockBytes), o.size, o.kind, false
	for w, last := words(o.address, o.size); w <= last; w++ {
		q.words[word(w)] = uint16(q.entered)
	}
}

// retire moves the oldest store of the window into the buffer.
func (q *stores) retire() { q.retired++ }

// pop removes the oldest store. The pointer is valid until the next store enters.
func (q *stores) pop() *store {
	s := q.front()
	q.visible++
	q.pending = false
	return s
}

// words returns the first and the last word of an access.
func words(address uint64, size uint8) (first, last uint64) {
	return address >> 3, (address + 1<<(size&63) - 1) >> 3
}

// word returns the index of a word in words.
func word(w uint64) uint64 { return w * 0x9e3779b97f4a7c15 >> (64 - 9) }

// guard records, for a load that enters the window, the youngest store to its word; forwards finds
// all older stores from there. A load without such a store does not search again when it issues.
func (q *stores) guard(o *operation) {
	w, last := words(o.address, o.size)
	n := q.words[word(w)]
	if w < last {
		n = uint16(q.entered) // forwards looks closer
	}
	o.older, o.guarded = n, q.queued(n)
}

// mayTouch reports whether a store here may touch one of some words.
func (q *stores) mayTouch(w, last uint64) bool {
	for ; w <= last; w++ {
		if q.queued(q.words[word(w)]) {
			return true
		}
	}
	return false
}

// queued reports whether the store before a number is still queued. Numbers are modulo 2^16, more
// than the queue holds.
func (q *stores) queued(n uint16) bool { return n-uint16(q.visible)-1 < uint16(q.entered-q.visible) }

type forwarding uint8

const (
	forwardNone forwarding = iota
	forwardAll
	forwardPart
)

// forwards looks for the youngest store to a load's bytes, beginning with the one that guard has
// found. It returns the store's record and whether the store has all of the bytes.
func (q *stores) forwards(b coherence.Block, address uint64, size uint8, n uint16) (uint32, forwarding) {
	if w, last := words(address, size); w < last && !q.mayTouch(w, last) {
		return 0, forwardNone
	}
	for ; q.queued(n); n-- {
		s := q.at(uint64(n - 1))
		if f := q.compare(s, b, address, size); f != forwardNone {
			return s.record, f
		}
	}
	return 0, forwardNone
}

// compare reports which of a load's bytes a store has. A store that has them all is marked as
// taken.
func (q *stores) compare(s *store, b coherence.Block, address uint64, size uint8) forwarding {
	if s.block != b || s.kind != traces.Store {
		return forwardNone
	}
	f := overlap(address%coherence.BlockBytes, size, uint64(s.offset), s.size)
	s.taken = s.taken || f == forwardAll
	return f
}

// overlap reports whether the bytes of a store cover all, part or none of a load's.
func overlap(load uint64, loadSize uint8, store uint64, storeSize uint8) forwarding {
	loadEnd, storeEnd := load+1<<loadSize, store+1<<storeSize
	switch {
	case load >= store && loadEnd <= storeEnd:
		return forwardAll
	case load < storeEnd && store < loadEnd:
		return forwardPart
	}
	return forwardNone
}
