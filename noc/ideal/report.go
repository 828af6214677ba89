package ideal

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// free notes that a sink may have room, for packets that wait for that.
func (n *Network) free(node noc.NodeID, class noc.Class) {
	i := n.portOf(node, class)
	if p := &n.ports[i]; !p.freed && p.waiting.Len() > 0 {
		p.freed = true
		n.freed = append(n.freed, int32(i))
	}
}

// Totals are running sums over the whole network. Every copy counts as injected; Buffered counts
// the copies that have left their source and whose node has not begun to consume them.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.phitHops, n.sent-t.Phits
	return t
}

// Activity appends the counters of every router. There are no buffers, so every cycle is idle;
// link phits are those of copies whose header is at its node.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for _, a := range n.activity {
		a.Cycles, a.IdleCycles = uint64(n.Clock), uint64(n.Clock)
		into = append(into, a)
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for i, c := range n.wiring.Channels {
		into = append(into, noc.Link{From: c.From, To: c.To, Port: uint8(c.Out), Phits: n.linkPhits[i]})
	}
	return into
}

// Hardware has ports and links and no storage.
func (n *Network) Hardware() noc.Hardware {
	return noc.Hardware{Ports: n.wiring.Ports(), PhitBits: n.config.PhitBits}
}

// Explain lists the packets that wait for a place in a sink.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for i := range n.ports {
		for _, f := range n.ports[i].waiting.All() {
			all = append(all, noc.Stuck{Tag: f.packet.Tag, Class: f.packet.Class, Src: f.packet.Src, Dst: noc.SetOf(n.Nodes(), f.at),
				At: f.at, For: f.at, Holds: "the wire to its node", Waits: fmt.Sprintf("sink %d: no free place", f.packet.Class), Since: f.start})
		}
	}
	return all
}

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither
// lost nor doubled, copies land in order, and those that wait do so for a sink without room.
func (n *Network) CheckInvariants() error {
	waiting := 0
	for i := range n.ports {
		p := &n.ports[i]
		waiting += p.waiting.Len()
		if node, class := n.sinkOf(i); p.waiting.Len() > 0 && !p.freed && n.Sinks.Room(node, class) {
			return fmt.Errorf("ideal: cycle %d, node %d: a packet of class %d waits for a sink with room", n.Clock, node, class)
		}
	}
	if flying := len(n.flying.all); flying+waiting != n.Owed() {
		return fmt.Errorf("ideal: cycle %d: %d copies fly and %d wait for a sink; %d are owed", n.Clock, flying, waiting, n.Owed())
	}
	for i := range n.flying.all {
		f := &n.flying.all[i]
		if f.start < n.Clock || i > 0 && f.before(&n.flying.all[(i-1)/2]) {
			return fmt.Errorf("ideal: cycle %d: a copy for node %d that lands in cycle %d is out of order", n.Clock, f.at, f.start)
		}
	}
	return nil
}
