package wormholeideal

import "github.com/carousel-sim/carousel/noc"

// gives reports whether a worm needs the token no more that it holds at a position (rule 9).
func (n *Network) gives(w *worm, at int32) bool {
	p := &w.positions[at]
	stage, _ := n.stages.Place(noc.NodeID(p.router))
	enough := n.config.Enough(*n.stages, stage)
	if p.many == 0 || !w.arrived(at) {
		return false
	}
	if n.config.Tree.Release == Headers || w.phits <= enough {
		return true
	}
	for _, c := range w.children(p) {
		if len(c.crossed) <= enough {
			return false
		}
	}
	return true
}

// arrived reports whether all headers below a position are at the end of their ways.
func (w *worm) arrived(at int32) bool {
	p := &w.positions[at]
	if len(p.crossed) == 0 || p.node == none && p.many == 0 {
		return false
	}
	for k := p.child; k < p.child+p.many; k++ {
		if !w.arrived(k) {
			return false
		}
	}
	return true
}

// passes returns the time of a free token to a switch of a group of so many: half a round, in whole cycles. The token
// of a single switch is there at once.
func (t *Tree) passes(size int32) noc.Cycle {
	if size < 2 {
		return 0
	}
	return noc.Cycle((int32(t.TokenHop)*size + 1) / 2)
}
