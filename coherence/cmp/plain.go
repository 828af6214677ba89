package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// The plain core is the specification of the core: five stages, one path in each, every cycle. Key
// core.plain selects it. Rules, in the order in which a cycle applies them:
//
//  1. Drain: the oldest store that has retired becomes visible, at most one per cycle, in program
//     order.
//  2. Retire: finished instructions leave the window in order, up to Width. A store leaves when the
//     store buffer has room; if the buffer is not empty the store asks early for its block. Fences,
//     atomics and synchronisation wait until the store buffer is empty.
//  3. Issue: loads access the cache, oldest first, up to LoadPorts. A load does not pass atomics,
//     fences and synchronisation, waits for the load that gives it its address, and takes its value
//     from the youngest older store to all its bytes; while a store to some of them is not visible
//     it waits. Under sequential consistency only the oldest instruction issues, with an empty
//     store buffer.
//  4. Dispatch: instructions enter the window in order, up to Width and as long as it has room for
//     them.
//  5. Fetch: a record is ready when the writes that its edges name are visible, and its instruction
//     block is in the cache.
//
// An instruction spends at least one cycle in each stage. Between issue and retirement, complete
// notes that an access has ended. The fast core differs only in how soon it knows the outcome; a
// test holds both to the same results. testdata/core tells the way of a few instructions, cycle by
// cycle.

// plainCycle simulates one cycle and returns the next one.
func (c *core) plainCycle(now noc.Cycle) noc.Cycle {
	c.chargeStall(now)
	before := c.retired
	if c.mayDrain() && now >= c.drainReady {
		c.drainOldest(now)
	}
	c.plainRetire(now)
	c.plainIssue(now)
	c.plainDispatch(now)
	c.idleFrom = now + 1
	if c.retired == c.dispatched && c.finishedAt(now) {
		return noc.Never
	}
	if c.retired == before {
		c.idleFrom, c.stall = now, c.cause()
	} else {
		c.result.RetiringCycles++
	}
	c.announce(now)
	return now + 1
}

// plainRetire applies rule 2.
func (c *core) plainRetire(now noc.Cycle) {
	for n := 0; n < int(c.width) && c.retired < c.dispatched; n++ {
		if !c.empty() && c.plainAhead() == 0 {
			if !c.mayRetire(c.oldest(), now) {
				return
			}
			c.first++
		}
		c.retired++
	}
}

// plainIssue applies rule 3.
func (c *core) plainIssue(now noc.Cycle) {
	ports := c.loadPorts
	for i := c.first; i < c.end && ports > 0 && !c.refused; i++ {
		o := c.op(i)
		switch {
		case o.kind == traces.Store || o.kind == traces.Unlock:
			continue
		case o.kind != traces.Load:
			return
		case o.state == pending || o.state == done || !c.mayIssue(i, now):
			continue
		}
		ports--
		if c.plainForward(i, now) == forwardNone {
			c.start(i, coherence.Load, now)
		}
	}
}

// plainForward looks for the youngest store before the i-th operation, a load, that has a byte of
// it and is not visible.
func (c *core) plainForward(i int, now noc.Cycle) forwarding {
	o, q := c.op(i), &c.stores
	for n := q.entered; n > q.visible; n-- {
		st := q.at(n - 1)
		if c.whole(st.record) > c.whole(o.index) {
			continue
		}
		if f := q.compare(st, blockAt(o.address), o.address, o.size); f != forwardNone {
			if f == forwardAll {
				c.take(i, st.record, now)
			}
			return f
		}
	}
	return forwardNone
}

// plainDispatch applies rules 4 and 5.
func (c *core) plainDispatch(now noc.Cycle) {
	n := c.windowRoom()
	for n > 0 && (c.loaded || c.readRecord()) {
		if n = c.dispatchPlain(n); n == 0 || !c.fetch(now) {
			return
		}
		if c.loaded {
			c.enter(c.input.record)
			n--
		}
	}
}
