package wormhole

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
)

// proposal is a header's choice of a virtual channel of its output; channel is -1 for one that
// leaves the network.
type proposal struct {
	from    position
	channel int
	won     bool
}

// allocate gives away a router's virtual channels and its switch, both on the state at the start of
// the cycle, and sends what has been granted.
func (n *Network) allocate(r *router, t noc.Cycle) {
	n.listRequests(r)
	n.allocateChannels(r, t)
	n.moves = r.allocateSwitch(n.moves[:0], n.ready, n.config.EjectionPerInput, (*turn).ordinary)
	if n.config.Speculative {
		n.guesses = r.allocateSwitch(n.guesses[:0], n.waiting, n.config.EjectionPerInput, (*turn).speculative)
	}
	r.countRequests(n.ready)
	inputs, outputs := uint32(0), uint32(0)
	for _, p := range n.moves {
		ch := r.at(p)
		inputs, outputs = inputs|1<<p.input, outputs|1<<ch.output
		r.inputs[p.input].turn.last = p.channel
		if !n.shared(r, ch.output) {
			r.outputs[ch.output].turn.last = p.input
		}
		n.send(r, p, t)
	}
	n.acceptChannels(r, t)
	for _, p := range n.guesses {
		ch := r.at(p)
		if inputs>>p.input&1 != 0 || outputs>>ch.output&1 != 0 && !n.shared(r, ch.output) || ch.stage != active || !r.hasRoom(ch) {
			continue
		}
		r.inputs[p.input].turn.guessed, r.outputs[ch.output].turn.guessed = p.channel, p.input
		r.counts.ArbRequests[noc.SwitchInput]++
		r.counts.ArbGrants[noc.SwitchInput]++
		r.counts.ArbRequests[noc.SwitchOutput]++
		n.send(r, p, t)
	}
}

// listRequests lists the channels whose headers wait for a virtual channel, and those with a flit
// that can go.
func (n *Network) listRequests(r *router) {
	n.waiting, n.ready = n.waiting[:0], n.ready[:0]
	for p := range r.inputs {
		for v := range r.inputs[p].channels {
			switch ch := &r.inputs[p].channels[v]; {
			case ch.stage == waiting:
				n.waiting = append(n.waiting, position{p, v})
			case ch.stage == active && ch.flits.Len() > 0 && r.hasRoom(ch):
				n.ready = append(n.ready, position{p, v})
			}
		}
	}
}

// hasRoom reports whether there is a free place where the front packet of a channel goes.
func (r *router) hasRoom(ch *channel) bool {
	return ch.leaves || r.outputs[ch.output].channels[ch.to].credits > 0
}

// shared reports whether an output takes flits of all inputs at the same time.
func (n *Network) shared(r *router, output int) bool {
	return r.outputs[output].exit && n.config.EjectionPerInput
}

// wait returns how many steps of a round robin of so many come before i, the last being where it
// stands.
func wait(i, last, of int) int {
	i -= last + 1
	if i < 0 {
		i += of
	}
	return i
}

// allocateChannels gives free virtual channels to headers that wait: each header proposes one, and
// each virtual channel takes one proposal, both round robin (rule 6). A packet that leaves the
// network needs a place in the sink instead, and one that leaves a copy needs both. A place is taken
// when it is found free, and given back if another header gets the channel. The winners use their
// channels from the next cycle on.
func (n *Network) allocateChannels(r *router, t noc.Cycle) {
	n.proposals = n.proposals[:0]
	if n.Sinks.Bounded() {
		n.sortForSinks(r)
	}
	for _, p := range n.waiting {
		ch := r.at(p)
		v := -1
		if !ch.leaves {
			if v = n.propose(r, ch); v < 0 {
				continue
			}
		}
		if (ch.copies || ch.leaves) && !n.enterSink(r, p, t) {
			continue
		}
		n.proposals = append(n.proposals, proposal{p, v, ch.leaves})
	}
	places := len(r.inputs) * n.channels
	for i, x := range n.proposals {
		if x.channel < 0 {
			continue
		}
		o := &r.outputs[r.at(x.from).output].channels[x.channel]
		if o.best < 0 || wait(r.place(x.from), o.last, places) < wait(r.place(n.proposals[o.best].from), o.last, places) {
			o.best = i
		}
	}
	for i := range n.proposals {
		x := &n.proposals[i]
		if x.channel < 0 {
			continue
		}
		if o := &r.outputs[r.at(x.from).output].channels[x.channel]; o.best == i {
			x.won, o.taken, o.last = true, true, r.place(x.from)
		}
	}
	for _, x := range n.proposals {
		if x.channel >= 0 {
			r.outputs[r.at(x.from).output].channels[x.channel].best = -1
		}
		if ch := r.at(x.from); ch.copies && !x.won {
			n.Sinks.Release(ch.node, n.Dispatch.At(ch.flits.Front().worm).Class, t)
		}
	}
}

// enterSink takes a place of the sink that a header needs, and reports whether there was one.
func (n *Network) enterSink(r *router, p position, t noc.Cycle) bool {
	ch := r.at(p)
	class := n.Dispatch.At(ch.flits.Front().worm).Class
	if !n.Sinks.Room(ch.node, class) {
		return false
	}
	n.Sinks.Reserve(ch.node, class, t)
	if n.Sinks.Bounded() {
		r.entered, r.inputs[p.input].entered = p.input, p.channel
	}
	return true
}

// sortForSinks puts the headers that wait in the order in which they may take places of sinks: by
// the turns of inputs, and of an input's channels.
func (n *Network) sortForSinks(r *router) {
	turn := func(p position) int {
		return wait(p.input, r.entered, len(r.inputs))*MaxChannels + wait(p.channel, r.inputs[p.input].entered, n.channels)
	}
	for i := range n.waiting {
		for k := i; k > 0 && turn(n.waiting[k]) < turn(n.waiting[k-1]); k-- {
			n.waiting[k], n.waiting[k-1] = n.waiting[k-1], n.waiting[k]
		}
	}
}

// propose returns the free virtual channel that a header asks for: the first of those of its
// class and half after the one that a packet of its channel got last; -1 if none is free.
func (n *Network) propose(r *router, ch *channel) int {
	free := uint64(0)
	for allowed := n.allowed(ch); allowed != 0; allowed &= allowed - 1 {
		if v := bits.TrailingZeros32(allowed); !r.outputs[ch.output].channels[v].taken {
			free |= 1 << v
		}
	}
	return arbiter.Next(free, ch.last)
}

// allowed returns the virtual channels that the header of a channel may take, as bits: those of
// its class and half.
func (n *Network) allowed(ch *channel) uint32 {
	return n.classes[n.Dispatch.At(ch.flits.Front().worm).Class][ch.half]
}

// acceptChannels notes the virtual channels that headers have got in this cycle.
func (n *Network) acceptChannels(r *router, t noc.Cycle) {
	for _, x := range n.proposals {
		if !x.won {
			continue
		}
		ch := r.at(x.from)
		w := ch.flits.Front().worm
		ch.stage, ch.to = active, x.channel
		if !ch.leaves {
			ch.last = x.channel
		}
		if ch.copies || ch.leaves {
			n.Dispatch.Head(w, ch.node, int32(ch.hops), t)
		}
	}
}

// allocateSwitch gives the switch away: each input nominates one of its requests, and each output
// takes one nominee, both round robin (rule 7). An output that is shared takes all.
func (r *router) allocateSwitch(moves, requests []position, perInput bool, last func(*turn) int) []position {
	var nominees [MaxPorts]int
	var wants [MaxPorts]uint64 // per output: the inputs whose nominees go there
	for i := 0; i < len(requests); {
		p, asks := requests[i].input, uint64(0)
		for ; i < len(requests) && requests[i].input == p; i++ {
			asks |= 1 << requests[i].channel
		}
		nominees[p] = arbiter.Next(asks, last(&r.inputs[p].turn))
		wants[r.at(position{p, nominees[p]}).output] |= 1 << p
	}
	for o := range r.outputs {
		takes := wants[o]
		if takes != 0 && !(r.outputs[o].exit && perInput) {
			takes = 1 << arbiter.Next(takes, last(&r.outputs[o].turn))
		}
		for ; takes != 0; takes &= takes - 1 {
			p := bits.TrailingZeros64(takes)
			moves = append(moves, position{p, nominees[p]})
		}
	}
	return moves
}

func (t *turn) ordinary() int    { return t.last }
func (t *turn) speculative() int { return t.guessed }

// countRequests counts the requests to both stages of the switch's allocator.
func (r *router) countRequests(ready []position) {
	inputs := uint32(0)
	for _, p := range ready {
		inputs |= 1 << p.input
	}
	nominees := uint64(bits.OnesCount32(inputs))
	r.counts.ArbRequests[noc.SwitchInput] += uint64(len(ready))
	r.counts.ArbGrants[noc.SwitchInput] += nominees
	r.counts.ArbRequests[noc.SwitchOutput] += nominees
}

// send moves the front flit of a channel through the switch and onto the link. With a tail the
// packet's virtual channel is free for others.
func (n *Network) send(r *router, p position, t noc.Cycle) {
	in, ch := &r.inputs[p.input], r.at(p)
	o, f := &r.outputs[ch.output], ch.flits.Pop()
	r.counts.ArbGrants[noc.SwitchOutput]++
	r.counts.BufferReads[noc.VirtualChannel]++
	r.counts.Crossbar++
	o.flits++
	if in.own {
		r.counts.InjectPhits++
		r.counts.BufferWrites[noc.VirtualChannel]++
		if f.header {
			n.Dispatch.Leaves(f.worm, t)
			n.inside += uint64(n.Dispatch.At(f.worm).Phits)
		}
	} else {
		due := n.wheel.On(t + noc.Cycle(1+n.config.CreditCycles))
		due.credits = append(due.credits, credit{in.router, in.output, p.channel})
	}
	if ch.copies {
		r.counts.EjectPhits++
		r.counts.Crossbar++
	}
	arrives := t + noc.Cycle(1+n.config.SwitchCycles+n.config.LinkCycles)
	if ch.leaves {
		r.counts.EjectPhits++
	} else {
		n.linkFlits++
		r.counts.LinkPhits++
		o.channels[ch.to].credits--
		n.routers[o.router].counts.BufferWrites[noc.VirtualChannel]++ // it has no other place to go
		due := n.wheel.On(arrives)
		due.flits = append(due.flits, flitOnLink{o.router, position{o.input, ch.to}, f})
		if f.header {
			n.crossed[f.worm] = ch.hops + 1
		}
	}
	if f.tail {
		n.finish(r, p, f.worm, t, arrives)
	}
}

// finish ends the front packet of a channel, whose tail goes in cycle t.
func (n *Network) finish(r *router, p position, worm int32, t, arrives noc.Cycle) {
	in, ch := &r.inputs[p.input], r.at(p)
	if ch.copies || ch.leaves {
		n.Dispatch.Tail(worm, ch.node, int32(ch.hops), t, arrives)
	}
	if ch.copies {
		r.counts.Replications++
	}
	if ch.leaves {
		n.inside -= uint64(n.Dispatch.At(worm).Phits)
		n.Dispatch.End(worm)
		n.worms--
	} else {
		r.outputs[ch.output].channels[ch.to].taken = false
	}
	ch.stage, ch.since = unrouted, t+1
	r.packets--
	if in.own {
		due := n.wheel.On(t + 1)
		due.ports = append(due.ports, injectionPort{in.node, p.channel})
	}
}
