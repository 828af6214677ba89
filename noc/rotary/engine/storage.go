package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// fifos are up to two FIFOs for each router of a bank. Their rows are by queue: the four slots of a
// lane are one cache line. On large grids, of which the caches hold little, lines count.
type fifos struct {
	queue [2 * 64]queue
	rows  []slot // place p of queue i is i*size|p
	size  int    // of a row, a power of two
	mask  uint8  // of a place, of which no FIFO has more than 64
}

// slot has a packet and the cycle from which on it can be granted its next move.
type slot struct {
	packet packet
	since  noc.Cycle
}

// queue is where in its row a FIFO begins and ends.
type queue struct{ head, tail uint8 }

func (q queue) size() uint8 { return q.tail - q.head }

func (f *fifos) at(i int, place uint8) *slot {
	return &f.rows[(i&127)*f.size|int(place&f.mask)]
}

func (f *fifos) length(i int) int { return int(f.queue[i&127].size()) }

// inBoth is the packets in both queues of router r.
func (f *fifos) inBoth(r int) int { return f.length(r) + f.length(r|64) }

// front is the first packet of a queue that is not empty.
func (f *fifos) front(i int) *packet { return &f.at(i, f.queue[i&127].head).packet }

// push appends a packet to queue i that is there from a cycle on.
func (f *fifos) push(i int, k packet, ready noc.Cycle) {
	q := &f.queue[i&127]
	*f.at(i, q.tail) = slot{k, ready}
	q.tail++
}

// A loop that does all that a packet needs keeps more at hand than a processor has registers;
// several that do a part each, and leave the packets in an array between them, take half the
// instructions.

// pops takes the first packet of each router of a set, from its queue 0 or, if it is in second, 1.
// It returns those whose packets that are the first now have some bit.
func (f *fifos) pops(set, second uint64, packets *[64]packet, bit packet) (some uint64) {
	rows, mask, size := f.rows, int(f.mask), f.size
	for m := set; m != 0; m &= m - 1 {
		r, one := first(m), m&-m
		i := int(second>>r&1)<<6 | r
		place, row := int(f.queue[i].head), i*size
		f.queue[i].head++
		packets[r] = rows[place&mask|row].packet
		if rows[(place+1)&mask|row].packet&bit == 0 {
			one = 0
		}
		some |= one
	}
	return some
}

// popsLast is pops, but returns the routers whose queue is empty now.
func (f *fifos) popsLast(set, second uint64, packets *[64]packet) (empty uint64) {
	rows, mask, size := f.rows, int(f.mask), f.size
	for m := set; m != 0; m &= m - 1 {
		r, one := first(m), m&-m
		i := int(second>>r&1)<<6 | r
		q := f.queue[i]
		packets[r] = rows[int(q.head)&mask|i*size].packet
		q.head++
		f.queue[i].head = q.head
		if q.head != q.tail {
			one = 0
		}
		empty |= one
	}
	return empty
}

// peek copies the first packet of each router of a set, of its queue 0 or, if it is in second, 1.
// Those that are looked at one by one come into the cache together.
func (f *fifos) peek(set, second uint64, packets *[64]packet) {
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		packets[r] = *f.front(int(second>>r&1)<<6 | r)
	}
}

// several is the routers of a set in which the first packet of queue 0 or 1 has several
// destinations.
func (f *fifos) several(set uint64, which int) (some uint64) {
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		some |= uint64(*f.front(which<<6 | r)>>severalShift&1) << r
	}
	return some
}

// pushes appends a packet to a queue of each router of a set, where it is from a cycle on, and
// returns those whose packets have some bit.
func (f *fifos) pushes(set, second uint64, packets *[64]packet, ready noc.Cycle, bit packet) (some uint64) {
	rows, mask, size := f.rows, int(f.mask), f.size
	for m := set; m != 0; m &= m - 1 {
		r, one := first(m), m&-m
		i := int(second>>r&1)<<6 | r
		place := int(f.queue[i].tail)&mask | i*size
		f.queue[i].tail++
		k := packets[r]
		to := &rows[place]
		to.packet, to.since = k, ready
		if k&bit == 0 {
			one = 0
		}
		some |= one
	}
	return some
}

// pushesInto is pushes to queue 0 or 1 of all routers of a set; it returns those whose queue was
// empty, and those where so many packets are in it now.
func (f *fifos) pushesInto(which int, set uint64, packets *[64]packet, ready noc.Cycle, many int) (empty, full uint64) {
	rows, mask, size := f.rows, int(f.mask), f.size
	for m := set; m != 0; m &= m - 1 {
		r, one := first(m), m&-m
		i := (which<<6 | r) & 127
		q := f.queue[i]
		waiting := int(q.tail - q.head)
		place := int(q.tail)&mask | i*size
		to := &rows[place]
		to.packet, to.since = packets[r], ready
		f.queue[i].tail = q.tail + 1
		empty |= isZero(waiting) << r
		if waiting+1 != many {
			one = 0
		}
		full |= one
	}
	return empty, full
}

// each calls visit for the packets of queue i, from the first, with the cycle from which on each is
// there.
func (f *fifos) each(i int, visit func(k packet, since noc.Cycle)) {
	for q := f.queue[i]; q.head != q.tail; q.head++ {
		at := f.at(i, q.head)
		visit(at.packet, at.since)
	}
}

// makeBanks makes all routers, empty.
func (n *Network) makeBanks() {
	nodes := n.grid.Nodes()
	n.banks = make([]bank, noc.SetWords(nodes))
	inRow := func(slots, least int) int { return powerOfTwo(max(slots, least)) }
	inLane, inInput, inStage := inRow(n.segmentSlots, wordPlaces), inRow(n.inputSlots, stagePlaces), inRow(n.laneSlots, stagePlaces)
	inSegments := n.segments * inLane * 128
	ofBank := inSegments + n.ports*(inInput+inStage)*128
	rows := make([]slot, len(n.banks)*ofBank)
	place := func(f *fifos, inRow int) { // each gets the next rows
		f.size, f.mask = inRow, uint8(inRow-1)
		f.rows, rows = rows[:128*inRow], rows[128*inRow:]
	}
	for i := range n.banks {
		b := &n.banks[i]
		b.slots = rows[:ofBank:ofBank]
		b.first, b.all, b.wake = 64*i, ^uint64(0), noc.Never
		if rest := nodes - b.first; rest < 64 {
			b.all = 1<<rest - 1
		}
		b.segment, b.input, b.output = make([]segment, n.segments), make([]input, n.ports), make([]output, n.ports)
		for s := range b.segment {
			x := &b.segment[s]
			x.bit, x.number, x.ring, x.feeds, x.wanted = 1<<s, uint8(s), n.ringOf[s], n.feeds[s], 1<<n.feeds[s]
			x.next, x.drain, x.entry = &b.segment[n.next[s]], &b.output[n.feeds[s]], &b.input[n.portOf[s]]
			x.entry.segment[x.ring], x.drain.feeders[x.ring] = x, x
			x.outIdle = b.all
			place(&x.lanes, inLane) // each lane may hold all the slots
			for r := range 64 {
				x.free.set(r, n.segmentSlots, n.planes)
			}
		}
		for p := range n.ports {
			n.makePort(b, p)
			place(&b.input[p].stage, inInput)
		}
		for p := range n.ports {
			place(&b.output[p].lanes, inStage)
		}
		for r := range b.router {
			b.router[r].lastClass = -1
		}
	}
	n.wire()
}

// makePort makes the input and output stages of a port, not yet joined to anything.
func (n *Network) makePort(b *bank, p int) {
	in, o := &b.input[p], &b.output[p]
	o.idle, o.credited = b.all, b.all
	o.number, o.bit, in.number, in.bit = uint8(p), 1<<p, uint8(p), 1<<p
	if n.config.EntryHysteresis {
		in.tight = b.all
	}
	for r := range 64 {
		in.upstream[r], o.peer[r] = -1, -1
	}
}

// wire joins the stages of neighbours and gives them their slots and credits.
func (n *Network) wire() {
	for id := range n.grid.Nodes() {
		b, bit := n.bankOf(id)
		for p := range n.ports {
			o := &b.output[p]
			if p != topology.Local {
				peer, entry, ok := n.grid.Neighbour(noc.NodeID(id), p)
				if !ok {
					continue
				}
				o.credits[id&63], o.peer[id&63], o.entry = uint8(n.inputSlots), int32(peer), uint8(entry)
				c, _ := n.bankOf(int(peer))
				in := &c.input[entry]
				in.upstream[peer&63], in.exit = int32(id), uint8(p)
				o.targets = joined(o.targets, c, bit)
				in.sources = joined(in.sources, b, 1<<(peer&63))
			}
			for ring := range rings {
				b.segment[n.feeder(p, ring)].outRoom |= bit
			}
		}
	}
}

// eachWaiting calls visit for the packets in the input stage and in the output stage of a port of a
// router.
func (n *Network) eachWaiting(b *bank, r, p int, input, output func(k packet, since noc.Cycle)) {
	b.input[p].stage.each(r, input)
	for ring := range rings {
		b.output[p].lanes.each(ring<<6|r, output)
		if n.unlimited {
			n.eachOverflowing(b.first+r, p, ring, output)
		}
	}
}
