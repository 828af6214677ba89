package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// operation is a record in the window. It has 32 bytes, because every stage walks through the
// window, and a larger one misses the host's first cache more often; values has what is seldom
// needed.
type operation struct {
	address  uint64
	ready    noc.Cycle // waiting: may issue from here on; done: result usable
	index    uint32    // among the core's records, modulo 2^32
	position uint16    // among the core's micro-operations, modulo 2^16: more than a window has
	older    uint16    // of a guarded load: one more than the number of the store that guards it
	producer uint16    // how many operations ahead the one is that gives the address; 0 none
	size     uint8
	kind     traces.Kind
	state    operationState
	guarded  bool // load that entered behind a store, not visible yet, to one of its words
	forward  bool // took its value from an older store that is not visible yet
	stale    bool // pending load whose block was invalidated before an older load was performed
}

// operationState says what issue does with an operation. It distinguishes loads that may issue from
// waiting loads and from stores, so issue needs to read only this field of most operations.
type operationState uint8

const (
	free    operationState = iota // load that may issue
	passive                       // store or unlock: it does nothing before it retires
	waiting                       // load: until ready, or for its producer; others: for what is older
	pending
	done
)

// set makes an operation of a record. It may issue in the next cycle: ready is a past cycle, that
// of the slot's previous operation. Its producer is the record's dependence until resolveProducer
// replaces it.
func (o *operation) set(r *traces.Record, index, position uint64) {
	o.address, o.size, o.kind, o.producer = r.Address, r.Size, r.Kind, r.Dependence
	o.index, o.position = uint32(index), uint16(position)
	o.state, o.guarded, o.forward, o.stale = free, false, false, false
}

// window is the reorder window: a range of positions in the stream of micro-operations, retired <=
// position < dispatched. Instructions without a record are counted, not stored; the records of the
// range are kept as operations, numbered in the stream.
type window struct {
	dispatched, retired uint64
	first, end          int         // the operations in the window
	scan                int         // operations before this one have all been issued
	ring                []operation // operation i is at i%len(ring), a power of two
}

// slot returns the index in the ring of the i-th operation of the stream.
func (w *window) slot(i int) int { return i & (len(w.ring) - 1) }

// op returns the i-th operation of the stream, which is in the window.
func (w *window) op(i int) *operation { return &w.ring[i&(len(w.ring)-1)] }

// empty reports whether no operation is in the window.
func (w *window) empty() bool { return w.first == w.end }

// oldest returns the first operation of a window that is not empty.
func (w *window) oldest() *operation { return w.op(w.first) }

// plainAhead returns the number of instructions without a record that are older than the oldest
// operation.
func (w *window) plainAhead() uint64 { return uint64(w.oldest().position - uint16(w.retired)) }

// replay makes the i-th operation, a load, access the cache again in a later cycle.
func (w *window) replay(i int, at noc.Cycle) {
	o := w.op(i)
	o.state, o.ready = waiting, at
	w.scan = min(w.scan, i)
}

// speculative returns the first operation at or after a given one that is a speculative load of a
// block, or the window's end. A load is speculative if it may perform, or has performed, before an
// older load: total store order does not let it keep a value that another core has replaced
// meanwhile. from is w.first or what firstSpeculative or a call before has returned.
func (w *window) speculative(b coherence.Block, from int) int {
	for i := from; i < w.end; i++ {
		o := w.op(i)
		if o.kind == traces.Load && coherence.Block(o.address/coherence.BlockBytes) == b && (o.state == done && !o.forward || o.state == pending) {
			return i
		}
	}
	return w.end
}

// firstSpeculative returns the first operation that is behind a load that has not been performed.
func (w *window) firstSpeculative() int {
	i := w.first
	for i < w.end && (w.op(i).kind != traces.Load || w.op(i).state == done) {
		i++
	}
	return i + 1
}

// Speculative reports whether a speculative load has read a block in the cache.
func (w *window) Speculative(b coherence.Block) bool {
	for i := w.speculative(b, w.firstSpeculative()); i < w.end; i = w.speculative(b, i+1) {
		if w.op(i).state == done {
			return true
		}
	}
	return false
}

// invalidate is the speculation check. It replays the speculative loads of a block that the cache
// has lost, and returns how many. A load that is still pending is marked: the data in flight were
// current until now, but an older load may still read newer data.
func (w *window) invalidate(b coherence.Block, at noc.Cycle) (replayed int) {
	for i := w.speculative(b, w.firstSpeculative()); i < w.end; i = w.speculative(b, i+1) {
		if o := w.op(i); o.state == done {
			w.replay(i, at)
			replayed++
		} else {
			o.stale = true
		}
	}
	return replayed
}
