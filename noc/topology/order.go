package topology

import "github.com/carousel-sim/carousel/noc"

// Tie says which way a packet goes round a ring of a torus if both ways are equally short.
type Tie uint8

// The rules of routers. All but the first balance both ways, and keep one route for each pair of nodes.
const (
	TieUp         Tie = iota // to larger coordinates
	TieBySum                 // to smaller ones if the coordinates of the source have an odd sum
	TieByPosition            // to smaller ones if the source's coordinate on this ring is odd
)

// Order is dimension-order routing on a grid as tables: packets correct dimension 0 first, then
// dimension 1 and so on, by the shorter way round each ring of a torus. In its methods, ties has the
// dimensions in which the packet's ties go to smaller coordinates, as bits (Ties).
type Order struct {
	nodes, dims int
	at          []uint16 // coordinates of each node
	ties        []uint8  // of each node
	legs        []Leg    // for each dimension, way of ties and difference of coordinates
	origin      []int32  // per node, way of ties and dimension: where in legs the leg to coordinate 0 is
	dimension   []uint8  // of each port
	edge        []uint16 // of each port: the last coordinate before the dateline
}

// Leg is the part of a route along one dimension: the output, Local if there is nothing to go, and
// the number of links.
type Leg struct {
	Port  uint8
	Links uint16
}

// NewOrder makes the tables of a grid.
func NewOrder(g Grid, tie Tie) *Order {
	o := &Order{nodes: g.Nodes(), dims: len(g.Radix), dimension: make([]uint8, g.Ports()), edge: make([]uint16, g.Ports())}
	o.at, o.ties, o.origin = make([]uint16, o.nodes*o.dims), make([]uint8, o.nodes), make([]int32, 2*o.nodes*o.dims)
	for d, k := range g.Radix {
		first := len(o.legs)
		for way := range 2 {
			for difference := -k; difference < k; difference++ {
				hops, tie := offset(difference, k, g.Wrap)
				if tie && way == 1 {
					hops = -hops
				}
				leg := Leg{Links: uint16(abs(hops))}
				if hops != 0 {
					leg.Port = uint8(g.Port(d, hops))
				}
				o.legs = append(o.legs, leg)
			}
		}
		for n := range o.nodes {
			x := g.Coordinate(noc.NodeID(n), d)
			o.at[n*o.dims+d] = uint16(x)
			for way := range 2 {
				o.origin[(2*n+way)*o.dims+d] = int32(first + 2*k*way + k - x)
			}
			if tie == TieByPosition && x%2 == 1 {
				o.ties[n] |= 1 << d
			}
		}
		for _, sign := range [...]int{-1, +1} {
			o.dimension[g.Port(d, sign)] = uint8(d)
		}
		o.edge[g.Port(d, +1)] = uint16(k - 1)
	}
	for n := range o.ties {
		if tie == TieBySum && g.Odd(noc.NodeID(n)) {
			o.ties[n] = 1<<o.dims - 1
		}
	}
	return o
}

// Ties returns the dimensions in which ties of a source's packets go to smaller coordinates.
func (o *Order) Ties(source noc.NodeID) uint8 { return o.ties[source] }

// Leg returns the part of the route from a router to another along one dimension.
func (o *Order) Leg(at, to noc.NodeID, ties uint8, dim int) Leg {
	way := int(ties >> dim & 1)
	return o.legs[int(o.origin[(2*int(at)+way)*o.dims+dim])+int(o.at[int(to)*o.dims+dim])]
}

// Next returns the first part of the route from a router to another, whose port is the next output.
func (o *Order) Next(at, to noc.NodeID, ties uint8) Leg {
	for d := range o.dims {
		if leg := o.Leg(at, to, ties, d); leg.Links != 0 {
			return leg
		}
	}
	return Leg{}
}

// Hops returns the number of links between two routers.
func (o *Order) Hops(from, to noc.NodeID) (sum int) {
	for d := range o.dims {
		sum += int(o.Leg(from, to, 0, d).Links)
	}
	return sum
}

// Crosses reports whether the rest of a route along the dimension of an output crosses the dateline,
// which lies between the last router of a ring and the first.
func (o *Order) Crosses(at, to noc.NodeID, port int) bool {
	a, b := o.coordinate(at, port), o.coordinate(to, port)
	if o.edge[port] == 0 {
		return b > a
	}
	return b < a
}

// AtDateline reports whether an output of a router leads over the dateline.
func (o *Order) AtDateline(at noc.NodeID, port int) bool {
	return o.coordinate(at, port) == o.edge[port]
}

// coordinate returns that of a router along the dimension of a port.
func (o *Order) coordinate(n noc.NodeID, port int) uint16 {
	return o.at[int(n)*o.dims+int(o.dimension[port])]
}

// Sectors are the routes of an [Order] to sets of destinations.
type Sectors struct {
	*Order
	words int // of a set
	// sets has, for each dimension, coordinate and way of ties, the destinations with the same
	// coordinate, those behind the port to smaller ones, and those behind the port to larger ones.
	sets [][]uint64
	side []int      // of each port: 1 if it leads to smaller coordinates, 2 if to larger ones
	port [][2]uint8 // of each dimension: to smaller and to larger coordinates
}

// NewSectors makes the tables of a grid.
func NewSectors(g Grid, tie Tie) *Sectors {
	s := &Sectors{NewOrder(g, tie), noc.SetWords(g.Nodes()), make([][]uint64, len(g.Radix)), make([]int, g.Ports()), make([][2]uint8, len(g.Radix))}
	stride := 1
	for d, k := range g.Radix {
		minus, plus := g.Port(d, -1), g.Port(d, +1)
		s.side[minus], s.side[plus], s.port[d] = 1, 2, [2]uint8{uint8(minus), uint8(plus)}
		s.sets[d] = make([]uint64, k*2*3*s.words)
		for i := range 2 * k {
			at := noc.NodeID(i / 2 * stride) // any router with this coordinate
			for n := range s.nodes {
				leg := s.Leg(at, noc.NodeID(n), uint8(i%2<<d), d)
				s.sets[d][(i*3+s.side[leg.Port])*s.words+n/64] |= 1 << (n % 64)
			}
		}
		stride *= k
	}
	return s
}

// sector returns the three sets of a router and a dimension.
func (s *Sectors) sector(at noc.NodeID, dim int, ties uint8) []uint64 {
	i := int(s.at[int(at)*s.dims+dim])*2 + int(ties>>dim&1)
	return s.sets[dim][i*3*s.words : (i+1)*3*s.words]
}

// Outputs returns the outputs of a router, as bits, that lead to the members of a set.
func (s *Sectors) Outputs(at noc.NodeID, ties uint8, set []uint64) (outputs uint16) {
	for w, rest := range set {
		for d := 0; d < s.dims && rest != 0; d++ {
			part := s.sector(at, d, ties)
			if rest&part[s.words+w] != 0 {
				outputs |= 1 << s.port[d][0]
			}
			if rest&part[2*s.words+w] != 0 {
				outputs |= 1 << s.port[d][1]
			}
			rest &= part[w]
		}
		if rest != 0 {
			outputs |= 1 << Local
		}
	}
	return outputs
}

// Divide moves the members of a set to which an output of a router leads to another set, which is
// overwritten.
func (s *Sectors) Divide(at noc.NodeID, ties uint8, output int, from, to []uint64) {
	if output == Local {
		clear(to)
		to[at/64] = from[at/64] & (1 << (at % 64))
		from[at/64] &^= to[at/64]
		return
	}
	last, side := int(s.dimension[output]), s.side[output]*s.words
	parts := s.sector(at, last, ties)[side : side+len(from)]
	for w, rest := range from {
		for d := 0; d < last && rest != 0; d++ {
			rest &= s.sector(at, d, ties)[w]
		}
		to[w] = rest & parts[w]
		from[w] &^= to[w]
	}
}
