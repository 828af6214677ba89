package engine

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Explain lists the packets that wait for a slot, for a sink, or behind a packet that does, and
// the source queues that find no slot. Packets that only wait for a port which is streaming
// another are not listed.
func (n *Network) Explain() []noc.Stuck {
	e, all := explanation{n}, []noc.Stuck(nil)
	for ch := range n.channels {
		c := &n.channels[ch]
		if asked := e.asked(ch); asked == 0 || !e.blocked(ch, asked) {
			continue
		}
		for i := range int(c.size) {
			k := n.packetAt(ch, i)
			s := e.stuck(ch, k.packet.id(), n.since(k.written))
			if i > 0 {
				s.For, s.Waits = s.At, s.Holds+": another packet is ahead"
			}
			all = append(all, s)
		}
	}
	for node := range n.nodes {
		for m := n.Sources.Ready(noc.NodeID(node)) &^ n.routers[node].free; m != 0; m &= m - 1 {
			class := bits.TrailingZeros8(m)
			ch := node*n.ports<<classBits | class
			id := n.Sources.Head(noc.NodeID(node), noc.Class(class))
			s := e.stuck(ch, id, n.Packets.At(id).Offered)
			s.Holds, s.For = fmt.Sprintf("source queue %d", class), s.At
			s.Waits = e.channelName(ch) + ": no free slot"
			all = append(all, s)
		}
	}
	return all
}

// explanation explains why packets of a network wait.
type explanation struct{ *Network }

// asked is the set of outputs that the head of a channel asks for: those that it may visit next.
func (e explanation) asked(ch int) (set uint8) {
	r, localVC := e.routers[(ch>>classBits)/e.ports], uint(e.number(ch>>classBits))<<classBits|uint(ch&7)
	for out := range e.ports {
		set |= uint8(r.port[out].asking>>localVC&1) << out
	}
	return set
}

// blocked reports whether none of the outputs that a head asks for has space for it.
func (e explanation) blocked(ch int, asked uint8) bool {
	router, port := (ch>>classBits)/e.ports, e.number(ch>>classBits)
	for m := uint32(asked); m != 0; m &= m - 1 {
		open := e.port[router*e.ports+bits.TrailingZeros32(m)].open
		if open>>(port<<classBits|ch&7)&1 != 0 {
			return false
		}
	}
	return true
}

// stuck describes a packet in a channel and, as if it were the head, the first output it waits for.
func (e explanation) stuck(ch int, id fabric.PacketID, since noc.Cycle) noc.Stuck {
	link := ch >> classBits
	at := noc.NodeID(link / e.ports)
	s := e.Stuck(id)
	s.At, s.Since, s.Holds = at, since, e.channelName(ch)
	asked := e.asked(ch)
	if asked == 0 {
		return s
	}
	out := int(at)*e.ports + bits.TrailingZeros8(asked)
	if e.number(out) == topology.Local {
		s.For, s.Waits = at, fmt.Sprintf("sink %d: no free place", s.Class)
		return s
	}
	there := e.channelIndex(e.port[out].far) | ch&7
	s.For = noc.NodeID((there >> classBits) / e.ports)
	need := fmt.Sprintf("needs %d to enter the ring", e.space[ch&7].Enter)
	if !e.bubble || e.number(link) == int(e.opposite[e.number(out)]) {
		need = fmt.Sprintf("needs %d", e.space[ch&7].Ahead)
	}
	s.Waits = fmt.Sprintf("%s: %d free slots, %s", e.channelName(there), e.port[out].credits[ch&7], need)
	return s
}

func (e explanation) channelName(ch int) string {
	return fmt.Sprintf("input %s channel %d", e.grid.PortName(e.number(ch>>classBits)), ch&7)
}
