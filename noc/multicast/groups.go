package multicast

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Area is the smallest box around a set of nodes, and how to divide them (Al-Dubai, Ould-Khaoua
// and Mackenzie, definitions 2 and 3).
type Area struct {
	Low, High, Middle []int // per dimension; the middle belongs to the lower half
	// Imbalance is, per dimension, the difference between the numbers of destinations in the two
	// halves. The paper's sum may also be read as one of coordinates; counts fit its example.
	Imbalance []int
	// Divisor is the dimension with the least imbalance, the lowest of several; -1 without
	// destinations.
	Divisor int
	from    frame
}

// frame has the coordinates by which a source divides nodes: those of a mesh, and on a torus
// those of the mesh that surrounds the source, of which every node is as near as on the torus.
// The paper says that its grouping suits tori, and not how.
type frame struct {
	g      topology.Grid
	source noc.NodeID
}

func (f frame) coordinate(n noc.NodeID, dim int) int {
	if !f.g.Wrap {
		return f.g.Coordinate(n, dim)
	}
	hops, _ := f.g.Offset(f.source, n, dim)
	return hops + f.g.Radix[dim] // not negative
}

// Group is a set of destinations that one representative serves.
type Group struct {
	Nodes []noc.NodeID // ascending
	// Nearest and Farthest are the members nearest to and farthest from the source; of several,
	// the one with the smallest number. Nearest represents the group.
	Nearest, Farthest noc.NodeID
	// External is the distance from the source to Nearest, Internal that between Nearest and
	// Farthest plus the number of nodes; Weight is their sum (equations 2 to 4; figure 5 of the
	// paper measures the external distance to the farthest node, its example to the nearest).
	External, Internal, Weight int
}

// newArea surrounds the destinations, and the nodes of with: a primary area contains the source, a
// group's own does not, or its middle could fall outside the group and divide nothing.
func newArea(f frame, destinations []noc.NodeID, with ...noc.NodeID) Area {
	if len(destinations) == 0 {
		return Area{Divisor: -1}
	}
	dims := len(f.g.Radix)
	a := Area{Low: make([]int, dims), High: make([]int, dims), Middle: make([]int, dims), Imbalance: make([]int, dims), from: f}
	for dim := range f.g.Radix {
		low, high := 2*f.g.Radix[dim], 0
		for _, list := range [][]noc.NodeID{destinations, with} {
			for _, n := range list {
				c := f.coordinate(n, dim)
				low, high = min(low, c), max(high, c)
			}
		}
		a.Low[dim], a.High[dim], a.Middle[dim] = low, high, (low+high)/2
		for _, n := range destinations {
			if f.coordinate(n, dim) > a.Middle[dim] {
				a.Imbalance[dim]++
			} else {
				a.Imbalance[dim]--
			}
		}
		a.Imbalance[dim] = max(a.Imbalance[dim], -a.Imbalance[dim])
		if a.Imbalance[dim] < a.Imbalance[a.Divisor] {
			a.Divisor = dim
		}
	}
	return a
}

// halves splits nodes at the middle of one dimension, the lower half first.
func (a Area) halves(nodes []noc.NodeID, dim int) (low, high []noc.NodeID) {
	for _, n := range nodes {
		if a.from.coordinate(n, dim) <= a.Middle[dim] {
			low = append(low, n)
		} else {
			high = append(high, n)
		}
	}
	return low, high
}

// orthants splits nodes at the middle of every dimension and drops empty parts. The divisor only
// fixes their order: the text divides "over the divisor dimension" and yet has four groups in two
// dimensions. The dimension with the least imbalance varies slowest, lower halves first.
func (a Area) orthants(nodes []noc.NodeID) [][]noc.NodeID {
	if len(nodes) == 0 {
		return nil
	}
	order := make([]int, len(a.Imbalance))
	for dim := range order {
		order[dim] = dim
	}
	slices.SortStableFunc(order, func(x, y int) int { return a.Imbalance[x] - a.Imbalance[y] })
	parts := [][]noc.NodeID{nodes}
	for _, dim := range order {
		var finer [][]noc.NodeID
		for _, part := range parts {
			low, high := a.halves(part, dim)
			for _, half := range [][]noc.NodeID{low, high} {
				if len(half) > 0 {
					finer = append(finer, half)
				}
			}
		}
		parts = finer
	}
	return parts
}

// newGroup weighs a set of destinations; nodes are ascending.
func newGroup(g topology.Grid, source noc.NodeID, nodes []noc.NodeID) Group {
	group := Group{Nodes: nodes, Nearest: nodes[0], Farthest: nodes[0]}
	farthest := g.Distance(source, nodes[0])
	group.External = farthest
	for _, n := range nodes[1:] {
		d := g.Distance(source, n)
		if d < group.External {
			group.Nearest, group.External = n, d
		}
		if d > farthest {
			group.Farthest, farthest = n, d
		}
	}
	group.Internal = g.Distance(group.Nearest, group.Farthest) + len(nodes)
	group.Weight = group.External + group.Internal
	return group
}
