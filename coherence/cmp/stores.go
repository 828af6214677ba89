package cmp

import (
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/traces"
)

// store is a store or unlock from dispatch until it is visible.
type store struct {
	address uint64
	record  uint64
	block   coherence.Block
	word    uint16 // where the first of its words is counted
	size    uint8
	kind    traces.Kind
	wide    bool // touches more words than one
	taken   bool // a load has taken its value
}

// stores are a core's stores and unlocks in program order, numbered as they enter the window. Those that
// have retired are the store buffer, oldest first; behind them are those that are still in the window.
type stores struct {
	ring    []store // store n is at n%len(ring), a power of two
	visible uint32  // stores that have left
	retired uint32  // stores that have left the window
	entered uint32
	pending bool // the access of the oldest one has been started
	// words counts the stores here by the 8-byte words that they touch, by a hash, so that most loads need
	// not look for one to forward from. Neighbouring words of arrays at any distance must not meet: with the
	// low bits of the address for a hash, three loads of four looked in vain on the embedded recording. Unlocks
	// count as if their object were an address, which costs a look now and then.
	words [512]uint16
}

func newStores(c CoreConfig) stores {
	return stores{ring: make([]store, powerOfTwo(c.Window+c.StoreBuffer))}
}

// powerOfTwo is the smallest one from n on.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

func (q *stores) at(n uint32) *store { return &q.ring[n&uint32(len(q.ring)-1)] }

// buffered is the number of stores that have retired and are not yet visible.
func (q *stores) buffered() int { return int(q.retired - q.visible) }

// front is the oldest store of a buffer that is not empty.
func (q *stores) front() *store { return q.at(q.visible) }

// enter takes in a store at its dispatch.
func (q *stores) enter(r *traces.Record, record uint64, b coherence.Block) {
	s := q.at(q.entered)
	q.entered++
	w, last := words(r.Address, r.Size)
	s.address, s.record, s.block, s.word, s.size, s.kind = r.Address, record, b, uint16(word(w)), r.Size, r.Kind
	s.wide, s.taken = w < last, false
	q.words[word(w)]++
	if w < last {
		q.countMore(s, 1)
	}
}

// retire moves the oldest store of the window into the buffer.
func (q *stores) retire() { q.retired++ }

// pop removes the oldest store, which remains good until the next store enters. If it is wide, its other words remain
// to be counted.
func (q *stores) pop() *store {
	s := q.front()
	q.visible++
	q.pending = false
	q.words[s.word%uint16(len(q.words))]--
	return s
}

// words are the first and the last word of an access.
func words(address uint64, size uint8) (first, last uint64) {
	return address >> 3, (address + 1<<(size&63) - 1) >> 3
}

// word is the place of a word in words.
func word(w uint64) uint64 { return w * 0x9e3779b97f4a7c15 >> (64 - 9) }

// countMore adds a number to the counts of a store's words behind the first: one, or minus one in the arithmetic of
// counts.
func (q *stores) countMore(s *store, n uint16) {
	for w, last := words(s.address, s.size); w < last; {
		w++
		q.words[word(w)] += n
	}
}

// mayForward tells whether a store here may touch a load's words.
func (q *stores) mayForward(address uint64, size uint8) bool {
	w, last := words(address, size)
	return q.words[word(w)] > 0 || w < last && q.mayForwardMore(w, last)
}

// mayForwardMore looks at the words behind the first.
func (q *stores) mayForwardMore(w, last uint64) bool {
	for w < last {
		w++
		if q.words[word(w)] > 0 {
			return true
		}
	}
	return false
}

type forwarding uint8

const (
	forwardNone forwarding = iota
	forwardAll
	forwardPart
)

// forwards looks for the youngest store to a load's bytes among those before the given number, and says which
// record it is. When it covers them all it notes that the load takes its value.
func (q *stores) forwards(b coherence.Block, address uint64, size uint8, before uint32) (uint64, forwarding) {
	ring, mask := q.ring, uint32(len(q.ring)-1)
	for n := before - 1; int32(n-q.visible) >= 0; n-- {
		if s := &ring[n&mask]; s.block == b && s.kind == traces.Store {
			if f := overlap(address, size, s.address, s.size); f != forwardNone {
				s.taken = s.taken || f == forwardAll
				return s.record, f
			}
		}
	}
	return 0, forwardNone
}

// overlap compares a load with a store: do the stored bytes cover all, part or none of the loaded ones?
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
