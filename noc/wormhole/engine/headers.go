package engine

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/routing"
)

// headers takes headers from their arrival in a channel to their request for a virtual channel. A
// header's route is a function of the router, of where the packet goes and of
// where it came from, but for adaptive networks, where it also depends on what is free. So it is
// looked up when the header comes to the front of its channel, and counts from RouteCycles later
// on, when the header is among the requests of the channel allocator.
type headers struct {
	net     *Network
	known   []route // by router and node, in small networks
	nodes   uint32
	worms   []flight
	choices []int32  // scratch
	started []uint32 // with a routing by name: worms of each node
	behind  []int32  // worms of the packets behind the front one of a channel, BufferPhits places each
}

// flight is what the network knows of a worm.
type flight struct {
	stop    uint32        // node
	allowed [2]channelSet // virtual channels that it may take, by half
	upper   outputSet     // of a simple one: outputs by which it takes the upper half
	routers uint16        // that its header has reached
	phits   uint16
	class   noc.Class
	state   routing.State // with a routing by name
	simple  bool          // it has one stop, and the network routes it without a choice and in one half of each ring
}

// launch is rule 1: it puts a worm into a virtual channel of its node. Its flits wait in the node's
// memory, and its header has crossed to the router after LinkCycles.
func (h *headers) launch(id int32, t noc.Cycle) {
	n := h.net
	for int(id) >= len(h.worms) {
		h.worms = append(h.worms, flight{})
	}
	w := n.Dispatch.At(id)
	ch := n.entry[w.From] + globalVC(w.Port)
	f := flight{stop: uint32(w.Stops[0]), allowed: n.sets[w.Class], phits: uint16(w.Phits), class: w.Class,
		simple: w.Routed && len(w.Stops) == 1 && n.Datelined == nil && n.Adaptive == nil && n.Named == nil}
	if n.Named != nil {
		f.state = n.Start(h.started, w.From)
	}
	if f.simple {
		f.upper = upperHalves(&n.Setup, w.From, w.Stops[0])
	}
	h.worms[id] = f
	n.front[ch] = front(w.Phits) * oneHere
	n.switches.words[ch.router()].occupied.Add(ch.vc())
	c := &n.channel[ch]
	c.worm, c.stage = id, coming
	r := &n.routers[c.router]
	r.Enter(t)
	r.injected += uint64(f.phits)
	s := n.schedule.On(t + noc.Cycle(n.config.LinkCycles))
	s.arrivals = append(s.arrivals, arrival{ch, id})
}

// computeRoutes is rule 3: it takes headers into their channels. Those that are at the front there
// know their routes RouteCycles after cycle t.
func (h *headers) computeRoutes(list []arrival, t noc.Cycle) {
	n := h.net
	slot := n.schedule.On(t + noc.Cycle(n.config.RouteCycles))
	routed := slices.Grow(slot.routed, len(list))
	begun, others := h.computeSimple(list, routed[len(routed):cap(routed)], t)
	routed = routed[:len(routed)+begun]
	for _, a := range list[:others] {
		c := &n.channel[a.channel]
		if c.worm != a.worm {
			h.queue(c, a)
			continue
		}
		h.route(c, a.channel)
		routed = append(routed, a.channel)
	}
	slot.routed = routed
}

// computeSimple is computeRoutes for headers whose routes the table has, and lists their channels.
// The others are moved to the start of their list: those that are at the front of their channels
// must still be routed. It calls nothing, so its variables stay in registers.
func (h *headers) computeSimple(list []arrival, routed []globalVC, t noc.Cycle) (begun, others int) {
	n := h.net
	for _, a := range list {
		ch := a.channel
		c := &n.channel[ch]
		r := &n.routers[c.router]
		if c.stage == idle {
			r.Enter(t)
			c.worm = a.worm
		} else if c.stage != coming || c.worm != a.worm {
			list[others] = a
			others++
			continue
		}
		r.lookups++
		f := &h.worms[a.worm]
		c.stage, c.phits, c.node = unrouted, f.phits, f.stop
		f.routers++
		i := int(c.router*h.nodes + f.stop)
		if !f.simple || i >= len(h.known) {
			list[others] = a
			others++
			continue
		}
		output := h.known[i].output()
		c.flags, c.out, c.output, c.allowed = h.known[i].flags(), c.base+uint32(output), output, f.allowed[f.upper.Bit(output)]
		n.switches.requests[ch] = newRequest(output, c.input)
		routed[begun] = ch
		begun++
	}
	return begun, others
}

// queue puts a header behind others into its channel.
func (h *headers) queue(c *channel, a arrival) {
	depth := h.net.config.BufferPhits
	at := int(c.first) + int(c.queued)
	if at >= depth {
		at -= depth
	}
	h.behind[int(a.channel)*depth+at] = a.worm
	c.queued++
}

// follow starts the next packet of a channel whose tail goes in cycle t.
func (h *headers) follow(c *channel, ch globalVC, t noc.Cycle) {
	depth := h.net.config.BufferPhits
	worm := h.behind[int(ch)*depth+int(c.first)]
	if c.first++; int(c.first) == depth {
		c.first = 0
	}
	c.queued--
	c.worm, c.stage = worm, coming
	s := h.net.schedule.On(t + 1)
	s.arrivals = append(s.arrivals, arrival{ch, worm})
}

// direct notes where the front packet of a channel goes on, and with which of the virtual channels
// there.
func (h *headers) direct(c *channel, ch globalVC, output uint8, allowed channelSet) {
	c.out, c.output, c.allowed = c.base+uint32(output), output, allowed
	h.net.switches.requests[ch] = newRequest(output, c.input)
}

// route is rule 4: it decides where the front packet of a channel goes on. A header that has a choice
// takes it later.
func (h *headers) route(c *channel, ch globalVC) {
	n, f := h.net, &h.worms[c.worm]
	if f.simple {
		r := routeOf(&n.Setup, noc.NodeID(c.router), noc.NodeID(f.stop))
		c.flags = r.flags()
		h.direct(c, ch, r.output(), f.allowed[f.upper.Bit(r.output())])
		return
	}
	w := n.Dispatch.At(c.worm)
	f.stop, c.flags = uint32(w.Stops[w.Next]), 0
	if uint32(n.Wiring.Exit[f.stop].Router) == c.router && int(w.Next) < len(w.Stops)-1 { // it leaves a copy
		c.flags, c.hops = copies, f.routers-1
		c.node = f.stop
		w.Next++
		f.stop = uint32(w.Stops[w.Next])
	}
	exit := n.Wiring.Exit[f.stop]
	output, half := int(exit.Port), 1
	switch {
	case uint32(exit.Router) == c.router:
		c.node = f.stop
		c.flags |= leaves
	case !w.Routed:
		output = n.Towards(noc.NodeID(c.router), w.Path[w.Step])
		w.Step++
	case n.Adaptive != nil, n.Named != nil:
		c.flags |= chooses
	default:
		output = n.Output(noc.NodeID(c.router), w.From, noc.NodeID(f.stop))
		half = n.Half(noc.NodeID(c.router), w.From, noc.NodeID(f.stop), output, len(w.Stops) == 1)
	}
	h.direct(c, ch, uint8(output), f.allowed[half&1])
}

// request lets headers whose routes have been computed ask for virtual channels.
func (h *headers) request(s *slot) {
	n := h.net
	if n.Named != nil {
		h.steer(s.routed)
	} else if n.Adaptive != nil {
		for _, ch := range s.routed {
			if c := &n.channel[ch]; c.flags&chooses != 0 {
				c.flags &^= chooses
				f := &h.worms[c.worm]
				h.direct(c, ch, h.choose(c.router, f.class, noc.NodeID(f.stop)), c.allowed)
			}
		}
	}
	a := &n.allocator
	if len(a.requests) == 0 {
		a.requests, s.routed = s.routed, a.requests
		return
	}
	a.requests, s.routed = append(a.requests, s.routed...), s.routed[:0]
}

// steer lets those headers of a list choose that have a choice by a routing by name.
func (h *headers) steer(list []globalVC) {
	n := h.net
	for _, ch := range list {
		c := &n.channel[ch]
		if c.flags&chooses == 0 {
			continue
		}
		f := &h.worms[c.worm]
		free := func(output int) channelSet { return n.port[n.layout.portAt(int(c.router), output)].free }
		output, allowed, again := n.Steer(noc.NodeID(c.router), int(c.input), noc.NodeID(f.stop), &f.state, n.sets[f.class], &h.choices, free)
		if !again {
			c.flags &^= chooses
		}
		h.direct(c, ch, uint8(output), allowed)
	}
}

// choose returns the output of a header that has a choice: the first with a virtual channel that is
// free for it, or else the first. Only what routers did in earlier cycles counts, so that the order
// of events changes nothing.
func (h *headers) choose(router uint32, class noc.Class, stop noc.NodeID) uint8 {
	n := h.net
	h.choices = n.Choices(noc.NodeID(router), stop, h.choices[:0])
	for _, o := range h.choices {
		if n.port[n.layout.portAt(int(router), int(o))].free&n.sets[class][1] != 0 {
			return uint8(o)
		}
	}
	return uint8(h.choices[0])
}

// links returns how many the front packet of a channel has crossed, of which a node takes a copy,
// or the whole.
func (h *headers) links(c *channel) int32 {
	if c.flags&leaves != 0 {
		return int32(h.worms[c.worm].routers) - 1
	}
	return int32(c.hops)
}
