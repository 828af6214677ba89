package engine

import "github.com/carousel-sim/carousel/noc"

// leave takes the heads of a lane of a segment out of some routers' counts, which releases their
// slots. lane is those of which it is lane 1.
func (b *bank) leave(x *segment, set, lane uint64, planes int) {
	if carry := x.free.add(set); carry != 0 {
		x.free.carry(carry, planes)
	}
	if gone := set &^ lane; gone != 0 {
		if borrow := x.size[0].subtract(gone); borrow != 0 {
			x.size[0].borrow(borrow, planes)
		}
		x.ready[0] &^= gone &^ x.size[0].some(planes)
	}
	if lane != 0 {
		if borrow := x.size[1].subtract(lane); borrow != 0 {
			x.size[1].borrow(borrow, planes)
		}
		x.ready[1] &^= lane &^ x.size[1].some(planes)
	}
	if x.ready[0]|x.ready[1] == 0 {
		b.headed &^= x.bit
	}
}

// reveal notes what the packets say that are now the first of some routers' lanes, of which lane
// are those that are lane 1: those that want the output. Of empty lanes it means nothing.
func (x *segment) reveal(set, lane, wants uint64) {
	x.wants[0] ^= (x.wants[0] ^ wants) & (set &^ lane)
	x.wants[1] ^= (x.wants[1] ^ wants) & lane
}

// choose is the lane for a packet into each router's segment: the one that is not being written,
// else the shorter one, else the one that is looked at first (rule 11); shorter is where lane 1 is
// by the last two.
func (x *segment) choose(shorter uint64) (lane uint64) {
	write0, write1 := x.fromRing[0]|x.fromInput[0], x.fromRing[1]|x.fromInput[1]
	return write0&^write1 | ^(write0^write1)&shorter
}

// into puts n.packets into the segments of some routers, whose slots it reserves, and where they
// are after some cycles. It returns the routers in which they take lane 1.
func (n *Network) into(b *bank, x *segment, cycles noc.Cycle, set uint64) (lane uint64) {
	planes, first := n.planes, uint64(0)
	lane = x.choose(x.size[1].less(&x.size[0], x.second, planes)) & set
	if borrow := x.free.subtract(set); borrow != 0 {
		x.free.borrow(borrow, planes)
	}
	slot := n.slot(cycles)
	if into := set &^ lane; into != 0 {
		first = into &^ x.size[0].some(planes)
		x.appears[0][slot] |= first
		if carry := x.size[0].add(into); carry != 0 {
			x.size[0].carry(carry, planes)
		}
	}
	if lane != 0 {
		first1 := lane &^ x.size[1].some(planes)
		first |= first1
		x.appears[1][slot] |= first1
		if carry := x.size[1].add(lane); carry != 0 {
			x.size[1].carry(carry, planes)
		}
	}
	wants := x.lanes.pushes(set, lane, &n.packets, n.now+cycles, x.wanted)
	if first != 0 {
		x.reveal(first, first&lane, wants)
		b.agenda[slot][appear] |= uint32(x.bit)
	}
	return lane
}

// turnAll moves the heads of the granted lanes of some segments to the next segments of their
// rings, where they are two cycles later. All leave before the first comes, because the lengths of
// the lanes choose where.
func (n *Network) turnAll(b *bank, segments uint64) {
	for m := segments; m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		b.leave(x, x.grants.turn, x.grants.turnLane, n.planes)
	}
	for m := segments; m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		n.turn(b, x, x.grants.turn, x.grants.turnLane)
	}
}

// turn moves the heads of a segment of some routers to the next one; lanes are those of which it is
// lane 1.
func (n *Network) turn(b *bank, x *segment, set, lanes uint64) {
	b.moved = true
	x.reveal(set, lanes, x.lanes.pops(set, lanes, &n.packets, x.wanted))
	x.toRing[0] |= set &^ lanes
	x.toRing[1] |= lanes
	n.age(b, x, set)
	y := x.next
	lane := n.into(b, y, 2, set)
	if b.toggles != nil {
		n.passTurn(b.toggles, int(x.number), int(y.number), set, lane)
	}
	y.fromRing[0] |= set &^ lane
	y.fromRing[1] |= lane
	y.came |= set
	b.came |= y.bit
}

// age makes n.packets of some routers those that enter another segment of their rings, and starts
// them out of theirs.
func (n *Network) age(b *bank, x *segment, set uint64) {
	few := packet(n.missLimit) << turnShift
	dates, old := uint32(0), uint64(0)
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		k := n.packets[r]
		slot := n.slot(k.phits())
		dates |= 1 << slot
		x.turned[slot] |= m & -m
		c := &b.count.turned[r]
		c.packets++
		c.phits += uint64(k.phits())
		if k&everyTurn >= few {
			old |= m & -m
		}
		n.packets[r] = k + oneTurn
	}
	b.note(dates, turned, x.bit)
	for m := old; m != 0; m &= m - 1 {
		r := first(m)
		n.packets[r] = n.grow(b, r, n.packets[r]-oneTurn, few)
	}
}

// grow ages a packet that is aged, will be, or has turned as often as can be noted.
func (n *Network) grow(b *bank, r int, k, few packet) packet {
	switch k & everyTurn {
	case everyTurn:
		return k
	case few:
		return n.becomeAged(b, r, k+oneTurn)
	}
	return k + oneTurn
}

// becomeAged notes that a packet has turned for so long that any link will do (rule 3).
func (n *Network) becomeAged(b *bank, r int, k packet) packet {
	if k&orderedBit != 0 {
		return k
	}
	x, class := &b.router[r&63], k.class()
	x.agedOf[class]++
	x.aged |= 1 << class
	b.aged |= 1 << r
	return k | packet(n.agedOutputs(k))
}

// dropAged notes that an aged packet leaves the rings.
func (b *bank) dropAged(r int, k packet) {
	x, class := &b.router[r&63], k.class()
	if x.agedOf[class]--; x.agedOf[class] == 0 {
		if x.aged &^= 1 << class; x.aged == 0 {
			b.aged &^= 1 << r
		}
	}
}
