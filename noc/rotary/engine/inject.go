package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/rotary/internal/injection"
	"github.com/carousel-sim/carousel/noc/topology"
)

// inject lets the interface of a router that has something to send start a packet (rule 2 and the
// rules 16 to 19).
func (s *router) inject() {
	n := s.net
	y := s.special
	used0, used1 := int(s.used[topology.Local]), int(s.used[topology.Local+maxPorts])
	starved := n.starved(y)
	most := n.rules.injectMost
	if n.quotas.on && starved { // the quotas leave a hole, as rule 2 does
		most = max(most, n.rules.enterMost)
	}
	admits := uint8(choose(used0 <= most) | choose(used1 <= most)<<1)
	urgent := starved || y.urgent()
	if !urgent && (admits == 0 || n.config.CalmInjection && y.aged != 0 && !n.Sinks.Bounded()) {
		return
	}
	waiting := s.permitted(n.Sources.Ready(noc.NodeID(s.id)))
	if waiting != 0 && admits == 0 {
		s.requestHold(starved)
		return
	}
	s.release(topology.Local)
	if waiting == 0 {
		return
	}
	place := s.takeFrom(n.choose(y, waiting))
	ring, tied := uint(admits>>1), false
	if admits == 3 {
		ring, tied = choose(used1 < used0), used0 == used1
	}
	if tied {
		ring = n.routes.chooseRing(n, int(s.id), topology.Local, &n.pool[place])
	}
	s.intoRing(topology.Local, ring, place, &n.pool[place], n.Clock+2)
}

// starved reports whether an interface has not injected for CalmPatience.
func (n *Network) starved(y *special) bool {
	return n.Clock-y.served >= noc.Cycle(n.config.CalmPatience)
}

// permitted returns the classes that the rules 17 to 19 let the interface of a router inject.
func (s *router) permitted(waiting uint8) uint8 {
	n := s.net
	y := s.special
	if n.limits.InjectLimit < n.limits.RingSlots() && s.slotsInUse() >= n.limits.InjectLimit {
		return 0
	}
	waiting = s.withQuota(waiting)
	if y.aged == 0 || !n.config.CalmInjection {
		return waiting
	}
	if !n.starved(y) && s.networkBlocked(y.aged) {
		return 0
	}
	return waiting >> bits.Len8(y.aged) << bits.Len8(y.aged)
}

// withQuota returns the waiting classes for which the router has quota to inject (rule 18).
func (s *router) withQuota(waiting uint8) uint8 {
	n := s.net
	if !n.quotas.on || s.group.tight&s.bit == 0 {
		return waiting
	}
	for m := waiting; m != 0; m &= m - 1 {
		if c := noc.Class(bits.TrailingZeros8(m)); n.refusedBy(int(s.id), topology.Local, c, &n.quotas.two, false) {
			waiting &^= 1 << c
		}
	}
	return waiting
}

// networkBlocked reports whether an aged packet of some classes waits for anything but the sink of
// its class, which only the node can empty.
func (s *router) networkBlocked(aged uint8) bool {
	n := s.net
	for ; aged != 0; aged &= aged - 1 {
		if n.Sinks.Room(noc.NodeID(s.id), noc.Class(bits.TrailingZeros8(aged))) {
			return true
		}
	}
	return false
}

// pause keeps the interface of a router from being looked at until a cycle, or for as long as can
// be noted.
func (s *router) pause(until noc.Cycle) {
	n := s.net
	g := s.group
	g.paused |= s.bit
	*g.resume.On(min(until, n.Clock+fabric.Horizon-1)) |= s.bit
}

// requestHold notes that both rings have refused the interface of a router, though it may inject
// (rule 15).
func (s *router) requestHold(starved bool) {
	n := s.net
	if n.quotas.on && n.config.EntryHold && starved {
		y := s.special
		y.since[topology.Local] = y.served
		y.expired |= 1 << topology.Local
		s.group.holding |= s.bit
	}
}

// choose is rule 16.
func (n *Network) choose(y *special, waiting uint8) noc.Class {
	class := arbiter.Next(uint64(waiting), int(y.lastClass))
	y.lastClass = int8(class)
	return noc.Class(class)
}

// takeFrom takes the next packet of a class from its source and starts it.
func (s *router) takeFrom(c noc.Class) int32 {
	n := s.net
	id := noc.NodeID(s.id)
	place := s.takeWorm(c)
	if n.Sources.Ready(id) == 0 {
		s.group.feeding &^= s.bit
	}
	k := &n.pool[place]
	s.special.served = n.Clock
	s.pause(k.until(n.Clock))
	if n.quotas.take(&s.holding, k, 0) {
		n.quotas.note(s)
	}
	s.count.injectPhits += uint64(k.phits)
	n.buffered += uint64(k.phits)
	s.count.enter(n.Clock + 1)
	return place
}

// takeWorm makes a packet of what leaves next out of a source queue.
func (s *router) takeWorm(c noc.Class) int32 {
	n := s.net
	node := noc.NodeID(s.id)
	worm, backwards := injection.Take(&n.Interfaces, node, c, n.rules.whole, n.routes.tour)
	w := n.Packets.At(worm)
	w.Inject(n.Clock)
	var f flags
	if backwards {
		f |= back
	}
	place := n.take()
	k := &n.pool[place]
	*k = packet{worm: worm, phits: uint8(w.Phits), class: uint8(c), flags: f}
	s.owe(k)
	n.route(int(s.id), k)
	k.turns = 1
	return place
}
