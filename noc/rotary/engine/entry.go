package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
)

// ringSet is a set of rings.
type ringSet uint8

const bothRings ringSet = 1<<rings - 1

// enter lets the heads of the network inputs of a router enter a ring.
func (r *router) enter() {
	n := r.net
	for p := range r.now.inputs().All() {
		if !busy(r.entered[p], n.Clock) {
			r.enterFrom(p)
		}
	}
}

// enterFrom is rule 1 for the head of one input.
func (r *router) enterFrom(p port) {
	n := r.net
	p &= portBits
	admits, most := ringSet(0), n.rules.enterMost
	for ring := range uint(rings) {
		j := segmentOf(ring, p)
		switch used := int(r.used[j]); {
		case used <= most:
			admits |= 1 << ring
		case used == most+1 && r.turnedInto(j): // the turning header has taken the slot
			r.count.entriesLost++
		}
	}
	if admits == 0 {
		if n.config.EntryHold {
			r.refuse(p)
		}
		return
	}
	index, k := n.pop(&r.stages[p].input)
	r.now &^= waiting(p) & k.ifLast()
	if r.refused.Has(p) {
		r.release(p)
	}
	up, exit := r.stages[p].peer, port(r.stages[p].exit)
	out := &up.stages[exit&portBits]
	if out.credits++; out.credits == 1 { // from the next cycle on; its packets may be waiting for this
		up.group.wake = min(up.group.wake, n.Clock+1)
		*up.due(n.Clock+1, sends) |= credit(exit)
	}
	r.intoRing(p, admits, index, k, n.Clock+1)
}

// turnedInto reports whether a turning header has taken a slot of segment j in this cycle.
func (r *router) turnedInto(j segment) bool {
	return r.decided == r.net.Clock && r.turning.Has(r.net.before(j))
}

// intoRing moves a packet from input p onto one of the rings that admit it, where it is from a
// cycle on.
func (r *router) intoRing(p port, admits ringSet, index int32, k *packet, ready noc.Cycle) {
	n := r.net
	p &= portBits
	ring := uint(admits >> 1)
	if admits == bothRings {
		ring = r.chooseRing(p, k)
	}
	r.count.entries++
	j := segmentOf(ring, p)
	before := n.before(j)
	r.entered[p] = until(k.until(n.Clock))
	r.fromRing.Put(p, ring)
	r.fromLane.Put(p, r.write(j, index, k, busy(r.turned[before], n.Clock), r.into.Bit(before), ready))
}

// chooseRing is rule 14 for a packet that both rings admit.
func (r *router) chooseRing(p port, k *packet) uint {
	n := r.net
	p &= portBits
	if a, b := r.used[p], r.used[p+maxPorts]; a != b {
		return choose(b < a)
	}
	if k.flags&several != 0 {
		if farther := n.farther(r, p, k); farther != 0 {
			return choose(farther > 0)
		}
	}
	if first, second := n.routes.segmentsTo(uint(p), uint(k.outputs)); first != second {
		return choose(second < first)
	}
	return uint(tables.Coins(n.config.Seed, uint64(r.id), n.Clock) >> p & 1)
}

func choose(second bool) uint {
	if second {
		return 1
	}
	return 0
}
