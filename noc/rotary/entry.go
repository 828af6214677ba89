package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// inputHeaders is the header row of one input stage.
func (n *Network) inputHeaders(port int) []header {
	from := port * n.inputSlots
	return n.inputRow[from : from+n.inputSlots : from+n.inputSlots]
}

// enter lets the head of network input p choose a ring and enter it (rule 1, ref 2.4 and 2.5). wrote are
// the segments that a turning header took a slot of in this cycle.
func (n *Network) enter(id int, r *router, p int, wrote uint32) {
	at := id*n.ports + p
	in := &n.input[at]
	if in.queue.size == 0 || in.busy > n.now {
		return
	}
	row := n.inputHeaders(at)
	h := &row[in.queue.head]
	if h.ready > n.now {
		return
	}
	if in.ordered && h.origin&orderedFlag != 0 {
		return // its predecessor is still on the rings; no space would help
	}
	least := n.config.EnterSlots
	if in.tight {
		least++
	}
	admits := n.admitting(id, p, least, h)
	for ring := range rings {
		if s := ring*n.ports + p; wrote>>s&1 != 0 && admits>>ring&1 == 0 &&
			int(n.segment[id*n.segments+s].free)+1 >= least && n.mayTake(ring, p, h) {
			r.count.entriesLost++ // the ring had priority for the last place
		}
	}
	if admits == 0 {
		n.starve(id, r, p, in)
		return
	}
	ring := n.pickRing(id, p, admits, h)
	phits := noc.Cycle(h.phits)
	n.intoRing(id, r, p, ring, h, 1)
	in.queue.drop(row)
	in.busy = n.now + phits
	in.waiting = noc.Never
	n.arm(id, r, n.inputUnits()+p, int(phits))
	n.releaseHold(id, r, p)
	if n.config.ClassLimit {
		r.incoming--
	}
	n.returnCredit(in)
}

// returnCredit tells the neighbour that a slot of an input stage is free; it counts from the next cycle.
func (n *Network) returnCredit(in *input) {
	up := int(in.upstream)
	o := &n.output[up]
	if o.credits == 0 {
		from := up / n.ports
		n.armAt(from, n.outputUnits()+up-from*n.ports, n.now+1)
	}
	o.credits++
	o.returned = n.now
}

// mayTake tells whether a header may use a ring at all: ordered packets are bound to one by their input.
func (n *Network) mayTake(ring, p int, h *header) bool {
	return h.origin&orderedFlag == 0 || int(n.toPlus>>p&1) == ring
}

// admitting is the set of rings whose segment at port p has enough free slots for the header.
func (n *Network) admitting(id, p, least int, h *header) (set uint8) {
	for ring := range rings {
		if int(n.segment[id*n.segments+ring*n.ports+p].free) >= least && n.mayTake(ring, p, h) {
			set |= 1 << ring
		}
	}
	return set
}

// pickRing is the ring choice of ref 2.5 among the rings that admit a header.
func (n *Network) pickRing(id, p int, admits uint8, h *header) int {
	if admits != 1<<rings-1 {
		return int(admits >> 1)
	}
	free0 := n.segment[id*n.segments+p].free
	free1 := n.segment[id*n.segments+n.ports+p].free
	if free0 != free1 {
		return choose(free1 > free0)
	}
	return n.chooseRing(id, p, h)
}

// intoRing grants a header a slot of the segment of port p, where it can be examined after some cycles.
func (n *Network) intoRing(id int, r *router, p, ring int, h *header, cycles int) {
	r.used++
	r.free[ring]--
	r.count.entries++
	r.count.entryPhits += uint64(h.phits)
	in := &n.input[id*n.ports+p]
	if in.inside++; in.inside >= hysteresisRelaxed {
		in.tight = false
	}
	if h.origin&orderedFlag != 0 {
		in.ordered = true
	}
	h.turns = 1
	n.write(id, r, ring*n.ports+p, h, cycles)
}

// starve notes that both rings have refused the head of input p in this cycle.
func (n *Network) starve(id int, r *router, p int, in *input) {
	if !n.config.EntryHold {
		return
	}
	if in.waiting == noc.Never {
		in.waiting = n.now
	}
	refused := int(n.now-in.waiting) + 1
	if refused >= n.config.HoldAfter {
		r.expired |= 1 << p
		return
	}
	n.arm(id, r, n.inputUnits()+p, min(n.config.HoldAfter-refused, 1<<n.dueShift-1))
}

// releaseHold ends what input p asked for or had as a starving input.
func (n *Network) releaseHold(id int, r *router, p int) {
	r.expired &^= 1 << p
	for ring, holder := range r.holder {
		if int(holder) == p {
			n.dropHold(id, r, ring)
		}
	}
}

func (n *Network) dropHold(id int, r *router, ring int) {
	s := ring*n.ports + int(r.holder[ring])
	r.holder[ring] = -1
	if before := n.previous[s]; r.blockedTurn>>before&1 != 0 {
		n.arm(id, r, int(before), 1)
	}
}

// hold decides, at the end of a cycle, which segment of each ring refuses ring traffic from the next
// cycle on, so that a second slot comes free for a starving input (ref 2.10, rule 2). A ring that has no
// free slot elsewhere must not be held: it would stop.
func (n *Network) hold(id int, r *router) {
	for ring := range rings {
		spare := int(r.free[ring]) >= n.config.EnterSlots
		if r.holder[ring] >= 0 {
			if !spare {
				n.dropHold(id, r, ring)
			}
			continue
		}
		if !spare {
			continue
		}
		longest := noc.Never
		for m := r.expired; m != 0; m &= m - 1 {
			p := bits.TrailingZeros32(m)
			in := &n.input[id*n.ports+p]
			free := int(n.segment[id*n.segments+ring*n.ports+p].free)
			head := &n.inputHeaders(id*n.ports + p)[in.queue.head]
			if free == n.config.EnterSlots-1 && in.waiting < longest && n.mayTake(ring, p, head) {
				longest = in.waiting
				r.holder[ring] = int8(p)
			}
		}
	}
}

// publishLoad makes the occupancies that neighbours see in this cycle for the class limit.
func (n *Network) publishLoad() {
	for i := range n.routers {
		n.load[i] = n.ownLoad(&n.routers[i])
	}
}

func (n *Network) ownLoad(r *router) int32 {
	load := int32(r.used)
	if n.config.ClassScope == InflightScope {
		load += r.incoming
	}
	return load
}

// classRoom is the occupancy below which class c is admitted (ref 2.7).
func (n *Network) classRoom(c noc.Class) int32 {
	return int32(n.segments*n.segmentSlots - n.config.ClassStep*(n.config.Classes-1-int(c)))
}

// refused is the class limit at an output stage; consumption is never limited.
func (n *Network) refused(o *output, c noc.Class) bool {
	return o.peer >= 0 && n.load[o.peer] >= n.classRoom(c)
}
