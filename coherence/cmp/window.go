package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// operation is a record in the window: 32 bytes, because every stage of the core goes through them, each after everybody
// else has been at work (with all of the record, 64 bytes, it was 3.4 misses of the host per reference for 1.9). What few
// need is in values.
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

// operationState is what issue does with an operation: so that one look suffices for most, nothing else says that a load
// waits for nothing, or that an operation is a store.
type operationState uint8

const (
	free    operationState = iota // load that may issue
	passive                       // store or unlock: it does nothing before it retires
	waiting                       // load: until ready, or for its producer; anything else: for what is older
	pending
	done
)

// hold makes an operation of a record, which may issue in the next cycle: what was in its place before was ready long
// ago. Its producer is still the record's dependence, which hinder turns into what it is.
func (o *operation) hold(r *traces.Record, index, position uint64) {
	o.address, o.size, o.kind, o.producer = r.Address, r.Size, r.Kind, r.Dependence
	o.index, o.position = uint32(index), uint16(position)
	o.state, o.guarded, o.forward, o.stale = free, false, false, false
}

// slot is the place in the ring of the i-th operation of the stream.
func (c *core) slot(i int) int { return i & (len(c.window) - 1) }

// op is the i-th operation of the stream, which is in the window.
func (c *core) op(i int) *operation { return &c.window[i&(len(c.window)-1)] }

// whole is the index of a record near the latest, of which an operation or a store keeps the lower half.
func (c *core) whole(index uint32) uint64 {
	taken := c.input.taken
	return taken + uint64(int64(int32(index-uint32(taken))))
}

// empty reports whether no operation is in the window.
func (c *core) empty() bool { return c.first == c.end }

// oldest is the first operation of a window that is not empty.
func (c *core) oldest() *operation { return c.op(c.first) }

// plainAhead is the number of instructions without a record that are older than the oldest operation.
func (c *core) plainAhead() uint64 { return uint64(c.oldest().position - uint16(c.retired)) }

// blockOf is the block that an operation needs: that of its address, or of its lock or barrier.
func (c *core) blockOf(o *operation) coherence.Block {
	if o.kind.IsAccess() {
		return c.system.block(o.address)
	}
	return c.system.objectBlock(o.address, 0)
}

// retire removes finished instructions in order, up to the core's width. Loads, and stores into an empty buffer or to
// blocks within reach, take the short way through the loop. Everything else is for leave: a loop with a single call keeps
// what it needs in registers.
func (c *core) retire(now noc.Cycle) {
	n := uint32(min(uint64(c.width), c.dispatched-c.retired))
	window := c.window
	mask := len(window) - 1
	if mask < 0 {
		return // never; it shows that masked numbers are places in the window
	}
	first, end, retired := c.first, c.end, c.retired
	for n > 0 && first < end {
		o := &window[first&mask]
		if plain := uint32(o.position - uint16(retired)); plain > 0 {
			plain = min(plain, n)
			retired += uint64(plain)
			if n -= plain; n == 0 {
				break
			}
		}
		if o.kind == traces.Load && !c.observed {
			if o.state != done || o.ready > now {
				n = 0
				break
			}
		} else {
			q, ahead := &c.stores, c.stores.buffered()
			if o.kind == traces.Store && ahead >= int(c.storeBuffer) {
				n = 0
				break
			}
			short := o.kind == traces.Store && !c.observed
			if short && ahead > 0 {
				short = c.reach.Hit(c.reach.Find(q.at(q.retired).block), coherence.Prefetch)
			}
			if short {
				q.retire()
			} else {
				c.first, c.retired = first, retired
				if !c.leave(o, now) {
					return
				}
			}
		}
		n--
		first++
		retired++
	}
	c.first, c.retired = first, retired+uint64(n)
}

// leave reports whether the oldest operation may retire, and does what it does then.
func (c *core) leave(o *operation, now noc.Cycle) bool {
	switch o.kind {
	case traces.Store, traces.Unlock:
		return c.buffer(now)
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
	if c.watched {
		c.testify(traces.Record{Kind: o.kind, Address: o.address, Size: o.size}, o.index, c.values[c.slot(c.first)], o.forward)
	}
	return true
}

// buffer moves a retiring store into the store buffer, if there is room, and asks early for its block, so that the
// misses of neighbouring stores overlap while they become visible in order.
func (c *core) buffer(now noc.Cycle) bool {
	if n := c.stores.buffered(); n > 0 {
		if n >= int(c.storeBuffer) {
			return false
		}
		block := c.stores.at(c.stores.retired).block
		if l := c.reach.Find(block); !c.reach.Hit(l, coherence.Prefetch) {
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
	c.start(c.first, coherence.Atomic, now)
	return false
}

// start makes the access of the i-th operation. It returns false when the cache refused.
func (c *core) start(i int, kind coherence.AccessKind, now noc.Cycle) bool {
	o := c.op(i)
	switch outcome, v := c.access(coherence.Access{Block: c.system.block(o.address), Handle: uint32(c.slot(i)), Kind: kind}, now); outcome {
	case coherence.Hit:
		o.state, o.ready, c.values[c.slot(i)] = done, now+1, uint64(v)
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
	window := c.window
	mask := len(window) - 1
	if c.refused || mask < 0 { // the latter never; it shows that masked numbers are places in the window
		return
	}
	s, ports, stamp := c.system, c.loadPorts, c.stamp(now)
	// An access may evict a block that an older load has read, which then waits again: lose lowers
	// c.scan meanwhile.
	i, end := max(c.scan, c.first), c.end
	c.scan = end
	for ; i < end; i++ {
		o := &window[i&mask]
		if o.state != free {
			if o.state == passive {
				continue
			}
			if o.kind != traces.Load {
				break
			}
			if o.state != waiting {
				continue
			}
			if !c.mayIssue(i, now) {
				c.scan = min(c.scan, i)
				continue
			}
		}
		if ports--; ports < 0 {
			break
		}
		if o.guarded {
			if f := c.forward(i, now); f == forwardAll {
				continue
			} else if f == forwardPart {
				c.scan = min(c.scan, i)
				continue // until the store is visible; drain wakes the core
			}
		}
		if !c.observed {
			block := coherence.Block(o.address / coherence.BlockBytes)
			l := c.reach.Find(block)
			if c.reach.Hit(l, coherence.Load) { // as start does; most come this way
				o.state, o.ready = done, now+1
				s.mix(stamp, noted(block, coherence.Load, l.Version))
				continue
			}
		}
		if !c.start(i, coherence.Load, now) {
			break
		}
	}
	c.scan = min(c.scan, i)
}

// mayIssue reports whether the i-th operation, a load that had to wait, may issue now.
func (c *core) mayIssue(i int, now noc.Cycle) bool {
	o := c.op(i)
	return o.ready <= now && c.producerReady(o, i, now) <= now &&
		(!c.config.SequentialConsistency || i == c.first && c.stores.buffered() == 0)
}

// producerReady is when the operation that gives the i-th one its address has its result: at once when it has
// retired, and Never while it is pending, whose completion wakes the core.
func (c *core) producerReady(o *operation, i int, now noc.Cycle) noc.Cycle {
	if i -= int(o.producer); o.producer == 0 || i < c.first {
		return now
	}
	if p := c.op(i); p.state == done {
		return p.ready
	}
	return noc.Never
}

// forward looks for an older store to the bytes of the i-th operation, a load, and performs it if the store has all of them.
func (c *core) forward(i int, now noc.Cycle) forwarding {
	o := c.op(i)
	store, f := c.stores.forwards(c.system.block(o.address), o.address, o.size, o.older)
	if f == forwardAll {
		o.state, o.ready, o.forward, c.values[c.slot(i)] = done, now+1, true, c.whole(store)
	}
	return f
}

// surrender makes loads that took the value of a store ordinary ones when it becomes visible: from now on
// others may overwrite it, and then a load that was performed before an older one must be repeated.
func (c *core) surrender(record uint64, v coherence.Version) {
	for i := c.first; i < c.end; i++ {
		if o, value := c.op(i), &c.values[c.slot(i)]; o.forward && *value == record {
			o.forward, *value = false, uint64(v)
		}
	}
}

// repeat lets the i-th operation, a load, wait to be performed again.
func (c *core) repeat(o *operation, i int) {
	o.state, o.ready = waiting, c.system.now+c.config.ReplayDelay
	c.scan = min(c.scan, i)
	c.system.replays++
	c.wakeAt(o.ready)
}

// lose is told that the cache may no longer read a block. A load of it that was performed before an older
// one must be repeated: total store order does not let it keep its value.
func (c *core) lose(b coherence.Block) {
	c.syncLost(b)
	i := c.first
	for i < c.end && (c.op(i).kind != traces.Load || c.op(i).state == done) {
		i++
	}
	for i++; i < c.end; i++ { // those behind the first load that has not been performed
		o := c.op(i)
		if o.kind != traces.Load || coherence.Block(o.address/coherence.BlockBytes) != b {
			continue
		}
		switch {
		case o.state == done && !o.forward:
			c.repeat(o, i)
		case o.state == pending:
			o.stale = true // what is on its way here was current up to now, while the older load may yet see something newer
		}
	}
}
