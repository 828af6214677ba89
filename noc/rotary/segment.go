package rotary

import "github.com/carousel-sim/carousel/noc"

// turn is a header between two segments.
type turn struct {
	from   *slot
	to     *segment
	dual   bool // a copy of it leaves to the output
	packet *packet
}

// arbitrate is rule 10: it decides for the heads of all segments of a router, on the counts of free
// slots at the start of the cycle, so the order of segments decides only which packet is first at
// an output stage. Then the turns are made.
func (n *Network) arbitrate(r *router) {
	for ring := range r.segments {
		for p := range r.segments[ring] {
			s := &r.segments[ring][p]
			s.start, s.turnedInto = n.free(s), false
		}
	}
	var list [Rings * maxPorts]turn
	turns := list[:0]
	for ring := range r.segments {
		for p := range r.segments[ring] {
			s := &r.segments[ring][p]
			for _, lane := range [2]int{s.first, 1 - s.first} {
				turns = n.decide(r, s, lane, turns)
			}
		}
	}
	for i := range turns {
		n.makeTurn(r, &turns[i])
	}
}

// decide decides for the head of a lane, and appends its turn if it turns.
func (n *Network) decide(r *router, s *segment, lane int, turns []turn) []turn {
	l := &s.lanes[lane]
	if l.Len() == 0 || !l.Front().headerHere(n.Clock) || !l.read.idle(n.Clock) {
		return turns
	}
	head := l.Front()
	k := head.packet
	next := &r.segments[s.ring][n.limits.Next(s.ring, s.port)]
	until := k.until(n.Clock)
	granted := n.request(r, s, k)
	if granted != nothing {
		s.toOS.until = until
		n.eject(r, s, head, granted == part)
	}
	turnsOn := granted != whole && n.mayTurn(r, s, next)
	if turnsOn {
		s.toRing.until = until
		turns = append(turns, turn{from: head, to: next, dual: granted == part, packet: k})
	}
	if granted == whole || turnsOn {
		l.Pop()
		head.left = true
		r.slotsUsed--
		s.first = 1 - lane
		l.read.until = until
	}
	return turns
}

// mayTurn is rule 9.
func (n *Network) mayTurn(r *router, s, next *segment) bool {
	return s.toRing.idle(n.Clock) && r.holder[s.ring] != next.port && next.start >= n.config.TurnSlots &&
		(!n.config.RingTurnBalance || next.start >= s.start)
}

// grant is what the output of a segment grants a header.
type grant uint8

const (
	nothing grant = iota
	whole         // the packet leaves to the output stage
	part          // a copy leaves, for the destinations that the output serves
)

// request is rule 12: what the output that a segment drains to grants a packet at the head of a
// lane.
func (n *Network) request(r *router, s *segment, k *packet) grant {
	p := n.limits.Next(s.ring, s.port)
	o := &r.outputs[p]
	if !s.toOS.idle(n.Clock) || o.lanes[s.ring].Len() == n.limits.LaneSlots || !n.hasRoom(r, o, k, 1) {
		return nothing
	}
	some, all := n.serves(r, p, k)
	misroutable := n.mayMisroute(k) && !o.toNode
	switch {
	case !some && !misroutable:
		return nothing
	case some && all:
		return whole
	case some && n.alwaysCopies():
		return part
	case misroutable:
		r.activity.Misroutes++
		return whole
	case o.toNode:
		return part
	case n.mayReplicate(r, o) && n.hasRoom(r, o, k, 2):
		return part
	}
	return whole
}

// hasRoom reports whether there is room behind an output, for that number of packets where classes
// are limited.
func (n *Network) hasRoom(r *router, o *output, k *packet, packets int) bool {
	if o.toNode {
		return n.Sinks.Room(noc.NodeID(r.id), k.class)
	}
	return o.peer != none && n.admits(&n.routers[o.peer], o.entry, k.class, packets, o.taken)
}

// alwaysCopies is rule 23. It comes before rule 3, so that no branch of a tree is pruned.
func (n *Network) alwaysCopies() bool { return n.config.Multicast == Tree }

// mayReplicate is rule 4 for an output that leads to a neighbour.
func (n *Network) mayReplicate(r *router, o *output) bool {
	return !r.hasAged && 2*n.limits.LaneSlots-o.lanes[0].Len()-o.lanes[1].Len() >= n.config.ReplicateSlots
}

// mayMisroute is rule 3: whether a packet may leave by any output to a neighbour. It is apart from
// aged, which also keeps interfaces from injecting (rule 19).
func (n *Network) mayMisroute(k *packet) bool { return n.aged(k) }

// aged reports whether a packet has turned for so long that it may leave by any output (rule 3).
func (n *Network) aged(k *packet) bool {
	return k.segmentsEntered > n.limits.MissLimit && n.limits.MissLimit < NeverAged
}

// eject starts the head of a lane, or a copy of it, towards the output stage that the segment
// drains to.
func (n *Network) eject(r *router, s *segment, from *slot, split bool) {
	k, p := from.packet, n.limits.Next(s.ring, s.port)
	o := &r.outputs[p]
	if split {
		k = n.divide(r, p, k)
		r.activity.Replications++
		r.activity.HeaderWrites += 2 * uint64(len(n.routers))
		n.phits.buffered += uint64(k.phits)
	} else {
		r.held[k.class]--
	}
	if o.toNode {
		n.Sinks.Reserve(noc.NodeID(r.id), k.class, n.Clock)
	} else {
		o.taken = true
		n.routers[o.peer].held[k.class]++
	}
	to := n.slots.take(slot{packet: k, since: n.Clock + 2, enters: n.Clock})
	o.lanes[s.ring].Push(to)
	r.slotsUsed++
	n.start(stream{hop: ejecting, router: r, port: p, ring: s.ring, packet: k, from: from, to: to, delay: 2})
}

// makeTurn moves a header that has left its segment into the next one of the ring.
func (n *Network) makeTurn(r *router, t *turn) {
	t.to.turnedInto = true
	r.activity.ArbRequests[noc.RingEntry]++
	r.activity.ArbGrants[noc.RingEntry]++
	n.write(stream{hop: turning, router: r, port: t.to.port, ring: t.to.ring, packet: t.packet, from: t.from, delay: 2, dual: t.dual}, n.Clock)
}

// write reserves a slot of a segment for a packet, and starts the stream towards it.
func (n *Network) write(t stream, enters noc.Cycle) {
	s := &t.router.segments[t.ring][t.port]
	t.lane = n.chooseLane(s)
	l := &s.lanes[t.lane]
	t.to = n.slots.take(slot{packet: t.packet, since: n.Clock + t.delay, enters: enters})
	t.packet.segmentsEntered++
	l.Push(t.to)
	l.write.until = t.packet.until(n.Clock)
	t.router.slotsUsed++
	if n.config.Multicast != Replicate {
		t.router.activity.HeaderTests += uint64(len(n.routers))
	}
	n.start(t)
}

// chooseLane is rule 11.
func (n *Network) chooseLane(s *segment) int {
	busy0, busy1 := !s.lanes[0].write.idle(n.Clock), !s.lanes[1].write.idle(n.Clock)
	switch size0, size1 := s.lanes[0].Len(), s.lanes[1].Len(); {
	case busy0 != busy1:
		return second(busy0)
	case size0 != size1:
		return second(size1 < size0)
	}
	return s.first
}
