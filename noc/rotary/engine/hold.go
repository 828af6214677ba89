package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// refuse notes that both rings have refused the head of an input in this cycle.
func (r *router) refuse(p port) {
	n, rare := r.net, r.rare
	if !r.refused.Has(p) {
		r.refused.Add(p)
		rare.since[p] = n.Clock
	}
	if n.Clock+1-rare.since[p] >= noc.Cycle(n.config.HoldAfter) {
		rare.expired.Add(p)
		r.group.holding.Add(r.place())
	}
}

// requestHold notes that both rings have refused the interface of a router, though it may inject.
func (r *router) requestHold(starved bool) {
	n, rare := r.net, r.rare
	if n.config.HasQuota() && n.config.EntryHold && starved {
		rare.since[topology.Local] = rare.served
		rare.expired.Add(topology.Local)
		r.group.holding.Add(r.place())
	}
}

// holds reports whether the input asks for a hold or has one.
func (rare *rare) holds(p port) bool {
	return rare.expired.Has(p) || rare.holder[0] == int8(p) || rare.holder[1] == int8(p)
}

// release withdraws an input's request for a hold, and ends its holds.
func (r *router) release(p port) {
	rare := r.rare
	r.refused.Remove(p)
	rare.expired.Remove(p)
	for ring := range uint(rings) {
		if rare.holder[ring] == int8(p) {
			r.setHolder(ring, none)
		}
	}
}

// hold is rule 15: it decides at the end of a cycle which segment of each ring refuses ring traffic
// from the next cycle on.
func (r *router) hold() {
	n, rare := r.net, r.rare
	for ring := range uint(rings) {
		switch spare := r.ringFree(ring) >= n.config.EnterSlots; {
		case !spare: // the ring would stop
			r.setHolder(ring, none)
		case rare.holder[ring] == none:
			r.setHolder(ring, r.longestRefused(ring))
		}
	}
}

// longestRefused returns the input that has been refused for longest, of those that lack one slot
// on the ring, or none.
func (r *router) longestRefused(ring uint) int8 {
	longest, chosen := noc.Never, int8(none)
	for p := range r.rare.expired.All() {
		if since := r.rare.since[p]; since < longest && int(r.used[segmentOf(ring, p)]) == r.net.rules.enterMost+1 {
			longest, chosen = since, int8(p)
		}
	}
	return chosen
}

// setHolder holds the segment of an input of a ring, or none.
func (r *router) setHolder(ring uint, p int8) {
	n, rare := r.net, r.rare
	if old := rare.holder[ring]; old != none {
		r.held.Remove(n.before(segmentOf(ring, port(old))))
	}
	if rare.holder[ring] = p; p != none {
		r.held.Add(n.before(segmentOf(ring, port(p))))
	}
}

// ringFree returns the free slots of a ring.
func (r *router) ringFree(ring uint) int {
	n := r.net
	free := n.limits.Ports * n.limits.SegmentSlots
	for p := range port(n.limits.Ports) {
		free -= int(r.used[segmentOf(ring, p)])
	}
	return free
}

// slotsInUse returns the ring slots of a router that are in use.
func (r *router) slotsInUse() int { return r.net.limits.RingSlots() - r.ringFree(0) - r.ringFree(1) }
