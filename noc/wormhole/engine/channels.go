package engine

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// channelAllocator gives free virtual channels to headers that ask for one, separably: each input
// channel proposes one output channel, and each output channel takes one proposal, round robin
// (rule 6). A header that leaves the network needs a place in the sink instead.
//
// A header that waits is in one of two places: in requests, which are looked at in every cycle, or,
// if the output had no virtual channel for it or the node no room, in the list of the output's
// port, until one is given back.
type channelAllocator struct {
	net      *Network
	requests []uint32   // channels whose headers may get a virtual channel in this cycle
	spare    []uint32   // the list of the cycle before, for reuse
	refused  []proposal // scratch
	turns    []int16    // by channel that leads on: the place that it was given to last
	sinks    sinkTurns
	headers  bool // nodes want to know of headers, not only of tails
}

// proposal is what a header proposes: a channel to go to.
type proposal struct{ from, to uint32 }

// allocate serves the requests. Usually no other header proposes the same channel, so a header gets
// it at once. If a header with precedence proposes it later, the first one gives it back and asks
// again in the next cycle, like all losers.
func (a *channelAllocator) allocate() {
	list := a.requests
	a.requests, a.spare = a.spare[:0], list
	if a.sinks.bounded {
		list = a.enterSinks(list)
	}
	if len(a.refused) < len(list) {
		a.refused = make([]proposal, 2*len(list))
	}
	late, asleep := a.assign(list, a.refused)
	for _, r := range a.refused[asleep:] {
		c := &a.net.channel[r.from]
		a.sleep(c, r.from, c.out)
	}
	for _, r := range a.refused[:late] {
		a.contest(r.from, r.to)
	}
	if a.headers || a.net.speculation != nil {
		a.notify(list)
	}
}

// assign gives some headers the virtual channels that they propose, out of those that were free
// at the start of the cycle, and notes the others: first those that propose what has been given
// in this cycle, and from asleep on those that find none. Headers ask for the switch from the
// next cycle on: this one's has been allocated. A packet's flits are counted where they will
// pass (accounting).
func (a *channelAllocator) assign(list []uint32, refused []proposal) (late, asleep int) {
	n := a.net
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
		word := &n.switches.words[ch>>6]
		word.active |= 1 << (ch & 63)
		word.credited = without(word.credited|1<<(ch&63), ch, n.upstream[to].credits == 0)
		n.switches.live[c.router>>6] |= 1 << (c.router & 63)
	}
	return late, asleep
}

// next returns the first of some bits after the last, wrapping.
func next(bit uint32, last int8) uint32 {
	from := int(last) + 1
	return uint32(bits.TrailingZeros32(bits.RotateLeft32(bit, -from))+from) & 31
}

// contest deals with a header that proposes what another one has got in this cycle: it gets it if
// its turn comes first. The other one asks again.
func (a *channelAllocator) contest(ch, to uint32) {
	n := a.net
	c, first := &n.channel[ch], n.upstream[to].owner
	if other := &n.channel[first]; a.turn(to, c.place) < a.turn(to, other.place) {
		out := &n.port[c.out]
		n.switches.words[first>>6].active &^= 1 << (first & 63)
		out.phits -= uint64(other.phits)
		out.free |= 1 << (to - out.down)
		out.given &^= 1 << (to - out.down)
		a.assign([]uint32{ch}, a.refused)
		c, ch = other, first
	}
	if n.port[c.out].free&c.allowed == 0 {
		a.sleep(c, ch, c.out)
		return
	}
	a.wait(c, ch)
	a.requests = append(a.requests, ch)
}

// turn returns how long a place has to wait for its turn at an output channel.
func (a *channelAllocator) turn(to uint32, place int16) int {
	wait := int(place) - int(a.turns[to]) - 1
	if wait < 0 {
		wait += a.net.layout.places
	}
	return wait
}

// enterSinks keeps those of some headers that no node takes, or whose node has room for the packet
// or a copy of it. The room is reserved, the inputs of a router taking turns; headers that find none
// wait for it. One that leaves a copy takes no place while it finds no virtual channel.
func (a *channelAllocator) enterSinks(list []uint32) (kept []uint32) {
	n := a.net
	a.sinks.sort(list, n.channel)
	kept = list[:0]
	for _, ch := range list {
		c := &n.channel[ch]
		if c.flags&(leaves|copies) != 0 {
			node, class := noc.NodeID(c.node), n.headers.worms[c.worm].class
			if c.flags&leaves == 0 && n.port[c.out].free&c.allowed == 0 {
				a.sleep(c, ch, c.out)
				continue
			}
			if !n.Sinks.Room(node, class) {
				a.sleep(c, ch, n.exit[c.node].port)
				continue
			}
			n.Sinks.Reserve(node, class, n.Clock)
			a.sinks.take(c)
		}
		kept = append(kept, ch)
	}
	return kept
}

// notify tells nodes and the allocator of speculation which of the headers that asked have got a
// virtual channel. One that has not gives the place in the sink back that it took for its copy.
func (a *channelAllocator) notify(list []uint32) {
	n := a.net
	for _, ch := range list {
		c := &n.channel[ch]
		if c.stage != active {
			if a.sinks.bounded && c.flags&copies != 0 {
				n.FreeSink(noc.NodeID(c.node), n.headers.worms[c.worm].class)
			}
			continue
		}
		if c.flags&copies != 0 {
			n.routers[c.router].copied += uint64(c.phits)
		}
		if c.flags != 0 {
			n.Dispatch.Head(c.worm, noc.NodeID(c.node), n.headers.links(c), n.Clock)
		}
		if n.speculation != nil {
			n.speculation.accept(ch, c.router, n.upstream[n.front[ch].to()].credits != 0)
		}
	}
}

// wait notes that a header got no channel.
func (a *channelAllocator) wait(c *channel, ch uint32) {
	c.stage = waiting
	if s := a.net.speculation; s != nil {
		s.words[ch>>6].waiting |= 1 << (ch & 63)
	}
}

// sleep takes a header off the requests until something is given back at a port.
func (a *channelAllocator) sleep(c *channel, ch, port uint32) {
	a.wait(c, ch)
	p := &a.net.port[port]
	c.next, p.sleeper = p.sleeper, ch
}

// wake lets headers that wait for something at a port ask again: those that find a virtual channel,
// or all that wait for room in the sink of the node there.
func (a *channelAllocator) wake(p *port) {
	kept, free := a.net.nowhere, p.free
	if p.down == a.net.nowhere {
		free = ^uint32(0)
	}
	for ch := p.sleeper; ch != a.net.nowhere; {
		c := &a.net.channel[ch]
		behind := c.next
		if free&c.allowed != 0 {
			a.requests = append(a.requests, ch)
		} else {
			c.next, kept = kept, ch
		}
		ch = behind
	}
	p.sleeper = kept
}

// sinkTurns is whose turn it is to take a place of a bounded sink: the input of a router comes
// first whose turn has not been for longest, and of an input the channel.
type sinkTurns struct {
	bounded  bool // some sink is
	inputs   []int8
	channels []int8 // by port
	layout   layout
}

// bound says that there are bounded sinks.
func (s *sinkTurns) bound(routers int) {
	if !s.bounded {
		s.bounded = true
		s.inputs, s.channels = slices.Repeat([]int8{-1}, routers), slices.Repeat([]int8{-1}, routers*s.layout.ports)
	}
}

// sort puts headers in the order in which they may take places, router by router.
func (s *sinkTurns) sort(list []uint32, channels []channel) {
	slices.Sort(list)
	for i := range list {
		for at := i; at > 0; at-- {
			c, before := &channels[list[at]], &channels[list[at-1]]
			if c.router != before.router || s.wait(c) > s.wait(before) {
				break
			}
			list[at], list[at-1] = list[at-1], list[at]
		}
	}
}

// wait returns how long a channel has to wait for its turn.
func (s *sinkTurns) wait(c *channel) int {
	input := int(c.input) - int(s.inputs[c.router]) - 1
	if input < 0 {
		input += s.layout.ports
	}
	number := int(c.number) - int(s.channels[c.base+uint32(c.input)]) - 1
	if number < 0 {
		number += s.layout.channels
	}
	return input*wormhole.MaxChannels + number
}

// take notes that a channel has got a place.
func (s *sinkTurns) take(c *channel) {
	s.inputs[c.router], s.channels[c.base+uint32(c.input)] = int8(c.input), int8(c.number)
}
