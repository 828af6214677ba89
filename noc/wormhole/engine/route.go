package engine

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// A header's route is a function of the router, of where the packet goes and of where it came from, but for adaptive
// networks, where it also depends on what is free. So it is looked up when the header comes to the front of its channel, and
// counts from RouteCycles later on, when the header is in the list of those that ask for a virtual channel.

// launch puts a worm into a virtual channel of its node: its flits wait in the node's memory, and its
// header has crossed to the router after LinkCycles.
func (n *Network) launch(id int32, t noc.Cycle) {
	for int(id) >= len(n.worms) {
		n.worms = append(n.worms, flight{})
	}
	w := n.Dispatch.At(id)
	ch := n.entry[w.From] + uint32(w.Port)
	f := flight{stop: uint32(w.Stops[0]), allowed: n.sets[w.Class], phits: uint16(w.Phits), class: w.Class,
		simple: w.Routed && len(w.Stops) == 1 && n.routes.datelined == nil && (n.routes.adaptive == nil || w.Ordered)}
	if f.simple {
		f.halves = n.known.halvesOf(&n.routes, uint32(w.From), f.stop)
	}
	if w.Ordered {
		f.allowed[0] &= -f.allowed[0]
		f.allowed[1] &= -f.allowed[1]
	}
	n.worms[id] = f
	n.front[ch] = front(w.Phits) * oneHere
	n.words[ch>>6].some |= 1 << (ch & 63)
	c := &n.channel[ch]
	c.worm, c.stage = id, coming
	r := &n.routers[c.router]
	r.Enter(t)
	r.injected += uint64(f.phits)
	s := n.at(t + noc.Cycle(n.config.LinkCycles))
	s.headers = append(s.headers, arrival{ch, id})
}

// begin takes headers into their channels. Those that are at the front there take their way through the pipeline
// from cycle t on.
func (n *Network) begin(list []arrival, t noc.Cycle) {
	routed := n.at(t + noc.Cycle(n.config.RouteCycles))
	heads := slices.Grow(routed.heads, len(list))
	begun, others := n.beginSimple(list, heads[len(heads):cap(heads)], t)
	heads = heads[:len(heads)+begun]
	for _, a := range list[:others] {
		c := &n.channel[a.channel]
		if c.worm != a.worm {
			n.queue(c, a)
			continue
		}
		n.routeAny(c, a.channel)
		heads = append(heads, a.channel)
	}
	routed.heads = heads
}

// beginSimple does it for headers whose way is known, whose channels it lists. The others are moved to the beginning of their list:
// those that are at the front of their channels have to be routed still. It calls nothing, so that what it needs stays in registers.
func (n *Network) beginSimple(list []arrival, heads []uint32, t noc.Cycle) (begun, others int) {
	for _, a := range list {
		ch := a.channel
		c := &n.channel[ch]
		r := &n.routers[c.router]
		if c.stage == empty {
			r.Enter(t)
			c.worm = a.worm
		} else if c.stage != coming || c.worm != a.worm {
			list[others] = a
			others++
			continue
		}
		r.lookups++
		f := &n.worms[a.worm]
		c.stage, c.phits, c.node = unrouted, f.phits, f.stop
		f.routers++
		way := n.known.way(c.router, f.stop)
		if way == 0 || !f.simple {
			list[others] = a
			others++
			continue
		}
		output := way.output()
		c.flags, c.out, c.output, c.allowed = way.flags(), c.base+uint32(output), output, f.allowed[f.halves>>output&1]
		n.codes[ch] = n.layout.code(output, c.input)
		heads[begun] = ch
		begun++
	}
	return begun, others
}

// routeAny decides where the front packet of a channel goes on.
func (n *Network) routeAny(c *channel, ch uint32) {
	f := &n.worms[c.worm]
	if !f.simple {
		n.routeStops(c, ch, f)
		return
	}
	way := n.learn(c.router, c.worm)
	c.flags = way.flags()
	n.direct(c, ch, way.output(), f.allowed[f.halves>>way.output()&1])
}

// direct notes where the front packet of a channel goes on, and with which of the virtual channels there.
func (n *Network) direct(c *channel, ch uint32, output uint8, allowed uint32) {
	c.out, c.output, c.allowed = c.base+uint32(output), output, allowed
	n.codes[ch] = n.layout.code(output, c.input)
}

// queue puts a header behind others into its channel.
func (n *Network) queue(c *channel, a arrival) {
	at := int(c.first) + int(c.queued)
	if at >= n.config.BufferPhits {
		at -= n.config.BufferPhits
	}
	n.behind[int(a.channel)*n.config.BufferPhits+at] = a.worm
	c.queued++
}

// learn finds the way of a worm with one stop from a router on, and remembers it if there is a table.
func (n *Network) learn(router uint32, worm int32) learnt {
	w, stop := n.Dispatch.At(worm), n.worms[worm].stop
	if exit := &n.exit[stop]; exit.router == router {
		return n.known.learn(router, stop, newLearnt(exit.number, leaves))
	}
	output, _ := n.routes.next(router, uint32(w.From), stop)
	return n.known.learn(router, stop, newLearnt(output, 0))
}

// routeStops decides where the front packet of a channel goes on if it is a worm with several stops, or of a given path, or
// one that has a choice, which it takes later.
func (n *Network) routeStops(c *channel, ch uint32, f *flight) {
	w := n.Dispatch.At(c.worm)
	f.stop, c.flags = uint32(w.Stops[w.Next]), 0
	if n.exit[f.stop].router == c.router && int(w.Next) < len(w.Stops)-1 { // it leaves a copy
		c.flags, c.hops = copies, f.routers-1
		c.node = f.stop
		w.Next++
		f.stop = uint32(w.Stops[w.Next])
	}
	exit := &n.exit[f.stop]
	output, half := exit.number, uint8(1)
	switch {
	case exit.router == c.router:
		c.node = f.stop
		c.flags |= leaves
	case !w.Routed:
		output = n.routes.towards(c.router, w.Path[w.Step])
		w.Step++
	case n.routes.adaptive != nil && !w.Ordered:
		c.flags |= chooses
	default:
		output, half = n.routes.next(c.router, uint32(w.From), f.stop)
	}
	n.direct(c, ch, output, f.allowed[half&1])
}

// request lets headers whose routes have been computed ask for virtual channels.
func (n *Network) request(s *slot) {
	if n.routes.adaptive != nil {
		for _, ch := range s.heads {
			if c := &n.channel[ch]; c.flags&chooses != 0 {
				c.flags &^= chooses
				f := &n.worms[c.worm]
				n.direct(c, ch, n.choose(c.router, f.class, noc.NodeID(f.stop)), c.allowed)
			}
		}
	}
	if len(n.asking) == 0 {
		n.asking, s.heads = s.heads, n.asking
		return
	}
	n.asking, s.heads = append(n.asking, s.heads...), s.heads[:0]
}

// choose is the output of a header that has a choice: the first with a virtual channel that is free for it, or else
// the first. Only what routers did in earlier cycles counts, so that the order of events changes nothing.
func (n *Network) choose(router uint32, class noc.Class, stop noc.NodeID) uint8 {
	outputs := n.routes.outputs(router, stop)
	for _, o := range outputs {
		if n.port[n.layout.portAt(int(router), int(o))].free&n.sets[class][1] != 0 {
			return uint8(o)
		}
	}
	return uint8(outputs[0])
}
