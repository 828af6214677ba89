package wormhole

import "github.com/carousel-sim/carousel/noc"

// send is rule 9: it moves the front flit of a channel through the switch and onto the link.
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
		due := n.wheel.On(t + noc.Cycle(in.credit))
		due.credits = append(due.credits, credit{in.router, in.output, p.channel})
	}
	if ch.copies {
		r.counts.EjectPhits++
		r.counts.Crossbar++
	}
	arrives := t + noc.Cycle(o.delays.Flit)
	if o.delays.Parts > 1 {
		o.idle = t + noc.Cycle(o.delays.Parts)
	}
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
		if ch.copies || ch.leaves {
			n.deliver(r, ch, f.worm, t, t+noc.Cycle(n.config.DelaysOf(nil).Flit))
		}
		n.release(r, p, t)
	}
}

// release is rule 10: it ends the front packet of a channel, whose tail goes in cycle t.
func (n *Network) release(r *router, p position, t noc.Cycle) {
	in, ch := &r.inputs[p.input], r.at(p)
	if !ch.leaves {
		r.outputs[ch.output].channels[ch.to].owner = -1
	}
	ch.stage, ch.since = unrouted, t+1
	r.packets--
	if in.own {
		due := n.wheel.On(t + 1)
		due.ports = append(due.ports, injectionPort{in.node, p.channel})
	}
}

// deliver is rule 12: a node has a packet, or a copy of it, when its tail has crossed switch and
// link.
func (n *Network) deliver(r *router, ch *channel, worm int32, t, arrives noc.Cycle) {
	n.Dispatch.Tail(worm, ch.node, int32(ch.hops), t, arrives)
	if ch.copies {
		r.counts.Replications++
	}
	if ch.leaves {
		n.inside -= uint64(n.Dispatch.At(worm).Phits)
		n.Dispatch.End(worm)
		n.worms--
	}
}
