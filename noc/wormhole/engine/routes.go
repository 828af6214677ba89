package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/set"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// outputSet is a set of a router's outputs.
type outputSet = set.Of16[uint8]

// upperHalves returns the outputs by which a worm with one stop takes its class's upper channels
// from a node to another: all but those of rings whose dateline it crosses (wormhole.Setup.Half).
func upperHalves(s *wormhole.Setup, from, node noc.NodeID) outputSet {
	upper := ^outputSet(0)
	if s.Order == nil {
		return upper
	}
	for dim := range s.Grid.Radix {
		if leg := s.Order.Leg(from, node, s.Order.Ties(from), dim); leg.Links > 0 {
			upper.Put(leg.Port, uint(s.Half(from, from, node, int(leg.Port), true)))
		}
	}
	return upper
}

// known caches, in small networks, the routes of worms that go to one node: one read instead of a
// search. If both ways round a ring are shortest, such a worm has not moved in that dimension yet,
// so the router's coordinate is that of the source.
type known struct {
	routes []learnt    // by router and node
	upper  []outputSet // by nodes: source and destination; or 0 for nothing yet
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
		return known{routes: make([]learnt, size), upper: make([]outputSet, w.Nodes()*w.Nodes()), nodes: uint32(w.Nodes())}
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

// upperHalves is upperHalves, which always has the output to a node, so that 0 is nothing yet.
func (k *known) upperHalves(s *wormhole.Setup, from, node uint32) outputSet {
	i := int(from*k.nodes + node)
	if i >= len(k.upper) {
		return upperHalves(s, noc.NodeID(from), noc.NodeID(node))
	}
	if k.upper[i] == 0 {
		k.upper[i] = upperHalves(s, noc.NodeID(from), noc.NodeID(node))
	}
	return k.upper[i]
}

// learn remembers a route, if there is a table.
func (k *known) learn(router, node uint32, route learnt) learnt {
	if k.routes != nil {
		k.routes[router*k.nodes+node] = route
	}
	return route
}
