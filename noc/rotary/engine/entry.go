package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// enterAll lets the heads of the network inputs choose a ring and enter it (rules 1 and 14).
func (n *Network) enterAll(b *bank, routers uint64) {
	for ports := b.occupied; ports != 0; ports &= ports - 1 {
		in := &b.input[first(ports)]
		heads := in.occupied &^ in.streaming & routers
		if heads == 0 {
			continue
		}
		may := [rings]uint64{heads, heads}
		if n.ordered {
			may = n.bound(b, int(in.number), heads)
		}
		x, y := in.segment[0], in.segment[1]
		admits0, admits1 := x.free.lowAtLeast(&n.enterSlots[1]), y.free.lowAtLeast(&n.enterSlots[1])
		if n.special || (x.came&^admits0|y.came&^admits1)&heads != 0 {
			admits0, admits1 = n.admits(b, in, 0, may[0]), n.admits(b, in, 1, may[1])
		}
		admits0, admits1 = admits0&may[0], admits1&may[1]
		set := admits0 | admits1
		if refused := (may[0] | may[1]) &^ set; refused != 0 && n.config.EntryHold {
			n.starve(b, in, refused)
		}
		in.alarm &^= routers
		if set != 0 {
			n.enter(b, in, set, admits0, admits1)
		}
	}
}

// bound is the heads of input p that may use each ring: ordered packets may use one only, and none
// while their predecessor is on the rings.
func (n *Network) bound(b *bank, p int, heads uint64) (may [rings]uint64) {
	in, ordered := &b.input[p], uint64(0)
	for m := heads; m != 0; m &= m - 1 {
		r := first(m)
		if *in.stage.front(r)&orderedBit != 0 {
			ordered |= 1 << r
		}
	}
	heads &^= ordered & in.ordered
	may = [rings]uint64{heads, heads}
	may[1-n.toPlus>>p&1] &^= ordered
	return may
}

// admits is those heads of an input that find enough free slots on a ring. It counts those whom a
// turning packet beat to the last place.
func (n *Network) admits(b *bank, in *input, ring int, heads uint64) uint64 {
	x := in.segment[ring&1]
	set := x.free.lowAtLeast(&n.enterSlots[1])
	if n.planes > low {
		set = x.free.atLeast(&n.enterSlots[1], n.planes)
	}
	if n.config.EntryHysteresis || x.came&heads&^set != 0 {
		set = n.admitsSome(b, in, x, heads, set)
	}
	return set & heads
}

// admitsSome is admits where hysteresis asks for one more slot, or some head has missed a place;
// set are the routers with enough free slots.
func (n *Network) admitsSome(b *bank, in *input, x *segment, heads, set uint64) uint64 {
	missed, fewer := x.came&heads, x.free.atLeast(&n.enterSlots[0], n.planes)
	if n.config.EntryHysteresis {
		more := x.free.atLeast(&n.enterSlots[2], n.planes)
		missed &= fewer&^in.tight&^set | set&in.tight&^more
		set &^= in.tight &^ more
	} else {
		missed &= fewer &^ set
	}
	for ; missed != 0; missed &= missed - 1 {
		b.count.entriesLost[first(missed)]++
	}
	return set
}

// enter moves the heads of an input of some routers onto one of the rings that admit them.
func (n *Network) enter(b *bank, in *input, set, admits0, admits1 uint64) {
	choice, tied := n.pickRing(in, admits0, admits1)
	p := int(in.number)
	if in.occupied &^= in.stage.popsLast(set, 0, &n.packets); in.occupied == 0 {
		b.occupied &^= 1 << (p & portBits)
	}
	for m := set & tied; m != 0; m &= m - 1 {
		r := first(m)
		choice |= n.chooseRing(b.first+r, p, n.packets[r]) << r
	}
	for i := range in.sources {
		if from := &in.sources[i]; set&from.routers != 0 {
			n.returnCredits(from.bank, in, set&from.routers)
		}
	}
	if in.refused&set != 0 {
		in.release(set)
	}
	n.intoRings(b, p, set, choice&set, 1)
}

// pickRing is rule 14: those for which it is ring 1, and those for which the counts of
// free slots do not tell.
func (n *Network) pickRing(in *input, admits0, admits1 uint64) (choice, tied uint64) {
	choice = admits1 &^ admits0
	if both := admits0 & admits1; both != 0 {
		less, equal := compare(&in.segment[0].free, &in.segment[1].free, n.planes)
		choice |= both & less
		tied = both & equal
	}
	return choice, tied
}

// intoRings grants the packets n.packets of some routers slots of the segments of port p; choice
// are those that take ring 1's. Their headers are there after some cycles.
func (n *Network) intoRings(b *bank, p int, set, choice uint64, cycles noc.Cycle) {
	b.moved = true
	in := &b.input[p]
	in.streaming |= set
	n.entered(b, p, set)
	if into := set &^ choice; into != 0 {
		n.intoRing(b, p, in.segment[0], into, cycles)
	}
	if choice != 0 {
		n.intoRing(b, p, in.segment[1], choice, cycles)
	}
}

// intoRing is intoRings for one of the rings.
func (n *Network) intoRing(b *bank, p int, x *segment, set uint64, cycles noc.Cycle) {
	if fabric.Invariants {
		n.must(n.admissible(b, p, int(x.ring), set), "a packet enters a ring against rule 1 or 2 (law 7)", b.first+first(set))
	}
	lane := n.into(b, x, cycles, set)
	if b.toggles != nil {
		n.passInto(b.toggles, p, int(x.number), set, lane)
	}
	x.fromInput[0] |= set &^ lane
	x.fromInput[1] |= lane
}

// entered streams n.packets of some routers out of input p.
func (n *Network) entered(b *bank, p int, set uint64) {
	in, dates := &b.input[p], uint32(0)
	kept, special := n.keptInMind, uint64(0)
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		k := n.packets[r]
		slot := n.slot(k.phits())
		dates |= 1 << slot
		in.entered[slot] |= m & -m
		b.count.entries[r]++
		if k&kept != 0 {
			special |= m & -m
		}
	}
	b.note(dates, entered, in.bit)
	for m := special; m != 0; m &= m - 1 {
		r := first(m)
		in.keepInMind(r, n.packets[r])
	}
}

// keepInMind notes a packet on the rings for the inputs that look at what they have sent.
func (in *input) keepInMind(r int, k packet) {
	if k&orderedBit != 0 {
		in.ordered |= 1 << r
	}
	if in.inside[r]++; in.inside[r] >= hysteresisRelaxed {
		in.tight &^= 1 << r
	}
}

// release takes the wishes of inputs for a hold back, and the holds.
func (in *input) release(set uint64) {
	in.refused &^= set
	in.expired &^= set
	in.holds[0] &^= set
	in.holds[1] &^= set
}

// returnCredits tells the neighbours of some routers, which are in bank b, that a slot of an input
// stage is free; it counts from the next cycle.
func (n *Network) returnCredits(b *bank, in *input, set uint64) {
	if b.inWords {
		for m := set; m != 0; m &= m - 1 {
			b.words[in.upstream[first(m)]&63].refill(uint(in.exit), n.now+1)
		}
		return
	}
	o, refilled := &b.output[in.exit], uint64(0)
	for m := set; m != 0; m &= m - 1 {
		up := in.upstream[first(m)] & 63
		credits := o.credits[up]
		o.credits[up] = credits + 1
		refilled |= isZero(int(credits)) << up
	}
	if refilled != 0 { // their packets may be waiting for this
		o.refilled[(n.now+1)&1] |= refilled
		b.refilled[(n.now+1)&1] |= 1 << (in.exit & portBits)
		b.wake = min(b.wake, n.now+1)
	}
}

// starve notes that both rings have refused the heads of an input of some routers in this cycle.
func (n *Network) starve(b *bank, in *input, refused uint64) {
	for m := refused &^ in.refused; m != 0; m &= m - 1 {
		in.waiting[first(m)] = n.now
	}
	for m := refused&^in.refused | refused&in.alarm; m != 0; m &= m - 1 {
		r := first(m)
		left := n.config.HoldAfter - 1 - int(n.now-in.waiting[r])
		if left <= 0 {
			in.expired |= 1 << r
			b.holding |= in.bit
			continue
		}
		in.alarms[b.on(n, noc.Cycle(min(left, int(n.agendaMask))), alarmed, in.bit)] |= 1 << r
	}
	in.refused |= refused
}

// holdAll decides, at the end of a cycle, which segment of each ring refuses ring traffic from the
// next cycle on, so that a second slot comes free for a starving input (rule 15). A ring that has
// no free slot elsewhere must not be held: it would stop.
func (n *Network) holdAll(b *bank, routers uint64) {
	expired, held := uint64(0), [rings]uint64{}
	for ports := b.holding; ports != 0; ports &= ports - 1 {
		in := &b.input[first(ports)]
		if in.expired|in.holds[0]|in.holds[1] == 0 {
			b.holding &^= ports & -ports
		}
		expired |= in.expired
		held[0] |= in.holds[0]
		held[1] |= in.holds[1]
	}
	for m := (expired | held[0] | held[1]) & routers; m != 0; m &= m - 1 {
		r := first(m)
		for ring := range rings {
			spare := n.ringFree(b, r, ring) >= n.config.EnterSlots
			switch {
			case held[ring]>>r&1 != 0 && !spare:
				for p := range b.input {
					b.input[p].holds[ring] &^= 1 << r
				}
			case held[ring]>>r&1 == 0 && spare:
				n.hold(b, r, ring)
			}
		}
	}
}

// hold holds the segment of the input of a router that has been refused for longest, of those that
// wait for one more slot of the ring.
func (n *Network) hold(b *bank, r, ring int) {
	longest, holder := noc.Never, -1
	for p := range b.input {
		in := &b.input[p]
		if in.expired>>r&1 == 0 || in.waiting[r] >= longest ||
			b.segment[ring*n.ports+p].free.of(r, n.planes) != n.config.EnterSlots-1 {
			continue
		}
		if p == topology.Local || n.mayTake(ring, p, *in.stage.front(r)) {
			longest, holder = in.waiting[r], p
		}
	}
	if holder >= 0 {
		b.input[holder].holds[ring] |= 1 << r
	}
}

// ringFree is the free slots of a ring of a router.
func (n *Network) ringFree(b *bank, r, ring int) (free int) {
	for p := range n.ports {
		free += b.segment[ring*n.ports+p].free.of(r, n.planes)
	}
	return free
}

// used is the ring slots in use of a router.
func (n *Network) used(b *bank, r int) int {
	return n.segments*n.segmentSlots - n.ringFree(b, r, 0) - n.ringFree(b, r, 1)
}

// mayTake reports whether a packet may use a ring at all: ordered packets are bound to one by their
// input.
func (n *Network) mayTake(ring, p int, k packet) bool {
	return k&orderedBit == 0 || int(n.toPlus>>p&1) == ring
}
