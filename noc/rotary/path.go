package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// tour is the order in which the packets of the path scheme visit their destinations.
//
// The paper compares with "path-based" multicasts and does not say in which order they go. Without an
// order a header that is never replicated is a random walk: more than 100 links per delivery on the 8x8
// torus. This is the order of the snake through the grid, closed to a cycle: along x in even rows, back
// in odd ones, and so on in further dimensions (the reflected code of mixed radix, in which neighbouring
// numbers differ by one in one digit). Any two consecutive nodes are neighbours, the last and the first
// as well on a torus whose last dimension is even: there a broadcast serves one node with every link it
// crosses, and because each source starts at its own place of the cycle, broadcasts of all sources load
// its links equally. On other grids the way back from the last node to the first is longer, across the
// mesh at worst.
type tour struct {
	node     []noc.NodeID // by position
	position []int32      // by node
}

func newTour(g topology.Grid) *tour {
	t := &tour{node: make([]noc.NodeID, g.Nodes()), position: make([]int32, g.Nodes())}
	coordinates := make([]int, len(g.Radix))
	for k := range t.node {
		rest := k
		for d, radix := range g.Radix {
			digit := rest % radix
			if rest /= radix; rest%2 == 1 { // an odd row: back
				digit = radix - 1 - digit
			}
			coordinates[d] = digit
		}
		at := g.Node(coordinates...)
		t.node[k], t.position[at] = at, int32(k)
	}
	return t
}

// next is the first member of a set on the tour from a node on, which may be the node itself. A packet
// looks at every node once on its way round. The set must not be empty.
func (t *tour) next(set []uint64, from noc.NodeID) noc.NodeID {
	for k := int(t.position[from]); ; k++ {
		if k == len(t.node) {
			k = 0
		}
		if d := t.node[k]; set[d/64]>>(d%64)&1 != 0 {
			return d
		}
	}
}

// aim notes what a header in router id, whose set has changed, is routed by: its only destination,
// or several at once, or with the path scheme the next one on the tour, with moreFlag if others follow.
func (n *Network) aim(id int, h *header) {
	h.only = max(n.worms.Only(h.worm), several)
	h.origin &^= moreFlag
	if h.only == several && n.tour != nil {
		h.only = int32(n.tour.next(n.worms.Set(h.worm), noc.NodeID(id)))
		h.origin |= moreFlag
	}
}
