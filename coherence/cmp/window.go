package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// operation is a record in the window: 64 bytes, because every stage of the core goes through them.
type operation struct {
	traces.Record
	index uint64 // among the core's records
	// value is the version of the block that the access has read or made; of a load with forward set it is
	// the record of the store whose value it took.
	value    uint64
	ready    noc.Cycle // waiting: may issue from here on; done: result usable
	position uint32    // among the core's micro-operations, modulo 2^32
	older    uint32    // stores that have entered before, by their number
	producer uint16    // how many operations further ahead the one is that produces the address; 0 none
	state    operationState
	forward  bool // took its value from an older store that is not visible yet
	stale    bool // pending load whose block has been invalidated before an older load was performed
}

type operationState uint8

const (
	waiting operationState = iota
	pending
	done
)

// hold puts a record into the window, as an operation that may issue in the next cycle: what was in its place before was
// ready long ago. Loads and stores have no value yet, and need none to begin with.
func (o *operation) hold(r *traces.Record, index uint64, position, older uint32) {
	o.Record = *r
	o.index, o.position, o.older = index, position, older
	o.producer, o.state, o.forward, o.stale = 0, waiting, false, false
}

// slot is the place in the ring of the i-th operation of the window, the oldest being number 0.
func (c *core) slot(i int) int { return (c.first + i) & (len(c.window) - 1) }

// op is the i-th operation of the window.
func (c *core) op(i int) *operation { return &c.window[(c.first+i)&(len(c.window)-1)] }

// plainAhead is the number of instructions without a record that are older than the oldest operation.
func (c *core) plainAhead() uint64 { return uint64(c.op(0).position - uint32(c.retired)) }

// blockOf is the block that an operation needs: that of its address, or of its lock or barrier.
func (c *core) blockOf(o *operation) coherence.Block {
	if o.Kind.IsAccess() {
		return c.system.block(o.Address)
	}
	return c.system.objectBlock(o.Address, 0)
}

// retire removes finished instructions in order, up to the core's width.
func (c *core) retire(now noc.Cycle) {
	n := uint32(min(uint64(c.config.Width), c.dispatched-c.retired))
	for ; n > 0 && c.count > 0; n-- {
		o := &c.window[c.first&(len(c.window)-1)]
		if plain := o.position - uint32(c.retired); plain > 0 {
			plain = min(plain, n)
			c.retired += uint64(plain)
			if n -= plain; n == 0 {
				return
			}
		}
		switch o.Kind {
		case traces.Load:
			if o.state != done || o.ready > now {
				return
			}
			if c.watched {
				c.testify(o.Record, o.index, o.value, o.forward)
			}
		case traces.Store:
			if !c.buffer(now) {
				return
			}
		default:
			if !c.retireOther(o, now) {
				return
			}
			if c.watched && o.Kind != traces.Unlock {
				c.testify(o.Record, o.index, o.value, false)
			}
		}
		c.retired++
		c.first++
		c.count--
	}
	c.retired += uint64(n)
}

// retireOther tells whether the oldest operation, which is no load or store, may retire, and does what it does then.
func (c *core) retireOther(o *operation, now noc.Cycle) bool {
	switch o.Kind {
	case traces.Unlock:
		return c.buffer(now)
	case traces.Fence:
		return c.stores.buffered() == 0
	case traces.Atomic:
		return c.atomic(o, now)
	}
	return c.synchronise(o, now)
}

// buffer moves a retiring store into the store buffer, if there is room, and asks early for its block, so that the
// misses of neighbouring stores overlap while they become visible in order.
func (c *core) buffer(now noc.Cycle) bool {
	if n := c.stores.buffered(); n > 0 {
		if n >= c.config.StoreBuffer {
			return false
		}
		block := c.stores.at(c.stores.retired).block
		if l := c.reach.Find(block); l == nil || !c.reach.Hit(l, coherence.Prefetch) {
			c.prefetch(block, now)
		} else if c.system.checking {
			c.system.touch(block)
		}
	}
	c.stores.retire()
	return true
}

// atomic performs a read-modify-write at the head of the window once all older stores are visible.
func (c *core) atomic(o *operation, now noc.Cycle) bool {
	switch {
	case o.state == done:
		return o.ready <= now
	case o.state == pending || c.stores.buffered() > 0 || c.refused || o.ready > now:
		return false
	}
	c.start(o, c.slot(0), coherence.Atomic, now)
	return false
}

// start makes the access of the operation in a slot of the window. It returns false when the cache refused.
func (c *core) start(o *operation, slot int, kind coherence.AccessKind, now noc.Cycle) bool {
	switch outcome, v := c.access(coherence.Access{Block: c.system.block(o.Address), Handle: uint32(slot), Kind: kind}, now); outcome {
	case coherence.Hit:
		o.state, o.ready, o.value = done, now+1, uint64(v)
	case coherence.Pending:
		o.state = pending
	case coherence.Refused:
		c.refused = true
		return false
	}
	return true
}

// issue performs loads whose address is known, oldest first, up to the number of cache ports. Loads do
// not pass atomics, fences and synchronisation, and under sequential consistency nothing.
func (c *core) issue(now noc.Cycle) {
	if c.refused {
		return
	}
	ports, ordered := c.config.LoadPorts, c.config.SequentialConsistency
	// An access may evict a block that an older load has read, which then waits again: lose lowers
	// c.scan meanwhile.
	i, end, left := max(c.scan, c.first), c.first+c.count, -1
	c.scan = end
	for ; i < end; i++ {
		o := &c.window[i&(len(c.window)-1)]
		if o.Kind != traces.Load {
			if o.Kind != traces.Store && o.Kind != traces.Unlock {
				break
			}
			continue
		}
		if o.state != waiting {
			continue
		}
		if ports == 0 {
			break
		}
		if o.ready <= now && (o.producer == 0 || c.producerReady(o, i-c.first, now) <= now) &&
			(!ordered || i == c.first && c.stores.buffered() == 0) {
			if !c.load(o, i-c.first, now) {
				break
			}
			if ports--; o.state != waiting {
				continue
			}
		}
		if left < 0 {
			left = i
		}
	}
	if left < 0 {
		left = i
	}
	c.scan = min(c.scan, left)
}

// producerReady is when the operation that gives the i-th one its address has its result: at once when it has
// retired, and Never while it is pending, whose completion wakes the core.
func (c *core) producerReady(o *operation, i int, now noc.Cycle) noc.Cycle {
	if i -= int(o.producer); o.producer == 0 || i < 0 {
		return now
	}
	if p := c.op(i); p.state == done {
		return p.ready
	}
	return noc.Never
}

// load performs one load: from an older store, or from the cache. It returns false when the cache refused.
func (c *core) load(o *operation, i int, now noc.Cycle) bool {
	block := coherence.Block(o.Address / coherence.BlockBytes)
	if c.stores.mayForward(o.Address, o.Size) {
		switch from, f := c.stores.forwards(block, o.Address, o.Size, o.older); f {
		case forwardAll:
			o.state, o.ready, o.forward, o.value = done, now+1, true, from
			return true
		case forwardPart:
			return true // waits until the store is visible; drain wakes the core
		}
	}
	if l := c.reach.Find(block); l != nil && c.reach.Hit(l, coherence.Load) { // as start does; most come this way
		v := l.Version
		c.note(now, block, coherence.Load, v)
		if c.system.checking {
			c.system.checkHit(c.id, block, coherence.Load, v)
		}
		o.state, o.ready, o.value = done, now+1, uint64(v)
		return true
	}
	return c.start(o, c.slot(i), coherence.Load, now)
}

// surrender makes loads that took the value of a store ordinary ones when it becomes visible: from now on
// others may overwrite it, and then a load that was performed before an older one must be repeated.
func (c *core) surrender(record uint64, v coherence.Version) {
	for i := range c.count {
		if o := c.op(i); o.forward && o.value == record {
			o.forward, o.value = false, uint64(v)
		}
	}
}

// repeat lets the load at place i of the window wait to be performed again.
func (c *core) repeat(o *operation, i int) {
	o.state, o.ready = waiting, c.system.now+c.config.ReplayDelay
	c.scan = min(c.scan, c.first+i)
	c.system.replays++
	c.wakeAt(o.ready)
}

// lose is told that the cache may no longer read a block. A load of it that was performed before an older
// one must be repeated: total store order does not let it keep its value.
func (c *core) lose(b coherence.Block) {
	c.syncLost(b)
	olderDone := true
	for i := 0; i < c.count; i++ {
		o := c.op(i)
		if o.Kind != traces.Load {
			continue
		}
		here := c.system.block(o.Address) == b
		if o.state == done && here && !o.forward && !olderDone {
			c.repeat(o, i)
		}
		// Data on its way here was current up to now, while an older load may yet see something newer.
		if o.state == pending && here && !olderDone {
			o.stale = true
		}
		olderDone = olderDone && o.state == done
	}
}
