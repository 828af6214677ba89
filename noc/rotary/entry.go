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
	r.slotsUsed--
	in.refused = 0
	in.read.until = k.until(n.Clock)
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
