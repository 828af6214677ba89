package tables

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Tour is the order in which the packets of the path scheme visit their destinations: the snake
// through the grid, along x in even rows, back in odd ones, and so on in further dimensions (the
// reflected code of mixed radix).
//
// Any two consecutive nodes are neighbours, the last and the first as well on a torus whose last
// dimension is even. There a broadcast serves one node with every link it crosses, and because each
// source starts at its own place of the cycle, broadcasts of all sources load its links equally. On
// a mesh the tour does not close.
type Tour struct {
	Node     []noc.NodeID // by position
	Position []int32      // by node
	Closed   bool         // to a cycle
}

// NewTour makes the tour of a grid.
func NewTour(g topology.Grid) *Tour {
	t := &Tour{Node: make([]noc.NodeID, g.Nodes()), Position: make([]int32, g.Nodes()), Closed: g.Wrap}
	coordinates := make([]int, len(g.Radix))
	for k := range t.Node {
		rest := k
		for d, radix := range g.Radix {
			digit := rest % radix
			if rest /= radix; rest%2 == 1 { // an odd row: back
				digit = radix - 1 - digit
			}
			coordinates[d] = digit
		}
		at := g.Node(coordinates...)
		t.Node[k], t.Position[at] = at, int32(k)
	}
	return t
}

// Ahead reports whether a source serves a destination forwards: on the half of the cycle ahead of
// it, or on a mesh anywhere after it. The source itself is ahead.
func (t *Tour) Ahead(src, d noc.NodeID) bool {
	distance, nodes := int(t.Position[d]-t.Position[src]), len(t.Node)
	if !t.Closed {
		return distance >= 0
	}
	return (distance+nodes)%nodes <= nodes/2
}

// Next returns the first member of a set on the tour from a node on, which may be the node itself,
// forwards or backwards. The set must not be empty.
func (t *Tour) Next(set []uint64, from noc.NodeID, back bool) noc.NodeID {
	step := 1
	if back {
		step = len(t.Node) - 1
	}
	for k := int(t.Position[from]); ; k = (k + step) % len(t.Node) {
		if d := t.Node[k]; set[d/64]>>(d%64)&1 != 0 {
			return d
		}
	}
}
