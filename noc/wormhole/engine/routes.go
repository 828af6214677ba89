package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// routes are the tables of routing: turns for dimension order, or a function over the wiring.
type routes struct {
	wormhole.Setup
	choices []int32 // scratch
	dims    int
	rings   bool      // with datelines
	turns   []turn    // tables, per dimension and parity of the source's coordinate: from a to b, at a*radix+b
	where   []address // per router and dimension
}

// address is a router's coordinate in a dimension, and where in the tables it leads to: as that of
// the router where a packet is, and as that of the packet's source.
type address struct{ here, there, source int32 }

// turn is an output, the half of a class's channels that a worm with several stops needs there, and
// whether the rest of the route crosses the dateline; 0 when the dimension is done.
type turn uint8

const (
	upperHalf turn = 1 << 6
	crosses   turn = 1 << 7
)

func (t turn) output() uint8 { return uint8(t) & (wormhole.MaxPorts - 1) }
func (t turn) half() uint8   { return uint8(t/upperHalf) & 1 }

func newRoutes(setup wormhole.Setup) routes {
	s := routes{Setup: setup}
	if s.Function != nil {
		return s
	}
	g := *s.Grid
	s.dims, s.rings = len(g.Radix), g.Wrap
	s.where = make([]address, g.Nodes()*s.dims)
	for dim, k := range g.Radix {
		from := len(s.turns)
		for parity := range 2 {
			for a := range k {
				for b := range k {
					s.turns = append(s.turns, newTurn(g, dim, a, b, parity == 0))
				}
			}
		}
		for n := range g.Nodes() {
			at := g.Coordinate(noc.NodeID(n), dim)
			s.where[n*s.dims+dim] = address{int32(from + at*k), int32(at), int32(at % 2 * k * k)}
		}
	}
	return s
}

// newTurn returns the route from coordinate a to b of a dimension, upwards if both ways round a
// ring are shortest and even says so. The half is that of worms with several stops: 0 while the
// rest of the route around a ring crosses the dateline, which lies between the last router of the
// ring and the first; else 1. A worm that crosses enters half 1 there, so neither half closes a
// cycle. Worms with one stop have halves instead.
func newTurn(g topology.Grid, dim, a, b int, even bool) turn {
	if a == b {
		return 0
	}
	k := g.Radix[dim]
	up := b > a
	if ahead := (b - a + k) % k; g.Wrap {
		up = 2*ahead < k || 2*ahead == k && even
	}
	t, edge := turn(g.Port(dim, -1)), 0
	if up {
		t, edge = turn(g.Port(dim, +1)), k-1
	}
	if up == (b < a) {
		t |= crosses
	}
	if t&crosses == 0 || a == edge {
		t |= upperHalf
	}
	return t
}

// halves returns the outputs, as bits, by which a worm with one stop takes its class's upper
// channels from a node to another: all but those of rings whose dateline it crosses. It stays in
// its half of a ring, so that a third of uniform traffic is in the lower ones. Neither half closes
// a cycle: worms that do not cross never take the link at the dateline. Worms that cross are on a
// shortest route, so they start in the last half of the ring and end in the first, and none goes on
// to where the others start.
func (s *routes) halves(from, node uint32) (upper uint16) {
	upper = ^uint16(0)
	if !s.rings {
		return upper
	}
	here, there := s.where[int(from)*s.dims:], s.where[int(node)*s.dims:]
	for dim := range s.dims {
		a, b := &here[dim], there[dim].there
		if t := s.turns[a.here+b+a.source]; t&crosses != 0 {
			upper &^= 1 << t.output()
		}
	}
	return upper
}

// next returns the output by which a header in a router goes on towards a node elsewhere, and the
// half of its class's channels that it needs there. Where both ways round a ring are shortest,
// sources with an even coordinate go up, others down.
func (s *routes) next(router, from, node uint32) (output, half uint8) {
	if s.Function != nil {
		half = 1
		if s.Datelined != nil {
			half = s.Datelined.Half(noc.NodeID(router), noc.NodeID(node))
		}
		return uint8(s.Wiring.Channels[s.Function.Next(noc.NodeID(router), noc.NodeID(node))].Out), half
	}
	here, there, source := s.where[int(router)*s.dims:], s.where[int(node)*s.dims:], s.where[int(from)*s.dims:]
	here, there, source = here[:s.dims], there[:s.dims], source[:s.dims]
	for dim := range here {
		if t := s.turns[here[dim].here+there[dim].there+source[dim].source]; t != 0 {
			return t.output(), t.half()
		}
	}
	panic("wormhole: a header is routed at its destination")
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
		return s.halves(from, node)
	}
	if k.halves[i] == 0 {
		k.halves[i] = s.halves(from, node)
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
