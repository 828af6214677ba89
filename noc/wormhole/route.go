package wormhole

import "github.com/carousel-sim/carousel/noc"

// computeRoutes decides where headers go on that have been at the front of their channels for long
// enough (rule 3).
func (n *Network) computeRoutes(r *router, t noc.Cycle) {
	for p := range r.inputs {
		for v := range r.inputs[p].channels {
			ch := &r.inputs[p].channels[v]
			if ch.stage != unrouted || ch.flits.Len() == 0 || t < ch.since+noc.Cycle(n.config.RouteCycles) {
				continue
			}
			r.counts.RouteLookups++
			n.route(r, ch)
			ch.stage = waiting
		}
	}
}

// route decides where the front packet of a channel goes: to a node here, or by an output with a
// half of the class's channels there. At a stop that is not its last, it leaves a copy and goes on
// towards the next.
func (n *Network) route(r *router, ch *channel) {
	id := ch.flits.Front().worm
	w := n.Dispatch.At(id)
	ch.hops, ch.copies, ch.leaves, ch.half = n.crossed[id], false, false, 1
	if n.Wiring.Exit[w.Stops[w.Next]].Router == r.id && int(w.Next) < len(w.Stops)-1 {
		ch.copies, ch.node = true, w.Stops[w.Next]
		w.Next++
	}
	stop := w.Stops[w.Next]
	exit := n.Wiring.Exit[stop]
	switch {
	case exit.Router == r.id:
		ch.leaves, ch.node, ch.output = true, stop, int(exit.Port)
	case !w.Routed:
		ch.output = n.outputOf(int32(n.Wiring.Channel(r.id, w.Path[w.Step])))
		w.Step++
	case n.Adaptive != nil:
		ch.output = n.choose(r, w.Class, stop)
	case n.Function != nil:
		ch.output = n.outputOf(n.Function.Next(r.id, stop))
		if n.Datelined != nil {
			ch.half = int(n.Datelined.Half(r.id, stop))
		}
	default:
		ch.output, ch.half = n.dimensionOrder(r.id, w.From, stop, len(w.Stops) == 1)
	}
}

// outputOf returns the output port of a channel of the wiring.
func (n *Network) outputOf(c int32) int { return int(n.Wiring.Channels[c].Out) }

// choose takes the first permitted output with a virtual channel that is free for the class, or
// else the first.
func (n *Network) choose(r *router, class noc.Class, stop noc.NodeID) int {
	n.choices = n.Adaptive.Choices(r.id, stop, n.choices[:0])
	for _, c := range n.choices {
		for v, ch := range r.outputs[n.outputOf(c)].channels {
			if n.classes[class][1]>>v&1 != 0 && !ch.taken {
				return n.outputOf(c)
			}
		}
	}
	return n.outputOf(n.choices[0])
}

// dimensionOrder returns the output along the first dimension in which a router and a stop differ,
// and the half of the class's channels to take (rules 4 and 5).
func (n *Network) dimensionOrder(at, from, stop noc.NodeID, oneStop bool) (output, half int) {
	output = int(n.Order.Next(at, stop, n.Order.Ties(from)).Port)
	crosses := n.Order.Crosses(at, stop, output) && !n.Order.AtDateline(at, output)
	if oneStop {
		crosses = n.Order.Crosses(from, stop, output)
	}
	if crosses {
		return output, 0
	}
	return output, 1
}
