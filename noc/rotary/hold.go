package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// hold is rule 15: it decides at the end of a cycle which segment of each ring refuses ring traffic
// from the next cycle on.
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

// release withdraws an input's request for a hold, and ends its holds.
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
