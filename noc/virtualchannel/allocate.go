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
	list := n.asking
	n.asking, n.asked = n.asked[:0], list
	if n.bounded {
		slices.Sort(list)
		list = n.enter(list)
	}
	n.proposed = slices.Grow(n.proposed[:0], len(list))[:len(list)]
	proposals, others := n.propose(list, n.proposed)
	for _, ch := range list[:others] {
		c := &n.channel[ch]
		n.sleep(c, ch, c.out)
	}
	proposed := n.proposed[:proposals]
	others = n.accept(proposed)
	if n.attentive || n.guesses != nil {
		n.tell(proposed)
	}
	for _, g := range proposed[:others] {
		n.wait(&n.channel[g.from], g.from)
		n.asking = append(n.asking, g.from)
	}
}

// propose lets headers propose where to go, and moves those that find no free channel to the beginning of their list. The owner
// of an output channel is the best that has proposed it so far.
func (n *Network) propose(list []uint32, proposed []proposal) (proposals, others int) {
	for _, ch := range list {
		c := &n.channel[ch]
		to := n.nowhere
		if c.flags&leaves == 0 {
			out := &n.port[c.out]
			free := out.free & c.allowed
			if free == 0 {
				list[others] = ch
				others++
				continue
			}
			to = out.down + next(free, c.last)
			y := &n.upstream[to]
			if y.owner == n.nowhere || n.turn(to, c.place) < n.turn(to, n.channel[y.owner].place) {
				y.owner = ch
			}
		}
		proposed[proposals] = proposal{ch, to}
		proposals++
	}
	return proposals, others
}

// accept gives headers the virtual channels that they have proposed and that took their proposals. They ask for the switch from
// the next cycle on: this one's has been allocated. A packet's flits are counted where they will pass, see countPending.
// It moves proposals that lost to the beginning of the list, and what they replace to where they were.
func (n *Network) accept(proposed []proposal) (others int) {
	for i, g := range proposed {
		ch, y := g.from, &n.upstream[g.to]
		c := &n.channel[ch]
		if y.owner != ch && g.to != n.nowhere {
			proposed[i], proposed[others] = proposed[others], g
			others++
			continue
		}
		out := &n.port[c.out]
		out.free &^= 1 << ((g.to - out.down) & 31)
		out.phits += uint64(c.phits)
		n.front[ch] = n.front[ch].via(g.to, c.phits)
		c.stage = active
		x := &n.words[ch>>6]
		x.active |= 1 << (ch & 63)
		x.room = without(x.room|1<<(ch&63), ch, y.credits == 0)
		b := &n.banks[c.router>>6]
		b.live |= 1 << (c.router & 63)
		if b.together {
			n.ways[c.lane].turn(c.router, c.steered^c.output)
			c.steered = c.output
		}
	}
	return others
}

// enter keeps those of some headers that no node takes, or whose node has room for the packet or a copy of it. The room for packets
// that leave the network is reserved; headers that find none wait for it.
func (n *Network) enter(list []uint32) (kept []uint32) {
	kept = list[:0]
	for _, ch := range list {
		c := &n.channel[ch]
		if c.flags&(leaves|copies) != 0 {
			node, class := noc.NodeID(c.node), n.worms[c.worm].class
			if !n.Sinks.Room(node, class) {
				n.sleep(c, ch, n.exit[c.node].port)
				continue
			}
			if c.flags&leaves != 0 {
				n.Sinks.Reserve(node, class)
			}
		}
		kept = append(kept, ch)
	}
	return kept
}

// tell tells nodes and the allocator of speculation which headers have got a virtual channel.
func (n *Network) tell(proposed []proposal) {
	for _, g := range proposed {
		c := &n.channel[g.from]
		if c.stage != active {
			continue
		}
		if c.flags&copies != 0 {
			n.Sinks.Reserve(noc.NodeID(c.node), n.worms[c.worm].class)
			n.routers[c.router].copied += uint64(c.phits)
		}
		if c.flags != 0 {
			n.Dispatch.Head(c.worm, noc.NodeID(c.node), n.links(c), n.Clock)
		}
		if n.guesses != nil {
			n.speculate(c, g.from, n.upstream[g.to].credits != 0)
		}
	}
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

// wait notes that a header has asked in vain.
func (n *Network) wait(c *channel, ch uint32) {
	c.stage = waiting
	if n.guesses != nil {
		n.guesses.words[ch>>6].waiting |= 1 << (ch & 63)
	}
}

// sleep takes a header off the list of those that ask until something is given back at a port.
func (n *Network) sleep(c *channel, ch, port uint32) {
	n.wait(c, ch)
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
