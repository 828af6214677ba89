package rotary

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// mustHold panics when a law of ref 8 is broken. It is called after every cycle in builds with the tag
// invariants.
func (n *Network) mustHold() {
	if err := n.check(); err != nil {
		panic(err)
	}
}

// must panics when a decision breaks a law of ref 8.
func (n *Network) must(holds bool, law string, id int) {
	if !holds {
		panic(fmt.Sprintf("rotary: cycle %d, router %d: %s", n.now, id, law))
	}
}

// check verifies the laws of ref 8 that a state can break; decisions are verified where they are made.
func (n *Network) check() error {
	surplus := 0
	for id := range n.routers {
		rings, err := n.checkRings(id)
		if err != nil {
			return fmt.Errorf("rotary: cycle %d, router %d: %w", n.now, id, err)
		}
		ports, err := n.checkPorts(id)
		if err != nil {
			return fmt.Errorf("rotary: cycle %d, router %d: %w", n.now, id, err)
		}
		surplus += rings + ports
	}
	if surplus < 1 && !n.unlimited && !n.tree {
		return fmt.Errorf("rotary: cycle %d: no spare slot in the network (I6)", n.now)
	}
	if err := n.checkPlaces(); err != nil {
		return fmt.Errorf("rotary: cycle %d, %w", n.now, err)
	}
	return n.checkConservation()
}

// checkRings verifies I4, I5 and I14b and returns the free slots beyond one per ring.
func (n *Network) checkRings(id int) (surplus int, err error) {
	r := &n.routers[id]
	used := 0
	for ring := range rings {
		total := 0
		for p := range n.ports {
			s := ring*n.ports + p
			seg, free := &r.segment[s], int(r.free[s])
			if free < 0 || free+int(seg.lanes[0].size)+int(seg.lanes[1].size) != n.segmentSlots {
				return 0, fmt.Errorf("ring %d segment %d has %d free slots and %d+%d packets (I4)",
					ring, p, free, seg.lanes[0].size, seg.lanes[1].size)
			}
			if (free >= n.config.EnterSlots) != (n.enterable(r)>>s&1 != 0) {
				return 0, fmt.Errorf("ring %d segment %d has %d free slots, noted otherwise", ring, p, free)
			}
			if ahead := r.free[n.next[s]]; r.ahead[s] != ahead {
				return 0, fmt.Errorf("ring %d segment %d has %d free slots ahead, %d noted", ring, p, ahead, r.ahead[s])
			}
			total += free
			used += n.segmentSlots - free
		}
		if total < 1 || total != int(r.ringFree[ring]) {
			return 0, fmt.Errorf("ring %d has %d free slots, %d noted (I5)", ring, total, r.ringFree[ring])
		}
		if r.holder[ring] >= 0 && total < n.config.EnterSlots {
			return 0, fmt.Errorf("ring %d is held with %d free slots (I14b)", ring, total)
		}
		surplus += total - 1
	}
	if err := n.checkLost(r); err != nil {
		return 0, err
	}
	if err := n.checkHeads(r); err != nil {
		return 0, err
	}
	if used != int(r.used) {
		return 0, fmt.Errorf("%d ring slots in use, %d noted", used, r.used)
	}
	return surplus, nil
}

// checkHeads verifies that every header that may move is there, and is flagged as it stands in its lane; and
// that the router wakes up for every one that only waits for the packet before it to leave.
func (n *Network) checkHeads(r *router) error {
	for s := range n.segments {
		for lane, q := range r.segment[s].lanes {
			at := bitOf(s, lane)
			if r.ready>>at&1 != 0 && q.size == 0 {
				return fmt.Errorf("segment %d lane %d shows a header and is empty", s, lane)
			}
			until := r.segment[s].until[lane] & agendaBits
			if r.ready&r.hidden>>at&1 != 0 && r.must>>until&(uint32(r.agenda[until].left>>at)&1) == 0 {
				return fmt.Errorf("segment %d lane %d has a header that nothing will show", s, lane)
			}
			if r.head>>at&1 == 0 {
				continue
			}
			k := q.front(n.segmentLane(r, s, lane))
			if ready := r.headers[k&row].ready; ready >= n.now {
				return fmt.Errorf("segment %d lane %d shows a header that is there from cycle %d on", s, lane, ready)
			}
			if r.want>>at&1 != k.wanted() || r.many>>at&1 != k.many() {
				return fmt.Errorf("segment %d lane %d shows a header with wrong flags", s, lane)
			}
		}
	}
	return nil
}

// checkLost counts the lost packets on a router's rings.
func (n *Network) checkLost(r *router) error {
	var of [noc.MaxClasses]uint8
	classes := uint8(0)
	for s := range n.segments {
		for lane, q := range r.segment[s].lanes {
			list := n.segmentLane(r, s, lane)
			for k := range int(q.size) {
				h := &r.headers[*list.at(q.head + uint8(k))&row]
				if int(h.turns) > n.missLimit && h.origin&orderedFlag == 0 {
					of[h.class]++
					classes |= 1 << h.class
				}
			}
		}
	}
	if of != r.lostOf || classes != r.lost {
		return fmt.Errorf("%v lost packets per class, %v noted", of, r.lostOf)
	}
	return nil
}

// checkPlaces counts the packets in and towards every router against the places that are noted, and these
// against the limits of the classes.
func (n *Network) checkPlaces() error {
	if n.unlimited {
		return nil // what waits in an overflow is not visited here
	}
	if n.checked == nil {
		n.checked = make([]perClass, len(n.routers))
	}
	held := n.checked
	clear(held)
	for id := range n.routers {
		r := &n.routers[id]
		count := func(at int, q queue, list rowsOf) {
			for k := range int(q.size) {
				held[at][r.headers[*list.at(q.head + uint8(k))&row].class]++
			}
		}
		for s := range n.segments {
			count(id, r.segment[s].lanes[0], n.segmentLane(r, s, 0))
			count(id, r.segment[s].lanes[1], n.segmentLane(r, s, 1))
		}
		for p := 1; p < n.ports; p++ {
			count(id, r.input[p].queue, n.inputLane(r, p))
			if peer := r.output[p].peer; peer >= 0 {
				count(int(peer), r.output[p].lanes[0], n.outputLane(r, p, 0))
				count(int(peer), r.output[p].lanes[1], n.outputLane(r, p, 1))
			}
		}
	}
	for id := range held {
		if held[id] != n.routers[id].places {
			return fmt.Errorf("router %d: packets of the classes hold %v places, %v noted", id, held[id], n.routers[id].places)
		}
		sum := int16(0)
		for c, k := range held[id] {
			if sum += k; sum > n.limits[c] {
				return fmt.Errorf("router %d: packets of classes up to %d hold %d places of %d", id, c, sum, n.limits[c])
			}
		}
	}
	return nil
}

// checkPorts verifies I3 and I4 of input and output stages and returns their free slots.
func (n *Network) checkPorts(id int) (free int, err error) {
	for p := range n.ports {
		o := &n.routers[id].output[p]
		if o.peer < 0 && p != topology.Local {
			continue
		}
		for ring := range rings {
			if int(o.free[ring])+int(o.lanes[ring].size) != n.laneSlots {
				return 0, fmt.Errorf("output stage %d lane %d has %d free slots and %d packets (I4)", p, ring, o.free[ring], o.lanes[ring].size)
			}
			if n.unlimited && o.free[ring] > 0 && n.overflow.lanes[n.overflowLane(id, p, ring)].first != none {
				return 0, fmt.Errorf("output stage %d lane %d has %d free slots and packets beyond them", p, ring, o.free[ring])
			}
			if (o.free[ring] > 0 || n.unlimited) != (n.routers[id].outRoom>>n.feeder(p, ring)&1 != 0) {
				return 0, fmt.Errorf("output stage %d lane %d has %d free slots, noted otherwise", p, ring, o.free[ring])
			}
		}
		if p == topology.Local { // a slot of the way to the node is of no use to a packet for another one
			continue
		}
		free += int(o.free[0]) + int(o.free[1])
		known := n.routers[id].credited | n.routers[id].refilled[n.now&1]
		if (o.credits > 0) != (known>>p&1 != 0) {
			return 0, fmt.Errorf("link %d has %d credits, noted otherwise", p, o.credits)
		}
		in := &n.routers[o.peer].input[o.entry]
		if int(o.credits)+int(in.queue.size) != n.inputSlots {
			return 0, fmt.Errorf("link %d has %d credits and %d packets downstream (I3)", p, o.credits, in.queue.size)
		}
		free += int(o.credits)
	}
	return free, nil
}

// checkConservation verifies I1 and I2 as sums: every destination accepted is delivered, in a packet
// inside, or still at its source.
func (n *Network) checkConservation() error {
	var err error
	owed, phits := 0, uint64(0)
	for id := range n.routers {
		n.eachHeader(id, func(h *header) {
			members := n.worms.Count(h.worm)
			if one := h.only != several && h.origin&moreFlag == 0; members == 0 || (members == 1) != one {
				err = fmt.Errorf("rotary: cycle %d: a packet with %d destinations, only %d (I9)", n.now, members, h.only)
			}
			owed += members
			phits += uint64(h.phits)
		})
	}
	if err != nil {
		return err
	}
	if phits != n.buffered {
		return fmt.Errorf("rotary: cycle %d: %d phits inside, %d noted (I1)", n.now, phits, n.buffered)
	}
	_, queued := n.sources.Waiting()
	if want := n.sources.Owed() - int(n.sinks.Delivered()); owed+queued != want {
		return fmt.Errorf("rotary: cycle %d: %d destinations inside and %d at sources, want %d (I2)", n.now, owed, queued, want)
	}
	return nil
}

// mayLeave tells whether the rules let a packet leave whole by an output: I15.
func (n *Network) mayLeave(id, p int, h *header) bool {
	some, all := n.compare(id, p, h)
	return all || n.lost(p, h) || (some && int(h.turns) > n.pruneAfter)
}

// admissible tells whether the rules let a packet take a slot of the segments of port p: I7 and I12.
func (n *Network) admissible(r *router, p, ring int) bool {
	free := int(r.free[ring*n.ports+p])
	if p == topology.Local {
		least := n.config.InjectSlots
		if n.config.ClassLimit {
			least = min(least, n.config.EnterSlots)
		}
		return free >= least && int(r.used) < n.injectLimit
	}
	return free >= n.config.EnterSlots
}

// partition tells whether the sets of two packets, not yet settled, are disjoint and not empty: I9.
func (n *Network) partition(a, b fabric.WormID) bool {
	first, some, other := n.worms.Set(a), uint64(0), uint64(0)
	for i, w := range n.worms.Set(b) {
		if first[i]&w != 0 {
			return false
		}
		some |= first[i]
		other |= w
	}
	return some != 0 && other != 0
}
