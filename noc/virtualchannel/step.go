package virtualchannel

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// Step simulates cycles up to until, or to the first one with news for the client.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.now < until {
		if !n.config.EveryCycle {
			if next := min(n.nextWork(), until); next > n.now {
				n.now = next
				if n.collect() || next == until {
					return n.now
				}
			}
		}
		n.cycle()
		room := n.sources.TakeRoomAgain()
		if n.collect() || room {
			return n.now
		}
	}
	return n.now
}

// collect shows the deliveries of the current cycle to the client and tells whether there are any.
func (n *Network) collect() bool {
	if n.sinks.Pending() > 0 {
		n.sinks.Collect(n.now)
	}
	return n.sinks.Visible()
}

// nextWork is the next cycle in which a router, an interface, an event or a delivery is due.
func (n *Network) nextWork() noc.Cycle {
	for _, w := range n.due {
		if w != 0 {
			return n.now
		}
	}
	next := min(n.dispatch.Next(n.now), n.sinks.Next())
	if n.busy != 0 {
		i := uint(n.now) & n.mask
		turned := n.busy>>i | n.busy<<(n.mask+1-i)
		next = min(next, n.now+noc.Cycle(bits.TrailingZeros64(turned)))
	}
	return next
}

// at is the agenda of a cycle to come, less than its length away, to which something is added.
func (n *Network) at(c noc.Cycle) *slot {
	i := uint(c) & n.mask
	n.busy |= 1 << i
	return &n.agenda[i]
}

// wake makes a router due.
func (n *Network) wake(r int32) { n.due[r>>6] |= 1 << (r & 63) }

// cycle simulates the current cycle: flits, credits and routes take effect, nodes start packets, and each
// router with something to do allocates virtual channels and its switch.
func (n *Network) cycle() {
	t := n.now
	i := uint(t) & n.mask
	if n.busy>>i&1 != 0 {
		n.busy &^= 1 << i
		s := &n.agenda[i]
		for _, a := range s.flits {
			n.arrive(a, t)
		}
		for _, ch := range s.credits {
			n.credit(ch)
		}
		for _, ch := range s.heads {
			n.routed(ch)
		}
		for _, ch := range s.ports {
			c := &n.channel[ch]
			n.dispatch.FreePort(noc.NodeID(n.source[int(ch)/n.channels]), int32(c.number))
		}
		s.flits, s.credits, s.heads, s.ports = s.flits[:0], s.credits[:0], s.heads[:0], s.ports[:0]
	}
	if n.dispatch.Next(t) <= t {
		for _, id := range n.dispatch.Serve(t) {
			n.launch(id, t)
		}
	}
	n.sent, n.returned = &n.agenda[uint(t+noc.Cycle(n.flight))&n.mask], &n.agenda[uint(t+noc.Cycle(n.back))&n.mask]
	for w := range n.due {
		word := n.due[w]
		if n.config.EveryCycle {
			word = ^uint64(0) >> max(0, 64*(w+1)-len(n.routers))
		}
		for n.due[w] = 0; word != 0; word &= word - 1 {
			r := int32(w<<6 + bits.TrailingZeros64(word))
			if n.visit(r, t) {
				n.wake(r)
			}
		}
	}
	if len(n.sent.flits) > 0 {
		n.at(t + noc.Cycle(n.flight))
	}
	if len(n.returned.credits) > 0 {
		n.at(t + noc.Cycle(n.back))
	}
	n.now++
	if checking {
		if err := n.CheckInvariants(); err != nil {
			panic(err)
		}
	}
}

// launch puts a worm into a virtual channel of its node: its flits wait in the node's memory, and its
// header has crossed to the router after LinkCycles.
func (n *Network) launch(id int32, t noc.Cycle) {
	for int(id) >= len(n.worms) {
		n.worms = append(n.worms, flight{})
	}
	w := n.dispatch.At(id)
	ch := n.entry[w.From]*int32(n.channels) + w.Port
	c := &n.channel[ch]
	n.worms[id] = flight{}
	c.worm, c.left, c.count, c.stage, c.flags = id, int16(w.Phits), int16(w.Phits), unrouted, fresh
	n.routers[c.router].Enter(t)
	s := n.at(t + noc.Cycle(n.config.LinkCycles+n.config.RouteCycles))
	s.heads = append(s.heads, ch)
}

// arrive writes a flit into its channel.
func (n *Network) arrive(a arrival, t noc.Cycle) {
	c := &n.channel[a.channel]
	c.count++
	if a.worm == none {
		n.askAgain(c)
		return
	}
	if c.stage != empty {
		at := int(c.first) + int(c.queued)
		if at >= n.config.BufferPhits {
			at -= n.config.BufferPhits
		}
		n.behind[int(a.channel)*n.config.BufferPhits+at] = a.worm
		c.queued++
		return
	}
	n.routers[c.router].Enter(t)
	n.front(c, a.channel, a.worm, t)
}

// front starts the packet that has come to the front of a channel: its header takes its way through the
// pipeline from cycle t on.
func (n *Network) front(c *channel, ch, worm int32, t noc.Cycle) {
	c.worm, c.left, c.stage, c.flags = worm, int16(n.dispatch.At(worm).Phits), unrouted, fresh
	if n.config.RouteCycles == 0 && t == n.now {
		n.routed(ch)
		return
	}
	s := n.at(t + noc.Cycle(n.config.RouteCycles))
	s.heads = append(s.heads, ch)
}

// routed decides where the front packet of a channel goes on; its header asks for a virtual channel from
// this cycle on.
func (n *Network) routed(ch int32) {
	c := &n.channel[ch]
	w := n.dispatch.At(c.worm)
	x := &n.routers[c.router]
	x.lookups++
	c.hops = n.worms[c.worm].hops
	stop := w.Stops[w.Next]
	if n.exit[stop].router == c.router && int(w.Next) < len(w.Stops)-1 {
		c.flags |= copies
		c.node = int32(stop)
		w.Next++
		stop = w.Stops[w.Next]
	}
	half := uint8(1)
	switch {
	case n.exit[stop].router == c.router:
		c.output, c.node = uint8(n.exit[stop].port), int32(stop)
		c.flags |= leaves
	case w.Routed && n.routes.adaptive != nil && !w.Ordered:
		c.output = n.choose(c.router, w.Class, stop)
	case w.Routed:
		c.output, half = n.routes.next(c.router, w.From, stop)
	default:
		c.output = n.routes.towards(c.router, w.Path[w.Step])
		w.Step++
	}
	if half == 1 {
		c.flags |= upper
	}
	c.stage = waiting
	x.port[c.in&(maxPorts-1)].waiting |= 1 << c.number
	x.waiting |= 1 << c.in
	n.wake(c.router)
}

// choose is the output of a header that has a choice: the first with a virtual channel that is free for it, or else
// the first. Only what routers did in earlier cycles counts, so that the order of events changes nothing.
func (n *Network) choose(router int32, class noc.Class, stop noc.NodeID) uint8 {
	outputs := n.routes.outputs(router, stop)
	for _, o := range outputs {
		if n.port[int(router)*n.ports+int(o)].free&n.sets[class][1] != 0 {
			return uint8(o)
		}
	}
	return uint8(outputs[0])
}

// credit gives a place of a channel back to whoever sends into it.
func (n *Network) credit(ch int32) {
	n.credits[ch]++
	if n.credits[ch] > 1 || n.owner[ch] == none {
		return
	}
	if c := &n.channel[n.owner[ch]]; c.count > 0 && c.stage == active {
		n.ask(c)
	}
}

// askAgain lets the flit of a body that has just arrived ask for the switch if it is alone and has a way on: then
// its header has gone ahead, so the channel is active. No branch: each of the conditions would be a coin toss.
func (n *Network) askAgain(c *channel) {
	room := n.credits[max(c.to, 0)]
	if c.to == none {
		room = 1
	}
	asks := uint32(0)
	if c.count == 1 {
		asks = 1
	}
	if room <= 0 {
		asks = 0
	}
	x := &n.routers[c.router]
	x.port[c.in&(maxPorts-1)].ready |= asks << (c.number & 31)
	x.ready |= asks << (c.in & 31)
	n.due[c.router>>6] |= uint64(asks) << (c.router & 63)
}

// ask lets the front flit of a channel ask for the switch.
func (n *Network) ask(c *channel) {
	x := &n.routers[c.router]
	x.port[c.in&(maxPorts-1)].ready |= 1 << c.number
	x.ready |= 1 << c.in
	n.wake(c.router)
}
