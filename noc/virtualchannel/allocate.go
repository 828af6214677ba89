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
		to := out.down + next(free, c.last)
		if before := n.chosen[to]; before == n.nowhere || n.turn(to, c.place) < n.turn(to, n.channel[before].place) {
			n.chosen[to] = ch
		}
		proposed = append(proposed, proposal{ch, to})
	}
	for _, g := range proposed {
		if n.chosen[g.to] != g.from {
			n.asking = append(n.asking, g.from)
			continue
		}
		n.chosen[g.to] = n.nowhere
		c := &n.channel[g.from]
		out := &n.port[c.out]
		v := g.to - out.down
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
		wait += n.layout.places
	}
	return wait
}

// next is the first of some bits after the last, wrapping.
func next(bit uint32, last int8) uint32 {
	from := int(last) + 1
	return uint32(bits.TrailingZeros32(bits.RotateLeft32(bit, -from))+from) & 31
}

// accept gives a header a virtual channel. It asks for the switch from the next cycle on: this one's has been allocated. The
// packet's flits are counted where they will pass, see countPending.
func (n *Network) accept(c *channel, ch, to uint32) {
	c.stage = active
	f := n.frontOf(ch)
	*f = f.via(to)
	y := &n.upstream[to]
	y.owner = ch
	x, bit := &n.words[ch>>6], ch&63
	x.active |= 1 << bit
	x.room = without(x.room|1<<bit, ch, y.credits == 0)
	n.live[c.router>>6] |= 1 << (c.router & 63)
	if n.banks[c.router>>6].together {
		n.steer(c)
	}
	phits := uint64(n.worms[c.worm].phits)
	n.port[c.out].phits += phits
	if c.own {
		n.routers[c.router].injected += phits
		n.entering += phits
	}
	if c.flags != 0 {
		if c.flags&copies != 0 {
			n.routers[c.router].copied += phits
		}
		n.Dispatch.Head(c.worm, noc.NodeID(c.node), int32(c.hops), n.Clock)
	}
	if n.guesses != nil {
		n.speculate(c, ch, y.credits != 0)
	}
}

// speculate notes that a header has got a virtual channel in this cycle, with a free place or not.
func (n *Network) speculate(c *channel, ch uint32, room bool) {
	n.accepted = append(n.accepted, ch)
	x, bit := &n.guesses.words[ch>>6], uint64(1)<<(ch&63)
	x.waiting &^= bit
	x.got |= bit
	if !room {
		return
	}
	x.lucky |= bit
	if given := &n.guesses.given[c.router]; !given.listed {
		given.listed = true
		n.guesses.routers = append(n.guesses.routers, c.router)
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
