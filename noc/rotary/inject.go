package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// inject lets the interface of a router start a packet (rule 2 and the rules 16 to 20). The slot in
// the ring is reserved when the header leaves the source, a cycle before it is in the local input
// stage, so that no packet ever waits there.
func (n *Network) inject(r *router) {
	x := &r.source
	if !x.read.idle(n.now) {
		return
	}
	if r.used() >= n.limits.InjectLimit || x.account.Solvent(n.config.PaceSlack) > n.now {
		n.release(r, topology.Local)
		return
	}
	patient := n.now >= x.served+noc.Cycle(n.config.CalmPatience)
	need := n.config.InjectSlots
	if n.config.HasQuota() && patient { // the quotas leave a hole, as rule 2 does
		need = min(need, n.config.EnterSlots)
	}
	space := n.free(&r.segments[0][topology.Local]) >= need || n.free(&r.segments[1][topology.Local]) >= need
	calm := n.calmClass(r, patient)
	for k := 1; k <= n.config.Classes; k++ {
		class := (x.last + k) % n.config.Classes
		if n.config.InterfaceOrder == Priority {
			class = n.config.Classes - k
		}
		if len(x.queues[class].packets) == 0 || class <= calm || !n.admits(r, topology.Local, noc.Class(class), 2, false) {
			continue
		}
		if !space {
			x.begs = n.config.HasQuota() && n.config.EntryHold && patient // rule 15
			return
		}
		head := x.queues[class].packets[0]
		admits := n.admitting(r, head, need)
		if !admits[0] && !admits[1] || head.ordered && r.inputs[topology.Local].ordered {
			continue
		}
		n.release(r, topology.Local)
		n.injectFrom(r, class, admits)
		return
	}
	n.release(r, topology.Local)
}

// admitting returns the rings that admit a packet of the interface.
func (n *Network) admitting(r *router, k *packet, need int) (admits [Rings]bool) {
	for ring := range admits {
		admits[ring] = n.mayUse(k, ring, topology.Local) && n.free(&r.segments[ring][topology.Local]) >= need
	}
	return admits
}

// injectFrom starts the next packet of a class.
func (n *Network) injectFrom(r *router, class int, admits [Rings]bool) {
	x := &r.source
	several := x.queues[class].packets[0].count > 1
	k := n.takeFrom(r, class)
	k.spread = several && n.config.Multicast != Replicate && !k.ordered
	switch {
	case k.spread:
		n.charge(&x.account, k.phits, n.config.SenderPercent*k.count)
	case several:
		n.charge(&x.account, k.phits, 100)
	default:
		n.charge(&x.account, k.phits, n.config.PacePercent)
	}
	x.last, x.served = class, n.now
	x.read.until = n.now + noc.Cycle(k.phits)
	k.injected = n.now
	r.held[class]++
	n.intoRing(r, topology.Local, admits, stream{hop: injecting, router: r, packet: k, delay: 2}, n.now+1)
}

// takeFrom takes the next packet of a class from its queue: all of it, a copy for one destination
// (rule 22), or the part of it that goes one way (rule 24).
func (n *Network) takeFrom(r *router, class int) *packet {
	head := r.source.queues[class].packets[0]
	head.visited = r.id
	switch {
	case head.count == 1:
	case n.config.Multicast == Replicate || head.ordered:
		k := n.pool.takeCopy(head)
		to := fabric.NextAfter(head.owed, noc.NodeID(r.id))
		clear(k.owed)
		k.owed[to/64] |= 1 << (to % 64)
		head.owed[to/64] &^= 1 << (to % 64)
		head.recount()
		n.aim(k)
		n.sums.injected++
		return k
	case n.tour != nil:
		if k := n.takeAhead(r, head); k != nil {
			return k
		}
	}
	q := &r.source.queues[class]
	q.packets = q.packets[:copy(q.packets, q.packets[1:])]
	r.waiting--
	if q.refused {
		q.refused, n.roomAgain = false, true
	}
	if head.receipt {
		n.receipts.Add(noc.Receipt{Src: head.src, Tag: head.tag, Class: head.class})
	}
	n.aim(head)
	n.sums.injected++
	return head
}

// takeAhead divides a multicast of the path scheme that has destinations on both sides of its
// source, and returns the part that goes forwards, or nil when they are all on one side. The two
// parts count as one packet.
func (n *Network) takeAhead(r *router, head *packet) *packet {
	k := n.pool.takeCopy(head)
	for i, w := range head.owed {
		for ; w != 0; w &= w - 1 {
			if bit := w & -w; n.tour.Ahead(noc.NodeID(r.id), noc.NodeID(64*i+bits.TrailingZeros64(w))) {
				head.owed[i] &^= bit
			} else {
				k.owed[i] &^= bit
			}
		}
	}
	head.recount()
	k.recount()
	switch {
	case head.count == 0:
		copy(head.owed, k.owed)
	case k.count == 0:
		head.back = true
	default:
		n.aim(k)
		return k
	}
	n.pool.dropPacket(k)
	return nil
}
