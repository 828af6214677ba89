package virtualchannel

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// A header that waits is in one of two places: in Network.asking, which is looked at in every cycle, or, if the output
// had no virtual channel for it or the node no room, in the list of the output's port, until one is given back.

// allocateChannels gives free virtual channels to the headers that ask, separably: each input channel proposes one
// output channel, round robin, and each output channel takes one proposal, round robin. A header that leaves the network
// needs a place in the sink instead; for these the lower places of a router come first.
func (n *Network) allocateChannels() {
	list, proposed := n.asking, n.proposed[:0]
	if n.bounded {
		slices.Sort(list)
	}
	n.asking, n.asked = n.asked[:0], list
	for _, ch := range list {
		c := &n.channel[ch]
		if c.flags != 0 && !n.enters(c, ch) {
			continue
		}
		out := &n.port[c.out]
		free := out.free & c.allowed
		if free == 0 {
			n.sleep(c, ch, c.out)
			continue
		}
		to := out.down + next(free, c.last)<<6
		if before := n.chosen[to]; before == n.nowhere || n.turn(to, c.place) < n.turn(to, n.channel[before].place) {
			n.chosen[to] = ch
		}
		proposed = append(proposed, grant{ch, to})
	}
	for _, g := range proposed {
		if n.chosen[g.to] != g.from {
			n.asking = append(n.asking, g.from)
			continue
		}
		n.chosen[g.to] = n.nowhere
		c := &n.channel[g.from]
		out := &n.port[c.out]
		v := (g.to - out.down) >> 6
		c.last = int8(v)
		out.free &^= 1 << v
		n.turns[g.to] = c.place
		if c.flags&copies != 0 {
			n.Sinks.Reserve(noc.NodeID(c.node), n.worms[c.worm].class)
		}
		n.accept(c, g.from, g.to)
	}
	n.proposed = proposed
}

// enters deals with a header that a node takes, or a copy of it, and tells whether it needs a virtual channel, and may
// have one.
func (n *Network) enters(c *channel, ch uint32) bool {
	class := n.worms[c.worm].class
	if !n.Sinks.Room(noc.NodeID(c.node), class) {
		n.sleep(c, ch, n.exit[c.node].port)
		return false
	}
	if c.flags&leaves == 0 {
		return true
	}
	n.Sinks.Reserve(noc.NodeID(c.node), class)
	n.accept(c, ch, n.nowhere)
	return false
}

// turn is how long a place has to wait for its turn at an output channel.
func (n *Network) turn(to uint32, place int16) int {
	wait := int(place) - int(n.turns[to]) - 1
	if wait < 0 {
		wait += n.places
	}
	return wait
}

// next is the first of some bits after the last, wrapping.
func next(bit uint32, last int8) uint32 {
	from := int(last) + 1
	return uint32(bits.TrailingZeros32(bits.RotateLeft32(bit, -from))+from) & 31
}

// accept gives a header a virtual channel. It asks for the switch from the next cycle on.
func (n *Network) accept(c *channel, ch, to uint32) {
	c.stage = active
	n.front[ch] = n.front[ch].via(to)
	n.owner[to] = ch
	x, bit := &n.lanes[ch>>6], ch&63
	room := ^isZero(n.credits[to]) & 1
	x.room = x.room&^(1<<bit) | room<<bit
	n.accepted = append(n.accepted, ch)
	if c.flags != 0 {
		n.Dispatch.Head(c.worm, noc.NodeID(c.node), int32(c.hops), n.Clock)
	}
	if n.config.Speculative {
		n.lucky[ch>>6] |= room << bit
		n.wake(c.router)
	}
}

// activate lets the headers that have been accepted in this cycle ask for the switch in the next.
func (n *Network) activate() {
	for _, ch := range n.accepted {
		x, bit := &n.lanes[ch>>6], uint64(1)<<(ch&63)
		x.waiting &^= bit
		x.active |= bit
		c := &n.channel[ch]
		n.banks[c.router>>6].live[c.place>>6] |= 1 << (c.place & 63)
		n.wake(c.router)
	}
}

// sleep takes a header off the list of those that ask until something is given back at a port.
func (n *Network) sleep(c *channel, ch, port uint32) {
	p := &n.port[port]
	c.next, p.sleeper = p.sleeper, ch
}

// wakeSleepers lets the headers that wait for something at a port ask again.
func (n *Network) wakeSleepers(p *port) {
	for ch := p.sleeper; ch != n.nowhere; ch = n.channel[ch].next {
		n.asking = append(n.asking, ch)
	}
	p.sleeper = n.nowhere
}
