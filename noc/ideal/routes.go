package ideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// routes says over which channels a copy goes.
type routes interface {
	route(from, to noc.NodeID, into []int32) []int32
}

// gridRoutes go along one dimension after the other.
type gridRoutes struct {
	grid    topology.Grid
	wiring  *topology.Wiring
	channel []int32 // per node and port; -1 at the edge of a mesh
	parity  []uint8 // of each node's coordinate sum: decides ties as in the input-buffered routers
	at      []int   // coordinates, per node and dimension; to divide for each copy takes longer
}

func newGridRoutes(g topology.Grid, w *topology.Wiring) *gridRoutes {
	s := &gridRoutes{grid: g, wiring: w, channel: make([]int32, g.Nodes()*g.Ports()), parity: make([]uint8, g.Nodes()),
		at: make([]int, 0, g.Nodes()*len(g.Radix))}
	for i := range s.channel {
		s.channel[i] = -1
	}
	for i, c := range w.Channels {
		s.channel[int(c.From)*g.Ports()+int(c.Out)] = int32(i)
	}
	for i := range s.parity {
		for dim := range g.Radix {
			at := g.Coordinate(noc.NodeID(i), dim)
			s.at = append(s.at, at)
			s.parity[i] ^= uint8(at & 1)
		}
	}
	return s
}

func (s *gridRoutes) route(from, to noc.NodeID, into []int32) []int32 {
	at, dims := from, len(s.grid.Radix)
	for dim := range dims {
		hops, tie := s.grid.Shortest(s.at[int(to)*dims+dim]-s.at[int(from)*dims+dim], dim)
		if tie && s.parity[from] == 1 {
			hops = -hops
		}
		port := s.grid.Port(dim, hops)
		for ; hops != 0; hops -= sign(hops) {
			c := s.channel[int(at)*s.grid.Ports()+port]
			into = append(into, c)
			at = s.wiring.Channels[c].To
		}
	}
	return into
}

func sign(v int) int {
	if v < 0 {
		return -1
	}
	return 1
}

// routed are the routes of a routing function.
type routed struct {
	wiring *topology.Wiring
	router routing.Function
}

func (s routed) route(from, to noc.NodeID, into []int32) []int32 {
	if from == to {
		return into
	}
	for at := s.wiring.Entry[from].Router; at != s.wiring.Exit[to].Router; {
		c := s.router.Next(at, to)
		into = append(into, c)
		at = s.wiring.Channels[c].To
	}
	return into
}
