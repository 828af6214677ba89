package wormhole

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
)

// proposal is a header's choice of a virtual channel of its output; to is nil if it leaves the
// network.
type proposal struct {
	from    position
	channel int
	to      *outputChannel
}

// allocateChannels is rule 6: each header that waits proposes a free virtual channel, and each
// virtual channel takes one proposal, both round robin. The winners use their channels from the
// next cycle on.
func (n *Network) allocateChannels(r *router, t noc.Cycle) {
	n.proposals = n.proposals[:0]
	if n.Sinks.Bounded() {
		n.sortForSinks(r)
	}
	for _, p := range n.waiting {
		if x := n.propose(r, p); x.channel >= 0 && n.enterSink(r, p, t) {
			n.proposals = append(n.proposals, x)
		}
	}
	places := len(r.inputs) * n.channels
	for _, x := range n.proposals {
		if o := x.to; o != nil && (o.free() || arbiter.Distance(o.last, r.place(x.from), places) < arbiter.Distance(o.last, o.owner, places)) {
			o.owner = r.place(x.from)
		}
	}
	for _, x := range n.proposals {
		ch, place := r.at(x.from), r.place(x.from)
		w := ch.flits.Front().worm
		if x.to != nil {
			if x.to.owner != place {
				if ch.copies {
					n.Sinks.Release(ch.node, n.Dispatch.At(w).Class, t)
				}
				continue
			}
			x.to.last, ch.last = place, x.channel
		}
		ch.stage, ch.to = active, x.channel
		if ch.copies || ch.leaves {
			n.Dispatch.Head(w, ch.node, int32(ch.hops), t)
		}
	}
}

// propose returns what a header asks for: the first free virtual channel of its class and half
// after the one that a packet of its channel got last. The channel is negative if none is free.
func (n *Network) propose(r *router, p position) proposal {
	ch := r.at(p)
	if ch.leaves {
		return proposal{from: p}
	}
	channels := r.outputs[ch.output].channels
	x := proposal{from: p, channel: arbiter.Next(uint64(r.outputs[ch.output].free()&n.allowed(ch)), ch.last)}
	if x.channel >= 0 {
		x.to = &channels[x.channel]
	}
	return x
}

// allowed returns the virtual channels that the header of a channel may take: those of its class
// and half.
func (n *Network) allowed(ch *channel) ChannelSet {
	if ch.named != 0 {
		return ch.named
	}
	return n.classes[n.Dispatch.At(ch.flits.Front().worm).Class][ch.half]
}

// free reports whether a packet can get the virtual channel (rule 10).
func (o *outputChannel) free() bool { return o.owner < 0 && (!o.lonely || o.credits == o.places) }

// free returns the virtual channels of an output that a packet can get.
func (o *output) free() (free ChannelSet) {
	for v := range o.channels {
		if o.channels[v].free() {
			free.Add(v)
		}
	}
	return free
}

// enterSink is rule 11: it takes the place of a sink that a header needs, and reports whether there
// was one. A place that is taken for a copy is given back if another header gets the channel.
func (n *Network) enterSink(r *router, p position, t noc.Cycle) bool {
	ch := r.at(p)
	if !ch.copies && !ch.leaves {
		return true
	}
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
		return arbiter.Distance(r.entered, p.input, len(r.inputs))*MaxChannels + arbiter.Distance(r.inputs[p.input].entered, p.channel, n.channels)
	}
	for i := range n.waiting {
		for k := i; k > 0 && turn(n.waiting[k]) < turn(n.waiting[k-1]); k-- {
			n.waiting[k], n.waiting[k-1] = n.waiting[k-1], n.waiting[k]
		}
	}
}
