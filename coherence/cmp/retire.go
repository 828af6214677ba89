package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// retire applies rule 2 of the plain core: it removes finished instructions in order, up to the
// core's width.
func (c *core) retire(now noc.Cycle) {
	for n := min(uint64(c.width), c.dispatched-c.retired); n > 0; {
		ahead := n // without a record
		if !c.empty() {
			ahead = min(n, c.plainAhead())
		}
		if ahead == 0 {
			if !c.mayRetire(c.oldest(), now) {
				return
			}
			c.first++
			ahead = 1
		}
		c.retired += ahead
		n -= ahead
	}
}

// mayRetire reports whether the oldest operation may retire, and does what it does then.
func (c *core) mayRetire(o *operation, now noc.Cycle) bool {
	switch o.kind {
	case traces.Store:
		return c.buffer(now)
	case traces.Unlock:
		if o.state == passive {
			return c.buffer(now)
		}
		return c.synchronise(o, now) // which has told the observer
	case traces.Load:
		if o.state != done || o.ready > now {
			return false
		}
	case traces.Fence:
		if c.stores.buffered() > 0 {
			return false
		}
	case traces.Atomic:
		if !c.atomic(o, now) {
			return false
		}
	default:
		if !c.synchronise(o, now) {
			return false
		}
	}
	if c.reported {
		c.notifyObserver(traces.Record{Kind: o.kind, Address: o.address, Size: o.size}, o.index, c.values[c.slot(c.first)], o.forward)
	}
	return true
}

// buffer moves a retiring store into the store buffer, if there is room, and asks early for its
// block, so that the misses of neighbouring stores overlap while they become visible in order.
func (c *core) buffer(now noc.Cycle) bool {
	if n := c.stores.buffered(); n > 0 {
		if n >= int(c.storeBuffer) {
			return false
		}
		block := c.stores.at(c.stores.retired).block
		if l := c.hits.Find(block); !c.hits.Hit(l, coherence.Prefetch) {
			c.ask(coherence.Access{Block: block, Kind: coherence.Prefetch}, now)
		} else if c.system.audit.checking {
			c.system.audit.touch(block)
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
	c.start(c.first, coherence.Atomic, now)
	return false
}
