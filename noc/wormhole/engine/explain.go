package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

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
func (n *Network) stuck(ch uint32, waits string) noc.Stuck {
	c := &n.channel[ch]
	s := n.Stuck(n.Dispatch.At(c.worm).Packet)
	s.At, s.For, s.Holds, s.Waits = noc.NodeID(c.router), noc.NodeID(c.router), n.name(ch), waits
	if down := n.port[c.out].down; down != n.nowhere {
		s.For = noc.NodeID(n.channel[down].router)
	}
	return s
}

// name names a virtual channel.
func (n *Network) name(ch uint32) string {
	c := &n.channel[ch]
	return n.ChannelName(int(c.input), int(c.number))
}
