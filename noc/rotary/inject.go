package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// inject lets the interface start one packet: rule 2, the congestion control and, if on, the class limit
// (ref 2.4, 2.7 and 2.10). The slot in the ring is reserved when the header leaves the source, a cycle
// before it is in the local input stage, so that no packet ever waits there. waiting is the set of classes
// with a packet.
func (n *Network) inject(id int, r *router, waiting uint8) {
	if waiting = n.permitted(id, r, waiting); waiting == 0 {
		r.release(topology.Local)
		return
	}
	least, patient := n.config.InjectSlots, r.served+noc.Cycle(n.config.CalmPatience)
	if n.config.ClassLimit && patient <= n.now {
		least = min(least, n.config.EnterSlots) // the places leave a hole, as rule 2 does
	}
	var free header // stands for any packet that is not ordered
	admits := n.admitting(r, topology.Local, least, &free)
	if admits == 0 {
		n.beg(id, r, patient)
		return
	}
	if n.ordered {
		if waiting = n.injectable(id, r, waiting, admits); waiting == 0 {
			r.release(topology.Local)
			return
		}
	}
	class := bits.Len8(waiting) - 1
	if n.config.InterfaceOrder == RoundRobin {
		class = fabric.RoundRobin(uint64(waiting), int(r.lastClass))
	}
	r.lastClass = int8(class)
	h := n.take(id, noc.Class(class))
	n.route(id, &h)
	if h.origin&orderedFlag != 0 {
		admits &= n.orderedRings()
	}
	phits := uint64(h.phits)
	ring := n.pickRing(id, r, topology.Local, admits, &h)
	k, end := r.newPacket(&h), n.on(r, noc.Cycle(phits), false)
	n.intoRing(id, r, topology.Local, ring, k, &r.headers[k], 2, end)
	r.sourceBusy, r.served = n.now+noc.Cycle(phits), n.now
	end.entering |= 1 << topology.Local
	r.release(topology.Local)
	n.changePlaces(id, r, h.class, 1)
	r.count.injectPhits += phits
	n.injected++
	n.buffered += phits
	n.arrive(r)
}

// beg notes that both rings have refused the interface, though it may inject: when it has been patient, it asks
// for a hold, like any other input. Without the class limits rule 2 is all that leaves a hole, and its
// starvation is the congestion control.
func (n *Network) beg(id int, r *router, patient noc.Cycle) {
	switch {
	case !n.config.ClassLimit || !n.config.EntryHold:
	case patient <= n.now:
		r.input[topology.Local].waiting = r.served
		r.expired |= 1 << topology.Local
	default:
		n.wheel.Wake(noc.NodeID(id), patient)
	}
}

// orderedRings is the set of rings that ordered packets of the local node may use.
func (n *Network) orderedRings() uint8 { return 1 << (n.toPlus >> topology.Local & 1) }

// injectable is the set of classes whose head may be injected.
func (n *Network) injectable(id int, r *router, waiting, admits uint8) uint8 {
	for m := waiting; m != 0; m &= m - 1 {
		if c := noc.Class(bits.TrailingZeros8(m)); !n.mayInject(id, r, c, admits) {
			waiting &^= 1 << c
		}
	}
	return waiting
}

// mayInject applies the rules that depend on the packet at the head of a class.
func (n *Network) mayInject(id int, r *router, c noc.Class, admits uint8) bool {
	if n.worms.At(n.sources.Head(noc.NodeID(id), c)).Ordered {
		return !r.input[topology.Local].ordered && admits&n.orderedRings() != 0
	}
	return true
}

// take removes the next packet of a class from its source: the whole multicast, the part of it that goes
// one way (path), or one copy for one destination (RR). Ordered multicasts are always copied at the source.
func (n *Network) take(id int, c noc.Class) header {
	node := noc.NodeID(id)
	head := n.sources.Head(node, c)
	ordered := n.ordered && n.worms.At(head).Ordered
	many := n.worms.Only(head) < 0
	spread := many && n.whole && !ordered
	var worm fabric.WormID
	back := false
	switch {
	case !n.whole || ordered:
		worm = n.sources.PopCopy(node, c, node)
	case n.tour != nil:
		worm, back = n.takeAhead(node, c)
	default:
		worm = n.sources.Pop(node, c)
	}
	w := n.worms.At(worm)
	w.Inject(n.now)
	h := header{worm: worm, phits: uint8(w.Phits), class: c, origin: topology.Local}
	if ordered {
		h.origin |= orderedFlag
	}
	if back {
		h.origin |= backFlag
	}
	price := n.config.PacePercent
	switch {
	case spread:
		h.origin |= spreadFlag
		price = n.config.SenderPercent * n.worms.Count(worm)
	case many:
		price = 100
	}
	n.pay(&n.routers[id], h.phits, price)
	n.aim(id, &h)
	return h
}
