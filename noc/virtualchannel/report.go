package virtualchannel

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// counters are what a router has done.
type counters struct {
	asked, nominated uint64 // requests to input arbiters, and their winners
	injected         uint64 // flits from the node
	copied, branched uint64 // flits and packets of which the node takes a copy
	lookups          uint64
	fabric.Presence  // of packets: from the arrival of a header to the grant of the tail
}

// InFlight is the number of deliveries still owed.
func (n *Network) InFlight() int {
	return n.sources.Owed() - int(n.sinks.Delivered()) + n.sinks.Pending()
}

// Totals are running sums over the whole network. Buffered counts flits from the grant that takes them out
// of the node's memory to the one that hands them to a node.
func (n *Network) Totals() noc.Totals {
	return noc.Totals{Offered: n.sources.Offered(), Injected: n.injected,
		Delivered: n.sinks.Delivered() - uint64(n.sinks.Pending()), Phits: n.sinks.Phits(),
		PhitHops: n.phitHops, Buffered: n.inside}
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for r := range n.routers {
		x := &n.routers[r]
		a := noc.Activity{InjectPhits: x.injected, Replications: x.branched, RouteLookups: x.lookups,
			Cycles: uint64(n.now), IdleCycles: uint64(n.now) - x.Busy(n.now)}
		a.ArbRequests[noc.SwitchInput], a.ArbGrants[noc.SwitchInput] = x.asked, x.nominated
		granted, written := uint64(0), x.injected
		for i, p := range n.port[r*n.ports : (r+1)*n.ports] {
			granted += p.phits
			if p.peer == none {
				a.EjectPhits += p.phits
			} else {
				a.LinkPhits += p.phits
			}
			if feeder := n.feeder[r*n.ports+i]; feeder != none {
				written += n.port[feeder].phits // what is on its way has no other place to go
			}
		}
		a.EjectPhits += x.copied
		a.ArbRequests[noc.SwitchOutput], a.ArbGrants[noc.SwitchOutput] = x.nominated, granted
		a.Crossbar = a.LinkPhits + a.EjectPhits
		a.BufferWrites[noc.VirtualChannel], a.BufferReads[noc.VirtualChannel] = written, granted
		into = append(into, a)
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for i := range n.port {
		if p := &n.port[i]; p.peer != none {
			into = append(into, noc.Link{From: noc.NodeID(i / n.ports), To: noc.NodeID(int(p.peer) / n.ports),
				Port: uint8(i % n.ports), Phits: p.phits})
		}
	}
	return into
}

// Hardware describes one router.
func (n *Network) Hardware() noc.Hardware {
	h := noc.Hardware{Ports: n.ports, PhitBits: n.config.PhitBits, VirtualChannels: n.channels, Crossbar: true}
	if n.config.EjectionPerInput {
		h.DestinationBits = n.nodes
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
	for ch := range n.channel {
		c := &n.channel[ch]
		switch {
		case c.stage == waiting && !n.granted(c):
			all = append(all, n.stuck(int32(ch), n.lacking(c)))
		case c.stage == active && c.to != none && n.credits[c.to] == 0 && c.count > 0:
			all = append(all, n.stuck(int32(ch), n.name(c.to)+": no free place"))
		}
	}
	for node := range n.nodes {
		for m := n.sources.Ready(noc.NodeID(node)); m != 0; m &= m - 1 {
			class := noc.Class(bits.TrailingZeros8(m))
			id := n.sources.Head(noc.NodeID(node), class)
			p := n.packets.At(id)
			all = append(all, noc.Stuck{Tag: p.Tag, Class: class, Src: p.Src, Dst: n.packets.Members(id), At: p.Src,
				Holds: fmt.Sprintf("source queue %d", class), Waits: "node: its channels send other packets", For: p.Src, Since: p.Offered})
		}
	}
	return all
}

// granted tells whether a header that waits could be given a virtual channel now.
func (n *Network) granted(c *channel) bool {
	w := n.dispatch.At(c.worm)
	if c.flags&(copies|leaves) != 0 && !n.sinks.Room(noc.NodeID(c.node), w.Class) {
		return false
	}
	return c.flags&leaves != 0 || n.port[int(c.router)*n.ports+int(c.output)].free&n.sets[w.Class][c.flags/upper&1] != 0
}

// lacking is what a header waits for.
func (n *Network) lacking(c *channel) string {
	if class := n.dispatch.At(c.worm).Class; c.flags&(copies|leaves) != 0 && !n.sinks.Room(noc.NodeID(c.node), class) {
		return fmt.Sprintf("sink %d: no free place", class)
	}
	return fmt.Sprintf("output %s: no virtual channel is free", n.portName(int(c.output)))
}

// portName is a port's name for messages.
func (n *Network) portName(port int) string {
	if n.grid == nil {
		return strconv.Itoa(port)
	}
	return n.grid.PortName(port)
}

// stuck describes the front packet of a channel.
func (n *Network) stuck(ch int32, waits string) noc.Stuck {
	c := &n.channel[ch]
	p := n.packets.At(n.dispatch.At(c.worm).Packet)
	s := noc.Stuck{Tag: p.Tag, Class: p.Class, Src: p.Src, Dst: n.packets.Members(n.dispatch.At(c.worm).Packet),
		At: noc.NodeID(c.router), For: noc.NodeID(c.router), Since: p.Offered, Holds: n.name(ch), Waits: waits}
	if peer := n.port[int(c.router)*n.ports+int(c.output)].peer; peer != none {
		s.For = noc.NodeID(int(peer) / n.ports)
	}
	return s
}

// name names a virtual channel.
func (n *Network) name(ch int32) string {
	c := &n.channel[ch]
	return fmt.Sprintf("input %s channel %d", n.portName(int(c.in)), c.number)
}
