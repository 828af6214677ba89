package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// routes says where headers go on: by dimension order, or by a function over the wiring.
type routes struct {
	wormhole.Setup
	choices []int32 // scratch
}

// halves returns the outputs, as bits, by which a worm with one stop takes its class's upper
// channels from a node to another: all but those of rings whose dateline it crosses. It stays in
// its half of a ring, so that a third of uniform traffic is in the lower ones. Neither half closes
// a cycle: worms that do not cross never take the link at the dateline. Worms that cross are on a
// shortest route, so they start in the last half of the ring and end in the first, and none goes on
// to where the others start.
func (s *routes) halves(from, node noc.NodeID) (upper uint16) {
	upper = ^uint16(0)
	if s.Order == nil {
		return upper
	}
	for dim := range s.Grid.Radix {
		if leg := s.Order.Leg(from, node, s.Order.Ties(from), dim); leg.Links > 0 && s.Order.Crosses(from, node, int(leg.Port)) {
			upper &^= 1 << leg.Port
		}
	}
	return upper
}

// next returns the output by which a header in a router goes on towards a node elsewhere.
func (s *routes) next(router, from, node noc.NodeID) uint8 {
	if s.Order != nil {
		return s.Order.Next(router, node, s.Order.Ties(from)).Port
	}
	return uint8(s.Wiring.Channels[s.Function.Next(router, node)].Out)
}

// half returns the half of its class's channels that the header of a worm with several stops needs at
// an output: 0 while the rest of the route around a ring crosses the dateline, else 1. A worm that
// crosses enters half 1 there, so neither half closes a cycle. Worms with one stop have halves.
func (s *routes) half(router, node noc.NodeID, output int) uint8 {
	switch {
	case s.Datelined != nil:
		return s.Datelined.Half(router, node)
	case s.Order != nil && s.Order.Crosses(router, node, output) && !s.Order.AtDateline(router, output):
		return 0
	}
	return 1
}

// outputs lists the permitted outputs of a header in a router, where there may be several.
func (s *routes) outputs(router uint32, node noc.NodeID) []int32 {
	s.choices = s.Adaptive.Choices(noc.NodeID(router), node, s.choices[:0])
	for i, c := range s.choices {
		s.choices[i] = int32(s.Wiring.Channels[c].Out)
	}
	return s.choices
}

// towards returns the output by which a router reaches a neighbour.
func (s *routes) towards(router uint32, neighbour noc.NodeID) uint8 {
	return uint8(s.Wiring.Channels[s.Wiring.Channel(noc.NodeID(router), neighbour)].Out)
}

// known caches, in small networks, the routes of worms that go to one node: one read instead of a
// search. If both ways round a ring are shortest, such a worm has not moved in that dimension yet,
// so the router's coordinate is that of the source.
type known struct {
	routes []learnt // by router and node
	halves []uint16 // by nodes: source and destination; or 0 for nothing yet
	nodes  uint32
}

// learnt is an output, and above it the flags that a channel gets; or 0 for nothing yet.
type learnt uint8

const (
	isLearnt   = 1 << 7
	flagsShift = 4
)

func newLearnt(output, flags uint8) learnt { return isLearnt | learnt(flags<<flagsShift|output) }

func (w learnt) output() uint8 { return uint8(w) & (wormhole.MaxPorts - 1) }
func (w learnt) flags() uint8  { return uint8(w) >> flagsShift & leaves }

// maxKnown bounds the table.
const maxKnown = 1 << 14

// newKnown makes an empty table, or none for networks that are too large.
func newKnown(w *topology.Wiring) known {
	if size := w.Routers * w.Nodes(); max(size, w.Nodes()*w.Nodes()) <= maxKnown {
		return known{routes: make([]learnt, size), halves: make([]uint16, w.Nodes()*w.Nodes()), nodes: uint32(w.Nodes())}
	}
	return known{}
}

// route returns what is known of the route from a router to a node.
func (k *known) route(router, node uint32) learnt {
	if i := int(router*k.nodes + node); i < len(k.routes) {
		return k.routes[i]
	}
	return 0
}

// halvesOf is routes.halves, which always has the output to a node, so that 0 is nothing yet.
func (k *known) halvesOf(s *routes, from, node uint32) uint16 {
	i := int(from*k.nodes + node)
	if i >= len(k.halves) {
		return s.halves(noc.NodeID(from), noc.NodeID(node))
	}
	if k.halves[i] == 0 {
		k.halves[i] = s.halves(noc.NodeID(from), noc.NodeID(node))
	}
	return k.halves[i]
}

// learn remembers a route, if there is a table.
func (k *known) learn(router, node uint32, route learnt) learnt {
	if k.routes != nil {
		k.routes[router*k.nodes+node] = route
	}
	return route
}
