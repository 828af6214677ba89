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
	t.Buffered = n.copied - t.Phits
	for i, r := range n.routers {
		t.Buffered += r.injected
		for port := 1; port < n.ports; port++ {
			t.PhitHops += n.port[i*n.ports+port].phits
		}
	}
	return t
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for node := range n.routers {
		r := n.routers[node]
		a := noc.Activity{InjectPhits: r.injected, Replications: r.copies,
			Cycles: uint64(n.Clock), IdleCycles: n.idle(r)}
		a.ArbRequests[noc.SwitchInput], a.ArbGrants[noc.SwitchInput] = r.asked, r.nominated
		a.ArbRequests[noc.SwitchOutput], a.ArbGrants[noc.SwitchOutput] = r.nominated, r.granted
		written := r.injected
		for i, p := range n.port[node*n.ports : (node+1)*n.ports] {
			if i == topology.Local {
				a.EjectPhits = p.phits
			} else if a.LinkPhits += p.phits; p.far >= 0 {
				written += n.port[n.channelIndex(p.far)>>classBits].phits
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
	for localVC := range uint(n.ports << classBits) {
		if c := &r.channel[localVC]; c.size > 0 {
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
	return n.grid.Links(into, func(node noc.NodeID, port int) uint64 { return n.port[int(node)*n.ports+port].phits })
}

// Hardware describes one router.
func (n *Network) Hardware() noc.Hardware { return n.config.Hardware(n.grid) }

// channelIndex returns the number of a channel among all.
func (n *Network) channelIndex(a globalVC) int {
	return int(a>>globalBits)*n.ports<<classBits + int(a.localVC())
}

// counters are what a router's activity is made of; the rest follows from what its ports sent.
type counters struct {
	injected                  uint64 // phits from the node
	asked, nominated, granted uint64 // requests to input arbiters, their winners, the outputs' winners
	copies                    uint64 // made by branches
}

// sender is the state of a node's interface.
type sender struct {
	sending   bool  // a packet
	lastClass int8  // sent
	free      uint8 // classes for which it has a credit
}
