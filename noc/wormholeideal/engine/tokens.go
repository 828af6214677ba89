package engine

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// tokens gives switches the tokens that they need for branching, and takes them back (rules 4 and
// 9).
type tokens struct {
	net      *Network
	releases wormholeideal.Releases
}

// Releases counts tokens since the network was built.
func (n *Network) Releases() wormholeideal.Releases { return n.tokens.releases }

// give gives each free token to the header that has asked for it longest. It comes after its
// passing time, and the header then asks for its outputs.
func (x *tokens) give(t noc.Cycle) {
	n := x.net
	a := &n.allocator
	for _, q := range a.needed {
		of := &a.queues[q]
		of.listed = false
		id, r := a.pop(of, &of.head)
		r.token = of.first
		n.channels[of.first].holder = id
		w, passes := &n.worms[r.worm], noc.Cycle(of.passes)
		if w.branched && n.Config.Tree.TokenTime == wormholeideal.Once {
			passes = 0
		}
		if !w.branched {
			x.releases.Given++
			x.releases.Waited += uint64(t - r.since)
		}
		w.branched = true
		n.calendar.Add(t+passes, tokenArrives, id)
	}
	a.needed = a.needed[:0]
}

// arrive notes that a header has reached its node, and takes back the tokens that waited for it.
func (x *tokens) arrive(id int32, t noc.Cycle) {
	n := x.net
	for at := id; at != none; at = n.run[at].parent {
		r := &n.run[at]
		if r.owed--; r.owed > 0 || r.token == none {
			continue
		}
		if n.Config.Tree.Release == wormholeideal.Flits && r.phits > x.enough(r) {
			w := &n.worms[r.worm]
			w.counting = append(w.counting, at)
			continue
		}
		x.releases.Arrived++
		x.takeBack(r, t)
	}
}

// enough returns the number of flits of which one more in all branches means that the headers have
// arrived.
func (x *tokens) enough(r *run) int32 { return int32(x.net.Enough(r.router)) }

// countFlits takes back the tokens for which enough flits have been forwarded, or will be at a
// time that is decided. A worm of which a header has just crossed asks.
func (x *tokens) countFlits(w *worm, t noc.Cycle) {
	n := x.net
	w.counting = slices.DeleteFunc(w.counting, func(id int32) bool {
		r := &n.run[id]
		latest := noc.Cycle(0)
		for c := r.child; c != none; c = n.run[c].sibling {
			at, known := n.crossing(c, 0, x.enough(r))
			if !known {
				return false
			}
			latest = max(latest, at)
		}
		x.releases.Counted++
		if latest < t { // it has become known with the last header, which arrives now
			x.releases.Early++
		}
		x.takeBack(r, max(latest, t))
		return true
	})
}

// takeBack takes a token back in cycle t; it can be given again in the next one.
func (x *tokens) takeBack(r *run, t noc.Cycle) {
	x.net.calendar.Add(t+1, channelFalls, r.token)
	r.back = t
}
