package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/rotary/internal/injection"
	"github.com/carousel-sim/carousel/noc/topology"
)

// inject lets the interface of a router that has something to send start a packet (rule 2 and the
// rules 16 to 20).
func (s *router) inject() {
	n := s.net
	y := s.special
	used0, used1 := int(s.used[topology.Local]), int(s.used[topology.Local+maxPorts])
	impatient := n.impatient(y)
	most := n.rules.injectMost
	if n.quotas.on && impatient { // the quotas leave a hole, as rule 2 does
		most = max(most, n.rules.enterMost)
	}
	admits := uint8(choose(used0 <= most) | choose(used1 <= most)<<1)
	urgent := impatient || y.urgent()
	if !urgent && (admits == 0 || n.config.CalmInjection && y.aged != 0 && !n.Sinks.Bounded()) {
		return
	}
	waiting := s.permitted(n.Sources.Ready(noc.NodeID(s.id)))
	if waiting != 0 && admits == 0 {
		s.beg(impatient)
		return
	}
	if waiting != 0 && n.rules.orders {
		waiting = s.fitting(waiting, admits)
	}
	s.release(topology.Local)
	if waiting == 0 {
		return
	}
	place := s.takeFrom(n.choose(y, waiting))
	ring, tied := uint(admits>>1), false
	switch k := &n.pool[place]; {
	case k.flags&ordered != 0:
		ring = n.boundTo(topology.Local)
	case admits == 3:
		ring, tied = choose(used1 < used0), used0 == used1
	}
	if tied {
		ring = n.routes.chooseRing(n, int(s.id), topology.Local, &n.pool[place])
	}
	s.intoRing(topology.Local, ring, place, &n.pool[place], n.Clock+2)
}

// impatient reports whether an interface has not injected for CalmPatience.
func (n *Network) impatient(y *special) bool {
	return n.Clock-y.served >= noc.Cycle(n.config.CalmPatience)
}

// permitted returns the classes that the rules 17 to 20 let the interface of a router inject.
func (s *router) permitted(waiting uint8) uint8 {
	n := s.net
	y := s.special
	if n.limits.InjectLimit < n.limits.RingSlots() && s.slotsInUse() >= n.limits.InjectLimit {
		return 0
	}
	if solvent := y.account.Solvent(n.config.PaceSlack); solvent > n.Clock {
		s.pause(solvent)
		return 0
	}
	waiting = s.withQuota(waiting)
	if y.aged == 0 || !n.config.CalmInjection {
		return waiting
	}
	if !n.impatient(y) && s.jammed(y.aged) {
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

// jammed reports whether an aged packet of some classes waits for anything but the sink of its
// class, which only the node can empty.
func (s *router) jammed(aged uint8) bool {
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

// charge makes the interface of a router pay for some phits at a share of their length (rule 20).
func (s *router) charge(phits, percent int) {
	n := s.net
	if n.config.PacePercent > 0 {
		s.special.account.Charge(n.Clock, phits, percent)
	}
}

// beg notes that both rings have refused the interface of a router, though it may inject (rule 15).
func (s *router) beg(impatient bool) {
	n := s.net
	if n.quotas.on && n.config.EntryHold && impatient {
		y := s.special
		y.since[topology.Local] = y.served
		y.expired |= 1 << topology.Local
		s.group.holding |= s.bit
	}
}

// fitting returns the classes whose head the rings that admit packets may take (rule 21).
func (s *router) fitting(waiting, admits uint8) uint8 {
	n := s.net
	bound := n.boundTo(topology.Local)
	for m := waiting; m != 0; m &= m - 1 {
		c := noc.Class(bits.TrailingZeros8(m))
		if n.Packets.At(n.Sources.Head(noc.NodeID(s.id), c)).Ordered &&
			(s.special.ordered>>topology.Local&1 != 0 || admits>>bound&1 == 0) {
			waiting &^= 1 << c
		}
	}
	return waiting
}

// choose is rule 16.
func (n *Network) choose(y *special, waiting uint8) noc.Class {
	class := bits.Len8(waiting) - 1
	if n.config.InterfaceOrder == rotary.RoundRobin {
		class = arbiter.Next(uint64(waiting), int(y.lastClass))
	}
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
	head := n.Sources.Head(node, c)
	isOrdered, many := n.Packets.At(head).Ordered, n.Packets.Only(head) < 0
	worm, backwards := injection.Take(&n.Interfaces, node, c, n.rules.whole, n.routes.tour)
	if n.wires != nil {
		n.wires.Share(head, worm)
	}
	w := n.Packets.At(worm)
	w.Inject(n.Clock)
	var f flags
	if backwards {
		f |= back
	}
	if isOrdered {
		f |= ordered
	}
	place := n.take()
	k := &n.pool[place]
	*k = packet{worm: worm, phits: uint8(w.Phits), class: uint8(c), flags: f}
	price, copies := n.config.PacePercent, s.owe(k)
	switch {
	case many && n.rules.whole && !isOrdered:
		k.flags |= spread
		price = n.config.SenderPercent * copies
	case many:
		price = 100
	}
	s.charge(int(k.phits), price)
	n.route(int(s.id), k)
	k.turns = 1
	return place
}
