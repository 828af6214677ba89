package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// inject lets the interface of a router that has something to send start a packet (rule 2 and the
// rules 16 to 19).
func (r *router) inject() {
	n := r.net
	rare := r.special
	used0, used1 := int(r.used[topology.Local]), int(r.used[topology.Local+maxPorts])
	starved := n.starved(rare)
	most := n.rules.injectMost
	if n.quotas.on && starved { // the quotas leave a hole, as rule 2 does
		most = max(most, n.rules.enterMost)
	}
	admits := uint8(choose(used0 <= most) | choose(used1 <= most)<<1)
	urgent := starved || rare.urgent()
	if !urgent && (admits == 0 || n.config.CalmInjection && rare.aged != 0 && !n.Sinks.Bounded()) {
		return
	}
	waiting := r.permitted(n.Sources.Ready(noc.NodeID(r.id)))
	if waiting != 0 && admits == 0 {
		r.requestHold(starved)
		return
	}
	r.release(topology.Local)
	if waiting == 0 {
		return
	}
	place := r.takeFrom(n.choose(rare, waiting))
	ring, tied := uint(admits>>1), false
	if admits == 3 {
		ring, tied = choose(used1 < used0), used0 == used1
	}
	if tied {
		ring = n.routes.chooseRing(n, int(r.id), topology.Local, &n.pool[place])
	}
	r.intoRing(topology.Local, ring, place, &n.pool[place], n.Clock+2)
}

// starved reports whether an interface has not injected for CalmPatience.
func (n *Network) starved(rare *special) bool {
	return n.Clock-rare.served >= noc.Cycle(n.config.CalmPatience)
}

// permitted returns the classes that the rules 17 to 19 let the interface of a router inject.
func (r *router) permitted(waiting uint8) uint8 {
	n := r.net
	rare := r.special
	if n.limits.InjectLimit < n.limits.RingSlots() && r.slotsInUse() >= n.limits.InjectLimit {
		return 0
	}
	waiting = r.withQuota(waiting)
	if rare.aged == 0 || !n.config.CalmInjection {
		return waiting
	}
	if !n.starved(rare) && r.networkBlocked(rare.aged) {
		return 0
	}
	return waiting >> bits.Len8(rare.aged) << bits.Len8(rare.aged)
}

// withQuota returns the waiting classes for which the router has quota to inject (rule 18).
func (r *router) withQuota(waiting uint8) uint8 {
	n := r.net
	if !n.quotas.on || r.group.tight&r.bit == 0 {
		return waiting
	}
	for m := waiting; m != 0; m &= m - 1 {
		if c := noc.Class(bits.TrailingZeros8(m)); n.refusedBy(int(r.id), topology.Local, c, &n.quotas.two, false) {
			waiting &^= 1 << c
		}
	}
	return waiting
}

// networkBlocked reports whether an aged packet of some classes waits for anything but the sink of
// its class, which only the node can empty.
func (r *router) networkBlocked(aged uint8) bool {
	n := r.net
	for ; aged != 0; aged &= aged - 1 {
		if n.Sinks.Room(noc.NodeID(r.id), noc.Class(bits.TrailingZeros8(aged))) {
			return true
		}
	}
	return false
}

// pause keeps the interface of a router from being looked at until a cycle, or for as long as can
// be noted.
func (r *router) pause(until noc.Cycle) {
	n := r.net
	g := r.group
	g.paused |= r.bit
	*g.resume.On(min(until, n.Clock+fabric.Horizon-1)) |= r.bit
}

// requestHold notes that both rings have refused the interface of a router, though it may inject
// (rule 15).
func (r *router) requestHold(starved bool) {
	n := r.net
	if n.quotas.on && n.config.EntryHold && starved {
		rare := r.special
		rare.since[topology.Local] = rare.served
		rare.expired |= 1 << topology.Local
		r.group.holding |= r.bit
	}
}

// choose is rule 16.
func (n *Network) choose(rare *special, waiting uint8) noc.Class {
	class := arbiter.Next(uint64(waiting), int(rare.lastClass))
	rare.lastClass = int8(class)
	return noc.Class(class)
}

// takeFrom takes the next packet of a class from its source and starts it.
func (r *router) takeFrom(c noc.Class) int32 {
	n := r.net
	id := noc.NodeID(r.id)
	place := r.takePacket(c)
	if n.Sources.Ready(id) == 0 {
		r.group.feeding &^= r.bit
	}
	p := &n.pool[place]
	r.special.served = n.Clock
	r.pause(p.until(n.Clock))
	if n.quotas.take(&r.holding, p, 0) {
		n.quotas.note(r)
	}
	r.count.injectPhits += uint64(p.phits)
	n.buffered += uint64(p.phits)
	r.count.Enter(n.Clock + 1)
	return place
}

// takePacket makes a packet of what leaves next out of a source queue.
func (r *router) takePacket(c noc.Class) int32 {
	n := r.net
	node := noc.NodeID(r.id)
	id, backwards := rotary.Take(&n.Interfaces, node, c, n.rules.whole, n.routes.tour)
	w := n.Packets.At(id)
	w.Inject(n.Clock)
	var f flags
	if backwards {
		f |= back
	}
	place := n.take()
	p := &n.pool[place]
	*p = packet{id: id, phits: uint8(w.Phits), class: uint8(c), flags: f}
	r.owe(p)
	n.route(int(r.id), p)
	p.turns = 1
	return place
}
