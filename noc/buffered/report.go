package buffered

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Totals are running sums over the whole network. Phits includes those of packets that have been
// granted the way to their node (rule 13).
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.Phits, t.Buffered = 0, n.inside
	for i := range n.routers {
		for port, o := range n.routers[i].outputs {
			if port == topology.Local {
				t.Phits += o.phits
			} else {
				t.PhitHops += o.phits
			}
		}
	}
	return t
}

// Activity is rule 13. It appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for i := range n.routers {
		r := &n.routers[i]
		a := r.counts
		a.Cycles, a.IdleCycles = uint64(n.Clock), uint64(n.Clock)-r.busy
		a.EjectPhits = r.outputs[topology.Local].phits
		a.LinkPhits = a.Crossbar - a.EjectPhits
		if n.config.Multicast == Tree {
			a.HeaderTests = a.RouteLookups * uint64(n.Nodes()*n.grid.Ports())
			a.HeaderWrites = 2 * a.Replications * uint64(n.Nodes()) // the copy and what stays
		}
		into = append(into, a)
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	return n.grid.Links(into, func(node noc.NodeID, port int) uint64 { return n.routers[node].outputs[port].phits })
}

// Hardware describes one router: a FIFO per input port and class, and a crossbar.
func (n *Network) Hardware() noc.Hardware { return n.config.Hardware(n.grid) }

// Explain lists the packets that wait for a slot, for a sink, or behind a packet that does, and
// the source queues that find no slot. Packets that only wait for a port which is streaming
// another are not listed.
func (n *Network) Explain() (all []noc.Stuck) {
	for i := range n.routers { // what the next cycle begins with
		for port := range n.routers[i].outputs {
			o := &n.routers[i].outputs[port]
			copy(o.seen, o.credits)
		}
	}
	for i := range n.routers {
		r := &n.routers[i]
		for port := range r.inputs {
			for class := range r.inputs[port].channels {
				all = n.explainChannel(all, r, port, class)
			}
		}
	}
	for i := range n.routers {
		r := &n.routers[i]
		for ready := uint(n.Sources.Ready(r.id)); ready != 0; ready &= ready - 1 {
			class := bits.TrailingZeros(ready)
			if r.outputs[topology.Local].credits[class] >= n.config.SpaceOf(class).Ahead {
				continue
			}
			s := n.Stuck(n.Sources.Head(r.id, noc.Class(class)))
			s.At, s.For, s.Holds = r.id, r.id, fmt.Sprintf("source queue %d", class)
			s.Waits = n.channelName(topology.Local, class) + ": no free slot"
			all = append(all, s)
		}
	}
	return all
}

// explainChannel appends the packets of a channel whose head finds no space behind any output
// that it may take.
func (n *Network) explainChannel(all []noc.Stuck, r *router, port, class int) []noc.Stuck {
	ch := &r.inputs[port].channels[class]
	head := n.head(ch, n.Clock)
	if head == nil {
		return all
	}
	next := uint(n.nextBranches(port, head))
	for m := next; m != 0; m &= m - 1 {
		if n.admits(r, port, bits.TrailingZeros(m), class) {
			return all
		}
	}
	for i := range ch.entries {
		e := &ch.entries[i]
		if e.leaving || e.written >= n.Clock { // gone, or in an engine on its way here
			continue
		}
		s := n.Stuck(e.packet.id)
		s.At, s.For, s.Since, s.Holds = r.id, r.id, e.written, n.channelName(port, class)
		switch out := bits.TrailingZeros(next); {
		case e != head:
			s.Waits = s.Holds + ": another packet is ahead"
		case out == topology.Local:
			s.Waits = fmt.Sprintf("sink %d: no free place", class)
		default:
			o := &r.outputs[out]
			space := n.config.SpaceOf(class)
			need := fmt.Sprintf("needs %d to enter the ring", space.Enter)
			if n.straight(port, out) || !n.grid.Wrap || !n.config.Bubble {
				need = fmt.Sprintf("needs %d", space.Ahead)
			}
			s.For = noc.NodeID(o.peer)
			s.Waits = fmt.Sprintf("%s: %d free slots, %s", n.channelName(o.entry, class), o.credits[class], need)
		}
		all = append(all, s)
	}
	return all
}

func (n *Network) channelName(port, class int) string {
	return fmt.Sprintf("input %s channel %d", n.grid.PortName(port), class)
}
