package engine

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Releases counts tokens since the network was built.
func (n *Network) Releases() wormholeideal.Releases { return n.releases }

// giveTokens gives each free token to the header that has asked for it longest. It comes after its passing time, and
// the header then asks for its outputs.
func (n *Network) giveTokens(t noc.Cycle) {
	for _, p := range n.needed {
		x := &n.places[p]
		id := x.queue
		r := &n.runs[id]
		x.listed, x.queue = false, r.behind
		x.free--
		r.waits, r.behind, r.token = none, none, x.first
		n.channels[x.first].holder = id
		w, passes := &n.worms[r.worm], noc.Cycle(x.passes)
		if w.branched && n.config.Tree.TokenTime == wormholeideal.Once {
			passes = 0
		}
		if !w.branched {
			n.releases.Given++
			n.releases.Waited += uint64(t - r.since)
		}
		w.branched = true
		n.calendar.Add(t+passes, tokenArrives, id)
	}
	n.needed = n.needed[:0]
}

// arrive notes that a header has reached its node, and gives back the tokens that waited for it.
func (n *Network) arrive(id int32, t noc.Cycle) {
	if n.stages == nil {
		return
	}
	for at := id; at != none; at = n.runs[at].parent {
		r := &n.runs[at]
		if r.owed--; r.owed == 0 && r.token != none {
			n.allArrived(at, t)
		}
	}
}

// allArrived notes that all headers behind a run that holds a token have arrived.
func (n *Network) allArrived(id int32, t noc.Cycle) {
	r := &n.runs[id]
	if n.config.Tree.Release == wormholeideal.Flits && r.phits > n.enough(r) {
		w := &n.worms[r.worm]
		w.counting = append(w.counting, id)
		return
	}
	n.releases.Arrived++
	n.giveBack(r, t)
}

// enough is the number of flits that the buffers from the switch of a run to the nodes hold by
// the paper's count; one more in all branches means that the headers have arrived.
func (n *Network) enough(r *run) int32 {
	return int32(n.config.Enough(*n.stages, int(r.router)/n.stages.Rows()))
}

// countFlits gives back the tokens for which enough flits have been forwarded, or will be at a
// time that is decided. A worm of which a header has just crossed asks.
func (n *Network) countFlits(w *worm, t noc.Cycle) {
	w.counting = slices.DeleteFunc(w.counting, func(id int32) bool {
		r := &n.runs[id]
		latest := noc.Cycle(0)
		for c := r.child; c != none; c = n.runs[c].sibling {
			at, known := n.crossing(c, 0, n.enough(r))
			if !known {
				return false
			}
			latest = max(latest, at)
		}
		n.releases.Counted++
		if latest < t { // it has become known with the last header, which arrives now
			n.releases.Early++
		}
		n.giveBack(r, max(latest, t))
		return true
	})
}

// giveBack gives a token back in cycle t; it can be given again in the next one.
func (n *Network) giveBack(r *run, t noc.Cycle) {
	n.calendar.Add(t+1, channelFalls, r.token)
	r.token = none
}
