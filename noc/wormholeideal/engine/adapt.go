package engine

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/routing"
)

// Adaptive routing. Where the routing function leaves a choice, headers do not wait for one channel but in
// their router, for whichever permitted channel is free: the oldest first, then the lowest input port, each
// takes the first of its choices that is free. Ordered packets have no choice, or they would overtake each other.
//
// A header that crosses may draw a tail out of a buffer far behind, so that another channel is free for the same
// cycle. Channels are therefore given away in rounds: each round sees the channels that are free at its beginning,
// so that the order in which routers are visited changes nothing.

// fork is a router as adaptive headers see it.
type fork struct {
	queue  int32 // first worm that waits here
	listed bool  // in restless
}

// wanting is what adaptive routing keeps; without it, the slices stay empty.
type wanting struct {
	adaptive routing.Adaptive // nil where ways are fixed
	forks    []fork
	restless []int32 // routers to be looked at in the next round of this cycle
	visited  []int32 // scratch: those of this round
	chosen   []int32 // scratch: worms that cross in this round
	choices  []int32 // scratch
}

// newWanting prepares adaptive routing if the function leaves a choice.
func newWanting(r routing.Function, routers int) wanting {
	a, ok := r.(routing.Adaptive)
	if !ok {
		return wanting{}
	}
	return wanting{adaptive: a, forks: slices.Repeat([]fork{{queue: none}}, routers)}
}

// stir notes that a router is to be looked at in the next round.
func (n *Network) stir(router int32) {
	if f := &n.forks[router]; !f.listed && f.queue != none {
		f.listed = true
		n.restless = append(n.restless, router)
	}
}

// permitted lists the channels that a waiting header may take; the slice is good until the next call.
func (n *Network) permitted(id int32) []int32 {
	w, plan := &n.worms[id], n.Dispatch.At(id)
	if n.adaptive == nil || w.head == 0 && n.config.InjectionChannels || !plan.Routed || plan.Ordered {
		n.choices = append(n.choices[:0], w.waits)
	} else {
		n.choices = n.adaptive.Choices(noc.NodeID(w.router), plan.Stops[plan.Next], n.choices[:0])
	}
	return n.choices
}

// round gives free channels to the headers that wait in restless routers, then lets these cross.
func (n *Network) round(t noc.Cycle) {
	if len(n.restless) == 0 {
		return
	}
	n.restless, n.visited = n.visited[:0], n.restless
	n.chosen = n.chosen[:0]
	for _, r := range n.visited {
		n.forks[r].listed = false
		n.choose(r)
	}
	for _, id := range n.chosen {
		n.enter(id, n.worms[id].waits, t)
	}
}

// choose gives the free channels of a router away. A worm that has got one holds it, waits names it, and it is in
// chosen.
func (n *Network) choose(router int32) {
	x := &n.routers[router]
	asked, before := uint64(0), len(n.chosen)
	for at := &n.forks[router].queue; *at != none; {
		id := *at
		w := &n.worms[id]
		asked++
		got := none
		for _, c := range n.permitted(id) {
			if n.channels[c].holder == none {
				got = c
				break
			}
		}
		if got == none {
			at = &w.behind
			continue
		}
		*at = w.behind
		w.waits = got
		n.channels[got].holder = id
		n.chosen = append(n.chosen, id)
	}
	if granted := len(n.chosen) - before; granted > 0 {
		x.Asked += asked
		x.Granted += uint64(granted)
	}
}
