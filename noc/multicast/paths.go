package multicast

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// DualPath sends at most two label-ordered worms: one climbs through the destinations with larger
// labels than the source, one descends through the others. They share no channel. (Al-Dubai,
// Ould-Khaoua and Mackenzie, section 4.1.2; O(k log k) for k destinations.)
func DualPath(l *Labelled, r Request) Plan {
	var p Plan
	high, low := l.sides(r)
	for _, stops := range [][]noc.NodeID{high, low} {
		if len(stops) > 0 {
			p = append(p, l.worm(r.Source, stops))
		}
	}
	return p
}

// MultiPath splits each side of a dual-path multicast by the source's neighbours on that side, and
// sends one label-ordered worm through each.
//
// In a mesh of two dimensions the destinations in columns on the far side of the horizontal
// neighbour leave by it, and the others by the vertical one: at most four worms. The paper says
// only that each side is split in two; this is the usual rule. Everywhere else, where the paper is
// silent, a destination leaves by the neighbour that R picks for it, which splits the labels into
// intervals: in n dimensions at most 2n worms, as equation 11 has groups. Worms leave in the order
// climbing, then descending, vertical before horizontal (nearest label first elsewhere).
func MultiPath(l *Labelled, g *topology.Grid, r Request) Plan {
	var p Plan
	high, low := l.sides(r)
	for i, stops := range [][]noc.NodeID{high, low} {
		ports := l.ports(r.Source, i == 0)
		groups := make([][]noc.NodeID, len(ports))
		flat := g != nil && !g.Wrap && len(g.Radix) == 2
		if flat {
			slices.SortFunc(ports, func(a, b noc.NodeID) int { return verticalFirst(*g, r.Source, a) - verticalFirst(*g, r.Source, b) })
		}
		for _, s := range stops {
			port := slices.Index(ports, l.Next(r.Source, s))
			if flat && len(ports) == 2 {
				port = columnPort(*g, r.Source, ports[1], s)
			}
			groups[port] = append(groups[port], s)
		}
		for port, group := range groups {
			if len(group) > 0 {
				p = append(p, l.worm(r.Source, group, ports[port]))
			}
		}
	}
	return p
}

// verticalFirst orders the neighbours of a node: 0 in another row, 1 in the same row.
func verticalFirst(g topology.Grid, n, neighbour noc.NodeID) int {
	if g.Coordinate(n, 1) == g.Coordinate(neighbour, 1) {
		return 1
	}
	return 0
}

// columnPort is 1 when a destination lies in the columns beyond the horizontal neighbour, else 0.
func columnPort(g topology.Grid, source, horizontal, to noc.NodeID) int {
	h, x := g.Coordinate(horizontal, 0), g.Coordinate(to, 0)
	if (h > g.Coordinate(source, 0) && x >= h) || (h < g.Coordinate(source, 0) && x <= h) {
		return 1
	}
	return 0
}

// ColumnPath sends one dimension-ordered worm along each column that has destinations at the height
// of the source or above, and one along each that has some below: at most two per column. A column
// is a line along the last dimension. (Al-Dubai, Ould-Khaoua and Mackenzie, section 4.1.3.)
//
// The node of a column that lies in the source's row always belongs to the upper copy, as the text
// has it. Columns are served in ascending order, up before down, as many copies at a time as the
// source has injection channels, each round with a startup of its own; the paper leaves both open.
// Copies to columns on the same side share the source's row, so their contention-free times are a
// lower bound.
func ColumnPath(g topology.Grid, r Request, injection int) (Plan, error) {
	if err := isMesh(g); err != nil {
		return nil, err
	}
	if injection < 1 {
		return nil, fmt.Errorf("%d injection channels; at least 1 is needed", injection)
	}
	last := len(g.Radix) - 1
	stride := g.Nodes() / g.Radix[last] // nodes per layer of the last dimension
	source := g.Coordinate(r.Source, last)
	side := func(d noc.NodeID) int { // up or down in which column
		if g.Coordinate(d, last) < source {
			return 2*(int(d)%stride) + 1
		}
		return 2 * (int(d) % stride)
	}
	targets := r.Targets()
	slices.SortFunc(targets, func(a, b noc.NodeID) int { return cmp.Or(side(a)-side(b), cmp.Compare(a, b)) })
	var p Plan
	for end := 0; end < len(targets); {
		begin := end
		for end < len(targets) && side(targets[end]) == side(targets[begin]) {
			end++
		}
		stops := slices.Clone(targets[begin:end])
		if side(stops[0])%2 == 1 {
			slices.Reverse(stops)
		}
		path := dimensionOrder(g, r.Source, stops[len(stops)-1])
		p = append(p, Worm{From: r.Source, Stops: stops, Path: path, After: -1, Round: len(p) / injection})
	}
	return p, nil
}

// dimensionOrder lists the nodes after a on the route to b, one dimension after the other. On a
// torus it goes the shorter way round, and towards larger coordinates when both are equal.
func dimensionOrder(g topology.Grid, a, b noc.NodeID) []noc.NodeID {
	path := []noc.NodeID{}
	for dim := range g.Radix {
		hops, _ := g.Offset(a, b, dim)
		sign := 1
		if hops < 0 {
			sign = -1
		}
		for ; hops != 0; hops -= sign {
			a, _, _ = g.Neighbour(a, g.Port(dim, sign))
			path = append(path, a)
		}
	}
	return path
}
