package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Totals are running sums over the whole network. Phits includes those of packets that are being
// consumed.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	for _, g := range n.regions {
		t.Buffered += g.copied
	}
	t.Buffered -= t.Phits
	for node, r := range n.routers {
		t.Buffered += n.senders[node].injected
		for out := topology.Local + 1; out < n.ports; out++ {
			t.PhitHops += r.output[out].phits
		}
	}
	return t
}

// Activity is rule 13. It appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for node, r := range n.routers {
		injected := n.senders[node].injected
		a := noc.Activity{InjectPhits: injected, Replications: r.copies,
			Cycles: uint64(n.Clock), IdleCycles: n.idle(r)}
		a.ArbRequests[noc.SwitchInput], a.ArbGrants[noc.SwitchInput] = r.asked, r.nominated
		a.ArbRequests[noc.SwitchOutput], a.ArbGrants[noc.SwitchOutput] = r.nominated, r.granted
		written := injected
		for out, o := range r.output[:n.ports] {
			if out == topology.Local {
				a.EjectPhits = o.phits
			} else if a.LinkPhits += o.phits; o.across >= 0 { // a link has one in the other direction beside it
				written += n.at(o.across).output[o.across.vc().port()].phits
			}
		}
		a.Crossbar = a.LinkPhits + a.EjectPhits
		a.BufferWrites[noc.VirtualChannel], a.BufferReads[noc.VirtualChannel] = written, a.Crossbar
		a.RouteLookups = r.granted - r.copies + uint64(r.Here) // all others that ever had a route are gone
		if n.config.Multicast == buffered.Tree {
			a.HeaderTests = a.RouteLookups * uint64(n.nodes*n.ports)
			a.HeaderWrites = 2 * r.copies * uint64(n.nodes) // the copy and what stays
		}
		into = append(into, a)
	}
	return into
}

// idle returns the number of cycles so far in which nothing was in a router.
func (n *Network) idle(r *router) uint64 {
	until := n.Clock
	for v := range n.ports << classBits {
		if c := &r.channel[v]; c.size > 0 {
			until = min(until, n.since(c.written[0]))
		}
	}
	return r.Idle(until)
}

// since returns the cycle in which a header was or will be written, of which the lower half is
// given.
func (n *Network) since(written uint32) noc.Cycle {
	return n.Clock + noc.Cycle(int32(written-uint32(n.Clock)))
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	return n.grid.Links(into, func(node noc.NodeID, port int) uint64 { return n.routers[node].output[port].phits })
}

// Hardware describes one router.
func (n *Network) Hardware() noc.Hardware { return n.config.Hardware(n.grid) }

// channelIndex returns the number of a channel among all.
func (t *tables) channelIndex(a globalVC) int {
	return int(a>>vcBits)*t.ports<<classBits + int(a.vc())
}
