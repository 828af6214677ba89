package wormhole

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// A Router says where a worm without a path of its own goes.
//
// Next is the channel, an index into the wiring's Channels, by which a header in a router goes on towards
// a node that is attached elsewhere. It must be free of allocation and depend on its arguments alone.
type Router interface {
	Next(router, node noc.NodeID) int32
}

// labels routes by the labels of a Hamiltonian path (multicast.md section 2).
type labels struct {
	wiring *topology.Wiring
	first  []int32 // per router: its first channel; one more at the end
	to     []int32 // per channel: label of the router at its end
	of     []int32 // label of each router
}

// NewLabels routes along a wiring whose routers carry the labels 0, 1, 2 ... of a Hamiltonian path.
func NewLabels(w *topology.Wiring, of []int32) (Router, error) {
	at := make([]noc.NodeID, w.Routers)
	seen := make([]bool, w.Routers)
	if len(of) != w.Routers {
		return nil, fmt.Errorf("wormhole: %d labels for the %d routers of %s", len(of), w.Routers, w.Name)
	}
	for r, l := range of {
		if l < 0 || int(l) >= w.Routers || seen[l] {
			return nil, fmt.Errorf("wormhole: router %d of %s has label %d; use each of 0 to %d once", r, w.Name, l, w.Routers-1)
		}
		at[l], seen[l] = noc.NodeID(r), true
	}
	for l := 1; l < w.Routers; l++ {
		if w.Channel(at[l-1], at[l]) < 0 || w.Channel(at[l], at[l-1]) < 0 {
			return nil, fmt.Errorf("wormhole: routers %d and %d of %s have labels %d and %d but no channels both ways",
				at[l-1], at[l], w.Name, l-1, l)
		}
	}
	s := &labels{wiring: w, of: of, first: make([]int32, w.Routers+1), to: make([]int32, len(w.Channels))}
	for i, c := range w.Channels {
		s.first[c.From+1] = int32(i + 1)
		s.to[i] = of[c.To]
	}
	for r := range w.Routers { // routers without channels
		s.first[r+1] = max(s.first[r+1], s.first[r])
	}
	return s, nil
}

// Next is R(u,v): the neighbour with the label nearest to v's that lies between u's and v's.
func (s *labels) Next(router, node noc.NodeID) int32 {
	here, there := s.of[router], s.of[s.wiring.Exit[node].Router]
	best, label := int32(-1), here
	for i := s.first[router]; i < s.first[router+1]; i++ {
		l := s.to[i]
		if here < there && l > label && l <= there || here > there && l < label && l >= there {
			best, label = i, l
		}
	}
	return best
}

// Snake are the labels of a grid's boustrophedon path: row by row, every other one backwards, in any
// number of dimensions.
func Snake(g topology.Grid) []int32 {
	of := make([]int32, g.Nodes())
	for n := range of {
		size := 1
		for dim, k := range g.Radix {
			low, at := int(of[n]), g.Coordinate(noc.NodeID(n), dim)
			if at%2 == 1 {
				low = size - 1 - low
			}
			of[n] = int32(at*size + low)
			size *= k
		}
	}
	return of
}

// dimensions routes along x, then y, and so on.
type dimensions struct {
	at      [][]int16 // per dimension: coordinate of each router
	channel [][2][]int32
}

// NewDimensionOrder routes on a mesh along one dimension after the other.
func NewDimensionOrder(g topology.Grid, w *topology.Wiring) (Router, error) {
	if g.Wrap {
		return nil, fmt.Errorf("wormhole: routing is %q on %s: with one channel per link a ring would deadlock; use %q, or a mesh",
			DimensionOrder, g, Labels)
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
