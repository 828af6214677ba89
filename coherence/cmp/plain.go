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
//     it waits. A load that misses also requests the core.prefetch blocks behind it. Under sequential
//     consistency only the oldest instruction issues, with an empty store buffer.
//  4. Dispatch: instructions enter the window in order, up to Width and as long as it has room for
//     them. Behind a mispredicted branch, each core.mispredict_every-th, none enters before the branch has left
//     the window and core.refill is over.
//  5. Fetch: a record is ready when the writes that its edges name are visible, and its instruction
//     block is in the cache. While a load that polls waits for such a write, and the window and the store
//     buffer are empty, the core reads the block of the load, and again when it has lost it.
//
// An instruction spends at least one cycle in each stage. Between issue and retirement, complete
// notes that an access has ended. Retire and dispatch have one form for both cores. The fast core
// differs only in how soon it knows the outcome; a test holds both to the same results.
// testdata/core tells the way of a few instructions, cycle by cycle.

// plainCore runs a core by the rules.
type plainCore struct{ *core }

// cycle simulates one cycle and returns the next one.
func (p plainCore) cycle(now noc.Cycle) noc.Cycle {
	p.chargeStall(now)
	before := p.retired
	if p.stores.mayDrain() && now >= p.stores.ready {
		p.drainOldest(now)
	}
	p.retire(now)
	p.issue(now)
	p.dispatch(now)
	p.idleFrom = now + 1
	if p.retired == p.dispatched && p.finishedAt(now) {
		return noc.Never
	}
	if p.retired == before {
		p.idleFrom, p.stall = now, p.cause()
	} else {
		p.result.RetiringCycles++
	}
	p.announce(now)
	return now + 1
}

// issue applies rule 3.
func (p plainCore) issue(now noc.Cycle) {
	ports := p.loadPorts
	for i := p.first; i < p.end && !p.refused; i++ {
		o := p.op(i)
		switch { // a load that waits for a port alone waits for no producer any more
		case o.state == passive:
			continue
		case o.kind != traces.Load:
			return
		case o.state == pending || o.state == done || !p.mayIssue(i, now):
			continue
		case ports == 0:
			return
		}
		ports--
		if p.forward(i, now) == forwardNone {
			p.start(i, coherence.Load, now)
		}
	}
}

// forward looks for the youngest store before the i-th operation, a load, that has a byte of
// it and is not visible.
func (p plainCore) forward(i int, now noc.Cycle) forwarding {
	o, q := p.op(i), &p.stores
	for n := q.entered; n > q.visible; n-- {
		st := q.at(n - 1)
		if p.input.whole(st.record) > p.input.whole(o.index) {
			continue
		}
		if f := q.compare(st, blockAt(o.address), o.address, o.size); f != forwardNone {
			if f == forwardAll {
				p.take(i, st.record, now)
			}
			return f
		}
	}
	return forwardNone
}
