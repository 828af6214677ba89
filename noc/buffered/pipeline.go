package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/topology"
)

// takeCredits is rule 2: it lets credits arrive that are usable from this cycle on.
func (r *router) takeCredits(t noc.Cycle) {
	for port := range r.outputs {
		o := &r.outputs[port]
		arrived := 0
		for ; arrived < len(o.returned) && o.returned[arrived].from <= t; arrived++ {
			o.credits[o.returned[arrived].class]++
		}
		o.returned = o.returned[:copy(o.returned, o.returned[arrived:])]
		copy(o.seen, o.credits)
	}
}

// sender is the interface of a node.
type sender struct {
	sending phit // sent next
	last    int  // class sent last, or -1
}

// inject is rule 10: it puts a phit on the wire into the local input, of the packet that is being
// sent or of the next one whose class has a credit.
func (n *Network) inject(r *router, t noc.Cycle) {
	s := &r.sender
	if !s.sending.present() {
		ready, credits := n.Sources.Ready(r.id), r.outputs[topology.Local].seen
		for class := range credits {
			if credits[class] < n.config.SpaceOf(class).Ahead {
				ready &^= 1 << class
			}
		}
		if ready == 0 {
			return
		}
		s.last = arbiter.Next(uint64(ready), s.last)
		n.begin(r, noc.Class(s.last), t)
	}
	r.inputs[topology.Local].wire = s.sending
	if s.sending.index++; s.sending.index == s.sending.packet.phits {
		s.sending = phit{}
	}
}

// begin starts to send the next packet of a class, or the next copy of it.
func (n *Network) begin(r *router, class noc.Class, t noc.Cycle) {
	id := n.config.Take(&n.Interfaces, r.id, class)
	w := n.Packets.At(id)
	w.Inject(t)
	k := packet{id: id, phits: int(w.Phits), class: int(class)}
	r.sender.sending = phit{packet: k}
	r.outputs[topology.Local].credits[class]--
	n.Injected++
	n.inside += uint64(k.phits)
	r.counts.InjectPhits += uint64(k.phits)
	r.counts.BufferWrites[noc.VirtualChannel] += uint64(k.phits)
}

// Take is rule 11: it takes what leaves a source queue that is not empty, its head or under
// Replicate the next copy of that.
func (c *Config) Take(x *fabric.Interfaces, node noc.NodeID, class noc.Class) fabric.PacketID {
	if c.Multicast == Tree {
		return x.Sources.Pop(node, class)
	}
	return x.Sources.PopCopy(node, class, node)
}

// writeBuffers is BW: what was on the wires in the last cycle is written into the channels.
func (n *Network) writeBuffers(r *router, t noc.Cycle) {
	for port := range r.inputs {
		in := &r.inputs[port]
		if !in.wire.present() {
			continue
		}
		ch := &in.channels[in.wire.packet.class]
		if in.wire.index == 0 {
			ch.entries = append(ch.entries, entry{packet: in.wire.packet, written: t, routed: noc.Never})
			r.packets++
		}
		ch.entries[len(ch.entries)-1].phits++
		in.wire = phit{}
	}
}

// driveLinks is LT: what left the crossbar in the last cycle is on the links, or consumed by the
// node. A phit that has been on a link for its latency is at its end.
func (n *Network) driveLinks(r *router, t noc.Cycle) {
	for port := range r.outputs {
		o := &r.outputs[port]
		if last := len(o.link) - 1; last >= 0 && port != topology.Local {
			first := o.link[0]
			copy(o.link, o.link[1:])
			o.link[last], o.crossed = o.crossed, first
		}
		if !o.crossed.present() {
			continue
		}
		if port != topology.Local {
			n.routers[o.peer].inputs[o.entry].wire = o.crossed
		} else {
			n.consume(r, &o.crossed, t)
		}
		o.crossed = phit{}
	}
}

// consume lets the node take a phit; with the tail the packet is delivered.
func (n *Network) consume(r *router, f *phit, t noc.Cycle) {
	if !f.isTail() {
		return
	}
	n.Sinks.Deliver(n.Packets.At(f.packet.id), f.packet.hops, r.id, t, t+1)
	n.Packets.Free(f.packet.id)
}

// traverse is ST: each granted packet moves one phit through the crossbar (rule 9). The header of
// a packet that leaves its channel gives the slot back (rule 2).
func (n *Network) traverse(r *router, t noc.Cycle) {
	for port := range r.inputs {
		in := &r.inputs[port]
		s := &in.stream
		if !s.active() {
			continue
		}
		out := &r.outputs[s.output]
		out.crossed = phit{s.packet, s.next}
		if s.leaving && s.next == 0 {
			n.returnCredit(r, port, s.packet.class, t)
		}
		if s.next++; s.next < s.packet.phits {
			continue
		}
		if ch := &in.channels[s.class]; s.leaving {
			ch.entries = ch.entries[:copy(ch.entries, ch.entries[1:])]
			ch.tailLeft = t
			r.packets--
		}
		out.busy, *s = false, stream{}
	}
}

// returnCredit sends the credit for a slot of an input to its sender: the router across the link,
// or the interface.
func (n *Network) returnCredit(r *router, port, class int, t noc.Cycle) {
	to := &r.outputs[port]
	if port != topology.Local { // a link has one in the other direction beside it
		to = &n.routers[to.peer].outputs[to.entry]
	}
	to.returned = append(to.returned, credit{class, t + to.delay})
}

// computeRoutes is rule 5: in RC headers learn the outputs that they have to take.
func (n *Network) computeRoutes(r *router, t noc.Cycle) {
	for port := range r.inputs {
		for class := range r.inputs[port].channels {
			ch := &r.inputs[port].channels[class]
			for i := range ch.entries {
				e := &ch.entries[i]
				if e.routed != noc.Never || n.config.RouteAfterTail && i > 0 {
					continue
				}
				start := e.written
				if n.config.RouteAfterTail {
					start = max(start, ch.tailLeft)
				}
				if t < start+noc.Cycle(n.config.RouteCycles) {
					continue
				}
				e.routed, e.branches = t, n.outputsOf(r.id, e.packet.id)
			}
		}
	}
}

// outputsOf returns the outputs that lead to the destinations of a packet in a router.
func (n *Network) outputsOf(at noc.NodeID, id fabric.PacketID) (outputs uint16) {
	ties := n.routes.Ties(n.Packets.At(id).Src)
	if to := n.Packets.Only(id); to >= 0 {
		return 1 << n.routes.Next(at, noc.NodeID(to), ties).Port
	}
	return n.routes.Outputs(at, ties, n.Packets.Set(id))
}

// branch takes the destinations behind an output out of a packet and gives them a packet of their
// own (rule 12).
func (n *Network) branch(at noc.NodeID, id fabric.PacketID, out int) fabric.PacketID {
	leaves := n.Packets.NewSeveral(*n.Packets.At(id))
	n.routes.Divide(at, n.routes.Ties(n.Packets.At(id).Src), out, n.Packets.Set(id), n.Packets.Set(leaves))
	n.Packets.Settle(id)
	n.Packets.Settle(leaves)
	return leaves
}
