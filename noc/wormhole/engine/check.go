package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither
// lost nor doubled, and credits, flits and their ways add up for every channel. Built with the tag
// invariants it runs after every cycle.
func (n *Network) CheckInvariants() error {
	if err := n.CheckDestinations(); err != nil {
		return fmt.Errorf("wormhole: %w", err)
	}
	return n.checkCredits()
}

// checkCredits: what the sender knows to be free, flits here and on their way, and credits on their
// way make up each channel, and its owner sends to it.
func (n *Network) checkCredits() error {
	if n.underWay == nil {
		n.underWay = make([]int, len(n.front))
	}
	under := n.underWay
	clear(under)
	n.schedule.All(n.Clock, func(_ noc.Cycle, due *slot) {
		for _, list := range [][]globalVC{due.landing, due.freed} {
			for _, ch := range list {
				under[ch]++
			}
		}
	})
	for ch, c := range n.every {
		feeder := n.sources[c.base+uint32(c.input)].feeder
		if feeder == none {
			continue
		}
		if sum := int(n.upstream[ch].credits) + int(n.front[ch].here()) + under[ch]; sum != n.config.BufferPhits {
			return fmt.Errorf("wormhole: cycle %d, node %d: %s has %d credits, %d flits and %d on their way, together not %d",
				n.Clock, c.router, n.name(ch), n.upstream[ch].credits, n.front[ch].here(), under[ch], n.config.BufferPhits)
		}
		up := n.upstream[ch].owner
		free := n.port[feeder].free.Has(int(c.number))
		emptying := n.lonely.Has(int(c.number)) && int(n.upstream[ch].credits) < n.config.BufferPhits
		if free != (up == n.noChannel && !emptying) || up != n.noChannel && n.front[up].to() != ch {
			return fmt.Errorf("wormhole: cycle %d, node %d: %s belongs to channel %d, which sends elsewhere, or is free: %v",
				n.Clock, c.router, n.name(ch), up, free)
		}
	}
	return n.checkBits()
}

// checkBits: the bits of words say what each channel's numbers say, so a channel asks for the
// switch exactly when it could move; and a header that could get a virtual channel asks for one.
func (n *Network) checkBits() error {
	for _, ch := range n.allocator.requests {
		n.underWay[ch] = -1 // nothing else does
	}
	for i := range n.port {
		for ch := n.port[i].sleeper; ch != n.noChannel; ch = n.channel[ch].next {
			if n.underWay[ch] = -1; n.canBeGranted(&n.channel[ch]) {
				return fmt.Errorf("wormhole: cycle %d, node %d: %s sleeps, though it could get a virtual channel", n.Clock,
					n.channel[ch].router, n.name(ch))
			}
		}
	}
	for ch, c := range n.every {
		word, v := &n.switches.words[ch.router()], ch.vc()
		live := n.switches.live[c.router>>6].Has(c.router)
		switch {
		case !live && c.stage == active, word.occupied.Has(v) != (n.front[ch].here() > 0), word.active.Has(v) != (c.stage == active),
			c.stage == active && (n.links == nil || n.links.delays[c.out].Parts == 1) && word.credited.Has(v) != (n.upstream[n.front[ch].to()].credits > 0),
			c.stage >= waiting && (n.switches.requests[ch] != newRequest(c.output, c.input) || n.layout.portAt(int(c.router), int(c.output)) != c.out),
			n.speculation != nil && (n.speculation.words[ch.router()].waiting.Has(v) != (c.stage == waiting) || n.speculation.words[ch.router()].got != 0):
			return fmt.Errorf("wormhole: cycle %d, node %d: the bits of %s do not match its state: %d flits, stage %d, to channel %d",
				n.Clock, c.router, n.name(ch), n.front[ch].here(), c.stage, n.front[ch].to())
		case (c.stage == waiting) != (n.underWay[ch] < 0):
			return fmt.Errorf("wormhole: cycle %d, node %d: %s waits for a channel: %v, but asks for one or sleeps: %v", n.Clock, c.router,
				n.name(ch), c.stage == waiting, n.underWay[ch] < 0)
		}
	}
	return nil
}

// Explain lists the packets at the front of virtual channels that wait for a virtual channel, for a
// credit or for a sink, and those at the head of source queues that wait for a channel of their
// node. Those that only lose an arbitration are not listed.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for ch, c := range n.every {
		switch {
		case c.stage == waiting && !n.canBeGranted(c):
			all = append(all, n.stuck(ch, n.lacking(c)))
		case c.stage == active && n.upstream[n.front[ch].to()].credits == 0 && n.front[ch].here() > 0:
			all = append(all, n.stuck(ch, n.name(n.front[ch].to())+": no free place"))
		}
	}
	return n.Queued(all)
}

// canBeGranted reports whether a header that waits could be given a virtual channel now.
func (n *Network) canBeGranted(c *channel) bool {
	return n.hasSink(c) && (c.flags&leaves != 0 || n.port[c.out].free&c.allowed != 0)
}

// hasSink reports whether there is room in the sink for a packet, where it goes to one or leaves a
// copy.
func (n *Network) hasSink(c *channel) bool {
	return c.flags&(copies|leaves) == 0 || n.Sinks.Room(noc.NodeID(c.node), n.Dispatch.At(c.worm).Class)
}

// lacking returns what a header waits for.
func (n *Network) lacking(c *channel) string {
	if !n.hasSink(c) {
		return fmt.Sprintf("sink %d: no free place", n.Dispatch.At(c.worm).Class)
	}
	return fmt.Sprintf("output %s: no virtual channel is free", n.PortName(int(c.output)))
}

// stuck describes the front packet of a channel.
func (n *Network) stuck(ch globalVC, waits string) noc.Stuck {
	c := &n.channel[ch]
	s := n.Stuck(n.Dispatch.At(c.worm).Packet)
	s.At, s.For, s.Holds, s.Waits = noc.NodeID(c.router), noc.NodeID(c.router), n.name(ch), waits
	if down := n.port[c.out].down; down != n.noChannel {
		s.For = noc.NodeID(n.channel[down].router)
	}
	return s
}

// name names a virtual channel.
func (n *Network) name(ch globalVC) string {
	c := &n.channel[ch]
	return n.ChannelName(int(c.input), int(c.number))
}
