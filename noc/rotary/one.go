package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Decisions are made for all routers of a bank at once, which costs the same however many of them something is decided
// for. What is decided is carried out in one of two ways. Many packets that make the same move go together: one
// loop for each part of the move, with the packets in an array between them. Few go one by one: all parts of a move stand
// in one function, which knows the router, the lane and the packet, needs no loops and hands on nothing. Both read
// and write the same words and FIFOs and leave the same in them, to which the tests hold them.

// fewMoves is about how many moves of one kind cost the same in both ways.
const fewMoves = 4

// isFew tells whether the packets of a set move one by one.
func (n *Network) isFew(set uint64) bool { return bits.OnesCount64(set) <= n.few }

// turnOne is turn for the head of a lane of one router.
func (n *Network) turnOne(b *bank, x *segment, r int, lane uint64) {
	b.moved = true
	lane &= 1
	r &= 63
	bit := uint64(1) << r
	f, i := &x.lanes, int(lane)<<6|r
	q, rows, row, mask := f.queue[i], f.rows, i*f.size, int(f.mask)
	k := rows[int(q.head)&mask|row]
	q.head++
	f.queue[i].head = q.head
	if q.head != q.tail {
		x.revealOne(lane, r, rows[int(q.head)&mask|row])
	}
	x.toRing[lane] |= bit
	phits := k.phits()
	slot := n.slot(phits)
	x.turned[slot] |= bit
	b.dates |= 1 << slot
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
	lane = n.intoOne(b, y, r, k, 2) & 1
	y.fromRing[lane] |= bit
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
	planes := n.planes
	shorter := x.size[1].lowLess(&x.size[0], x.second)
	if planes > low {
		shorter = x.size[1].lessAbove(&x.size[0], shorter, planes)
	}
	lane = x.choose(shorter) >> r & 1
	bit, size := uint64(1)<<r, &x.size[lane]
	if size.some(planes)&bit == 0 {
		slot := n.slot(cycles)
		x.appears[lane][slot] |= bit
		b.dates |= 1 << slot
		b.agenda[slot][appear] |= uint32(x.bit)
		x.revealOne(lane, r, k)
	}
	f, i := &x.lanes, int(lane)<<6|r
	mask, tail := int(f.mask), int(f.queue[i].tail)
	f.queue[i].tail++
	place := tail&mask | i*f.size
	f.rows[place+mask+1] = packet(n.now + cycles)
	f.rows[place] = k
	if carry := size.add(bit); carry != 0 {
		size.carry(carry, planes)
	}
	if borrow := x.free.subtract(bit); borrow != 0 {
		x.free.borrow(borrow, planes)
	}
	return lane
}

// ejectOne is ejectAll for the head of a lane of one router.
func (n *Network) ejectOne(b *bank, x *segment, r int, lane uint64) {
	b.moved = true
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
	x.toOutput[lane] |= bit
	if borrow := x.size[lane].subtract(bit); borrow != 0 {
		x.size[lane].borrow(borrow, n.planes)
	}
	if carry := x.free.add(bit); carry != 0 {
		x.free.carry(carry, n.planes)
	}
	if invariants {
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
	r &= 63
	bit := uint64(1) << r
	o := x.drain
	x.outIdle &^= bit
	slot := n.slot(k.phits())
	x.ejected[slot] |= bit
	b.dates |= 1 << slot
	b.agenda[slot][ejected] |= uint32(x.bit)
	if x.feeds != topology.Local {
		o.passed |= bit
		b.passed |= o.bit
		n.takePlace(int(o.peer[r]), k)
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
		b.dates |= 1 << slot
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
	b.dates |= 1 << slot
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
	b.dates |= 1 << slot
	b.agenda[slot][entered] |= uint32(in.bit)
	b.count.entries[r]++
	if k&n.keptInMind != 0 {
		in.keepInMind(r, k)
	}
	if invariants {
		n.must(n.admissible(b, int(in.number), int(x.ring), bit), "a packet enters a ring against rule 1 or 2 (I7, I12)", b.first+r)
	}
	x.fromInput[n.intoOne(b, x, r, k, cycles)&1] |= bit
}
