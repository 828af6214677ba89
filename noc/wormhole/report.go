package wormhole

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Totals are running sums over the whole network. Buffered counts flits from the grant that takes
// them out of the node's memory to the one that hands them to a node.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.linkFlits, n.inside
	return t
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for i := range n.routers {
		a := n.routers[i].counts
		a.Cycles, a.IdleCycles = uint64(n.Clock), uint64(n.Clock)-n.routers[i].busy
		into = append(into, a)
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	return n.Wiring.Links(into, func(i int) uint64 {
		return n.routers[n.Wiring.Channels[i].From].outputs[n.Wiring.Channels[i].Out].flits
	})
}

// Explain lists the packets at the front of virtual channels that wait for a virtual channel, for a
// credit or for a sink, and those at the head of source queues that wait for a channel of their
// node. Those that only lose an arbitration are not listed.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	n.every(func(r *router, p position, ch *channel) {
		switch {
		case ch.stage == waiting && n.lacking(r, ch) != "":
			all = append(all, n.stuck(r, p, n.lacking(r, ch)))
		case ch.stage == active && ch.flits.len() > 0 && !r.hasRoom(ch):
			o := &r.outputs[ch.output]
			all = append(all, n.stuck(r, p, n.Name(o.input, ch.to)+": no free place"))
		}
	})
	return n.Queued(all)
}

// every calls do for every virtual channel of every router's inputs.
func (n *Network) every(do func(*router, position, *channel)) {
	for i := range n.routers {
		for in := range n.routers[i].inputs {
			for v := range n.Channels {
				do(&n.routers[i], position{in, v}, n.routers[i].at(position{in, v}))
			}
		}
	}
}

// lacking returns what a header waits for, or "" if it could be granted a virtual channel now.
func (n *Network) lacking(r *router, ch *channel) string {
	w := n.Dispatch.At(ch.flits.front().worm)
	switch {
	case (ch.copies || ch.leaves) && !n.Sinks.Room(ch.node, w.Class):
		return fmt.Sprintf("sink %d: no free place", w.Class)
	case !ch.leaves && !r.anyFree(ch.output, n.allowed(ch)):
		return fmt.Sprintf("output %s: no virtual channel is free", n.PortName(ch.output))
	}
	return ""
}

// anyFree reports whether no packet has one of some virtual channels of an output.
func (r *router) anyFree(output int, channels uint32) bool {
	for v, ch := range r.outputs[output].channels {
		if channels>>v&1 != 0 && !ch.taken {
			return true
		}
	}
	return false
}

// stuck describes the front packet of a channel.
func (n *Network) stuck(r *router, p position, waits string) noc.Stuck {
	ch := r.at(p)
	s := n.Stuck(n.Dispatch.At(ch.flits.front().worm).Packet)
	s.At, s.For, s.Holds, s.Waits = r.id, r.id, n.Name(p.input, p.channel), waits
	if o := &r.outputs[ch.output]; o.router >= 0 {
		s.For = noc.NodeID(o.router)
	}
	return s
}

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither
// lost nor doubled, and the credits, flits and free places of every virtual channel add up to its
// depth. Built with the tag invariants it runs after every cycle.
func (n *Network) CheckInvariants() error {
	if err := n.CheckDestinations(); err != nil {
		return fmt.Errorf("wormhole: %w", err)
	}
	type end struct{ router, port, channel int }
	under := map[end]int{} // flits on their way into a channel, and credits on their way to an output
	for _, f := range n.links.pending() {
		under[end{f.what.router, f.what.input, f.what.channel}]++
	}
	for _, c := range n.credits.pending() {
		o := &n.routers[c.what.router].outputs[c.what.output]
		under[end{o.router, o.input, c.what.channel}]++
	}
	for i := range n.routers {
		for o := range n.routers[i].outputs {
			out := &n.routers[i].outputs[o]
			for v := 0; v < n.Channels && out.router >= 0; v++ {
				here := n.routers[out.router].inputs[out.input].channels[v].flits.len()
				if sum := out.channels[v].credits + here + under[end{out.router, out.input, v}]; sum != n.Config.BufferPhits {
					return fmt.Errorf("wormhole: cycle %d, node %d: %s has %d credits and %d flits, with those on their way %d, not %d",
						n.Clock, out.router, n.Name(out.input, v), out.channels[v].credits, here, sum, n.Config.BufferPhits)
				}
			}
		}
	}
	return nil
}
