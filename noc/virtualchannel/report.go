package virtualchannel

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/carousel-sim/carousel/noc"
)

// Totals are running sums over the whole network. Buffered counts flits from the grant that takes them out
// of the node's memory to the one that hands them to a node.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.moved-n.ejected, n.entered-n.ejected
	return t
}

// countPending counts, for each output and each input of a node, the flits that are yet to follow their header: phits are
// counted when the header goes.
func (n *Network) countPending() {
	if n.pending == nil {
		n.pending = make([]uint64, 2*len(n.port))
	}
	clear(n.pending)
	for ch := range n.channel {
		if f, c := n.front[ch], &n.channel[ch]; c.stage == active && f.fresh() == 0 {
			n.pending[c.out] += uint64(f.left())
			if c.own {
				n.pending[len(n.port)+int(n.inputOf(c))] += uint64(f.left())
			}
		}
	}
}

// sentBy is the number of flits that have left by an output; countPending comes before.
func (n *Network) sentBy(port uint32) uint64 { return n.port[port].phits - n.pending[port] }

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	n.countPending()
	for r := range n.routers {
		x, b := &n.routers[r], &n.banks[r>>6]
		a := noc.Activity{InjectPhits: x.injected, Replications: x.branched, RouteLookups: x.lookups,
			Cycles: uint64(n.Clock), IdleCycles: uint64(n.Clock) - x.Busy(n.Clock)}
		granted, written := uint64(0), uint64(0)
		for i := range n.ports {
			at := n.portAt(r, i)
			p, phits := &n.port[at], n.sentBy(at)
			granted += phits
			if p.down == none {
				a.EjectPhits += phits
			} else {
				a.LinkPhits += phits
			}
			if p.feeder != none {
				written += n.sentBy(p.feeder) // what is on its way has no other place to go
			}
			a.InjectPhits -= n.pending[len(n.port)+int(at)]
		}
		a.EjectPhits += x.copied
		nominated := granted + b.losers.of(r)
		a.ArbRequests[noc.SwitchInput], a.ArbGrants[noc.SwitchInput] = nominated+b.extra.of(r), nominated
		a.ArbRequests[noc.SwitchOutput], a.ArbGrants[noc.SwitchOutput] = nominated, granted
		a.Crossbar = a.LinkPhits + a.EjectPhits
		a.BufferWrites[noc.VirtualChannel], a.BufferReads[noc.VirtualChannel] = written+a.InjectPhits, granted
		into = append(into, a)
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	n.countPending()
	for _, c := range n.wiring.Channels {
		into = append(into, noc.Link{From: c.From, To: c.To, Port: uint8(c.Out), Phits: n.sentBy(n.portAt(int(c.From), int(c.Out)))})
	}
	return into
}

// Hardware describes one router.
func (n *Network) Hardware() noc.Hardware {
	h := noc.Hardware{Ports: n.ports, PhitBits: n.config.PhitBits, VirtualChannels: n.channels, Crossbar: true}
	if n.config.EjectionPerInput {
		h.DestinationBits = n.Nodes()
	}
	for _, set := range n.sets[:n.config.Classes] {
		h.ChannelChoices = max(h.ChannelChoices, bits.OnesCount32(set[0]), bits.OnesCount32(set[1]))
		h.ChannelRivals = max(h.ChannelRivals, bits.OnesCount32(set[0]|set[1]))
	}
	h.FIFOs[noc.VirtualChannel] = n.ports * n.channels
	h.Depth[noc.VirtualChannel] = n.config.BufferPhits
	return h
}

// Explain lists the packets at the front of virtual channels that wait for a virtual channel, for a credit
// or for a sink, and those at the head of source queues that wait for a channel of their node. Those that
// only lose an arbitration are not listed.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for i := range len(n.routers) * n.places {
		ch := n.channelAt(i/n.places, i%n.places/n.channels, i%n.places%n.channels)
		c := &n.channel[ch]
		switch {
		case c.stage == waiting && !n.granted(c):
			all = append(all, n.stuck(ch, n.lacking(c)))
		case c.stage == active && n.credits[n.front[ch].to()] == 0 && n.front[ch].here() > 0:
			all = append(all, n.stuck(ch, n.name(n.front[ch].to())+": no free place"))
		}
	}
	return n.Queued(all)
}

// granted tells whether a header that waits could be given a virtual channel now.
func (n *Network) granted(c *channel) bool {
	w := n.Dispatch.At(c.worm)
	if c.flags&(copies|leaves) != 0 && !n.Sinks.Room(noc.NodeID(c.node), w.Class) {
		return false
	}
	return c.flags&leaves != 0 || n.port[c.out].free&c.allowed != 0
}

// lacking is what a header waits for.
func (n *Network) lacking(c *channel) string {
	if class := n.Dispatch.At(c.worm).Class; c.flags&(copies|leaves) != 0 && !n.Sinks.Room(noc.NodeID(c.node), class) {
		return fmt.Sprintf("sink %d: no free place", class)
	}
	return fmt.Sprintf("output %s: no virtual channel is free", n.portName(c.out))
}

// portName is a port's name in its router, for messages.
func (n *Network) portName(port uint32) string {
	number := int(port>>6) % n.ports
	if n.grid == nil {
		return strconv.Itoa(number)
	}
	return n.grid.PortName(number)
}

// stuck describes the front packet of a channel.
func (n *Network) stuck(ch uint32, waits string) noc.Stuck {
	c := &n.channel[ch]
	s := n.Stuck(n.Dispatch.At(c.worm).Packet)
	s.At, s.For, s.Holds, s.Waits = noc.NodeID(c.router), noc.NodeID(c.router), n.name(ch), waits
	if down := n.port[c.out].down; down != none {
		s.For = noc.NodeID(n.channel[down].router)
	}
	return s
}

// name names a virtual channel.
func (n *Network) name(ch uint32) string {
	c := &n.channel[ch]
	return fmt.Sprintf("input %s channel %d", n.portName(n.inputOf(c)), c.number)
}
