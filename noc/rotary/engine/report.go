package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Totals implements noc.Network. The two parts in which the path scheme sends a multicast count as
// one packet injected.
func (n *Network) Totals() noc.Totals {
	n.advance()
	t := n.Interfaces.Totals()
	t.Buffered = n.buffered()
	for i := range n.routers {
		r := &n.routers[i]
		t.Phits -= uint64(ending(r.sent[topology.Local], n.Clock) - n.Clock) // on their way into the node
		for p := topology.Local + 1; p < n.limits.Ports; p++ {
			t.PhitHops += r.stages[p].phits
		}
	}
	return t
}

// Activity implements noc.Network.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	n.advance()
	for i := range n.routers {
		into = append(into, n.routers[i].activity())
	}
	return into
}

func (r *router) activity() noc.Activity {
	n := r.net
	c, arrived, left := &r.count, uint64(0), uint64(0)
	consumed := r.stages[topology.Local].phits
	for p := topology.Local + 1; p < n.limits.Ports; p++ {
		if out := &r.stages[p]; out.peer != nil {
			arrived += out.peer.real().stages[out.exit].phits
			left += out.phits
		}
	}
	// What came in has entered a ring unless it waits, and what was ejected has left unless it
	// waits.
	entered, ejected := arrived+c.injectPhits, left+consumed
	for p := range n.limits.Ports {
		out := &r.stages[p]
		entered -= n.phitsIn(&out.input)
		ejected += n.phitsIn(&out.stage[0]) + n.phitsIn(&out.stage[1])
	}
	a := noc.Activity{
		RingInject: entered, RingHop: c.turnedPhits, RingEject: ejected, RingDual: c.dualPhits,
		OutputMux: left + consumed, InputDemux: entered,
		LinkPhits: left, EjectPhits: consumed, InjectPhits: c.injectPhits,
		Replications: c.replications, Misroutes: c.misroutes,
		Cycles: uint64(n.Clock), IdleCycles: c.Idle(n.Clock),
	}
	a.BufferWrites[noc.InputStage] = arrived + c.injectPhits
	a.BufferReads[noc.InputStage] = entered
	a.BufferWrites[noc.RingSegment] = entered + c.turnedPhits
	a.BufferReads[noc.RingSegment] = c.turnedPhits + ejected - c.dualPhits
	a.BufferWrites[noc.OutputStage] = ejected
	a.BufferReads[noc.OutputStage] = a.OutputMux
	a.ArbRequests[noc.RingEntry] = c.entries + c.turns + c.entriesLost
	a.ArbGrants[noc.RingEntry] = c.entries + c.turns
	a.ArbRequests[noc.OutputLane] = c.sends + c.sendsLost
	a.ArbGrants[noc.OutputLane] = c.sends
	if n.config.Multicast != rotary.Replicate {
		a.HeaderTests = (c.entries + c.turns) * uint64(n.network.Nodes())
		a.HeaderWrites = 2 * c.replications * uint64(n.network.Nodes())
	}
	return a
}

// phitsIn returns the phits of the packets in a queue.
func (n *region) phitsIn(q *queue) (phits uint64) {
	for i := q.first; i != 0; i = n.pool[i].next {
		phits += uint64(n.pool[i].phits)
	}
	return phits
}

// Links implements noc.Network.
func (n *Network) Links(into []noc.Link) []noc.Link {
	return n.grid.Links(into, func(node noc.NodeID, port int) uint64 { return n.routers[node].stages[port].phits })
}

// Hardware implements noc.Network.
func (n *Network) Hardware() noc.Hardware {
	return rotary.HardwareOf(n.grid.Nodes(), n.grid.Ports(), n.config)
}
