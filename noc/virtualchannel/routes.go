package virtualchannel

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// routes are the tables of routing: coordinates for dimension order, or a function over the wiring.
type routes struct {
	wiring *topology.Wiring
	labels routing.Function // nil for dimension order
	wrap   bool
	radix  []int32
	port   [][2]uint8 // per dimension: ports towards smaller and larger coordinates
	at     []int16    // per router and dimension: coordinate
}

func newRoutes(g topology.Grid, how Routing) (s routes, err error) {
	s = routes{wiring: g.Wiring(), wrap: g.Wrap}
	if how == Labels {
		s.labels, err = routing.SnakeLabels(g, s.wiring)
		return s, err
	}
	for dim, k := range g.Radix {
		s.radix = append(s.radix, int32(k))
		s.port = append(s.port, [2]uint8{uint8(g.Port(dim, -1)), uint8(g.Port(dim, +1))})
	}
	for n := range noc.NodeID(g.Nodes()) {
		for dim := range g.Radix {
			s.at = append(s.at, int16(g.Coordinate(n, dim)))
		}
	}
	return s, nil
}

// next is the output by which a header in a router goes on towards a node elsewhere, and the half of its
// class's channels that it needs there: 0 while the rest of its way around a ring crosses the dateline,
// which lies between the last router of the ring and the first; else 1. Whoever crosses enters half 1 with
// the crossing, so neither half closes a circle.
func (s *routes) next(router int32, from, node noc.NodeID) (output, half uint8) {
	if s.labels != nil {
		return uint8(s.wiring.Channels[s.labels.Next(noc.NodeID(router), node)].Out), 1
	}
	dims := len(s.radix)
	here, there := s.at[int(router)*dims:][:dims], s.at[int(node)*dims:][:dims]
	for dim := range dims {
		a, b := int32(here[dim]), int32(there[dim])
		if a == b {
			continue
		}
		if !s.wrap {
			if a < b {
				return s.port[dim][1], 1
			}
			return s.port[dim][0], 1
		}
		k := s.radix[dim]
		ahead := b - a
		if ahead < 0 {
			ahead += k
		}
		up := 2*ahead < k
		if 2*ahead == k { // both ways are shortest: half of the sources take each
			up = s.at[int(from)*dims+dim]&1 == 0
		}
		if up {
			if b < a && a < k-1 {
				return s.port[dim][1], 0
			}
			return s.port[dim][1], 1
		}
		if b > a && a > 0 {
			return s.port[dim][0], 0
		}
		return s.port[dim][0], 1
	}
	panic("virtualchannel: a header is routed at its destination")
}

// towards is the output by which a router reaches a neighbour.
func (s *routes) towards(router int32, neighbour noc.NodeID) uint8 {
	return uint8(s.wiring.Channels[s.wiring.Channel(noc.NodeID(router), neighbour)].Out)
}
