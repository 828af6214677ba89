package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary/internal/injection"
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
	id, back := injection.Take(&n.Interfaces, node, class, n.config.Multicast != Replicate, n.tour)
	w := n.Packets.At(id)
	w.Inject(n.Clock)
	k := n.packets.take(packet{id: id, phits: int(w.Phits), class: class, back: back, visited: r.id})
	n.aim(k)
	x.last, x.served = int(class), n.Clock
	x.read.until = n.Clock + noc.Cycle(k.phits)
	r.held[class]++
	n.intoRing(r, topology.Local, admits, stream{hop: injecting, router: r, packet: k, delay: 2}, n.Clock+1)
}
