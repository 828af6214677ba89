package routing

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// A Function says where a worm without a path of its own goes.
//
// Next is the channel, an index into the wiring's Channels, by which a header in a router goes on
// towards a node that is attached to another router.
type Function interface {
	Next(router, node noc.NodeID) int32
}

// Adaptive is a Function that leaves a choice. Choices appends all channels by which a header may
// go on, in the order of preference: Next is the first. Whichever are taken, headers never wait
// in a circle.
type Adaptive interface {
	Function
	Choices(router, node noc.NodeID, into []int32) []int32
}

// Labels routes by the labels of a Hamiltonian path.
func Labels(l *multicast.Labelled) Function { return labels{l} }

type labels struct{ *multicast.Labelled }

// Next leads to the neighbour whose label comes nearest to the destination's without passing it.
func (l labels) Next(router, node noc.NodeID) int32 {
	return int32(l.Wiring.Channel(router, l.Labelled.Next(router, node)))
}

// SnakeLabels routes on a grid by the labels that go row by row, every other one backwards.
func SnakeLabels(g topology.Grid, w *topology.Wiring) (Function, error) {
	l, err := multicast.NewLabelled(w, multicast.SnakeLabels(g))
	if err != nil {
		return nil, err
	}
	return Labels(l), nil
}

// dimensions routes along x, then y, and so on.
type dimensions struct {
	at      [][]int16 // per dimension: coordinate of each router
	channel [][2][]int32
}

// DimensionOrder routes on a mesh along one dimension after the other.
func DimensionOrder(g topology.Grid, w *topology.Wiring) (Function, error) {
	if g.Wrap {
		return nil, fmt.Errorf("routing: dimension order on %s: with one channel per link a ring would deadlock; follow the labels, or use a mesh", g)
	}
	s := &dimensions{}
	for dim := range g.Radix {
		at := make([]int16, g.Nodes())
		var channel [2][]int32
		for up, sign := range []int{-1, +1} {
			channel[up] = make([]int32, g.Nodes())
			for n := range noc.NodeID(g.Nodes()) {
				at[n] = int16(g.Coordinate(n, dim))
				channel[up][n] = -1
				if peer, _, ok := g.Neighbour(n, g.Port(dim, sign)); ok {
					channel[up][n] = int32(w.Channel(n, peer))
				}
			}
		}
		s.at, s.channel = append(s.at, at), append(s.channel, channel)
	}
	return s, nil
}

// Next corrects the first dimension in which router and node differ.
func (s *dimensions) Next(router, node noc.NodeID) int32 {
	for dim, at := range s.at {
		if a, b := at[router], at[node]; a < b {
			return s.channel[dim][1][router]
		} else if a > b {
			return s.channel[dim][0][router]
		}
	}
	return -1
}
