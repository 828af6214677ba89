package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

// enter lets the heads of the network inputs of a router enter a ring.
func (n *Network) enter(r *router) {
	for p := range r.inputs {
		if p != topology.Local {
			n.enterFrom(r, p)
		}
	}
}

// enterFrom is rule 1 for the head of one input.
func (n *Network) enterFrom(r *router, p int) {
	in := &r.inputs[p]
	if in.Len() == 0 || !in.Front().headerHere(n.Clock) || !in.read.idle(n.Clock) {
		return
	}
	k := in.Front().packet
	need := n.config.EnterSlots
	var admits [Rings]bool
	for ring := range r.segments {
		s := &r.segments[ring][p]
		switch free := n.free(s); {
		case free >= need:
			admits[ring] = true
		case s.turnedInto && free+1 >= need: // the turning header has taken the slot
			r.activity.ArbRequests[noc.RingEntry]++
		}
	}
	if !admits[0] && !admits[1] {
		in.refused++
		return
	}
	from := in.Pop()
	from.left = true
	r.waiting--
	in.refused = 0
	in.read.until = n.Clock + noc.Cycle(k.phits)
	n.release(r, p)
	n.intoRing(r, p, admits, stream{hop: entering, router: r, port: p, packet: k, from: from, delay: 1}, n.Clock)
}

// intoRing moves a packet that has left input p, or its source, onto one of the rings that admit
// it.
func (n *Network) intoRing(r *router, p int, admits [Rings]bool, t stream, enters noc.Cycle) {
	switch {
	case admits[0] && admits[1]:
		t.ring = n.chooseRing(r, p, t.packet)
	case admits[1]:
		t.ring = 1
	}
	t.packet.turns = 1
	r.activity.ArbRequests[noc.RingEntry]++
	r.activity.ArbGrants[noc.RingEntry]++
	n.write(t, enters)
}

// chooseRing is rule 14 for a packet that both rings admit.
func (n *Network) chooseRing(r *router, p int, k *packet) int {
	if a, b := n.free(&r.segments[0][p]), n.free(&r.segments[1][p]); a != b {
		return second(b > a)
	}
	var first, last [Rings]int
	for ring := range r.segments {
		first[ring], last[ring] = n.segmentsTo(r, ring, p, k)
	}
	switch {
	case last[0] != last[1]:
		return second(last[1] < last[0])
	case first[0] != first[1]:
		return second(first[1] < first[0])
	}
	return int(tables.Coins(n.config.Seed, uint64(r.id), n.Clock) >> uint(p) & 1)
}

func second(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// segmentsTo returns how many segments of a ring, from input p on, a packet enters until the first
// output that serves any of its destinations, and until each of them has met an output that serves
// it. Rule 3 does not count.
func (n *Network) segmentsTo(r *router, ring, p int, k *packet) (first, last int) {
	only := int(n.Packets.Only(k.id))
	if n.tour != nil {
		only = k.target
	}
	if only >= 0 {
		for count := 1; ; count++ {
			if p = n.limits.Next(ring, p); n.masks.Serves(r.id, p, only) {
				return count, count
			}
		}
	}
	return n.masks.Segments(r.id, ring, p, n.Packets.Set(k.id))
}

// hold decides at the end of a cycle which segment of each ring refuses ring traffic from the next
// cycle on (rule 15).
func (n *Network) hold(r *router) {
	for ring := range r.holder {
		free := 0
		for p := range r.segments[ring] {
			free += n.free(&r.segments[ring][p])
		}
		switch {
		case free < n.config.EnterSlots: // the ring would stop
			r.holder[ring] = none
		case r.holder[ring] == none && n.config.EntryHold:
			r.holder[ring] = n.longestRefused(r, ring)
		}
	}
}

// longestRefused returns the input that has been refused for longest, of those that have been for
// HoldAfter cycles and lack one slot on the ring, or none.
func (n *Network) longestRefused(r *router, ring int) int {
	longest, chosen := noc.Never, none
	for p := range r.inputs {
		in := &r.inputs[p]
		since, wants := n.Clock+1-noc.Cycle(in.refused), in.refused >= n.config.HoldAfter
		if p == topology.Local {
			since, wants = r.source.served, r.source.wantsHold
		}
		if wants && since < longest && n.free(&r.segments[ring][p]) == n.config.EnterSlots-1 {
			longest, chosen = since, p
		}
	}
	return chosen
}

// release takes the wish of an input for a hold back, and its holds.
func (n *Network) release(r *router, p int) {
	if p == topology.Local {
		r.source.wantsHold = false
	}
	for ring := range r.holder {
		if r.holder[ring] == p {
			r.holder[ring] = none
		}
	}
}
