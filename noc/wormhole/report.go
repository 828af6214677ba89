package wormhole

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Totals are running sums over the whole network.
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
	for _, c := range n.Wiring.Channels {
		into = append(into, noc.Link{From: c.From, To: c.To, Port: uint8(c.Out), Phits: n.routers[c.From].outputs[c.Out].flits})
	}
	return into
}

// Hardware describes one router.
func (n *Network) Hardware() noc.Hardware {
	return n.config.Hardware(n.Nodes(), len(n.routers[0].inputs), n.classes)
}

// Hardware describes a router with a number of ports, whose classes have the given virtual
// channels.
func (c Config) Hardware(nodes, ports int, classes [noc.MaxClasses][2]ChannelSet) noc.Hardware {
	all := ChannelSet(0)
	for _, of := range classes {
		all |= of[0] | of[1]
	}
	channels := all.Count()
	h := noc.Hardware{Ports: ports, PhitBits: c.PhitBits, VirtualChannels: channels, Crossbar: true}
	if c.EjectionPerInput {
		h.DestinationBits = nodes
	}
	for _, of := range classes[:c.Classes] {
		h.ChannelChoices = max(h.ChannelChoices, of[0].Count(), of[1].Count())
		h.ChannelRivals = max(h.ChannelRivals, (of[0] | of[1]).Count())
	}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = ports*channels, c.BufferPhits
	return h
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
		case ch.stage == active && ch.flits.Len() > 0 && !r.hasRoom(ch):
			o := &r.outputs[ch.output]
			all = append(all, n.stuck(r, p, n.ChannelName(o.input, ch.to)+": no free place"))
		}
	})
	return n.Queued(all)
}

// every calls do for every virtual channel of every router's inputs.
func (n *Network) every(do func(*router, position, *channel)) {
	for i := range n.routers {
		for in := range n.routers[i].inputs {
			for v := range n.channels {
				do(&n.routers[i], position{in, v}, n.routers[i].at(position{in, v}))
			}
		}
	}
}

// lacking returns what a header waits for, or "" if it could be granted a virtual channel now.
func (n *Network) lacking(r *router, ch *channel) string {
	w := n.Dispatch.At(ch.flits.Front().worm)
	switch {
	case (ch.copies || ch.leaves) && !n.Sinks.Room(ch.node, w.Class):
		return fmt.Sprintf("sink %d: no free place", w.Class)
	case !ch.leaves && r.outputs[ch.output].free()&n.allowed(ch) == 0:
		return fmt.Sprintf("output %s: no virtual channel is free", n.PortName(ch.output))
	}
	return ""
}

// stuck describes the front packet of a channel.
func (n *Network) stuck(r *router, p position, waits string) noc.Stuck {
	ch := r.at(p)
	s := n.Stuck(n.Dispatch.At(ch.flits.Front().worm).Packet)
	s.At, s.For, s.Holds, s.Waits = r.id, r.id, n.ChannelName(p.input, p.channel), waits
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
	n.wheel.All(func(due *events) {
		for _, f := range due.flits {
			under[end{f.router, f.input, f.channel}]++
		}
		for _, c := range due.credits {
			o := &n.routers[c.router].outputs[c.output]
			under[end{o.router, o.input, c.channel}]++
		}
	})
	for i := range n.routers {
		for o := range n.routers[i].outputs {
			out := &n.routers[i].outputs[o]
			for v := 0; v < n.channels && out.router >= 0; v++ {
				here := n.routers[out.router].inputs[out.input].channels[v].flits.Len()
				if sum := out.channels[v].credits + here + under[end{out.router, out.input, v}]; sum != n.config.BufferPhits {
					return fmt.Errorf("wormhole: cycle %d, node %d: %s has %d credits and %d flits, with those on their way %d, not %d",
						n.Clock, out.router, n.ChannelName(out.input, v), out.channels[v].credits, here, sum, n.config.BufferPhits)
				}
			}
		}
	}
	return nil
}
