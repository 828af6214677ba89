package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
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
// its links equally.
//
// A source sends two packets, one to the destinations on the half of the cycle ahead of it, the other
// backwards to the rest; on a mesh, whose snake does not close, to those before and behind it. A single
// packet all the way round has twice the distance (32.0 links for 16.2 on the 8x8 torus): on a 4x4 torus
// with 10 % of broadcasts it is slower at low load than separate copies are (56 cycles for 44, on both ways
// 38), while the paper's figure 1 has paths far below them.
type tour struct {
	node     []noc.NodeID // by position
	position []int32      // by node
	closed   bool         // to a cycle
	ahead    []uint64     // of one source; see look
}

func newTour(g topology.Grid) *tour {
	t := &tour{node: make([]noc.NodeID, g.Nodes()), position: make([]int32, g.Nodes()),
		closed: g.Wrap, ahead: make([]uint64, noc.SetWords(g.Nodes()))}
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

// look fills ahead with the nodes that a source serves forwards, itself among them.
func (t *tour) look(src noc.NodeID) {
	clear(t.ahead)
	from, nodes := int(t.position[src]), len(t.node)
	last := nodes - 1
	if t.closed {
		last = from + nodes/2
	}
	for k := from; k <= last; k++ {
		d := t.node[k%nodes]
		t.ahead[d/64] |= 1 << (d % 64)
	}
}

// next is the first member of a set on the tour from a node on, which may be the node itself, forwards or
// backwards. A packet looks at every node at most once on its way. The set must not be empty.
func (t *tour) next(set []uint64, from noc.NodeID, back bool) noc.NodeID {
	step := 1
	if back {
		step = len(t.node) - 1
	}
	for k := int(t.position[from]); ; k = (k + step) % len(t.node) {
		if d := t.node[k]; set[d/64]>>(d%64)&1 != 0 {
			return d
		}
	}
}

// takeAhead removes the next packet of a class from its source, or if it has destinations on both sides
// the part of it that goes forwards. back tells that it goes backwards.
func (n *Network) takeAhead(node noc.NodeID, c noc.Class) (worm fabric.WormID, back bool) {
	head := n.sources.Head(node, c)
	if n.worms.Only(head) >= 0 {
		return n.sources.Pop(node, c), false
	}
	n.tour.look(node)
	some, others := uint64(0), uint64(0)
	for i, w := range n.worms.Set(head) {
		some |= w & n.tour.ahead[i]
		others |= w &^ n.tour.ahead[i]
	}
	if some == 0 || others == 0 {
		return n.sources.Pop(node, c), some == 0
	}
	worm = n.worms.NewSeveral(*n.worms.At(head))
	kept, taken := n.worms.Set(head), n.worms.Set(worm)
	for i, ahead := range n.tour.ahead {
		taken[i] = kept[i] & ahead
		kept[i] &^= ahead
	}
	n.worms.Settle(head)
	n.worms.Settle(worm)
	n.injected-- // inject counts each part; the two are one packet
	return worm, false
}
