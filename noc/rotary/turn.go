package rotary

import "github.com/carousel-sim/carousel/noc"

// leave takes the heads of a lane of a segment out of some routers' counts, which releases their slots. lane is
// those of which it is lane 1.
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
		b.headed &^= 1 << x.number
	}
}

// reveal notes what the packets say that are now the first of some routers' lanes, of which lane are those that are
// lane 1: those that want the output. Of empty lanes it means nothing.
func (x *segment) reveal(set, lane, wants uint64) {
	x.wants[0] ^= (x.wants[0] ^ wants) & (set &^ lane)
	x.wants[1] ^= (x.wants[1] ^ wants) & lane
}

// choose is the lane for a packet into each router's segment: the one that is not being written, else the
// shorter one, else the one that is looked at first (ref 2.6).
func (x *segment) choose(planes int) (lane uint64) {
	write0, write1 := x.fromRing[0]|x.fromInput[0], x.fromRing[1]|x.fromInput[1]
	return write0&^write1 | ^(write0^write1)&x.size[1].less(&x.size[0], x.second, planes)
}

// accept reserves slots of a segment for packets that come into the given lanes of some routers. It returns those
// whose lane was empty, by lane.
func (x *segment) accept(set, lane uint64, planes int) (first0, first1 uint64) {
	if borrow := x.free.subtract(set); borrow != 0 {
		x.free.borrow(borrow, planes)
	}
	if into := set &^ lane; into != 0 {
		first0 = into &^ x.size[0].some(planes)
		if carry := x.size[0].add(into); carry != 0 {
			x.size[0].carry(carry, planes)
		}
	}
	if lane != 0 {
		first1 = lane &^ x.size[1].some(planes)
		if carry := x.size[1].add(lane); carry != 0 {
			x.size[1].carry(carry, planes)
		}
	}
	return first0, first1
}

// into puts n.packets into the segments of some routers, where they are after some cycles. It returns the routers in
// which they take lane 1.
func (n *Network) into(b *bank, x *segment, cycles noc.Cycle, set uint64) (lane uint64) {
	lane = x.choose(n.planes) & set
	first0, first1 := x.accept(set, lane, n.planes)
	wants := x.lanes.pushes(set, lane, &n.packets, n.now+cycles, x.feeds)
	if first0|first1 != 0 {
		x.reveal(first0|first1, first1, wants)
		slot := b.on(n, cycles, ofSegment(x))
		x.appears[0][slot] |= first0
		x.appears[1][slot] |= first1
	}
	return lane
}

// turnAll moves the heads of the granted lanes of some segments to the next segments of their rings, where
// they are two cycles later. All leave before the first comes, because the lengths of the lanes choose where.
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

// turn moves the heads of a segment of some routers to the next one; lanes are those of which it is lane 1.
func (n *Network) turn(b *bank, x *segment, set, lanes uint64) {
	b.moved = true
	x.reveal(set, lanes, x.lanes.pops(set, lanes, &n.packets, x.feeds))
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
	y.came = set
	b.came |= 1 << y.number
}

// age makes n.packets of some routers those that enter another segment of their rings, and starts them out of theirs.
func (n *Network) age(b *bank, x *segment, set uint64) {
	last := packet(n.missLimit+1) << turnShift
	dates, lost := uint32(0), uint64(0)
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		k := n.packets[r]
		slot := n.slot(k.phits())
		dates |= 1 << slot
		x.turned[slot] |= m & -m
		c := &b.count.turned[r]
		c.packets++
		c.phits += uint64(k.phits())
		if k&everyTurn != everyTurn {
			k += oneTurn
			n.packets[r] = k
			if k&everyTurn == last {
				lost |= m & -m
			}
		}
	}
	b.note(dates, ofSegment(x))
	for m := lost; m != 0; m &= m - 1 {
		r := first(m)
		n.packets[r] = n.lose(b, r, n.packets[r])
	}
}

// lose notes that a packet has turned for so long that any link will do (rule 3).
func (n *Network) lose(b *bank, r int, k packet) packet {
	if k&orderedBit != 0 {
		return k
	}
	x, class := &b.router[r&63], k.class()
	x.lostOf[class]++
	x.lost |= 1 << class
	b.lost |= 1 << r
	return k | packet(n.lostTo(k))
}

// find notes that a lost packet leaves the rings.
func (b *bank) find(r int, k packet) {
	x, class := &b.router[r&63], k.class()
	if x.lostOf[class]--; x.lostOf[class] == 0 {
		if x.lost &^= 1 << class; x.lost == 0 {
			b.lost &^= 1 << r
		}
	}
}
