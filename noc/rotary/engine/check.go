package engine

import (
	"errors"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// mustHold panics when a law is broken. It is called after every cycle in builds with the tag
// invariants.
func (n *Network) mustHold() {
	if err := n.CheckInvariants(); err != nil {
		panic(err)
	}
}

// must panics when a decision breaks a law.
func (n *Network) must(holds bool, law string, id int) {
	if !holds {
		panic(fmt.Sprintf("rotary: cycle %d, router %d: %s", n.now, id, law))
	}
}

// CheckInvariants verifies the laws that a state can break. Decisions are verified where they are
// made, in builds with the tag invariants.
func (n *Network) CheckInvariants() (err error) {
	n.asSets(func() { err = n.checkSets() })
	return err
}

// checkSets is CheckInvariants for banks in sets.
func (n *Network) checkSets() error {
	surplus := 0
	for id := range n.Nodes() {
		b, _ := n.bankOf(id)
		rings, err := n.checkRings(b, id&63)
		if err != nil {
			return fmt.Errorf("rotary: cycle %d, router %d: %w", n.now, id, err)
		}
		ports, err := n.checkPorts(b, id&63)
		if err != nil {
			return fmt.Errorf("rotary: cycle %d, router %d: %w", n.now, id, err)
		}
		surplus += rings + ports
	}
	for i := range n.banks {
		if what := n.banks[i].lacks(); what != "" {
			return fmt.Errorf("rotary: cycle %d, routers from %d on: nobody will look at %s", n.now, n.banks[i].first, what)
		}
	}
	if surplus < 1 && !n.unlimited && !n.tree {
		return fmt.Errorf("rotary: cycle %d: no spare slot in the network (law 3)", n.now)
	}
	if err := n.checkPlaces(); err != nil {
		return fmt.Errorf("rotary: cycle %d, %w", n.now, err)
	}
	return n.checkConservation()
}

// checkRings verifies laws 1 and 2.
func (n *Network) checkRings(b *bank, r int) (surplus int, err error) {
	for ring := range rings {
		total, held := 0, 0
		for p := range n.ports {
			x := &b.segment[ring*n.ports+p]
			free := x.free.of(r, n.planes)
			if free+x.lanes.length(r)+x.lanes.length(64|r) != n.segmentSlots {
				return 0, fmt.Errorf("ring %d segment %d has %d free slots and %d+%d packets (law 1)",
					ring, p, free, x.lanes.length(r), x.lanes.length(64|r))
			}
			total += free
			held += int(b.input[p].holds[ring] >> r & 1)
		}
		if total < 1 {
			return 0, fmt.Errorf("ring %d has %d free slots (law 2)", ring, total)
		}
		if held > 1 || held > 0 && total < n.config.EnterSlots {
			return 0, fmt.Errorf("ring %d is held %d times with %d free slots (law 2)", ring, held, total)
		}
		surplus += total - 1
	}
	if err := n.checkAged(b, r); err != nil {
		return 0, err
	}
	for s := range n.segments {
		for lane := range 2 {
			if err := n.checkLane(b, r, s, lane); err != nil {
				return 0, fmt.Errorf("segment %d lane %d %w", s, lane, err)
			}
		}
	}
	return surplus, nil
}

// checkLane verifies that the packets of a lane are counted, and that a header that may move is
// there and noted as it stands in its lane.
func (n *Network) checkLane(b *bank, r, s, lane int) error {
	x, i := &b.segment[s], lane<<6|r
	if size := x.size[lane].of(r, n.planes); size != x.lanes.length(i) {
		return fmt.Errorf("has %d packets, %d noted", x.lanes.length(i), size)
	}
	if x.ready[lane]>>r&1 != 0 && x.lanes.length(i) == 0 {
		return errors.New("shows a header and is empty")
	}
	if n.heads(x, lane)>>r&1 == 0 {
		return nil
	}
	k := *x.lanes.front(i)
	if ready := x.lanes.at(i, x.lanes.queue[i].head).since; ready > n.now {
		return fmt.Errorf("shows a header that is there from cycle %d on", ready)
	}
	if x.wants[lane]>>r&1 != 0 != k.wants(n.feeds[s]) {
		return errors.New("shows a header that is noted otherwise")
	}
	if n.routed(b.first+r, k) != k {
		return fmt.Errorf("shows a header with outputs %b", k&served)
	}
	return nil
}

// checkAged counts the aged packets on a router's rings.
func (n *Network) checkAged(b *bank, r int) error {
	var of [noc.MaxClasses]uint8
	classes := uint8(0)
	for s := range n.segments {
		for i := r; i < 128; i += 64 {
			b.segment[s].lanes.each(i, func(k packet, _ noc.Cycle) {
				if k.turns() > n.missLimit && k&orderedBit == 0 {
					of[k.class()]++
					classes |= 1 << k.class()
				}
			})
		}
	}
	if x := &b.router[r]; of != x.agedOf || classes != x.aged || (classes != 0) != (b.aged>>r&1 != 0) {
		return fmt.Errorf("%v aged packets per class, %v noted", of, x.agedOf)
	}
	return nil
}

// checkPlaces counts the packets in and towards every router against the places that are noted, and
// these against the limits of the classes.
func (n *Network) checkPlaces() error {
	if n.unlimited {
		return nil // they have no limits
	}
	if n.held == nil {
		n.held = make([]perClass, n.Nodes())
	}
	held := n.held
	clear(held)
	count := func(id int) func(packet, noc.Cycle) { return func(k packet, _ noc.Cycle) { held[id][k.class()]++ } }
	for id := range n.Nodes() {
		b, r := &n.banks[id>>6], id&63
		for s := range n.segments {
			for i := r; i < 128; i += 64 {
				b.segment[s].lanes.each(i, count(id))
			}
		}
		for p := 1; p < n.ports; p++ {
			if peer := b.output[p].peer[r]; peer >= 0 {
				n.eachWaiting(b, r, p, count(id), count(int(peer)))
			}
		}
	}
	for id := range held {
		sum := int16(0)
		for c, k := range held[id] {
			if sum += k; sum > n.limits[c] {
				return fmt.Errorf("router %d: packets of classes up to %d hold %d places of %d", id, c, sum, n.limits[c])
			}
			if noted := n.places[id].upTo(c); noted != sum {
				return fmt.Errorf("router %d: packets of classes up to %d hold %d places, %d noted", id, c, sum, noted)
			}
		}
	}
	return nil
}

// checkPorts verifies law 1 for input and output stages and returns their free slots.
func (n *Network) checkPorts(b *bank, r int) (free int, err error) {
	for p := range n.ports {
		o := &b.output[p]
		if o.peer[r] < 0 && p != topology.Local {
			continue
		}
		for ring := range rings {
			places := n.laneSlots - o.lanes.length(ring<<6|r)
			if places < 0 {
				return 0, fmt.Errorf("output stage %d lane %d has %d free slots (law 1)", p, ring, places)
			}
			if n.unlimited && places > 0 && n.overflow.lanes[n.overflowLane(b.first+r, p, ring)].first != none {
				return 0, fmt.Errorf("output stage %d lane %d has %d free slots and packets beyond them", p, ring, places)
			}
			if (places > 0 || n.unlimited) != (b.segment[n.feeder(p, ring)].outRoom>>r&1 != 0) {
				return 0, fmt.Errorf("output stage %d lane %d has %d free slots, noted otherwise", p, ring, places)
			}
			if p != topology.Local { // a slot of the way to the node is of no use to a packet for another one
				free += places
			}
		}
		if p == topology.Local {
			continue
		}
		if (o.credits[r] > 0) != ((o.credited|o.refilled[n.now&1])>>r&1 != 0) {
			return 0, fmt.Errorf("link %d has %d credits, noted otherwise", p, o.credits[r])
		}
		peer := int(o.peer[r])
		waiting := n.banks[peer>>6].input[o.entry].stage.length(peer & 63)
		if int(o.credits[r])+waiting != n.inputSlots {
			return 0, fmt.Errorf("link %d has %d credits and %d packets downstream (law 1)", p, o.credits[r], waiting)
		}
		free += int(o.credits[r])
	}
	return free, nil
}

// checkConservation verifies law 6 as sums: every destination accepted is delivered, in a packet
// inside, or still at its source.
func (n *Network) checkConservation() error {
	var err error
	owed, phits := 0, uint64(0)
	for id := range n.headers {
		h := &n.headers[id]
		if h.worm == fabric.NoWorm {
			continue
		}
		members := n.count(h)
		if one := h.flags&(severalFlag|moreFlag) == 0; members == 0 || (members == 1) != one {
			err = fmt.Errorf("rotary: cycle %d: a packet with %d destinations, flags %b (law 6)", n.now, members, h.flags)
		}
		owed += members
		phits += uint64(n.worms.At(h.worm).Phits)
	}
	if err != nil {
		return err
	}
	if phits != n.buffered {
		return fmt.Errorf("rotary: cycle %d: %d phits inside, %d noted (law 6)", n.now, phits, n.buffered)
	}
	packets, queued := n.sources.Waiting()
	if want := n.sources.Owed() - int(n.sinks.Delivered()); owed+queued != want {
		return fmt.Errorf("rotary: cycle %d: %d destinations inside and %d at sources, want %d (law 6)", n.now, owed, queued, want)
	}
	return n.checkWorms(packets)
}

// checkWorms verifies that each worm awaits as many deliveries as the headers that share it owe
// destinations, and that the arena keeps nothing besides those and the packets in source queues.
func (n *Network) checkWorms(queued int) error {
	clear(n.owing)
	for i := range n.headers {
		h := &n.headers[i]
		if h.worm == fabric.NoWorm {
			continue
		}
		for int(h.worm) >= len(n.owing) {
			n.owing = append(n.owing, 0)
		}
		n.owing[h.worm] += n.count(h)
	}
	worms := 0
	for id, owed := range n.owing {
		if owed == 0 {
			continue
		}
		if worms++; owed != n.worms.Awaited(fabric.WormID(id)) {
			return fmt.Errorf("rotary: cycle %d: copies of a packet owe %d destinations, %d awaited", n.now, owed, n.worms.Awaited(fabric.WormID(id)))
		}
	}
	if live := n.worms.Live(); live != worms+queued {
		return fmt.Errorf("rotary: cycle %d: %d worms for %d packets inside and %d at sources", n.now, live, worms, queued)
	}
	if rows := n.worms.LiveRows(); rows > 0 && worms+queued == 0 {
		return fmt.Errorf("rotary: cycle %d: %d rows of destinations for no packet", n.now, rows)
	}
	return nil
}

// mayLeave reports whether the rules let a packet leave whole by an output (law 7).
func (n *Network) mayLeave(id, p int, k packet) bool {
	some, all := n.compare(id, p, k)
	return all || n.aged(p, k) || (some && k.turns() > n.pruneAfter)
}

// admissible reports whether the rules let packets take a slot of the segments of port p (law 7).
func (n *Network) admissible(b *bank, p, ring int, set uint64) bool {
	least := n.config.EnterSlots
	if p == topology.Local && !n.config.ClassLimit {
		least = n.config.InjectSlots
	} else if p == topology.Local {
		least = min(least, n.config.InjectSlots)
	}
	for m := set; p == topology.Local && m != 0; m &= m - 1 {
		if n.used(b, first(m)) >= n.injectLimit {
			return false
		}
	}
	need := newLeast(least)
	return set&^b.segment[ring*n.ports+p].free.atLeast(&need, n.planes) == 0
}
