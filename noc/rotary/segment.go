package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// laneHeaders is the header row of one lane of a segment.
func (n *Network) laneHeaders(segment, lane int) []header {
	from := (segment*2 + lane) * n.segmentSlots
	return n.segmentRow[from : from+n.segmentSlots : from+n.segmentSlots]
}

// verdict is what the rules grant a header at the head of a lane.
type verdict uint8

const (
	wait    verdict = iota
	turn            // to the next segment of the ring
	eject           // whole, to the output stage
	replica         // a copy to the output stage; the original asks for the ring with what is left
)

// arbitrate examines the heads of the given segments. Turns are decided on the counts at the start of
// the cycle and carried out when all segments have decided, so that the order of segments decides
// nothing. It returns the units that may use what was freed, and the segments that were written.
func (n *Network) arbitrate(id int, r *router, segments uint32) (look uint64, wrote uint32) {
	base := id * n.segments
	n.relook = 0
	var left, turned uint32
	for m := segments; m != 0; m &= m - 1 {
		s := bits.TrailingZeros32(m)
		seg := &n.segment[base+s]
		r.blockedTurn &^= 1 << s
		r.blockedOut &^= 1 << s
		first := int(seg.first)
		for _, lane := range [2]int{first, 1 - first} {
			if seg.lanes[lane].size == 0 || seg.laneBusy[lane] > n.now {
				continue
			}
			switch n.moveHead(id, r, s, lane) {
			case wait:
				continue
			case turn:
				turned |= 1 << s
			}
			left |= 1 << s
			seg.leaving++
		}
	}
	for m := left; m != 0; m &= m - 1 {
		s := bits.TrailingZeros32(m)
		seg := &n.segment[base+s]
		seg.free += seg.leaving
		seg.leaving = 0
		if before := n.previous[s]; r.blockedTurn>>before&1 != 0 {
			n.arm(id, r, int(before), 1)
		}
		look |= 1 << (n.inputUnits() + int(n.portOf[s]))
	}
	if left != 0 {
		look |= n.relook | 1<<(n.inputUnits()+topology.Local) // it may wait for the rings to empty
	}
	for m := turned; m != 0; m &= m - 1 {
		s := bits.TrailingZeros32(m)
		next := int(n.next[s])
		r.count.turns++
		r.count.turnPhits += uint64(n.turning[s].phits)
		n.write(id, r, next, &n.turning[s], 2)
		wrote |= 1 << next
	}
	return look, wrote
}

// moveHead applies the rules to the head of one lane and tells whether the header left the segment.
func (n *Network) moveHead(id int, r *router, s, lane int) verdict {
	seg := &n.segment[id*n.segments+s]
	row := n.laneHeaders(id*n.segments+s, lane)
	h := &row[seg.lanes[lane].head]
	if h.ready > n.now {
		return wait
	}
	p := int(n.feeds[s])
	granted := n.ask(id, r, s, p, h)
	if granted == turn && !n.mayTurn(id, r, s) {
		return wait
	}
	phits := noc.Cycle(h.phits)
	n.arm(id, r, s, int(phits))
	switch granted {
	case turn:
		n.leaveToRing(seg, s, h)
	case eject:
		seg.outBusy = n.now + phits
		r.count.ejectPhits += uint64(phits)
		n.departRing(id, r, s, h)
		n.toOutput(id, r, s, p, h)
	case replica:
		seg.outBusy = n.now + phits
		r.count.ejectPhits += uint64(phits)
		n.replicate(id, r, s, p, h)
		if !n.mayTurn(id, r, s) {
			return wait // it keeps its slot, and asks for the ring again
		}
		r.count.dualPhits += uint64(phits)
		n.leaveToRing(seg, s, h)
		granted = turn
	}
	seg.lanes[lane].drop(row)
	seg.first = uint8(1 - lane)
	seg.laneBusy[lane] = n.now + phits
	if !n.config.LaneBlock {
		seg.laneBusy[lane] = n.now + 1
		n.arm(id, r, s, 1)
	}
	return granted
}

// ask applies rows 1 to 6 of ref 3.1 (fig. 5 of the paper) to a header at segment s, which drains to
// output p.
func (n *Network) ask(id int, r *router, s, p int, h *header) verdict {
	lost := p != topology.Local && int(h.turns) > n.missLimit && h.origin&orderedFlag == 0 // rule 3
	var profitable, whole bool
	if h.only != several {
		profitable = h.ports>>p&1 != 0
		whole = true
	} else {
		profitable, whole = n.compare(id, p, h)
	}
	if !profitable && !lost {
		return turn
	}
	o := &n.output[id*n.ports+p]
	ring := int(n.ringOf[s])
	seg := &n.segment[id*n.segments+s]
	if o.free[ring] == 0 || (n.config.ClassLimit && n.refused(o, h.class)) {
		r.blockedOut |= 1 << s
		return turn
	}
	switch {
	case seg.outBusy > n.now:
		return turn
	case profitable && whole:
		return eject
	case lost:
		r.count.misroutes++
		return eject
	case p == topology.Local || n.maySplit(o, ring):
		return replica
	case int(h.turns) <= n.pruneAfter:
		r.blockedOut |= 1 << s
		return turn
	}
	return eject
}

// compare tells whether port p is profitable for some destinations, and for all.
func (n *Network) compare(id, p int, h *header) (some, all bool) {
	all = true
	for i, w := range n.worms.Set(h.worm) {
		m := n.maskWord(id, p, i)
		some = some || w&m != 0
		all = all && w&^m == 0
	}
	return some, all
}

// maySplit is rule 4 for a network port. Callers have made sure that the lane has a free slot.
func (n *Network) maySplit(o *output, ring int) bool {
	space := int(o.free[ring])
	if n.config.Rule4Scope == StageScope {
		space = int(o.free[0]) + int(o.free[1])
	}
	return space >= n.config.ReplicateSlots
}

// mayTurn tells whether the next segment of the ring takes a header of segment s, on the counts at the
// start of the cycle; if not for time, it notes that the segment waits for space.
func (n *Network) mayTurn(id int, r *router, s int) bool {
	base := id * n.segments
	seg := &n.segment[base+s]
	if seg.ringBusy > n.now {
		return false
	}
	to := int(n.next[s])
	free := n.segment[base+to].free
	if int(free) >= n.config.TurnSlots && int(r.holder[n.ringOf[s]]) != int(n.portOf[to]) &&
		(!n.config.RingTurnBalance || free >= seg.free) {
		return true
	}
	r.blockedTurn |= 1 << s
	return false
}

// leaveToRing puts a header aside until all segments have decided.
func (n *Network) leaveToRing(seg *segment, s int, h *header) {
	seg.ringBusy = n.now + noc.Cycle(h.phits)
	n.turning[s] = *h
	if h.turns < never {
		n.turning[s].turns++
	}
}

// write puts a header into segment s, into the lane that is not being written, else the shorter one,
// else the one that sends first.
func (n *Network) write(id int, r *router, s int, h *header, cycles int) {
	at := id*n.segments + s
	seg := &n.segment[at]
	lane := int(seg.first)
	switch a, b := seg.written[0] > n.now, seg.written[1] > n.now; {
	case a != b:
		lane = choose(a)
	case seg.lanes[0].size != seg.lanes[1].size:
		lane = choose(seg.lanes[1].size < seg.lanes[0].size)
	}
	h.ready = n.now + noc.Cycle(cycles)
	seg.free--
	seg.written[lane] = n.now + noc.Cycle(h.phits)
	seg.lanes[lane].push(n.laneHeaders(at, lane), h)
	n.arm(id, r, s, cycles)
	if r.blockedTurn>>s&1 != 0 { // with less space of its own it may pass the balance rule
		n.arm(id, r, s, 1)
	}
}

// departRing gives back what a header held on the rings when it leaves them.
func (n *Network) departRing(id int, r *router, s int, h *header) {
	r.used--
	r.free[n.ringOf[s]]++
	from := int(h.origin &^ orderedFlag)
	in := &n.input[id*n.ports+from]
	in.inside--
	if h.origin&orderedFlag != 0 {
		in.ordered = false
		n.relook |= 1 << (n.inputUnits() + from)
	}
	if n.config.EntryHysteresis && in.inside < hysteresisTight {
		in.tight = true
	}
}

// toOutput puts a header into the lane of output p that segment s feeds.
func (n *Network) toOutput(id int, r *router, s, p int, h *header) {
	at, ring := id*n.ports+p, n.ringOf[s]
	o := &n.output[at]
	h.ready = n.now + 2
	o.free[ring]--
	o.lanes[ring].push(n.lane(at, int(ring)), h)
	n.arm(id, r, n.outputUnits()+p, 2)
	if n.config.ClassLimit && p != topology.Local {
		n.routers[o.peer].incoming++
	}
}

// replicate splits off a copy for the destinations that output p of segment s serves; the original keeps
// the others. Both headers are rewritten on the fly.
func (n *Network) replicate(id int, r *router, s, p int, h *header) {
	c := *h
	c.worm = n.worms.New(*n.worms.At(h.worm))
	kept, taken := n.worms.Set(h.worm), n.worms.Set(c.worm)
	for i := range kept {
		m := n.maskWord(id, p, i)
		taken[i] = kept[i] & m
		kept[i] &^= m
	}
	n.setOnly(h)
	n.route(id, h)
	n.setOnly(&c)
	n.toOutput(id, r, s, p, &c)
	r.residents++
	r.count.replications++
	n.buffered += uint64(h.phits)
}
