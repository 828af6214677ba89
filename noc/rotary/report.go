package rotary

import "github.com/carousel-sim/carousel/noc"

// Totals implements noc.Network. A replica's phits count as buffered from the replication on. The
// two parts in which the path scheme sends a multicast count as one packet injected.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.Phits, t.PhitHops, t.Buffered = n.phits.consumed, n.phits.hops, n.phits.inside
	return t
}

// Activity implements noc.Network. Phits are counted as they move, requests and grants with the
// header. A header that enters a segment requests it in the cycle in which it takes it; an input
// that loses the last slot to the ring has requested too. The destination set is compared with a
// mask once per segment entered, and both headers are rewritten on replication; the routers of RR
// have no sets in their headers.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for id := range n.routers {
		a := n.routers[id].activity
		a.Cycles, a.IdleCycles = uint64(n.Clock), uint64(n.Clock)-n.routers[id].busy
		into = append(into, a)
	}
	return into
}

// Links implements noc.Network.
func (n *Network) Links(into []noc.Link) []noc.Link {
	return n.grid.Links(into, func(node noc.NodeID, port int) uint64 { return n.routers[node].outputs[port].phits })
}

// Hardware implements noc.Network.
func (n *Network) Hardware() noc.Hardware { return HardwareOf(n.grid, n.config) }
