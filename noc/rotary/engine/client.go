package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Nodes implements noc.Network.
func (n *Network) Nodes() int { return n.grid.Nodes() }

// Now implements noc.Network.
func (n *Network) Now() noc.Cycle { return n.now }

// Offer implements noc.Network.
func (n *Network) Offer(p noc.Packet) bool {
	if !n.sources.Offer(&p, n.now) {
		return false
	}
	if p.Ordered && !n.ordered {
		n.ordered = true
		n.leaveWords()
	}
	b, bit := n.bankOf(int(p.Src))
	b.feeding |= bit
	b.wake = min(b.wake, n.now)
	return true
}

// Deliveries implements noc.Network.
func (n *Network) Deliveries() []noc.Delivery { return n.sinks.Take() }

// LimitSink implements noc.Network.
func (n *Network) LimitSink(node noc.NodeID, class noc.Class, places int) {
	n.sinks.Limit(node, class, places)
	b, bit := n.bankOf(int(node))
	for ring := range rings {
		x := &b.segment[n.feeder(topology.Local, ring)]
		x.judged |= bit
		b.noteAsked(int(node)&63, x)
	}
	b.wake = min(b.wake, n.now)
}

// FreeSink implements noc.Network.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.sinks.Release(node, class)
	b, _ := n.bankOf(int(node))
	b.wake = min(b.wake, n.now)
}

// InFlight implements noc.Network.
func (n *Network) InFlight() int {
	return n.sources.Owed() - int(n.sinks.Delivered()) + n.sinks.Untaken()
}

// Totals implements noc.Network. A replica's phits count as buffered from the replication on. The
// two parts in which the path scheme sends a multicast count as one packet injected.
func (n *Network) Totals() noc.Totals {
	streaming := n.sinks.Streaming(n.now) // into the nodes
	t := noc.Totals{Offered: n.sources.Offered(), Injected: n.injected,
		Delivered: n.sinks.Delivered() - uint64(n.sinks.Pending()),
		Phits:     n.sinks.Phits() - streaming, Buffered: n.buffered + streaming}
	n.settleWords()
	for i := range n.banks {
		b := &n.banks[i]
		for r := range n.routersIn(b) {
			if source := b.router[r].sourceBusy; source > n.now {
				t.Buffered -= uint64(source - n.now) // not yet out of the source
			}
			for p := 1; p < n.ports; p++ {
				t.PhitHops += b.output[p].phits[r]
			}
		}
	}
	return t
}

// Activity implements noc.Network. All phits of a packet are counted in the cycle in which its
// header is granted the move. A turning header and one from an input stage request a segment in the
// cycle in which it takes them; an input that the ring beat to the last place has requested too.
// The destination set is compared with a mask once per segment entered, and both headers are
// rewritten on replication; the routers of RR have no sets in their headers.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	n.asSets(func() {
		for i := range n.banks {
			b := &n.banks[i]
			for r := range n.routersIn(b) {
				into = append(into, n.activity(b, r))
			}
		}
	})
	return into
}

func (n *Network) activity(b *bank, r int) noc.Activity {
	c, arrived, left := &b.count, uint64(0), uint64(0)
	consumed := b.output[topology.Local].phits[r]
	for p := 1; p < n.ports; p++ {
		in := &b.input[p]
		if up := int(in.upstream[r]); up >= 0 {
			arrived += n.banks[up>>6].output[in.exit].phits[up&63]
		}
		left += b.output[p].phits[r]
	}
	// What came in has entered a ring unless it waits, and what was ejected has left unless it
	// waits.
	entered, ejected := arrived+c.injectPhits[r], left+consumed
	for p := range n.ports {
		n.eachWaiting(b, r, p, func(k packet, _ noc.Cycle) { entered -= uint64(k.phits()) }, func(k packet, _ noc.Cycle) { ejected += uint64(k.phits()) })
	}
	a := noc.Activity{
		RingInject: entered, RingHop: c.turned[r].phits, RingEject: ejected, RingDual: c.dualPhits[r],
		OutputMux: left + consumed, InputDemux: entered,
		LinkPhits: left, EjectPhits: consumed, InjectPhits: c.injectPhits[r],
		Replications: c.replications[r], Misroutes: c.misroutes[r],
		Cycles: uint64(n.now), IdleCycles: b.presence[r].absent, Toggles: n.toggled(b, r),
	}
	a.BufferWrites[noc.InputStage] = arrived + c.injectPhits[r]
	a.BufferReads[noc.InputStage] = entered
	a.BufferWrites[noc.RingSegment] = entered + c.turned[r].phits
	a.BufferReads[noc.RingSegment] = c.turned[r].phits + ejected - c.dualPhits[r]
	a.BufferWrites[noc.OutputStage] = ejected
	a.BufferReads[noc.OutputStage] = a.OutputMux
	a.ArbRequests[noc.RingEntry] = c.entries[r] + c.turned[r].packets + c.entriesLost[r]
	a.ArbGrants[noc.RingEntry] = c.entries[r] + c.turned[r].packets
	a.ArbRequests[noc.OutputLane] = c.sends[r] + c.sendsLost[r]
	a.ArbGrants[noc.OutputLane] = c.sends[r]
	if n.whole {
		a.HeaderTests = (c.entries[r] + c.turned[r].packets) * uint64(n.Nodes())
		a.HeaderWrites = 2 * c.replications[r] * uint64(n.Nodes())
	}
	if at := &b.presence[r]; at.residents == 0 && n.now > at.vacant {
		a.IdleCycles += uint64(n.now - at.vacant)
	}
	return a
}

// Links implements noc.Network.
func (n *Network) Links(into []noc.Link) []noc.Link {
	n.settleWords()
	for id := range n.Nodes() {
		b, _ := n.bankOf(id)
		for p := range n.ports {
			if o, r := &b.output[p], id&63; o.peer[r] >= 0 {
				l := noc.Link{From: noc.NodeID(id), To: noc.NodeID(o.peer[r]), Port: uint8(p), Phits: o.phits[r]}
				if b.toggles != nil {
					l.Toggles = b.toggles.output[p].flips[r]
				}
				into = append(into, l)
			}
		}
	}
	return into
}

// Hardware implements noc.Network.
func (n *Network) Hardware() noc.Hardware { return rotary.HardwareOf(n.grid, n.config) }
