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
	position uint16    // among the core's micro-operations, modulo 2^16, which is more than the largest window
	older    uint16    // of a guarded load: the number behind that of the youngest such store; if it touches several words, of any store
	producer uint16    // how many operations further ahead the one is that produces the address; 0 none
	size     uint8
	kind     traces.Kind
	state    operationState
	guarded  bool // load that has entered behind a store to its word, or perhaps to one of its words, that was not visible yet
	forward  bool // took its value from an older store that is not visible yet
	stale    bool // pending load whose block has been invalidated before an older load was performed
}

// operationState says what issue does with an operation. It alone tells loads that may issue from
// loads that wait and from stores, so that one look suffices for most operations.
type operationState uint8

const (
	free    operationState = iota // load that may issue
	passive                       // store or unlock: it does nothing before it retires
	waiting                       // load: until ready, or for its producer; anything else: for what is older
	pending
	done
)

// hold makes an operation of a record. It may issue in the next cycle: ready is a past cycle, that
// of the slot's previous operation. Its producer is the record's dependence until
// resolveDependences replaces it.
func (o *operation) hold(r *traces.Record, index, position uint64) {
	o.address, o.size, o.kind, o.producer = r.Address, r.Size, r.Kind, r.Dependence
	o.index, o.position = uint32(index), uint16(position)
	o.state, o.guarded, o.forward, o.stale = free, false, false, false
}

// slot returns the place in the ring of the i-th operation of the stream.
func (c *core) slot(i int) int { return i & (len(c.window) - 1) }

// op returns the i-th operation of the stream, which is in the window.
func (c *core) op(i int) *operation { return &c.window[i&(len(c.window)-1)] }

// whole returns the index of a record from its lower half, which operations and stores keep: the
// one nearest to the latest record.
func (c *core) whole(index uint32) uint64 {
	taken := c.input.taken
	return taken + uint64(int64(int32(index-uint32(taken))))
}

// empty reports whether no operation is in the window.
func (c *core) empty() bool { return c.first == c.end }

// oldest returns the first operation of a window that is not empty.
func (c *core) oldest() *operation { return c.op(c.first) }

// plainAhead returns the number of instructions without a record that are older than the oldest
// operation.
func (c *core) plainAhead() uint64 { return uint64(c.oldest().position - uint16(c.retired)) }

// blockOf returns the block that an operation needs: that of its address, or of its lock or
// barrier.
func (c *core) blockOf(o *operation) coherence.Block {
	if o.kind.IsAccess() {
		return blockAt(o.address)
	}
	return c.system.config.objectBlock(o.address, 0)
}
