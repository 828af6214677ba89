package wormholeideal

import "github.com/carousel-sim/carousel/noc"

// Releases counts the worms that got their first token, and the cycles that these waited for others
// to give it back, and the tokens that were given back: those whose headers had all arrived, and
// under the rule Flits those for which enough flits had been forwarded. Of these Early had been
// forwarded before the headers arrived, which would be too soon.
type Releases struct{ Given, Waited, Arrived, Counted, Early uint64 }

// Releases counts tokens since the network was built.
func (n *Network) Releases() Releases { return n.releases }

// gives reports whether a worm needs the token no more that it holds at a position (rule 9).
func (n *Network) gives(w *worm, at int32) bool {
	p := &w.positions[at]
	enough := n.Enough(p.router)
	if p.many == 0 {
		return false
	}
	arrived := w.arrived(at)
	if n.Config.Tree.Release == Headers || w.phits <= enough {
		if arrived {
			n.releases.Arrived++
		}
		return arrived
	}
	for _, c := range w.children(p) {
		if len(c.crossed) <= enough {
			return false
		}
	}
	n.releases.Counted++
	if !arrived {
		n.releases.Early++
	}
	return true
}

// arrived reports whether all headers below a position are at the end of their ways.
func (w *worm) arrived(at int32) bool {
	p := &w.positions[at]
	if len(p.crossed) == 0 || p.node == None && p.many == 0 {
		return false
	}
	for k := p.child; k < p.child+p.many; k++ {
		if !w.arrived(k) {
			return false
		}
	}
	return true
}

// passes returns the time of a free token to a switch of a group of so many: half a round, in
// whole cycles. The token of a single switch is there at once.
func (t *Tree) passes(size int32) noc.Cycle {
	if size < 2 {
		return 0
	}
	return noc.Cycle((int32(t.TokenHop)*size + 1) / 2)
}
