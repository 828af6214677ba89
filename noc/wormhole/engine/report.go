package engine

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
	n.countEjected()
	entered := uint64(0)
	for r := range n.routers {
		entered += n.routers[r].injected
	}
	for _, first := range n.entry {
		for v := range n.layout.channels {
			entered -= n.toEnter(first + uint32(v))
		}
	}
	t.PhitHops, t.Buffered = n.flits-n.ejected, entered-n.ejected
	return t
}

// toEnter is how many flits of the front packet of a channel of a node have not left its memory.
func (n *Network) toEnter(ch uint32) uint64 {
	switch c := &n.channel[ch]; c.stage {
	case empty:
		return 0
	case active:
		return uint64(n.frontOf(ch).left())
	default:
		return uint64(n.worms[c.worm].phits)
	}
}

// pending is flits that are counted already, but have not passed: by port index, and by router those from its nodes and
// those of which a node takes a copy; and routes that are being computed.
type pending struct{ sent, injected, copied, lookups []uint64 }

// countPending finds them: all flits of a packet are counted when its header gets a virtual channel, and those from a node when
// it takes the packet from its memory.
func (n *Network) countPending() {
	p := &n.pending
	if p.sent == nil {
		routers := len(n.routers)
		*p = pending{make([]uint64, len(n.port)), make([]uint64, routers), make([]uint64, routers), make([]uint64, routers)}
	}
	clear(p.sent)
	clear(p.injected)
	clear(p.copied)
	clear(p.lookups)
	for ch, c := range n.every {
		if c.own {
			p.injected[c.router] += n.toEnter(ch)
		}
		if c.stage == unrouted {
			p.lookups[c.router]++
		}
		if c.stage != active {
			continue
		}
		left := uint64(n.frontOf(ch).left())
		p.sent[c.out] += left
		if c.flags&copies != 0 {
			p.copied[c.router] += left
		}
	}
}

// sentBy is the number of flits that have left by an output; countPending comes before.
func (n *Network) sentBy(port uint32) uint64 { return n.port[port].phits - n.pending.sent[port] }

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	n.countPending()
	for r := range n.routers {
		x, b := &n.routers[r], &n.banks[r>>6]
		a := noc.Activity{InjectPhits: x.injected - n.pending.injected[r], Replications: x.branched, RouteLookups: x.lookups - n.pending.lookups[r],
			Cycles: uint64(n.Clock), IdleCycles: uint64(n.Clock) - x.Busy(n.Clock)}
		granted, written := uint64(0), uint64(0)
		for i := range n.layout.ports {
			at := n.layout.portAt(r, i)
			p, phits := &n.port[at], n.sentBy(at)
			granted += phits
			if p.down == n.nowhere {
				a.EjectPhits += phits
			} else {
				a.LinkPhits += phits
			}
			if feeder := n.sides[at].feeder; feeder != none {
				written += n.sentBy(feeder) // what is on its way has no other place to go
			}
		}
		a.EjectPhits += x.copied - n.pending.copied[r]
		nominated := granted + b.losers.of(r)
		for i := range n.layout.words {
			a.ArbRequests[noc.SwitchInput] += n.words[r*n.layout.words+i].asked
			nominated += n.robins[r*n.layout.words+i].losers
		}
		a.ArbGrants[noc.SwitchInput] = nominated
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
		into = append(into, noc.Link{From: c.From, To: c.To, Port: uint8(c.Out), Phits: n.sentBy(n.layout.portAt(int(c.From), int(c.Out)))})
	}
	return into
}

// Hardware describes one router.
func (n *Network) Hardware() noc.Hardware {
	h := noc.Hardware{Ports: n.layout.ports, PhitBits: n.config.PhitBits, VirtualChannels: n.layout.channels, Crossbar: true}
	if n.config.EjectionPerInput {
		h.DestinationBits = n.Nodes()
	}
	for _, set := range n.sets[:n.config.Classes] {
		h.ChannelChoices = max(h.ChannelChoices, bits.OnesCount32(set[0]), bits.OnesCount32(set[1]))
		h.ChannelRivals = max(h.ChannelRivals, bits.OnesCount32(set[0]|set[1]))
	}
	h.FIFOs[noc.VirtualChannel] = n.layout.places
	h.Depth[noc.VirtualChannel] = n.config.BufferPhits
	return h
}

// Explain lists the packets at the front of virtual channels that wait for a virtual channel, for a credit
// or for a sink, and those at the head of source queues that wait for a channel of their node. Those that
// only lose an arbitration are not listed.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for ch, c := range n.every {
		switch {
		case c.stage == waiting && !n.granted(c):
			all = append(all, n.stuck(ch, n.lacking(c)))
		case c.stage == active && n.upstream[n.frontOf(ch).to()].credits == 0 && n.frontOf(ch).here() > 0:
			all = append(all, n.stuck(ch, n.name(n.frontOf(ch).to())+": no free place"))
		}
	}
	return n.Queued(all)
}

// granted reports whether a header that waits could be given a virtual channel now.
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
	number := int(port) % n.layout.ports
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
	if down := n.port[c.out].down; down != n.nowhere {
		s.For = noc.NodeID(n.channel[down].router)
	}
	return s
}

// name names a virtual channel.
func (n *Network) name(ch uint32) string {
	c := &n.channel[ch]
	return fmt.Sprintf("input %s channel %d", n.portName(n.inputOf(c)), c.number)
}
