package rotary

import "github.com/carousel-sim/carousel/noc"

// leave takes the heads of a lane of a segment out of some routers' counts, which releases their slots. lane is
// those of which it is lane 1.
func (x *segment) leave(set, lane uint64, planes int) {
	x.free.add(set, planes)
	if gone := set &^ lane; gone != 0 {
		x.size[0].subtract(gone, planes)
		x.ready[0] &^= gone &^ x.size[0].some(planes)
	}
	if lane != 0 {
		x.size[1].subtract(lane, planes)
		x.ready[1] &^= lane &^ x.size[1].some(planes)
	}
}

// reveal notes what the packets say that are now the first of the lanes that others have left, or come into:
// sets of those whose destination the output serves, and of those with several. Of empty lanes it means nothing.
func (x *segment) reveal(lane int, set, wants, many uint64) {
	lane &= 1
	x.wants[lane] ^= (x.wants[lane] ^ wants) & set
	x.many[lane] ^= (x.many[lane] ^ many) & set
}

// coming is what packets that come into a segment find: for a writer, the lane that each router's takes.
type coming struct {
	lane  uint64    // those for which it is lane 1
	first [2]uint64 // those whose lane is empty, by lane
}

// choose is the lane for a packet into each router's segment: the one that is not being written, else the
// shorter one, else the one that is looked at first (ref 2.6).
func (x *segment) choose(planes int) (lane uint64) {
	write0, write1 := x.fromRing[0]|x.fromInput[0], x.fromRing[1]|x.fromInput[1]
	shorter, equal := compare(&x.size[1], &x.size[0], planes)
	return write0&^write1 | ^(write0^write1)&(shorter|equal&x.second)
}

// accept reserves slots of a segment for packets that come into the given lanes of some routers.
func (x *segment) accept(set, lane uint64, planes int) (c coming) {
	c.lane = lane & set
	x.free.subtract(set, planes)
	if into := set &^ lane; into != 0 {
		c.first[0] = into &^ x.size[0].some(planes)
		x.size[0].add(into, planes)
	}
	if c.lane != 0 {
		c.first[1] = c.lane &^ x.size[1].some(planes)
		x.size[1].add(c.lane, planes)
	}
	return c
}

// turnAll moves the heads of the granted lanes of all segments to the next segments of their rings, where
// they are two cycles later. All leave before the first comes, because the lengths of the lanes choose where.
func (n *Network) turnAll(b *bank) {
	for s := range b.segment {
		x := &b.segment[s]
		if g := &x.grants; g.turn != 0 {
			x.leave(g.turn, g.turnLane, n.planes)
			b.moved = true
		}
	}
	for s := range b.segment {
		if g := &b.segment[s].grants; g.turn != 0 {
			n.turn(b, s, int(n.next[s&segmentBits]), g.turn, g.turnLane)
		}
	}
}

// turn moves the heads of segment s of some routers to the next one; lanes are those of which it is lane 1.
func (n *Network) turn(b *bank, s, to int, set, lanes uint64) {
	x, y := &b.segment[s], &b.segment[to]
	n.popLanes(x, s, set, lanes)
	x.toRing[0] |= set &^ lanes
	x.toRing[1] |= lanes
	n.stream(b, &x.turned, set)
	n.age(b, set)
	c := y.accept(set, y.choose(n.planes), n.planes)
	if b.toggles != nil {
		n.passTurn(b.toggles, s, to, set, c.lane)
	}
	n.pushLanes(b, y, to, 2, set, c)
	y.fromRing[0] |= set &^ c.lane
	y.fromRing[1] |= c.lane
	y.grants.came = set
}

// popLanes takes the heads of segment s of some routers into n.packets.
func (n *Network) popLanes(x *segment, s int, set, lanes uint64) {
	wants, many := x.lanes.pops(set, lanes, &n.packets, n.feeds[s&segmentBits]), uint64(0)
	if n.spreads {
		many = x.lanes.fronts(set, lanes, severalShift)
	}
	x.reveal(0, set&^lanes, wants, many)
	x.reveal(1, lanes, wants, many)
}

// pushLanes puts n.packets into the lanes of segment s of some routers, where they are after some cycles.
func (n *Network) pushLanes(b *bank, x *segment, s int, cycles noc.Cycle, set uint64, c coming) {
	wants, many := x.lanes.pushes(set, c.lane, &n.packets, n.now+cycles, n.feeds[s&segmentBits]), uint64(0)
	if n.spreads {
		many = bitsOf(&n.packets, set, severalShift)
	}
	x.reveal(0, c.first[0], wants, many)
	x.reveal(1, c.first[1], wants, many)
	if c.first[0]|c.first[1] != 0 {
		slot := b.on(n, cycles)
		x.appears[0][slot] |= c.first[0]
		x.appears[1][slot] |= c.first[1]
	}
}

// age makes n.packets of some routers those that enter another segment of their rings.
func (n *Network) age(b *bank, set uint64) {
	last := n.missLimit + 1
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		k := n.packets[r]
		b.count.turns[r]++
		b.count.turnPhits[r] += uint64(k.phits())
		if k&everyTurn != everyTurn {
			k += oneTurn
			n.packets[r] = k
			if k.turns() == last {
				n.packets[r] = n.lose(b, r, k)
			}
		}
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
