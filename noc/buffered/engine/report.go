package engine

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Totals are running sums over the whole network. Phits includes those of packets that are being
// consumed.
func (n *Network) Totals() noc.Totals {
	phitHops := uint64(0)
	for i := range n.port {
		if p := &n.port[i]; n.number(i) != topology.Local {
			phitHops += p.phits
		}
	}
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = phitHops, n.inside()
	return t
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for r := range n.routers {
		x := n.routers[r]
		a := noc.Activity{InjectPhits: x.injected, Replications: x.copies,
			Cycles: uint64(n.Clock), IdleCycles: n.idle(x), Toggles: n.toggled(r)}
		a.ArbRequests[noc.SwitchInput], a.ArbGrants[noc.SwitchInput] = x.asked, x.nominated
		a.ArbRequests[noc.SwitchOutput], a.ArbGrants[noc.SwitchOutput] = x.nominated, x.granted
		written := x.injected
		for i, p := range n.port[r*n.ports : (r+1)*n.ports] {
			if i == topology.Local {
				a.EjectPhits = p.phits
			} else if a.LinkPhits += p.phits; p.far >= 0 {
				written += n.port[n.channelIndex(p.far)>>classBits].phits
			}
		}
		a.Crossbar = a.LinkPhits + a.EjectPhits
		a.BufferWrites[noc.VirtualChannel], a.BufferReads[noc.VirtualChannel] = written, a.Crossbar
		a.RouteLookups = x.granted - x.copies + uint64(x.heads) // all others that ever had a route are gone
		if n.config.Multicast == buffered.Tree {
			a.HeaderTests = a.RouteLookups * uint64(n.nodes*n.ports)
			a.HeaderWrites = 2 * x.copies * uint64(n.nodes) // the copy and what stays
		}
		into = append(into, a)
	}
	return into
}

// idle returns the number of cycles so far in which nothing was in a router.
func (n *Network) idle(x *router) uint64 {
	if x.heads > 0 {
		return x.gaps
	}
	until := n.Clock
	for spot := range uint(n.ports << classBits) {
		if c := &x.channel[spot]; c.size > 0 {
			until = min(until, n.since(c.written[0]))
		}
	}
	return x.gaps + uint64(max(until, x.end)-x.end)
}

// since returns the cycle in which a header was or will be written, of which the lower half is
// given.
func (n *Network) since(written uint32) noc.Cycle {
	return n.Clock + noc.Cycle(int32(written-uint32(n.Clock)))
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for i := range n.port {
		if p := &n.port[i]; n.number(i) != topology.Local && p.far >= 0 {
			l := noc.Link{From: noc.NodeID(i / n.ports), To: noc.NodeID(p.far >> addressBits), Port: uint8(n.number(i)), Phits: p.phits}
			if n.toggles != nil {
				l.Toggles = n.toggles.output[i].flips
			}
			into = append(into, l)
		}
	}
	return into
}

// Hardware describes one router.
func (n *Network) Hardware() noc.Hardware { return n.config.Hardware(n.grid) }

// Explain lists the packets that wait for a slot, for a sink, or behind a packet that does, and
// the source queues that find no slot. Packets that only wait for a port which is streaming
// another are not listed.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for ch := range n.channels {
		c := &n.channels[ch]
		if asked := n.asked(ch); asked == 0 || !n.blocked(ch, asked) {
			continue
		}
		for i := range int(c.size) {
			k := n.packetAt(ch, i)
			s := n.stuck(ch, k.packet.worm(), n.since(k.written))
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
			s := n.stuck(ch, id, n.Packets.At(id).Offered)
			s.Holds, s.For = fmt.Sprintf("source queue %d", class), s.At
			s.Waits = n.channelName(ch) + ": no free slot"
			all = append(all, s)
		}
	}
	return all
}

// asked is the set of outputs that the head of a channel asks for: those that it may visit next.
func (n *Network) asked(ch int) (set uint16) {
	x, spot := n.routers[(ch>>classBits)/n.ports], uint(n.number(ch>>classBits))<<classBits|uint(ch&7)
	for out := range n.ports {
		set |= uint16(x.port[out].asking[spot>>halfBits]>>(spot&63)&1) << out
	}
	return set
}

// blocked reports whether none of the outputs that a head asks for has space for it.
func (n *Network) blocked(ch int, asked uint16) bool {
	router, port := (ch>>classBits)/n.ports, n.number(ch>>classBits)
	for m := uint32(asked); m != 0; m &= m - 1 {
		open := n.port[router*n.ports+bits.TrailingZeros32(m)].open[port>>3]
		if open>>(port&7*8+ch&7)&1 != 0 {
			return false
		}
	}
	return true
}

// stuck describes a packet in a channel and, as if it were the head, the first output it waits for.
func (n *Network) stuck(ch int, id fabric.WormID, since noc.Cycle) noc.Stuck {
	link := ch >> classBits
	worm := n.Packets.At(id)
	at := noc.NodeID(link / n.ports)
	s := noc.Stuck{Tag: worm.Tag, Class: worm.Class, Src: worm.Src, At: at, Since: since,
		Dst: n.Packets.Members(id), Holds: n.channelName(ch)}
	asked := n.asked(ch)
	if asked == 0 {
		return s
	}
	out := int(at)*n.ports + bits.TrailingZeros16(asked)
	if n.number(out) == topology.Local {
		s.For, s.Waits = at, fmt.Sprintf("sink %d: no free place", worm.Class)
		return s
	}
	there := n.channelIndex(n.port[out].far) | ch&7
	s.For = noc.NodeID((there >> classBits) / n.ports)
	need := fmt.Sprintf("needs %d to enter the ring", n.space[ch&7].Enter)
	if !n.bubble || n.number(link) == int(n.opposite[n.number(out)]) {
		need = fmt.Sprintf("needs %d", n.space[ch&7].Ahead)
	}
	s.Waits = fmt.Sprintf("%s: %d free slots, %s", n.channelName(there), n.port[out].credits[ch&7], need)
	return s
}

// number returns the port of a link in its router.
func (n *Network) number(link int) int { return link % n.ports }

// channelIndex returns the channel of an address among all.
func (n *Network) channelIndex(a address) int {
	return int(a>>addressBits)*n.ports<<classBits + int(a.spot())
}

func (n *Network) channelName(ch int) string {
	return fmt.Sprintf("input %s channel %d", n.grid.PortName(n.number(ch>>classBits)), ch&7)
}
