package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary/internal/injection"
	"github.com/carousel-sim/carousel/noc/topology"
)

// inject lets the interface of a router start a packet (rule 2 and the rules 16 to 20). The slot in
// the ring is reserved when the header leaves the source, a cycle before it is in the local input
// stage, so that no packet ever waits there.
func (n *Network) inject(r *router) {
	x := &r.source
	if !x.read.idle(n.Clock) {
		return
	}
	if r.used() >= n.limits.InjectLimit || x.account.Solvent(n.config.PaceSlack) > n.Clock {
		n.release(r, topology.Local)
		return
	}
	patient := n.Clock >= x.served+noc.Cycle(n.config.CalmPatience)
	need := n.config.InjectSlots
	if n.config.HasQuota() && patient { // the quotas leave a hole, as rule 2 does
		need = min(need, n.config.EnterSlots)
	}
	space := n.free(&r.segments[0][topology.Local]) >= need || n.free(&r.segments[1][topology.Local]) >= need
	calm, ready := n.calmClass(r, patient), n.Sources.Ready(noc.NodeID(r.id))
	for k := 1; k <= n.config.Classes; k++ {
		class := (x.last + k) % n.config.Classes
		if n.config.InterfaceOrder == Priority {
			class = n.config.Classes - k
		}
		if ready>>class&1 == 0 || class <= calm || !n.admits(r, topology.Local, noc.Class(class), 2, false) {
			continue
		}
		if !space {
			x.begs = n.config.HasQuota() && n.config.EntryHold && patient // rule 15
			return
		}
		ordered := n.Packets.At(n.Sources.Head(noc.NodeID(r.id), noc.Class(class))).Ordered
		admits := n.admitting(r, ordered, need)
		if !admits[0] && !admits[1] || ordered && r.inputs[topology.Local].ordered {
			continue
		}
		n.release(r, topology.Local)
		n.injectFrom(r, noc.Class(class), admits)
		return
	}
	n.release(r, topology.Local)
}

// admitting returns the rings that admit a packet of the interface.
func (n *Network) admitting(r *router, ordered bool, need int) (admits [Rings]bool) {
	for ring := range admits {
		admits[ring] = n.mayUse(ordered, ring, topology.Local) && n.free(&r.segments[ring][topology.Local]) >= need
	}
	return admits
}

// injectFrom starts what leaves next of a class.
func (n *Network) injectFrom(r *router, class noc.Class, admits [Rings]bool) {
	x, node := &r.source, noc.NodeID(r.id)
	head := n.Sources.Head(node, class)
	several, copied := n.Packets.Only(head) < 0, n.config.Multicast == Replicate || n.Packets.At(head).Ordered
	worm, back := injection.Take(&n.Interfaces, node, class, n.config.Multicast != Replicate, n.tour)
	if n.wires != nil {
		n.wires.Share(head, worm)
		n.wires.Address(worm)
	}
	w := n.Packets.At(worm)
	w.Inject(n.Clock)
	k := n.packets.take(packet{worm: worm, phits: int(w.Phits), class: class, ordered: w.Ordered,
		spread: several && !copied, back: back, visited: r.id})
	n.aim(k)
	switch {
	case k.spread:
		n.charge(&x.account, k.phits, n.config.SenderPercent*n.Packets.Count(worm))
	case several:
		n.charge(&x.account, k.phits, 100)
	default:
		n.charge(&x.account, k.phits, n.config.PacePercent)
	}
	x.last, x.served = int(class), n.Clock
	x.read.until = n.Clock + noc.Cycle(k.phits)
	r.held[class]++
	n.intoRing(r, topology.Local, admits, stream{hop: injecting, router: r, packet: k, delay: 2}, n.Clock+1)
}
