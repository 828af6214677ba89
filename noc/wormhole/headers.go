package wormhole

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/routing"
)

// launch is rule 1: it makes the flits of a worm, which wait for the switch in a virtual channel of
// their node's input. The header counts as arrived when it has crossed the link from the node.
func (n *Network) launch(id int32, t noc.Cycle) {
	w := n.Dispatch.At(id)
	entry := n.Wiring.Entry[w.From]
	r := &n.routers[entry.Router]
	ch := r.at(position{int(entry.Port), int(w.Port)})
	for i := range w.Phits {
		ch.flits.Push(flit{id, i == 0, i == w.Phits-1})
	}
	ch.since = t + noc.Cycle(n.config.LinkCycles)
	for int(id) >= len(n.crossed) {
		n.crossed = append(n.crossed, 0)
	}
	n.crossed[id] = 0
	if n.Named != nil {
		for int(id) >= len(n.states) {
			n.states = append(n.states, routing.State{})
		}
		n.states[id] = n.Start(n.started, w.From)
	}
	n.worms++
	r.packets++
}

// arrive writes a flit into its virtual channel.
func (n *Network) arrive(a flitOnLink, t noc.Cycle) {
	r := &n.routers[a.router]
	ch := r.at(a.position)
	ch.flits.Push(a.flit)
	if a.flit.header {
		r.packets++
		if ch.flits.Len() == 1 {
			ch.since = t
		}
	}
}

// computeRoutes is rule 3: it decides where headers go on that have been at the front of their
// channels for long enough.
func (n *Network) computeRoutes(r *router, t noc.Cycle) {
	for p := range r.inputs {
		for v := range r.inputs[p].channels {
			ch := &r.inputs[p].channels[v]
			if ch.stage == waiting && ch.again {
				n.steer(r, p, ch)
			}
			if ch.stage != unrouted || ch.flits.Len() == 0 || t < ch.since+noc.Cycle(n.config.RouteCycles) {
				continue
			}
			r.counts.RouteLookups++
			n.route(r, p, ch)
			ch.stage = waiting
		}
	}
}

// route is rule 4: it decides where the front packet of a channel goes: to a node here, or by an
// output with a half of the class's channels there. At a stop that is not its last, it leaves a
// copy and goes on towards the next.
func (n *Network) route(r *router, input int, ch *channel) {
	id := ch.flits.Front().worm
	w := n.Dispatch.At(id)
	ch.hops, ch.copies, ch.leaves, ch.half = n.crossed[id], false, false, 1
	ch.named, ch.again = 0, false
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
		ch.output = n.Towards(r.id, w.Path[w.Step])
		w.Step++
	case n.Named != nil:
		n.steer(r, input, ch)
	case n.Adaptive != nil:
		ch.output = n.choose(r, w.Class, stop)
	default:
		ch.output = n.Output(r.id, w.From, stop)
		ch.half = n.Half(r.id, w.From, stop, ch.output, len(w.Stops) == 1)
	}
}

// steer lets a header choose with a routing by name.
func (n *Network) steer(r *router, input int, ch *channel) {
	id := ch.flits.Front().worm
	w := n.Dispatch.At(id)
	free := func(output int) ChannelSet { return r.outputs[output].free() }
	ch.output, ch.named, ch.again = n.Steer(r.id, input, w.Stops[w.Next], &n.states[id], n.classes[w.Class], &n.choices, free)
}

// choose takes the first permitted output with a virtual channel that is free for the class, or
// else the first.
func (n *Network) choose(r *router, class noc.Class, stop noc.NodeID) int {
	n.choices = n.Choices(r.id, stop, n.choices[:0])
	for _, output := range n.choices {
		if r.outputs[output].free()&n.classes[class][1] != 0 {
			return int(output)
		}
	}
	return int(n.choices[0])
}
