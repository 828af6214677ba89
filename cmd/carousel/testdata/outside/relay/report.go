package relay

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Totals are running sums over the whole network.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.hops, n.inside
	return t
}

// Activity appends the counters of every router. Its queues are no hardware and have no price.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for _, a := range n.counts {
		a.IdleCycles, a.Cycles = uint64(n.Clock)-a.Cycles, uint64(n.Clock)
		into = append(into, a)
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for i, c := range n.wiring.Channels {
		into = append(into, noc.Link{From: c.From, To: c.To, Port: uint8(c.Out), Phits: n.links[i].phits})
	}
	return into
}

// Hardware has ports and links.
func (n *Network) Hardware() noc.Hardware {
	return noc.Hardware{Ports: n.grid.Ports(), PhitBits: 128}
}

// Explain lists the packets that wait for a place in a sink.
func (n *Network) Explain() (all []noc.Stuck) {
	for i := range n.exits {
		if n.Sinks.Room(noc.NodeID(i/n.classes), noc.Class(i%n.classes)) {
			continue
		}
		for _, p := range n.exits[i].queue {
			s := n.Stuck(p.worm)
			s.At, s.For = p.at, p.at
			s.Holds, s.Waits = "queue of the node", fmt.Sprintf("sink %d: no free place", s.Class)
			all = append(all, s)
		}
	}
	return all
}

// CheckInvariants reports whether destinations have been lost or doubled.
func (n *Network) CheckInvariants() error {
	if owed := n.Packets.Destinations(); owed != n.Owed() {
		return fmt.Errorf("relay: cycle %d: packets have %d destinations, %d are owed", n.Clock, owed, n.Owed())
	}
	return nil
}
