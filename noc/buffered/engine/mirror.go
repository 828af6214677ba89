package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
)

// Explain implements noc.Network.
func (n *Network) Explain() []noc.Stuck { return n.mirrored().Explain() }

// mirrored shows the state of the network as plain routers, which know what to say about it.
func (n *Network) mirrored() *buffered.Mirror {
	if n.mirror == nil {
		n.mirror = buffered.NewMirror(n.grid, n.config)
		n.returning, n.heads = make([]uint8, len(n.channels)), make([]uint64, n.nodes)
	}
	m := n.mirror
	m.Begin(n.Interfaces)
	clear(n.returning)
	clear(n.heads)
	n.wheel.All(n.Clock, func(ahead noc.Cycle, a *events) {
		for _, list := range a.freed {
			for _, at := range list {
				n.returning[n.channelIndex(at)]++
			}
		}
		if ahead == 0 { // those that may ask from the current cycle on
			for _, at := range a.heads {
				n.heads[at>>globalBits] |= 1 << at.localVC()
			}
		}
	})
	for node, r := range n.routers {
		for port := range n.ports {
			n.heads[node] |= r.port[port].asking
		}
		for port := range n.ports {
			for class := range n.config.Classes {
				n.showChannel(m, r, port, class)
			}
		}
	}
	return m
}

// showChannel shows the packets of a channel, those on their way to it included, and what the output
// of the same number knows of the channel behind it.
func (n *Network) showChannel(m *buffered.Mirror, r *router, port, class int) {
	node, ch := int(r.id), int(r.firstVC)+(port<<classBits|class)
	for i := range int(n.channels[ch].size) {
		stored := n.packetAt(ch, i)
		k := stored.packet
		s := buffered.Standing{Packet: k.id(), Phits: int(k.phits()), Written: n.since(stored.written)}
		if i == 0 && n.heads[node]>>(port<<classBits|class)&1 != 0 {
			if s.Branches = 1 << k.port(); k&manyBit != 0 {
				s.Branches = uint16(n.routes.tree(r.id, n.Packets.At(k.id()).Src, n.Packets.Set(k.id())))
			}
		}
		m.Put(node, port, class, s)
	}
	if p := &r.port[port]; p.far >= 0 {
		m.Output(node, port, class, int(p.credits[class])+n.withheld(port, class), int(n.returning[ch]))
	}
}
