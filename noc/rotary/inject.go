package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/leaf/set"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

type classSet = set.Of8[noc.Class]

// inject lets the interface of a router start a packet. The slot in the ring is reserved when the
// header leaves the source, a cycle before it is in the local input stage, so that no packet ever
// waits there.
func (n *Network) inject(r *router) {
	if !r.source.read.idle(n.Clock) {
		return
	}
	starved := n.Clock >= r.source.served+noc.Cycle(n.config.CalmPatience)
	var admits [Rings]bool
	for ring := range admits {
		admits[ring] = n.free(&r.segments[ring][topology.Local]) >= n.injectSlots(starved)
	}
	permitted := n.permitted(r, starved)
	if permitted != 0 && !admits[0] && !admits[1] {
		r.source.wantsHold = n.config.HasQuota() && n.config.EntryHold && starved // rule 15
		return
	}
	n.release(r, topology.Local)
	if permitted != 0 {
		n.injectFrom(r, r.chooseClass(permitted), admits)
	}
}

// injectSlots is rule 2: the free slots that a header from the node needs. The quotas leave a hole
// for a starved interface, as rule 2 does.
func (n *Network) injectSlots(starved bool) int {
	if n.config.HasQuota() && starved {
		return min(n.config.InjectSlots, n.config.EnterSlots)
	}
	return n.config.InjectSlots
}

// permitted returns the classes with a packet that the rules 17 to 19 let the interface inject.
func (n *Network) permitted(r *router, starved bool) (classes classSet) {
	if n.atInjectLimit(r) {
		return 0
	}
	calm := n.calmClass(r, starved)
	for class := range classSet(n.Sources.Ready(noc.NodeID(r.id))).All() {
		if int(class) > calm && n.admits(r, topology.Local, class, 2, false) {
			classes.Add(class)
		}
	}
	return classes
}

// atInjectLimit is rule 17.
func (n *Network) atInjectLimit(r *router) bool { return r.used() >= n.limits.InjectLimit }

// chooseClass is rule 16.
func (r *router) chooseClass(permitted classSet) noc.Class {
	r.source.last = arbiter.Next(uint64(permitted), r.source.last)
	return noc.Class(r.source.last)
}

// injectFrom starts what leaves next of a class.
func (n *Network) injectFrom(r *router, class noc.Class, admits [Rings]bool) {
	id, back := Take(&n.Interfaces, noc.NodeID(r.id), class, n.config.Multicast != Replicate, n.tour)
	w := n.Packets.At(id)
	w.Inject(n.Clock)
	k := n.packets.take(packet{id: id, phits: int(w.Phits), class: class, back: back, visited: r.id})
	n.aim(k)
	r.source.served = n.Clock
	r.source.read.until = k.until(n.Clock)
	r.held[class]++
	n.phits.buffered += uint64(k.phits)
	n.intoRing(r, topology.Local, admits, stream{hop: injecting, router: r, packet: k, delay: 2}, n.Clock+1)
}

// Take is rule 22: it takes what leaves next out of a source queue that is not empty. If multicasts
// are sent as copies, that is a copy for one destination; with a tour, the part of a multicast that
// goes in one direction (rule 24); otherwise the packet. It reports whether that goes backwards,
// and counts the two parts of a tour as one packet.
func Take(x *fabric.Interfaces, node noc.NodeID, class noc.Class, whole bool, tour *tables.Tour) (id fabric.PacketID, back bool) {
	head := x.Sources.Head(node, class)
	x.Injected++
	switch {
	case !whole:
		return x.Sources.PopCopy(node, class, node), false
	case tour == nil || x.Packets.Only(head) >= 0:
		return x.Sources.Pop(node, class), false
	}
	set, ahead := noc.FromWords(x.Packets.Set(head)), 0
	for d, ok := set.Next(0); ok; d, ok = set.Next(d + 1) {
		if tour.Ahead(node, d) {
			ahead++
		}
	}
	if ahead == 0 || ahead == set.Count() {
		return x.Sources.Pop(node, class), ahead == 0
	}
	id = x.Packets.NewSeveral(*x.Packets.At(head))
	stays, leaves := x.Packets.Set(head), x.Packets.Set(id)
	set = noc.FromWords(stays)
	for d, ok := set.Next(0); ok; d, ok = set.Next(d + 1) {
		if tour.Ahead(node, d) {
			leaves[d/64] |= 1 << (d % 64)
			stays[d/64] &^= 1 << (d % 64)
		}
	}
	x.Packets.Settle(head)
	x.Packets.Settle(id)
	x.Injected-- // the rest leaves as well
	return id, false
}

// Why there is a congestion control beyond rule 2: without it, saturated networks keep their rings
// full of packets that only turn, and saturated MRRs have two states.
//
// Calm (rule 19). An aged packet found all its outputs taken for a whole turn and more: the router
// cannot serve what it holds. So its interface injects nothing until that packet has left. A limit
// on ring slots in use (rule 17) has a similar effect, but has to be found by trial. Classes above
// that of the aged packet wait only for so long, as it may itself wait for their answers; and a
// packet that waits for a full sink waits for the node, not for the network.

// calmClass is rule 19: the class up to which the aged packets on the rings of a router keep its
// interface from injecting, or none. starved tells that the interface has injected nothing for
// CalmPatience cycles.
func (n *Network) calmClass(r *router, starved bool) int {
	if !n.config.CalmInjection {
		return none
	}
	highest, networkBlocked := n.agedOn(r)
	if networkBlocked && !starved {
		return n.config.Classes
	}
	return highest
}

// agedOn returns the highest class of the aged packets on the rings of a router, or none, and
// whether one of them waits for the network. A packet whose sink is full waits for the node.
func (n *Network) agedOn(r *router) (highest int, networkBlocked bool) {
	highest = none
	for ring := range r.segments {
		for p := range r.segments[ring] {
			for lane := range 2 {
				for _, s := range r.segments[ring][p].lanes[lane].All() {
					if k := s.packet; n.aged(k) {
						highest = max(highest, int(k.class))
						networkBlocked = networkBlocked || n.Sinks.Room(noc.NodeID(r.id), k.class)
					}
				}
			}
		}
	}
	return highest, networkBlocked
}
