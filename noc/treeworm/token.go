package treeworm

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// Releases counts the tokens that were given back: those whose headers had all arrived, and under the rule Flits
// those for which enough flits had been forwarded. Of these Early were so before their headers had arrived,
// which would be too soon; the flit-by-flit model of the tests never sees that.
type Releases struct{ Arrived, Counted, Early uint64 }

// Releases are those since the network was built.
func (n *Network) Releases() Releases { return n.releases }

// giveTokens gives each free token to the header that has asked for it longest. It comes after its passing
// time, and the header then asks for its outputs.
func (n *Network) giveTokens(t noc.Cycle) {
	for _, p := range n.asked {
		x := &n.places[p]
		x.listed = false
		at := x.queue
		pos := &n.positions[at]
		x.queue, pos.waits, pos.behind = pos.behind, none, none
		x.free = 0
		pos.token = x.first
		n.channels[x.first].holder = at
		n.calendar.Add(t+noc.Cycle(x.passes), tokenArrives, at)
	}
	n.asked = n.asked[:0]
}

// arrived notes that all headers below a position that holds a token have arrived.
func (n *Network) arrived(p int32, t noc.Cycle) {
	x := &n.positions[p]
	if n.config.Release == Flits && n.worms[x.worm].phits > n.enough(x) {
		w := &n.worms[x.worm]
		w.counting = append(w.counting, p)
		return
	}
	n.releases.Arrived++
	n.release(x, t)
}

// enough is the number of flits that the buffers from a switch to the nodes hold by the paper's count; one
// more in all branches means that the headers have arrived.
func (n *Network) enough(x *position) int32 {
	stages := int32(n.of.Stages) - x.stage
	if n.of.Bidirectional {
		stages = x.stage + 1
	}
	return stages * int32(n.config.BufferPhits)
}

// countFlits gives back the tokens for which enough flits have been forwarded, or will be at a time that
// is decided. A worm of which the header has just crossed asks.
func (n *Network) countFlits(w *worm, t noc.Cycle) {
	if len(w.counting) == 0 {
		return
	}
	w.counting = slices.DeleteFunc(w.counting, func(p int32) bool {
		x := &n.positions[p]
		latest := noc.Cycle(0)
		for c := x.first; c < x.first+x.count; c++ {
			at, known := n.crossing(c, n.enough(x))
			if !known {
				return false
			}
			latest = max(latest, at)
		}
		n.releases.Counted++
		if latest < t { // it has become known with the last header, which arrives now
			n.releases.Early++
		}
		n.release(x, max(latest, t))
		return true
	})
}

// release gives a token back in cycle t; it can be given again in the next one.
func (n *Network) release(x *position, t noc.Cycle) {
	n.calendar.Add(t+1, channelFalls, x.token)
	x.token = none
}
