package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// enter lets the head of network input p choose a ring and enter it (rule 1, ref 2.4 and 2.5). wrote are
// the segments that a turning packet took a slot of in this cycle.
func (n *Network) enter(id int, r *router, p int, wrote uint32) {
	p &= portBits
	in := &r.input[p]
	lane := n.inputLane(r, p)
	k := in.queue.front(lane)
	h := &r.headers[k]
	if in.ordered && h.origin&orderedFlag != 0 {
		return // its predecessor is still on the rings; no space would help
	}
	least := n.config.EnterSlots
	if in.tight {
		least++
	}
	admits := n.admitting(r, p, least, h)
	if lost := (wrote>>p&1 | wrote>>(n.ports+p)&1<<1) &^ uint32(admits); lost != 0 {
		n.countLost(r, p, least, lost, h)
	}
	if admits == 0 {
		n.starve(r, p, in)
		return
	}
	ring := n.pickRing(id, r, p, admits, h)
	phits := noc.Cycle(h.phits)
	end := n.on(r, phits, false)
	n.intoRing(id, r, p, ring, k, h, 1, end)
	in.queue.pop(lane)
	in.busy = n.now + phits
	in.waiting = noc.Never
	r.entering &^= 1 << p
	if in.queue.size == 0 {
		r.occupied &^= 1 << p
	} else { // the next one is here by then, at the latest from the next cycle on
		n.on(r, phits, true)
		end.entering |= 1 << p
	}
	r.release(p)
	n.returnCredit(in)
}

// release takes the wish of input p for a hold back, and the hold.
func (r *router) release(p int) {
	r.expired &^= 1 << p
	for ring, holder := range r.holder {
		if int(holder) == p {
			r.holder[ring] = -1
		}
	}
}

// countLost counts the rings on which a turning packet beat the head of input p to the last place.
func (n *Network) countLost(r *router, p, least int, lost uint32, h *header) {
	for ring := range rings {
		if lost>>ring&1 != 0 && int(r.free[(ring*n.ports+p)&segmentBits])+1 >= least && n.mayTake(ring, p, h) {
			r.count.entriesLost++
		}
	}
}

// returnCredit tells the neighbour that a slot of an input stage is free; it counts from the next cycle.
func (n *Network) returnCredit(in *input) {
	r := &n.routers[in.upstream]
	o := &r.output[in.exit&portBits]
	if o.credits == 0 { // its packets may be waiting for this
		r.refilled[(n.now+1)&1] |= 1 << in.exit
		n.wheel.Set(&r.alarm, n.now+1)
	}
	o.credits++
}

// mayTake tells whether a header may use a ring at all: ordered packets are bound to one by their input.
func (n *Network) mayTake(ring, p int, h *header) bool {
	return h.origin&orderedFlag == 0 || int(n.toPlus>>p&1) == ring
}

// admitting is the set of rings whose segment at port p has enough free slots for the header.
func (n *Network) admitting(r *router, p, least int, h *header) (set uint8) {
	set = uint8(atLeast(r.free[p&segmentBits], least) | atLeast(r.free[(n.ports+p)&segmentBits], least)<<1)
	if h.origin&orderedFlag != 0 {
		set &= 1 << (n.toPlus >> p & 1)
	}
	return set
}

// pickRing is the ring choice of ref 2.5 among the rings that admit a header.
func (n *Network) pickRing(id int, r *router, p int, admits uint8, h *header) int {
	if admits != 1<<rings-1 {
		return int(admits >> 1)
	}
	free0 := r.free[p&segmentBits]
	free1 := r.free[(n.ports+p)&segmentBits]
	if free0 != free1 {
		return choose(free1 > free0)
	}
	return n.chooseRing(id, p, h)
}

// intoRing grants a packet a slot of the segment of port p, where its header is after some cycles.
func (n *Network) intoRing(id int, r *router, p, ring int, k packet, h *header, cycles noc.Cycle, end *agenda) {
	if invariants {
		n.must(n.admissible(r, p, ring), "a packet enters a ring against rule 1 or 2 (I7, I12)", id)
	}
	n.moved = true
	r.used++
	r.ringFree[ring]--
	r.count.entries++
	r.count.entryPhits += uint64(h.phits)
	in := &r.input[p]
	in.inside++
	if n.config.EntryHysteresis && in.inside >= hysteresisRelaxed {
		in.tight = false
	}
	if h.origin&orderedFlag != 0 {
		in.ordered = true
	}
	h.turns = 1
	n.write(r, ring*n.ports+p, k, h, cycles, end)
}

// starve notes that both rings have refused the head of input p in this cycle.
func (n *Network) starve(r *router, p int, in *input) {
	if !n.config.EntryHold {
		return
	}
	if in.waiting == noc.Never {
		in.waiting = n.now
	}
	left := n.config.HoldAfter - 1 - int(n.now-in.waiting)
	if left <= 0 {
		r.expired |= 1 << p
		return
	}
	n.on(r, noc.Cycle(min(left, int(n.agendaMask))), true).starving |= 1 << p
}

// hold decides, at the end of a cycle, which segment of each ring refuses ring traffic from the next
// cycle on, so that a second slot comes free for a starving input (ref 2.10, rule 2). A ring that has no
// free slot elsewhere must not be held: it would stop.
func (n *Network) hold(id int, r *router) {
	for ring := range rings {
		spare := int(r.ringFree[ring]) >= n.config.EnterSlots
		if r.holder[ring] >= 0 {
			if !spare {
				r.holder[ring] = -1
			}
			continue
		}
		if !spare {
			continue
		}
		longest := noc.Never
		for m := r.expired; m != 0; m &= m - 1 {
			p := bits.TrailingZeros16(m)
			in := &r.input[p]
			free := int(r.free[ring*n.ports+p])
			fits := p == topology.Local || n.mayTake(ring, p, &r.headers[in.queue.front(n.inputLane(r, p))])
			if free == n.config.EnterSlots-1 && in.waiting < longest && fits {
				longest = in.waiting
				r.holder[ring] = int8(p)
			}
		}
	}
}
