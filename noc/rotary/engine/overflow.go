package engine

import "github.com/carousel-sim/carousel/noc"

// overflow is what the lanes of unlimited output stages hold beyond their slots: a FIFO per lane.
// The FIFOs are lists in one array, which grows to the most that has waited in the whole network
// and then no more. While a FIFO holds anything its lane is full: send refills the slot that it
// frees.
type overflow struct {
	lanes  []overflowLane // two per port of every router
	list   []overflowing
	unused int32 // the first of the list of unused entries, or none
}

type overflowLane struct{ first, last int32 } // none: empty

type overflowing struct {
	packet
	since noc.Cycle // it has been there
	next  int32
}

const none = -1

func newOverflow(lanes int) *overflow {
	v := &overflow{lanes: make([]overflowLane, lanes), unused: none}
	for i := range v.lanes {
		v.lanes[i] = overflowLane{none, none}
	}
	return v
}

func (v *overflow) push(lane int, p packet, since noc.Cycle) {
	k := v.unused
	if k == none {
		k = int32(len(v.list))
		v.list = append(v.list, overflowing{})
	} else {
		v.unused = v.list[k].next
	}
	v.list[k] = overflowing{p, since, none}
	l := &v.lanes[lane]
	if l.first == none {
		l.first = k
	} else {
		v.list[l.last].next = k
	}
	l.last = k
}

// pop takes the first packet of a lane.
func (v *overflow) pop(lane int) (packet, noc.Cycle) {
	l := &v.lanes[lane]
	k := l.first
	l.first = v.list[k].next
	v.list[k].next, v.unused = v.unused, k
	return v.list[k].packet, v.list[k].since
}

// overflowLane is the index of a lane.
func (n *Network) overflowLane(id, p, ring int) int { return (id*n.ports+p)*rings + ring }

// spill moves those of n.packets of some routers that find their lane full into the overflow, and
// returns the others.
func (n *Network) spill(b *bank, p, ring int, set uint64) uint64 {
	for m := set; m != 0; m &= m - 1 {
		if r := first(m); b.output[p].lanes.length(ring<<6|r) == n.laneSlots {
			n.overflow.push(n.overflowLane(b.first+r, p, ring), n.packets[r], n.now+2)
			set &^= m & -m
		}
	}
	return set
}

// refill gives the slots that lanes of some routers have just freed to the first packets that wait
// beyond them, and tells where. Those were granted in earlier cycles, so they are there before the
// links are idle again.
func (n *Network) refill(b *bank, p int, set, lanes uint64) (filled uint64) {
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		ring := int(lanes >> r & 1)
		if lane := n.overflowLane(b.first+r, p, ring); n.overflow.lanes[lane].first != none {
			k, since := n.overflow.pop(lane)
			b.output[p].lanes.push(ring<<6|r, k, since)
			filled |= m & -m
		}
	}
	return filled
}

// eachOverflowing calls visit for the packets that wait beyond a lane, from the first.
func (n *Network) eachOverflowing(id, p, ring int, visit func(k packet, since noc.Cycle)) {
	for k := n.overflow.lanes[n.overflowLane(id, p, ring)].first; k != none; k = n.overflow.list[k].next {
		visit(n.overflow.list[k].packet, n.overflow.list[k].since)
	}
}
