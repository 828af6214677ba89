package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// A decision for all routers of a bank costs the same however many of them have anything to decide, and a loop over the
// packets that make one move costs its preparation even for one. That pays when many move. At light load few do, so
// there is a second way, in which everything about a packet's move stands in one function, which knows router, lane and
// packet and needs no loops:
//
//   - A head that is the only one of its router is decided for and moved alone (moveLone), while no more than 4*fewMoves
//     routers of the bank have heads. Turns are decided on the counts at the start of the cycle and output stages are
//     granted in an order; in a router where nobody else wants anything neither can make a difference.
//   - Of entries, injections and packets that are sent, all are decided for together, because that is cheap, and up to
//     fewMoves of one port are moved one by one.
//
// Both ways read and write the same words and FIFOs and leave the same in them. So each cycle, port and router may take
// either; the tests compare both with the model. Where flipped bits are counted, or output stages are unlimited,
// packets always move together.

// fewMoves is how many packets move one by one: about as many as cost the same in both ways. None do where it is 0 in
// a Network, and all where it is 64.
const fewMoves = 4

// isFew tells whether the packets of a set of routers move one by one.
func (n *Network) isFew(set uint64) bool { return bits.OnesCount64(set) <= n.few }

// moveLone decides for the heads of routers that have one each, by the rules of decide and judge, and carries it out:
// nothing else in these routers has looked at their counts in this cycle, or will.
func (n *Network) moveLone(b *bank, routers uint64) {
	for m := b.headed; m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		heads, head1 := (x.grants.head[0]|x.grants.head[1])&routers, x.grants.head[1]
		leave, asked := n.open(x), ^uint64(0)
		if n.judged&x.bit == 0 {
			leave &= x.wants[0]&^head1 | x.wants[1]&head1
			if !n.spreads {
				asked = x.tight | x.judged
			}
		}
		for ; heads != 0; heads &= heads - 1 {
			r := first(heads)
			lane, granted := head1>>r&1, nothing
			switch {
			case leave>>r&1 == 0:
			case asked>>r&1 == 0:
				granted = whole
			default:
				granted = n.grant(b, x, r, int(lane))
			}
			switch {
			case granted == whole:
				n.ejectOne(b, x, r, lane, n.takeOne(b, x, r, lane))
			case n.mayTurn(x, r):
				n.turnOne(b, x, r, lane, n.takeOne(b, x, r, lane))
			default:
				continue
			}
			x.second = x.second&^(1<<r) | (1-lane)<<r
		}
	}
}

// grant is what a head gets whose output takes a header; its copy leaves at once.
func (n *Network) grant(b *bank, x *segment, r, lane int) verdict {
	k := *x.lanes.front(lane<<6 | r)
	if k&severalBit == 0 && (x.tight|x.judged)>>r&1 == 0 && n.judged&x.bit == 0 {
		return whole
	}
	granted := n.ask(b, x, r, k)
	if granted == part {
		n.replicate(b, x, r, lane)
		if n.mayTurn(x, r) {
			b.count.dualPhits[r] += uint64(k.phits())
		}
	}
	return granted
}

// mayTurn is openTurns for one router.
func (n *Network) mayTurn(x *segment, r int) bool {
	y := x.next
	here, there := x.lanes.inBoth(r), y.lanes.inBoth(r)
	if there+n.config.TurnSlots > n.segmentSlots || n.config.RingTurnBalance && there > here {
		return false
	}
	return (x.toRing[0]|x.toRing[1]|y.entry.holds[y.ring&1])>>(r&63)&1 == 0
}

// takeOne takes the head of a lane of one router out of its segment, which releases the slot.
func (n *Network) takeOne(b *bank, x *segment, r int, lane uint64) packet {
	lane &= 1
	r &= 63
	bit := uint64(1) << r
	f, i := &x.lanes, int(lane)<<6|r
	q, rows, mask, row := f.queue[i], f.rows, int(f.mask), i*f.size
	k := rows[int(q.head)&mask|row]
	q.head++
	f.queue[i].head = q.head
	if q.head != q.tail {
		x.revealOne(lane, r, rows[int(q.head)&mask|row])
	} else if x.ready[lane] &^= bit; x.ready[0]|x.ready[1] == 0 {
		b.headed &^= x.bit
	}
	if borrow := x.size[lane].subtract(bit); borrow != 0 {
		x.size[lane].borrow(borrow, n.planes)
	}
	if carry := x.free.add(bit); carry != 0 {
		x.free.carry(carry, n.planes)
	}
	return k
}

// turnOne is turn for a packet that has been the head of a lane of one router.
func (n *Network) turnOne(b *bank, x *segment, r int, lane uint64, k packet) {
	b.moved = true
	lane &= 1
	r &= 63
	bit, phits := uint64(1)<<r, k.phits()
	x.toRing[lane] |= bit
	slot := n.slot(phits)
	x.turned[slot] |= bit
	b.agenda[slot][turned] |= uint32(x.bit)
	c := &b.count.turned[r]
	c.packets++
	c.phits += uint64(phits)
	if few := packet(n.missLimit) << turnShift; k&everyTurn < few {
		k += oneTurn
	} else {
		k = n.grow(b, r, k, few)
	}
	y := x.next
	y.fromRing[n.intoOne(b, y, r, k, 2)&1] |= bit
	y.came |= bit
	b.came |= y.bit
}

// revealOne is reveal for one router.
func (x *segment) revealOne(lane uint64, r int, k packet) {
	x.wants[lane&1] = x.wants[lane&1]&^(1<<(r&63)) | uint64(k>>(x.feeds&portBits)&1)<<(r&63)
}

// intoOne is into for one router. It returns the lane that the packet takes.
func (n *Network) intoOne(b *bank, x *segment, r int, k packet, cycles noc.Cycle) (lane uint64) {
	r &= 63
	bit, f := uint64(1)<<r, &x.lanes
	lane = f.shorter(r, x.second>>r&1)
	write0, write1 := (x.fromRing[0]|x.fromInput[0])>>r&1, (x.fromRing[1]|x.fromInput[1])>>r&1
	lane ^= (lane ^ write0) & (write0 ^ write1) // the rule of choose
	i, size := int(lane&1)<<6|r, &x.size[lane&1]
	q, mask := f.queue[i], int(f.mask)
	f.queue[i].tail = q.tail + 1
	place := int(q.tail)&mask | i*f.size
	f.rows[place+mask+1] = packet(n.now + cycles)
	f.rows[place] = k
	if q.head == q.tail {
		slot := n.slot(cycles)
		x.appears[lane&1][slot] |= bit
		b.agenda[slot][appear] |= uint32(x.bit)
		x.revealOne(lane, r, k)
	}
	if carry := size.add(bit); carry != 0 {
		size.carry(carry, n.planes)
	}
	if borrow := x.free.subtract(bit); borrow != 0 {
		x.free.borrow(borrow, n.planes)
	}
	return lane
}

// ejectOne is ejectAll for a packet that has been the head of a lane of one router.
func (n *Network) ejectOne(b *bank, x *segment, r int, lane uint64, k packet) {
	x.toOutput[lane&1] |= 1 << (r & 63)
	if fabric.Invariants {
		n.must(n.mayLeave(b.first+r, int(x.feeds), k), "a packet leaves by a port that is not on its way (I15)", b.first+r)
	}
	n.leavePlace(b.first+r, k)
	if k&everyTurn > packet(n.missLimit)<<turnShift || k&n.keptInMind != 0 {
		n.leaveRings(b, r, int(x.feeds), k)
	}
	n.toOutputOne(b, x, r, k)
}

// toOutputOne is toOutput for one router.
func (n *Network) toOutputOne(b *bank, x *segment, r int, k packet) {
	b.moved = true
	r &= 63
	bit, o := uint64(1)<<r, x.drain
	x.outIdle &^= bit
	slot := n.slot(k.phits())
	x.ejected[slot] |= bit
	b.agenda[slot][ejected] |= uint32(x.bit)
	if x.feeds != topology.Local {
		o.passed |= bit
		b.passed |= o.bit
		peer := int(o.peer[r])
		h, unit := &n.places[peer], &n.unit[k.class()&(noc.MaxClasses-1)]
		h.held[0] += unit[0]
		h.held[1] += unit[1]
		if h.few || !n.hasPlenty(&h.held) {
			n.noteChange(peer)
		}
	} else {
		n.sinks.Reserve(noc.NodeID(b.first+r), k.class())
	}
	f, i := &o.lanes, int(x.ring&1)<<6|r
	mask, q := int(f.mask), f.queue[i]
	place := int(q.tail)&mask | i*f.size
	f.rows[place+mask+1] = packet(n.now + 2)
	f.rows[place] = k
	f.queue[i].tail = q.tail + 1
	waiting := int(q.tail - q.head)
	if waiting == 0 {
		slot := n.slot(2)
		o.appears[x.ring&1][slot] |= bit
		b.agenda[slot][staged] |= uint32(o.bit)
	}
	if waiting+1 == n.laneSlots {
		x.outRoom &^= bit
	}
}

// sendOne is send for a lane of one router.
func (n *Network) sendOne(b *bank, o *output, r int, lane uint64) {
	b.moved = true
	lane &= 1
	r &= 63
	bit := uint64(1) << r
	f, i := &o.lanes, int(lane)<<6|r
	q := f.queue[i]
	k := f.rows[int(q.head)&int(f.mask)|i*f.size]
	q.head++
	f.queue[i].head = q.head
	if q.head == q.tail { // if there is a next one it will be there before the link is idle again
		o.leaving[lane] &^= bit
		if o.leaving[0]|o.leaving[1] == 0 {
			b.leaving &^= o.bit
		}
	}
	o.feeders[lane].outRoom |= bit
	o.last = o.last&^bit | lane<<r
	o.idle &^= bit
	phits := k.phits()
	slot := n.slot(phits)
	o.sent[slot] |= bit
	b.agenda[slot][sent] |= uint32(o.bit)
	o.phits[r] += uint64(phits)
	b.count.sends[r]++
	at := &b.presence[r]
	at.residents--
	at.vacant = max(at.vacant, n.now+phits)
	if o.number == topology.Local {
		n.consume(b, r, k)
		return
	}
	if o.credits[r]--; o.credits[r] == 0 {
		o.credited &^= bit
	}
	n.crossOne(o, int(o.peer[r]), k)
}

// crossOne is cross for one router.
func (n *Network) crossOne(o *output, to int, k packet) {
	h := &n.headers[k.header()]
	h.hops++
	h.origin = o.entry
	k = k&^(everyTurn|served) | oneTurn
	if len(n.routes.flat) != 0 && k&(severalBit|orderedBit) == 0 {
		k |= packet(n.routes.profitableFlat(to, int(h.only)))
	} else {
		k = n.routed(to, k)
	}
	b, ready := &n.banks[to>>6], n.now+1
	to &= 63
	b.presence[to].enter(ready)
	in, parity := &b.input[o.entry], ready&1
	in.stage.push(to, k, ready)
	in.mail[parity] |= 1 << to
	b.mail[parity] |= in.bit
	b.wake = min(b.wake, ready)
}

// enterOne is enter for one router; tied tells that the free slots do not tell which ring.
func (n *Network) enterOne(b *bank, in *input, r int, ring, tied uint64) {
	r &= 63
	bit := uint64(1) << r
	f := &in.stage
	q := f.queue[r]
	k := f.rows[int(q.head)&int(f.mask)|r*f.size]
	q.head++
	f.queue[r].head = q.head
	if q.head == q.tail {
		if in.occupied &^= bit; in.occupied == 0 {
			b.occupied &^= in.bit
		}
	}
	if in.refused&bit != 0 {
		in.release(bit)
	}
	up := int(in.upstream[r])
	c := &n.banks[up>>6]
	up &= 63
	o := &c.output[in.exit]
	if o.credits[up]++; o.credits[up] == 1 { // its packets may be waiting for this
		o.refilled[(n.now+1)&1] |= 1 << up
		c.refilled[(n.now+1)&1] |= o.bit
		c.wake = min(c.wake, n.now+1)
	}
	if tied != 0 {
		ring = n.chooseRing(b.first+r, int(in.number), k)
	}
	n.ringOne(b, in, r, ring, k, 1)
}

// ringOne is intoRings for one router.
func (n *Network) ringOne(b *bank, in *input, r int, ring uint64, k packet, cycles noc.Cycle) {
	b.moved = true
	r &= 63
	bit, x := uint64(1)<<r, in.segment[ring&1]
	slot := n.slot(k.phits())
	in.streaming |= bit
	in.entered[slot] |= bit
	b.agenda[slot][entered] |= uint32(in.bit)
	b.count.entries[r]++
	if k&n.keptInMind != 0 {
		in.keepInMind(r, k)
	}
	if fabric.Invariants {
		n.must(n.admissible(b, int(in.number), int(x.ring), bit), "a packet enters a ring against rule 1 or 2 (I7, I12)", b.first+r)
	}
	x.fromInput[n.intoOne(b, x, r, k, cycles)&1] |= bit
}
