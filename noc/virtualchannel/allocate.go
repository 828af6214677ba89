package virtualchannel

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// visit simulates one router in cycle t and tells whether it may have something to do in the next. Both
// allocators see the state at the start of the cycle: a virtual channel that is given up here is allocated
// from the next cycle on, and a header that gets one here asks for the switch in the next, unless it did
// so already on speculation.
func (n *Network) visit(r int32, t noc.Cycle) bool {
	x := &n.routers[r]
	asking := x.waiting
	n.accepted = n.accepted[:0]
	if asking != 0 {
		n.allocateChannels(r)
	}
	moved := x.ready != 0
	var inputs, outputs uint32
	if moved {
		inputs, outputs = n.allocateSwitch(r, t)
	}
	if n.config.Speculative && asking != 0 {
		n.guess(r, inputs, outputs)
	}
	for _, g := range n.accepted {
		n.activate(g)
	}
	if n.config.Speculative && asking != 0 {
		n.speculate(t)
	}
	return x.ready != 0 || x.waiting != 0 && (moved || len(n.accepted) > 0)
}

// allocateChannels gives free virtual channels to the headers of a router, separably: each input channel
// proposes one output channel, round robin, and each output channel takes one proposal, round robin.
// A header that leaves the network needs a place in the sink instead.
func (n *Network) allocateChannels(r int32) {
	base := int(r) * n.ports
	if m := n.routers[r].waiting; m&(m-1) == 0 {
		if p := bits.TrailingZeros32(m); n.port[base+p].waiting&(n.port[base+p].waiting-1) == 0 {
			n.allocateAlone(r, base, p)
			return
		}
	}
	chosen := n.chosen           // by output channel of this router: input channel + 1 that is to have it
	var outputs [maxPorts]uint32 // output channels proposed to
	inputs := n.ports * n.channels
	for m := n.routers[r].waiting; m != 0; m &= m - 1 {
		p := bits.TrailingZeros32(m)
		for vs := n.port[base+p].waiting; vs != 0; vs &= vs - 1 {
			input := p*n.channels + bits.TrailingZeros32(vs)
			ch := int32(base*n.channels + input)
			c := &n.channel[ch]
			w := n.dispatch.At(c.worm)
			if c.flags&(copies|leaves) != 0 && !n.sinks.Room(noc.NodeID(c.node), w.Class) {
				continue
			}
			if c.flags&leaves != 0 {
				n.sinks.Reserve(noc.NodeID(c.node), w.Class)
				n.accepted = append(n.accepted, grant{ch, none})
				continue
			}
			allowed := n.sets[w.Class][c.flags/upper&1]
			if w.Ordered {
				allowed &= -allowed
			}
			free := n.port[base+int(c.output)].free & allowed
			if free == 0 {
				continue
			}
			v := next(free, c.last)
			out := int(c.output)*n.channels + v
			if before := chosen[out]; before == 0 || n.turn(base, out, input, inputs) < n.turn(base, out, int(before-1), inputs) {
				chosen[out] = int32(input + 1)
			}
			outputs[c.output] |= 1 << v
		}
	}
	for o := range n.ports {
		for vs := outputs[o]; vs != 0; vs &= vs - 1 {
			v := bits.TrailingZeros32(vs)
			input := chosen[o*n.channels+v] - 1
			chosen[o*n.channels+v] = 0
			ch := int32(base*n.channels) + input
			to := n.port[base+o].peer*int32(n.channels) + int32(v)
			n.turns[(base+o)*n.channels+v] = int16(input)
			n.channel[ch].last = int8(v)
			n.port[base+o].free &^= 1 << v
			if c := &n.channel[ch]; c.flags&copies != 0 {
				n.sinks.Reserve(noc.NodeID(c.node), n.dispatch.At(c.worm).Class)
			}
			n.accepted = append(n.accepted, grant{ch, to})
		}
	}
}

// allocateAlone is allocateChannels for a router with one header that waits, as most have that have any: at
// moderate load it saves a quarter of the allocator's time.
func (n *Network) allocateAlone(r int32, base, p int) {
	input := p*n.channels + bits.TrailingZeros32(n.port[base+p].waiting)
	ch := int32(base*n.channels + input)
	c := &n.channel[ch]
	w := n.dispatch.At(c.worm)
	local, takes := c.flags&leaves != 0, c.flags&(copies|leaves) != 0
	if takes && !n.sinks.Room(noc.NodeID(c.node), w.Class) {
		return
	}
	to := none
	if !local {
		out := &n.port[base+int(c.output)]
		allowed := n.sets[w.Class][c.flags/upper&1]
		if w.Ordered {
			allowed &= -allowed
		}
		free := out.free & allowed
		if free == 0 {
			return
		}
		v := next(free, c.last)
		to = out.peer*int32(n.channels) + int32(v)
		n.turns[(base+int(c.output))*n.channels+v] = int16(input)
		c.last = int8(v)
		out.free &^= 1 << v
	}
	if takes {
		n.sinks.Reserve(noc.NodeID(c.node), w.Class)
	}
	n.accepted = append(n.accepted, grant{ch, to})
}

// turn is how long an input channel has to wait for its turn at an output channel.
func (n *Network) turn(base, out, input, inputs int) int {
	wait := input - int(n.turns[base*n.channels+out]) - 1
	if wait < 0 {
		wait += inputs
	}
	return wait
}

// activate gives a header its virtual channel.
func (n *Network) activate(g grant) {
	c := &n.channel[g.from]
	c.stage, c.to = active, g.to
	x := &n.routers[c.router]
	p := &x.port[c.in&(maxPorts-1)]
	if p.waiting &^= 1 << c.number; p.waiting == 0 {
		x.waiting &^= 1 << c.in
	}
	if c.flags&(copies|leaves) != 0 {
		n.dispatch.Head(c.worm, noc.NodeID(c.node), int32(c.hops), n.now)
	}
	if g.to == none {
		n.ask(c)
		return
	}
	n.owner[g.to] = g.from
	if n.credits[g.to] > 0 {
		n.ask(c)
	}
}

// allocateSwitch matches inputs and outputs of a router, separably: each input nominates one of its virtual
// channels, round robin, and each output takes one nomination, round robin. It returns the inputs and
// outputs that are taken.
func (n *Network) allocateSwitch(r int32, t noc.Cycle) (inputs, outputs uint32) {
	base := int(r) * n.ports
	x := &n.routers[r]
	if x.ready&(x.ready-1) == 0 { // one input: whatever it nominates is taken
		p := bits.TrailingZeros32(x.ready) & (maxPorts - 1)
		in := &x.port[p]
		v := next(in.ready, in.lastVC)
		x.asked += uint64(bits.OnesCount32(in.ready))
		x.nominated++
		in.lastVC = int8(v)
		ch := (base+p)*n.channels + v
		o := n.channel[ch].output & (maxPorts - 1)
		if x.exits>>o&1 == 0 || !n.config.EjectionPerInput {
			x.port[o].lastIn = int8(p)
		}
		inputs = x.ready
		n.send(x, int32(ch), t)
		return inputs, 1 << o
	}
	var nominees [maxPorts]uint8
	wants := &n.wants // all zero
	asked := 0
	for m := x.ready; m != 0; m &= m - 1 {
		p := bits.TrailingZeros32(m) & (maxPorts - 1)
		in := &x.port[p]
		v := next(in.ready, in.lastVC)
		asked += bits.OnesCount32(in.ready)
		nominees[p] = uint8(v)
		o := n.channel[(base+p)*n.channels+v].output & (maxPorts - 1)
		wants[o] |= 1 << p
		outputs |= 1 << o
	}
	x.asked += uint64(asked)
	x.nominated += uint64(bits.OnesCount32(x.ready))
	m := outputs
	if n.config.EjectionPerInput {
		for e := m & x.exits; e != 0; e &= e - 1 {
			o := bits.TrailingZeros32(e) & (maxPorts - 1)
			m &^= 1 << o
			inputs |= uint32(wants[o])
			for w := uint32(wants[o]); w != 0; w &= w - 1 {
				p := bits.TrailingZeros32(w) & (maxPorts - 1)
				x.port[p].lastVC = int8(nominees[p])
				n.send(x, int32((base+p)*n.channels+int(nominees[p])), t)
			}
			wants[o] = 0
		}
	}
	for ; m != 0; m &= m - 1 {
		o := bits.TrailingZeros32(m) & (maxPorts - 1)
		out := &x.port[o]
		p := next(uint32(wants[o]), out.lastIn) & (maxPorts - 1)
		wants[o] = 0
		out.lastIn = int8(p)
		inputs |= 1 << p
		x.port[p].lastVC = int8(nominees[p])
		n.send(x, int32((base+p)*n.channels+int(nominees[p])), t)
	}
	return inputs, outputs
}

// guess is the allocator of the switch for headers that have no virtual channel yet, separable like the
// other. It sees the requests of the cycle's start and takes no input or output that the other has given
// away; its choices wait for speculate.
func (n *Network) guess(r int32, inputs, outputs uint32) {
	base := int(r) * n.ports
	n.guesses = n.guesses[:0]
	var nominees [maxPorts]uint8
	var wants [maxPorts]uint32
	wanted := uint32(0)
	for m := n.routers[r].waiting; m != 0; m &= m - 1 {
		p := bits.TrailingZeros32(m) & (maxPorts - 1)
		in := &n.port[base+p]
		v := next(in.waiting, in.lastSpecV)
		nominees[p] = uint8(v)
		o := n.channel[(base+p)*n.channels+v].output & (maxPorts - 1)
		wants[o] |= 1 << p
		wanted |= 1 << o
	}
	for m := wanted; m != 0; m &= m - 1 {
		o := bits.TrailingZeros32(m) & (maxPorts - 1)
		choice := wants[o]
		free := n.routers[r].exits>>o&1 != 0 && n.config.EjectionPerInput
		if !free {
			choice = 1 << next(wants[o], n.port[base+o].lastSpecI)
			if outputs>>o&1 != 0 {
				continue
			}
		}
		for choice &^= inputs; choice != 0; choice &= choice - 1 {
			p := bits.TrailingZeros32(choice) & (maxPorts - 1)
			n.guesses = append(n.guesses, int32((base+p)*n.channels+int(nominees[p])))
		}
	}
}

// speculate moves the headers that guess chose, if they have got a virtual channel with room.
func (n *Network) speculate(t noc.Cycle) {
	for _, ch := range n.guesses {
		c := &n.channel[ch]
		if c.stage != active || c.to != none && n.credits[c.to] == 0 {
			continue
		}
		base := int(c.router) * n.ports
		n.port[base+int(c.in)].lastSpecV, n.port[base+int(c.output)].lastSpecI = int8(c.number), int8(c.in)
		x := &n.routers[c.router]
		x.asked++
		x.nominated++
		n.send(x, ch, t)
	}
}

// next is the first of some bits after the last, wrapping.
func next(bit uint32, last int8) int {
	from := int(last) + 1
	return (bits.TrailingZeros32(bits.RotateLeft32(bit, -from)) + from) & 31
}

// send moves the front flit of a channel through the switch: granted in cycle t, it is in the next buffer,
// or with the node, flight cycles later. x is the router.
func (n *Network) send(x *router, ch int32, t noc.Cycle) {
	c := &n.channel[ch]
	header := none
	if c.flags&fresh != 0 {
		header = c.worm
		n.departHeader(c, t)
	}
	c.count--
	c.left--
	if c.own {
		x.injected++
		n.inside++
	} else {
		n.returned.credits = append(n.returned.credits, ch)
	}
	x.port[c.output&(maxPorts-1)].phits++
	room := int16(1)
	if c.to == none {
		n.inside--
	} else {
		n.phitHops++
		n.sent.flits = append(n.sent.flits, arrival{c.to, header})
		room = n.credits[c.to] - 1
		n.credits[c.to] = room
	}
	// Whether the channel asks again is put together without branches, which nobody could predict.
	quiet, last := uint32(0), uint32(0)
	if c.count == 0 {
		quiet = 1
	}
	if c.left == 0 {
		quiet = 1
	}
	if room == 0 {
		quiet = 1
	}
	in := &x.port[c.in&(maxPorts-1)]
	ready := in.ready &^ (quiet << (c.number & 31))
	in.ready = ready
	if ready == 0 {
		last = 1
	}
	x.ready &^= last << (c.in & 31)
	if c.left == 0 {
		n.release(c, ch, t)
	}
}

// departHeader notes that the header of a channel's front packet moves on.
func (n *Network) departHeader(c *channel, t noc.Cycle) {
	c.flags &^= fresh
	w := &n.worms[c.worm]
	if c.own {
		w.injected = t
		if n.dispatch.Leaves(c.worm) {
			n.injected++
		}
	}
	if c.to != none {
		w.hops++
	}
	if c.flags&copies != 0 {
		n.routers[c.router].copied += uint64(c.left)
	}
}

// release ends the front packet of a channel, whose tail has been granted, and starts the next.
func (n *Network) release(c *channel, ch int32, t noc.Cycle) {
	if c.flags&(copies|leaves) != 0 {
		n.dispatch.Tail(c.worm, noc.NodeID(c.node), int32(c.hops), n.worms[c.worm].injected, t, t+noc.Cycle(n.flight))
	}
	x := &n.routers[c.router]
	if c.flags&copies != 0 {
		x.branched++
	}
	if c.to == none {
		n.dispatch.End(c.worm)
	} else {
		n.owner[c.to] = none
		n.port[int(c.router)*n.ports+int(c.output)].free |= 1 << c.last
	}
	switch {
	case c.own:
		c.stage = empty
		x.Exit(t)
		s := n.at(t + 1)
		s.ports = append(s.ports, ch)
	case c.queued == 0:
		c.stage = empty
		x.Exit(t)
	default:
		worm := n.behind[int(ch)*n.config.BufferPhits+int(c.first)]
		if c.first++; int(c.first) == n.config.BufferPhits {
			c.first = 0
		}
		c.queued--
		n.front(c, ch, worm, t+1)
	}
}
