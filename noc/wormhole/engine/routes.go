package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/set"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// outputSet is a set of a router's outputs.
type outputSet = set.Of16[uint8]

// upperHalves returns the outputs by which a worm with one stop takes its class's upper channels
// from a node to another: all but those of rings whose dateline it crosses (wormhole.Setup.Half).
func upperHalves(s *wormhole.Setup, from, node noc.NodeID) outputSet {
	upper := ^outputSet(0)
	if s.Order == nil || s.Parts == 1 {
		return upper
	}
	for dim := range s.Grid.Radix {
		if leg := s.Order.Leg(from, node, s.Order.Ties(from), dim); leg.Links > 0 && s.Order.Crosses(from, node, int(leg.Port)) {
			upper.Remove(leg.Port)
		}
	}
	return upper
}

// route is where a worm goes on that has one stop and that the network routes without a choice: an
// output, and above it the flags that a channel gets.
type route uint8

const flagsShift = 4

func (w route) output() uint8 { return uint8(w) & (1<<flagsShift - 1) }
func (w route) flags() uint8  { return uint8(w) >> flagsShift }

// routeOf returns the route from a router to a node. If both ways round a ring are shortest, the worm
// has not moved in that dimension yet, so the router's coordinate is that of its source.
func routeOf(s *wormhole.Setup, router, node noc.NodeID) route {
	if exit := s.Wiring.Exit[node]; exit.Router == router {
		return route(exit.Port | leaves<<flagsShift)
	}
	return route(s.Output(router, router, node))
}

// maxKnown bounds the table of routes, which saves small networks a search for each header.
const maxKnown = 1 << 14

// known returns the routes by router and node, or nil in a network that is large, or where they depend
// on more or do not lead from every router to every node.
func known(s *wormhole.Setup) (all []route) {
	w := s.Wiring
	if s.Adaptive != nil || s.Named != nil || s.Datelined != nil || !w.Direct() || w.Routers*w.Nodes() > maxKnown {
		return nil
	}
	for router := range noc.NodeID(w.Routers) {
		for node := range noc.NodeID(w.Nodes()) {
			all = append(all, routeOf(s, router, node))
		}
	}
	return all
}
