package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Nodes implements noc.Network.
func (n *Network) Nodes() int { return len(n.routers) }

// Now implements noc.Network.
func (n *Network) Now() noc.Cycle { return n.now }

// Offer implements noc.Network.
func (n *Network) Offer(p noc.Packet) bool {
	if !n.sources.Offer(p, n.now) {
		return false
	}
	n.ordered = n.ordered || p.Ordered
	n.wheel.Wake(p.Src, n.now)
	return true
}

// Deliveries implements noc.Network.
func (n *Network) Deliveries() []noc.Delivery { return n.sinks.Take() }

// LimitSink implements noc.Network.
func (n *Network) LimitSink(node noc.NodeID, class noc.Class, places int) {
	n.sinks.Limit(node, class, places)
	n.routers[node].judged = 1<<n.feeder(topology.Local, 0) | 1<<n.feeder(topology.Local, 1)
	n.wheel.Wake(node, n.now)
}

// FreeSink implements noc.Network.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.sinks.Release(node, class)
	n.wheel.Wake(node, n.now)
}

// InFlight implements noc.Network.
func (n *Network) InFlight() int {
	return n.sources.Owed() - int(n.sinks.Delivered()) + n.sinks.Pending()
}

// Totals implements noc.Network. A replica's phits count as buffered from the replication on. The two parts
// in which the path scheme sends a multicast count as one packet injected.
func (n *Network) Totals() noc.Totals {
	t := noc.Totals{Offered: n.sources.Offered(), Injected: n.injected,
		Delivered: n.sinks.Delivered() - uint64(n.sinks.Pending()),
		Phits:     n.sinks.Phits(), PhitHops: n.phitHops, Buffered: n.buffered}
	for i := range n.routers {
		if source := n.routers[i].sourceBusy; source > n.now {
			t.Buffered -= uint64(source - n.now) // not yet out of the source
		}
		if sink := n.routers[i].output[topology.Local].busy; sink > n.now {
			t.Buffered += uint64(sink - n.now) // not yet in the node
			t.Phits -= uint64(sink - n.now)
		}
	}
	return t
}

// Activity implements noc.Network. All phits of a packet are counted in the cycle in which its header is
// granted the move. A turning header and one from an input stage request a segment in the cycle in which
// it takes them; an input that the ring beat to the last place has requested too. The destination set
// is compared with a mask once per segment entered, and both headers are rewritten on replication; the
// routers of RR have no sets in their headers.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for i := range n.routers {
		into = append(into, n.activity(i))
	}
	return into
}

func (n *Network) activity(id int) noc.Activity {
	r := &n.routers[id]
	c, arrived := &r.count, uint64(0)
	for p := range n.ports {
		if in := &r.input[p]; in.upstream >= 0 {
			arrived += n.routers[in.upstream].output[in.exit].phits
		}
	}
	a := noc.Activity{
		RingInject: c.entryPhits, RingHop: c.turnPhits, RingEject: c.ejectPhits, RingDual: c.dualPhits,
		OutputMux: c.linkPhits + c.consumePhits, InputDemux: c.entryPhits,
		LinkPhits: c.linkPhits, EjectPhits: c.consumePhits, InjectPhits: c.injectPhits,
		Replications: c.replications, Misroutes: c.misroutes,
		Cycles: uint64(n.now), IdleCycles: r.absent,
	}
	a.BufferWrites[noc.InputStage] = arrived + c.injectPhits
	a.BufferReads[noc.InputStage] = c.entryPhits
	a.BufferWrites[noc.RingSegment] = c.entryPhits + c.turnPhits
	a.BufferReads[noc.RingSegment] = c.turnPhits + c.ejectPhits - c.dualPhits
	a.BufferWrites[noc.OutputStage] = c.ejectPhits
	a.BufferReads[noc.OutputStage] = a.OutputMux
	a.ArbRequests[noc.RingEntry] = c.entries + c.turns + c.entriesLost
	a.ArbGrants[noc.RingEntry] = c.entries + c.turns
	a.ArbRequests[noc.OutputLane] = c.sendRequests
	a.ArbGrants[noc.OutputLane] = c.sends
	if n.whole {
		a.HeaderTests = (c.entries + c.turns) * uint64(len(n.routers))
		a.HeaderWrites = 2 * c.replications * uint64(len(n.routers))
	}
	if r.residents == 0 && n.now > r.vacant {
		a.IdleCycles += uint64(n.now - r.vacant)
	}
	return a
}

// Links implements noc.Network.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for id := range n.routers {
		for p := range n.ports {
			if o := &n.routers[id].output[p]; o.peer >= 0 {
				into = append(into, noc.Link{From: noc.NodeID(id), To: noc.NodeID(o.peer), Port: uint8(p), Phits: o.phits})
			}
		}
	}
	return into
}

// Hardware implements noc.Network. The paper's 300 phits per router are its ring segments and output
// stages; the input stages come on top. Of unlimited
// output stages it is the configured size.
func (n *Network) Hardware() noc.Hardware {
	h := noc.Hardware{Ports: n.ports, PhitBits: n.config.PhitBits}
	h.FIFOs[noc.InputStage], h.Depth[noc.InputStage] = n.ports, n.config.InputStagePhits
	h.FIFOs[noc.RingSegment], h.Depth[noc.RingSegment] = n.segments, n.config.SegmentPhits
	h.FIFOs[noc.OutputStage], h.Depth[noc.OutputStage] = n.ports, n.config.OutputStagePhits
	if n.whole {
		h.DestinationBits = len(n.routers)
	}
	return h
}
