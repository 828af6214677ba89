package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/topology"
)

// injectAll lets interfaces start a packet each: rule 2 and the rules 16 to 20. The slot in the
// ring is reserved when the header leaves the source, a cycle before it is in the local input
// stage, so that no packet ever waits there.
func (n *Network) injectAll(b *bank, routers uint64) {
	in := &b.input[topology.Local]
	idle := b.feeding &^ (b.paused | in.streaming) & routers
	if idle == 0 {
		return
	}
	if b.patience <= n.now {
		n.findImpatient(b)
	}
	admits0, admits1 := n.injectable(b, in.segment[0]), n.injectable(b, in.segment[1])
	begging := in.expired | in.holds[0] | in.holds[1]
	hopeful := admits0 | admits1 | b.impatient | begging
	if n.config.CalmInjection { // a packet that waits for a bounded sink is looked at
		bounded := b.segment[n.feeder(topology.Local, 0)].judged
		hopeful &^= b.aged &^ (b.impatient | begging | bounded)
	}
	choice, tied := n.pickRing(in, admits0, admits1)
	set := uint64(0)
	for m := idle & hopeful; m != 0; m &= m - 1 {
		r := first(m)
		of := uint8(admits0>>r&1 | admits1>>r&1<<1)
		k, ordered := n.inject(b, r, of)
		switch {
		case k == 0:
			continue
		case ordered:
			choice = choice&^(1<<r) | n.toPlus>>topology.Local&1<<r
		case tied>>r&1 != 0:
			choice |= n.chooseRing(b.first+r, topology.Local, k) << r
		}
		n.packets[r] = k
		set |= 1 << r
	}
	if set != 0 {
		in.release(set)
		n.intoRings(b, topology.Local, set, choice&set, 2)
	}
}

// injectable is the routers in which rule 2 lets the interface use its segment of a ring.
func (n *Network) injectable(b *bank, x *segment) uint64 {
	set := x.free.atLeast(&n.injectSlots, n.planes)
	if n.config.ClassLimit && n.config.EnterSlots < n.config.InjectSlots {
		set |= b.impatient & x.free.atLeast(&n.enterSlots[1], n.planes) // the places leave a hole, as rule 2 does
	}
	return set
}

// findImpatient finds the interfaces that have not injected for CalmPatience.
func (n *Network) findImpatient(b *bank) {
	b.patience = noc.Never
	for r := range n.routersIn(b) {
		if patient := b.router[r].served + noc.Cycle(n.config.CalmPatience); patient <= n.now {
			b.impatient |= 1 << r
		} else {
			b.patience = min(b.patience, patient)
		}
	}
}

// inject starts a packet of a router whose rings admit it as told, and reports whether it is
// ordered; or it returns 0.
func (n *Network) inject(b *bank, r int, admits uint8) (k packet, ordered bool) {
	id, x := b.first+r, &b.router[r]
	waiting := n.permitted(b, r, n.sources.Ready(noc.NodeID(id)))
	if waiting != 0 && admits == 0 {
		n.askForHold(b, r)
		return 0, false
	}
	if waiting != 0 && n.ordered {
		waiting = n.fitting(b, r, waiting, admits)
	}
	if waiting == 0 {
		b.input[topology.Local].release(1 << r)
		return 0, false
	}
	class := bits.Len8(waiting) - 1
	if n.config.InterfaceOrder == RoundRobin {
		class = arbiter.Next(uint64(waiting), int(x.lastClass))
	}
	x.lastClass = int8(class)
	k = n.take(b, r, noc.Class(class))
	if n.sources.Ready(noc.NodeID(id)) == 0 {
		b.feeding &^= 1 << r
	}
	x.sourceBusy, x.served = n.now+k.phits(), n.now
	b.impatient &^= 1 << r
	b.patience = min(b.patience, n.now+noc.Cycle(n.config.CalmPatience))
	n.takePlace(id, k)
	b.count.injectPhits[r] += uint64(k.phits())
	n.injected++
	n.buffered += uint64(k.phits())
	b.presence[r].enter(n.now + 1)
	return k, k&orderedBit != 0
}

// askForHold notes that both rings have refused the interface of a router, though it may inject: when it
// has been patient, it asks for a hold, like any other input. Without the class limits rule 2 is
// all that leaves a hole, and its starvation is the congestion control.
func (n *Network) askForHold(b *bank, r int) {
	if n.config.ClassLimit && n.config.EntryHold && b.impatient>>r&1 != 0 {
		in := &b.input[topology.Local]
		in.waiting[r] = b.router[r].served
		in.expired |= 1 << r
		b.holding |= 1 << topology.Local
	}
}

// fitting is the set of classes whose head the rings that admit packets may take.
func (n *Network) fitting(b *bank, r int, waiting, admits uint8) uint8 {
	for m := waiting; m != 0; m &= m - 1 {
		c := noc.Class(bits.TrailingZeros8(m))
		if n.worms.At(n.sources.Head(noc.NodeID(b.first+r), c)).Ordered &&
			(b.input[topology.Local].ordered>>r&1 != 0 || admits>>(n.toPlus>>topology.Local&1)&1 == 0) {
			waiting &^= 1 << c
		}
	}
	return waiting
}

// take removes the next packet of a class from its source: the whole multicast, the part of it that
// goes one way (path), or one copy for one destination (RR). Ordered multicasts are always copied
// at the source.
func (n *Network) take(b *bank, r int, c noc.Class) packet {
	id := b.first + r
	node := noc.NodeID(id)
	head := n.sources.Head(node, c)
	ordered := n.ordered && n.worms.At(head).Ordered
	many := n.worms.Only(head) < 0
	spread := many && n.whole && !ordered
	n.spreads = n.spreads || spread
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
	if n.contents != nil {
		n.contents.Share(head, worm)
	}
	w := n.worms.At(worm)
	w.Inject(n.now)
	h := header{worm: worm}
	if back {
		h.flags |= backFlag
	}
	price, copies := n.config.PacePercent, n.owe(id, &h)
	switch {
	case spread:
		h.flags |= spreadFlag
		price = n.config.SenderPercent * copies
	case many:
		price = 100
	}
	k := oneTurn | packet(w.Phits)<<phitShift | packet(c)<<classShift | n.newHeader(h)
	if ordered {
		k |= orderedBit
	}
	n.charge(&b.router[r], k.phits(), price)
	return n.routed(id, k)
}
