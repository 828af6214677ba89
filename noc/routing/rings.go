package routing

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Datelined is a Function on rings, free of deadlock when the channels of a link are in two halves.
// Half is the one that a header in a router takes on its way towards a node.
type Datelined interface {
	Function
	Half(router, node noc.NodeID) uint8
}

// rings routes unidirectional tori.
type rings struct {
	of      topology.UniTorus
	at      [][]int32 // per dimension: coordinate of each router
	channel [][]int32 // per dimension: the channel that leaves each router
}

// Rings routes a unidirectional torus along one dimension after the other. The dateline of a ring
// is the link between its last and its first coordinate.
func Rings(u topology.UniTorus, w *topology.Wiring) (Function, error) {
	if w.Name != u.String() {
		return nil, fmt.Errorf("routing: %s is not the wiring of %s", w.Name, u)
	}
	s := &rings{of: u}
	g := u.Grid()
	for d := range u.Radix {
		at, channel := make([]int32, w.Routers), make([]int32, w.Routers)
		for r := range noc.NodeID(w.Routers) {
			at[r], channel[r] = int32(g.Coordinate(r, d)), int32(w.Channel(r, u.Next(r, d)))
		}
		s.at, s.channel = append(s.at, at), append(s.channel, channel)
	}
	return s, nil
}

// Next corrects the first dimension, in the torus's order, in which router and node differ.
func (s *rings) Next(router, node noc.NodeID) int32 {
	for _, d := range s.of.Order {
		if s.at[d][router] != s.at[d][node] {
			return s.channel[d][router]
		}
	}
	return -1
}

// Half returns 0 while the rest of the route around the ring crosses the dateline, else 1. A worm
// that crosses enters half 1 there, so neither half closes a cycle.
func (s *rings) Half(router, node noc.NodeID) uint8 {
	for _, d := range s.of.Order {
		here, there := s.at[d][router], s.at[d][node]
		if here == there {
			continue
		}
		last := int32(s.of.Radix[d] - 1)
		if s.of.Down[d] {
			here, there = last-here, last-there
		}
		if there < here && here < last {
			return 0
		}
		return 1
	}
	return 1
}
