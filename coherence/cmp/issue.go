package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// issue performs loads whose address is known, oldest first, up to the number of cache ports. A
// load waits for older atomics, fences, locks and barriers; under sequential consistency it waits
// for all older accesses. Fast path: loads of blocks that the hit path finds.
func (c *core) issue(now noc.Cycle) {
	ring := c.ring
	mask := len(ring) - 1
	if c.refused || mask < 0 { // the latter never; it shows that masked numbers are in range
		return
	}
	s, ports, stamp := c.system, c.loadPorts, stamp(now, c.id)
	// An access may evict a block that an older load has read, which then waits again: onInvalidate
	// lowers c.scan meanwhile.
	i, end := max(c.scan, c.first), c.end
	c.scan = end
	for ; i < end; i++ {
		o := &ring[i&mask]
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
		if !c.checked {
			block := blockAt(o.address)
			l := c.hits.Find(block)
			if c.hits.Hit(l, coherence.Load) { // as start does
				o.state, o.ready = done, now+noc.Cycle(c.hit)
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
	if o.ready > now || c.producerReady(o, i, now) > now ||
		c.config.SequentialConsistency && (i != c.first || c.stores.buffered() > 0) {
		return false
	}
	if s := &c.account.slots[c.slot(i)]; o.producer > 0 && s.waits == o.index && s.asked < noc.Never {
		s.waited, s.asked = uint64(now-s.asked), noc.Never
	}
	return true
}

// producerReady returns the cycle in which the result of the i-th operation's producer is ready:
// now when it has retired, and Never while it is pending, because its completion wakes the core.
func (w *window) producerReady(o *operation, i int, now noc.Cycle) noc.Cycle {
	if i -= int(o.producer); o.producer == 0 || i < w.first {
		return now
	}
	if p := w.op(i); p.state == done {
		return p.ready
	}
	return noc.Never
}

// forward looks for an older store to the bytes of the i-th operation, a load, and performs it if
// the store has all of them.
func (c *core) forward(i int, now noc.Cycle) forwarding {
	o := c.op(i)
	store, f := c.stores.forwards(blockAt(o.address), o.address, o.size, o.older)
	if f == forwardAll {
		c.take(i, store, now)
	}
	return f
}

// take gives the i-th operation, a load, the value of a store.
func (c *core) take(i int, store uint32, now noc.Cycle) {
	o := c.op(i)
	o.state, o.ready, o.forward, c.values[c.slot(i)] = done, now+noc.Cycle(c.hit), true, c.input.whole(store)
}

// start starts the access of the i-th operation. It returns false when the cache refuses.
func (c *core) start(i int, kind coherence.AccessKind, now noc.Cycle) bool {
	o := c.op(i)
	switch outcome, v := c.access(coherence.Access{Block: blockAt(o.address), Handle: uint32(c.slot(i)), Kind: kind}, now); outcome {
	case coherence.Hit:
		o.state, o.ready, c.values[c.slot(i)] = done, now+noc.Cycle(c.hit), uint64(v)
	case coherence.Pending:
		o.state = pending
		if kind == coherence.Load {
			c.prefetch(blockAt(o.address), now)
		}
	case coherence.Refused:
		c.refused = true
		return false
	}
	return true
}

// prefetch requests the blocks behind one that a load misses, in its page. What the cache refuses is not repeated.
func (c *core) prefetch(b coherence.Block, now noc.Cycle) {
	for next := b + 1; next <= min(b+coherence.Block(c.config.Prefetch), b|(pageBlocks-1)); next++ {
		if l := c.cache.Line(next); l.Readable || l.Busy {
			continue
		}
		if outcome, _ := c.ask(coherence.Access{Block: next, Handle: handlePrefetch, Kind: coherence.Load}, now); outcome == coherence.Pending {
			c.system.prefetches++
		}
	}
}

// forwardedStoreVisible turns loads that took the value of a store into ordinary ones when the
// store becomes visible: from now on another core may overwrite the block, and onInvalidate must
// find them.
func (c *core) forwardedStoreVisible(record uint64, v coherence.Version) {
	for i := c.first; i < c.end; i++ {
		if o, value := c.op(i), &c.values[c.slot(i)]; o.forward && *value == record {
			o.forward, *value = false, uint64(v)
		}
	}
}

// onInvalidate notes that the cache has lost a block: a core that spins on it looks again, and
// loads that read it too early are repeated. It returns how many.
func (c *core) onInvalidate(b coherence.Block) int {
	now := c.system.now
	again := now
	if c.sync.phase == polling { // a load like others
		again += c.config.ReplayDelay
	}
	if c.sync.lost(b, again) {
		c.wakeAt(c.sync.ready)
	}
	n := c.window.invalidate(b, now+c.config.ReplayDelay)
	c.replayed(n)
	return n
}

// replayed counts loads that are to be repeated, and wakes the core for them.
func (c *core) replayed(n int) {
	if n > 0 {
		c.system.replays += uint64(n)
		c.wakeAt(c.system.now + c.config.ReplayDelay)
		if c.kept {
			c.wakeAt(c.system.now) // what is kept for them may go
		}
	}
}

// settle makes the cache drop evicted blocks that it kept for speculative loads, once these loads
// are no longer speculative.
func (c *core) settle(now noc.Cycle) {
	s := c.system
	s.agents.prepare(c.id, coherence.Cache)
	s.paths.forget() // what the L1 sends has no other cause
	c.kept = c.cache.Settle(now, &s.agents.effects)
	s.agents.apply(c.id, coherence.Cache)
}
