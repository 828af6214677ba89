package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

// inject lets the interface of a router start a packet (rule 2 and the rules 16 to 19). The slot in
// the ring is reserved when the header leaves the source, a cycle before it is in the local input
// stage, so that no packet ever waits there.
func (n *Network) inject(r *router) {
	x := &r.source
	if !x.read.idle(n.Clock) {
		return
	}
	if r.used() >= n.limits.InjectLimit {
		n.release(r, topology.Local)
		return
	}
	starved := n.Clock >= x.served+noc.Cycle(n.config.CalmPatience)
	need := n.config.InjectSlots
	if n.config.HasQuota() && starved { // the quotas leave a hole, as rule 2 does
		need = min(need, n.config.EnterSlots)
	}
	var admits [Rings]bool
	for ring := range admits {
		admits[ring] = n.free(&r.segments[ring][topology.Local]) >= need
	}
	calm, ready := n.calmClass(r, starved), n.Sources.Ready(noc.NodeID(r.id))
	for k := 1; k <= n.config.Classes; k++ {
		class := (x.last + k) % n.config.Classes
		if ready>>class&1 == 0 || class <= calm || !n.admits(r, topology.Local, noc.Class(class), 2, false) {
			continue
		}
		if !admits[0] && !admits[1] {
			x.wantsHold = n.config.HasQuota() && n.config.EntryHold && starved // rule 15
			return
		}
		n.release(r, topology.Local)
		n.injectFrom(r, noc.Class(class), admits)
		return
	}
	n.release(r, topology.Local)
}

// injectFrom starts what leaves next of a class.
func (n *Network) injectFrom(r *router, class noc.Class, admits [Rings]bool) {
	x, node := &r.source, noc.NodeID(r.id)
	id, back := Take(&n.Interfaces, node, class, n.config.Multicast != Replicate, n.tour)
	w := n.Packets.At(id)
	w.Inject(n.Clock)
	k := n.packets.take(packet{id: id, phits: int(w.Phits), class: class, back: back, visited: r.id})
	n.aim(k)
	x.last, x.served = int(class), n.Clock
	x.read.until = n.Clock + noc.Cycle(k.phits)
	r.held[class]++
	n.phits.buffered += uint64(k.phits)
	n.intoRing(r, topology.Local, admits, stream{hop: injecting, router: r, packet: k, delay: 2}, n.Clock+1)
}

// Take takes what leaves next out of a source queue that is not empty: if multicasts are sent as
// copies, a copy for one destination (rule 22); with a tour, the part of a multicast that goes in
// one direction (rule 24); otherwise the packet. It reports whether that goes backwards, and counts
// the two parts of a tour as one packet.
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

// calmClass returns the class up to which the aged packets on the rings of a router keep its
// interface from injecting (rule 19), or none. starved tells that the interface has injected
// nothing for CalmPatience cycles.
func (n *Network) calmClass(r *router, starved bool) int {
	if !n.config.CalmInjection {
		return none
	}
	highest, networkBlocked := none, false
	for ring := range r.segments {
		for p := range r.segments[ring] {
			for lane := range 2 {
				for _, s := range r.segments[ring][p].lanes[lane].All() {
					if k := s.packet; n.aged(k) {
						highest = max(highest, int(k.class))
						// A packet whose sink is full waits for the node, not for the network.
						networkBlocked = networkBlocked || n.Sinks.Room(noc.NodeID(r.id), k.class)
					}
				}
			}
		}
	}
	if networkBlocked && !starved {
		return n.config.Classes
	}
	return highest
}
