package ideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// routes says over which channels copies go.
type routes struct {
	wiring *topology.Wiring
	next   [2]routing.Function // for sources of each parity
	parity []uint8             // of each node's coordinate sum: decides ties as in the input-buffered routers
}

// gridRoutes go along one dimension after the other.
func gridRoutes(g topology.Grid, w *topology.Wiring) routes {
	s := routes{w, [2]routing.Function{routing.Shortest(g, w, false), routing.Shortest(g, w, true)}, make([]uint8, g.Nodes())}
	for n := range s.parity {
		if g.Odd(noc.NodeID(n)) {
			s.parity[n] = 1
		}
	}
	return s
}

// route appends the channels that a copy crosses.
func (s *routes) route(from, to noc.NodeID, into []int32) []int32 {
	if from == to {
		return into
	}
	next, end := s.next[s.parity[from]], s.wiring.Exit[to].Router
	for at := s.wiring.Entry[from].Router; at != end; {
		c := next.Next(at, to)
		into = append(into, c)
		at = s.wiring.Channels[c].To
	}
	return into
}
