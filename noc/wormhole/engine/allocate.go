package engine

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// A header that waits is in one of two places: in Network.asking, which is looked at in every
// cycle, or, if the output had no virtual channel for it or the node no room, in the list of the
// output's port, until one is given back.

// allocateChannels gives free virtual channels to the headers that ask, separably: each input
// channel proposes one output channel, round robin, and each output channel takes one proposal,
// round robin. A header that leaves the network needs a place in the sink instead; where sinks
// are bounded the inputs of a router take turns, and so do the channels of an input.
//
// Mostly nobody else proposes the same, so a header gets what it proposes at once. If another one
// does that later and should have had it, the first gives it back, and asks again in the next
// cycle, as all do that have lost.
func (n *Network) allocateChannels() {
	list := n.asking
	n.asking, n.asked = n.asked[:0], list
	if n.bounded {
		slices.Sort(list)
		list = n.enter(list)
	}
	if len(n.refused) < len(list) {
		n.refused = make([]proposal, 2*len(list))
	}
	late, asleep := n.assign(list, n.refused)
	for ; asleep < len(n.refused); asleep++ {
		ch := n.refused[asleep].from
		c := &n.channel[ch]
		n.sleep(c, ch, c.out)
	}
	for _, r := range n.refused[:late] {
		n.contest(r.from, r.to)
	}
	if n.attentive || n.guesses != nil {
		n.tell(list)
	}
}

// assign gives some headers the virtual channels that they propose, out of those that were free
// at the start of the cycle, and notes the others: first those that propose what has been given
// in this cycle, and from asleep on those that find none. Headers ask for the switch from the
// next cycle on: this one's has been allocated. A packet's flits are counted where they will
// pass, see countPending. It calls nothing, so that what it needs stays in registers.
func (n *Network) assign(list []uint32, refused []proposal) (late, asleep int) {
	asleep = len(refused)
	for _, ch := range list {
		c := &n.channel[ch]
		out, to := &n.port[c.out], n.nowhere
		if c.flags&leaves == 0 {
			given := uint32(0)
			if out.when == n.Clock {
				given = out.given
			}
			free := (out.free | given) & c.allowed
			if free == 0 {
				asleep--
				refused[asleep].from = ch
				continue
			}
			v := next(free, c.last)
			if given>>v&1 != 0 {
				refused[late] = proposal{ch, out.down + v}
				late++
				continue
			}
			to = out.down + v
			out.free &^= 1 << v
			out.given, out.when = given|1<<v, n.Clock
			n.upstream[to].owner = ch
		}
		out.phits += uint64(c.phits)
		n.front[ch] = n.front[ch].via(to, c.phits)
		c.stage = active
		x := &n.words[ch>>6]
		x.active |= 1 << (ch & 63)
		x.room = without(x.room|1<<(ch&63), ch, n.upstream[to].credits == 0)
		b := &n.banks[c.router>>6]
		b.live |= 1 << (c.router & 63)
		if b.together {
			n.ways[c.lane].turn(c.router, c.steered^c.output)
			c.steered = c.output
		}
	}
	return late, asleep
}

// contest deals with a header that proposes what another one has got in this cycle: it gets it if
// its turn comes first. The other one asks again.
func (n *Network) contest(ch, to uint32) {
	c := &n.channel[ch]
	y := &n.upstream[to]
	first := y.owner
	if x := &n.channel[first]; n.turn(to, c.place) < n.turn(to, x.place) {
		out := &n.port[c.out]
		n.words[first>>6].active &^= 1 << (first & 63)
		out.phits -= uint64(x.phits)
		out.free |= 1 << (to - out.down)
		out.given &^= 1 << (to - out.down)
		n.assign([]uint32{ch}, n.refused)
		c, ch = x, first
	}
	n.wait(c, ch)
	n.asking = append(n.asking, ch)
}

// enter keeps those of some headers that no node takes, or whose node has room for the packet or
// a copy of it. The room for packets that leave the network is reserved; headers that find none
// wait for it.
func (n *Network) enter(list []uint32) (kept []uint32) {
	for first := 0; first < len(list); {
		end := first + 1
		for end < len(list) && n.channel[list[end]].router == n.channel[list[first]].router {
			end++
		}
		n.byTurn(list[first:end])
		first = end
	}
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
				n.entered[c.base], n.enteredBy[n.inputOf(c)] = int8(c.input), int8(c.number)
			}
		}
		kept = append(kept, ch)
	}
	return kept
}

// byTurn puts headers of a router in the order in which they may take places of sinks: the input
// comes first whose turn has not been for longest, and of an input the channel.
func (n *Network) byTurn(list []uint32) {
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && n.turnAtSink(list[k]) < n.turnAtSink(list[k-1]); k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}

// turnAtSink is how long a channel has to wait for its turn at a sink.
func (n *Network) turnAtSink(ch uint32) int {
	c := &n.channel[ch]
	input := int(c.input) - int(n.entered[c.base]) - 1
	if input < 0 {
		input += n.layout.ports
	}
	number := int(c.number) - int(n.enteredBy[n.inputOf(c)]) - 1
	if number < 0 {
		number += n.layout.channels
	}
	return input*wormhole.MaxChannels + number
}

// tell tells nodes and the allocator of speculation which of the headers that asked have got a virtual channel.
func (n *Network) tell(list []uint32) {
	for _, ch := range list {
		c := &n.channel[ch]
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
			n.speculate(c, ch, n.upstream[n.frontOf(ch).to()].credits != 0)
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
