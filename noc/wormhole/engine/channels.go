package engine

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// channelAllocator gives free virtual channels to headers that ask for one.
//
// A header that waits is in one of two places: in requests, which are looked at in every cycle, or,
// if the output had no virtual channel for it or the node no room, in the list of the output's
// port, until one is given back.
type channelAllocator struct {
	net       *Network
	requests  []globalVC // channels whose headers may get a virtual channel in this cycle
	spare     []globalVC // the list of the cycle before, for reuse
	proposals []proposal // scratch
	last      []int16    // by channel that leads on: the place that it was given to last
	sinks     sinkTurns
	headers   bool // nodes want to know of headers, not only of tails
}

// proposal is what a header proposes: a channel to go to.
type proposal struct{ from, to globalVC }

// allocateChannels is rule 6: each header that asks proposes a free virtual channel, which belongs
// to the best proposal so far. Then the owners are served; the others ask again in the next cycle.
func (a *channelAllocator) allocateChannels() {
	n := a.net
	list := a.requests
	a.requests, a.spare = a.spare[:0], list
	if n.Named != nil && n.Named.Escape {
		n.headers.steer(list)
	}
	if a.sinks.bounded {
		a.sinks.sort(list, n.channel)
	}
	a.proposals = a.proposals[:0]
	for _, ch := range list {
		c, to := &n.channel[ch], n.noChannel
		if c.flags&leaves == 0 {
			out := &n.port[c.out]
			free := out.free & c.allowed
			if free == 0 {
				a.sleep(c, ch, c.out)
				continue
			}
			to = out.down + next(free, c.last)
		}
		if a.sinks.bounded && !a.enterSink(c, ch) {
			continue
		}
		a.proposals = append(a.proposals, proposal{ch, to})
		if to != n.noChannel {
			owner := &n.upstream[to].owner
			if *owner == n.noChannel || a.distance(to, c) < a.distance(to, &n.channel[*owner]) {
				*owner = ch
			}
		}
	}
	for _, p := range a.proposals {
		c := &n.channel[p.from]
		if p.to == n.noChannel || n.upstream[p.to].owner == p.from {
			a.grant(c, p)
			continue
		}
		if a.sinks.bounded && c.flags&copies != 0 {
			n.FreeSink(noc.NodeID(c.node), n.headers.worms[c.worm].class)
		}
		a.markWaiting(c, p.from)
		a.requests = append(a.requests, p.from)
	}
}

// grant gives a header the virtual channel that it has proposed. It asks for the switch from the
// next cycle on: this one's has been allocated. The packet's flits are counted where they will pass
// (accounting).
func (a *channelAllocator) grant(c *channel, p proposal) {
	n := a.net
	out := &n.port[c.out]
	if p.to != n.noChannel {
		out.free.Remove(int(p.to - out.down))
	}
	out.phits += uint64(c.phits)
	n.front[p.from] = n.front[p.from].via(p.to, c.phits)
	c.stage = active
	room := n.upstream[p.to].credits != 0 && (n.links == nil || n.links.idle[c.out] <= n.Clock)
	word, v := &n.switches.words[p.from.router()], p.from.vc()
	word.active.Add(v)
	word.credited.Add(v)
	word.credited = without(word.credited, v, !room)
	n.switches.live[c.router>>6].Add(c.router)
	if c.flags&copies != 0 {
		n.routers[c.router].copied += uint64(c.phits)
	}
	c.flags &^= chooses
	if a.headers && c.flags != 0 {
		n.Dispatch.Head(c.worm, noc.NodeID(c.node), n.headers.links(c), n.Clock)
	}
	if n.speculation != nil {
		n.speculation.accept(p.from, room)
	}
}

// next returns the first of some virtual channels of a port after the last, wrapping.
func next(free channelSet, last int8) globalVC {
	from := int(last) + 1
	return globalVC(bits.TrailingZeros32(bits.RotateLeft32(uint32(free), -from))+from) & 31
}

// distance returns how far a channel is from its turn at an output channel.
func (a *channelAllocator) distance(to globalVC, c *channel) int {
	return arbiter.Distance(int(a.last[to]), int(c.place), a.net.layout.places)
}

// enterSink is rule 11, where sinks are bounded: it takes the place of a sink that a header needs,
// and reports whether there was one. Otherwise the header sleeps until there is. A place that is
// taken for a copy is given back if another header gets the channel.
func (a *channelAllocator) enterSink(c *channel, ch globalVC) bool {
	if c.flags&(leaves|copies) == 0 {
		return true
	}
	n := a.net
	node, class := noc.NodeID(c.node), n.headers.worms[c.worm].class
	if !n.Sinks.Room(node, class) {
		a.sleep(c, ch, n.exitOf(node))
		return false
	}
	n.Sinks.Reserve(node, class, n.Clock)
	a.sinks.take(c)
	return true
}

// free gives back a virtual channel of an output.
func (a *channelAllocator) free(out *port, v int) {
	out.free.Add(v)
	if out.sleeper != a.net.noChannel {
		a.wake(out)
	}
}

// markWaiting notes that a header got no channel.
func (a *channelAllocator) markWaiting(c *channel, ch globalVC) {
	c.stage = waiting
	if s := a.net.speculation; s != nil {
		s.words[ch.router()].waiting.Add(ch.vc())
	}
}

// sleep takes a header off the requests until something is given back at a port.
func (a *channelAllocator) sleep(c *channel, ch globalVC, port uint32) {
	a.markWaiting(c, ch)
	p := &a.net.port[port]
	c.next, p.sleeper = p.sleeper, ch
}

// wake lets headers that wait for something at a port ask again: those that find a virtual channel,
// or all that wait for room in the sink of the node there.
func (a *channelAllocator) wake(p *port) {
	kept, free := a.net.noChannel, p.free
	if p.down == a.net.noChannel {
		free = ^channelSet(0)
	}
	for ch := p.sleeper; ch != a.net.noChannel; {
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
func (s *sinkTurns) sort(list []globalVC, channels []channel) {
	slices.Sort(list)
	for i := range list {
		for at := i; at > 0; at-- {
			c, before := &channels[list[at]], &channels[list[at-1]]
			if c.router != before.router || s.distance(c) > s.distance(before) {
				break
			}
			list[at], list[at-1] = list[at-1], list[at]
		}
	}
}

// distance returns how far a channel is from its turn.
func (s *sinkTurns) distance(c *channel) int {
	input := arbiter.Distance(int(s.inputs[c.router]), int(c.input), s.layout.ports)
	number := arbiter.Distance(int(s.channels[c.base+uint32(c.input)]), int(c.number), s.layout.channels)
	return input*wormhole.MaxChannels + number
}

// take notes that a channel has got a place.
func (s *sinkTurns) take(c *channel) {
	s.inputs[c.router], s.channels[c.base+uint32(c.input)] = int8(c.input), int8(c.number)
}
