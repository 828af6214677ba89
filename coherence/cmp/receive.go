package cmp

import "github.com/carousel-sim/carousel/noc"

// arrive gives this cycle's network deliveries and loopback copies to the agents' inboxes.
func (n *nic) arrive() {
	for n.local.Len() > 0 && n.local.Front().at <= n.chip.now {
		l := n.local.Pop()
		n.deliver(int(l.agent), l.flight, none)
	}
	list := n.network.Deliveries()
	for k := range list {
		d := &list[k]
		i := int32(d.Tag)
		f := &n.flights.all[i]
		n.chip.observeDelivery(f, d)
		// A step ends with the first cycle that delivers something, so they are in order of their
		// routers.
		if f.send.Many && (k == 0 || list[k-1].At != d.At) && (k+1 == len(list) || list[k+1].At != d.At) && n.ignored(f, d.At, i) {
			continue
		}
		n.chip.paths.arrive(i, f, d)
		slot := n.newSlotAt(d.At, d.Class)
		if f.send.Many {
			n.deliverMany(f, d.At, i, slot)
		} else {
			n.deliver(n.plan.agentIndex(f.send.One), i, slot)
		}
		n.acceptedFrom(slot)
	}
}

// ignored is the fast path for a message that arrives at a router alone, for one L1 only, and that
// the L1 ignores. The L1 would find it alone in its inbox later in this cycle, and nothing changes
// the L1 before.
func (n *nic) ignored(f *flight, router noc.NodeID, i int32) bool {
	core, m := n.plan.soleAt[router], &f.send
	if core < 0 || !m.Caches.Has(noc.NodeID(core)) || m.Home && f.home == router || m.Memory || n.credits.slots > 0 ||
		n.inbox.has(int(core)) || !n.protocol.Ignores(int(core), &m.Message) {
		return false
	}
	n.chip.audit.touch(m.Block)
	n.flights.accepted(i)
	return true
}

// deliverMany gives a copy of a message to each of its destinations at a router.
func (n *nic) deliverMany(f *flight, router noc.NodeID, i, slot int32) {
	m := &f.send
	for _, core := range n.plan.coresAt[router] {
		if m.Caches.Has(noc.NodeID(core)) {
			n.deliver(int(core), i, slot)
		}
	}
	if m.Home && f.home == router {
		n.deliver(n.plan.bankAgent(m.Block), i, slot)
	}
	if m.Memory {
		if a := n.plan.memoryAgent(m.Block); n.plan.routers[a] == router {
			n.deliver(a, i, slot)
		}
	}
}

// deliver puts a copy into an agent's inbox.
func (n *nic) deliver(agent int, i, slot int32) {
	if slot != none {
		n.credits.in[slot].left++
	}
	if m := &n.flights.all[i].send; m.Ordered {
		n.deliverOrdered(agent, i, slot)
	} else {
		n.inbox.push(agent, m.Class, i, slot)
	}
}

// deliverOrdered puts a copy into an agent's inbox once its predecessors are there. A copy that
// waits for them holds no slot in the interface.
func (n *nic) deliverOrdered(agent int, i, slot int32) {
	f := &n.flights.all[i]
	from := n.plan.agentIndex(f.send.From)
	if n.expected[from] == nil {
		n.expected[from] = make([]uint32, n.agents)
	}
	if f.send.Sequence != n.expected[from][agent] {
		n.acceptedFrom(slot)
		n.held = append(n.held, held{int32(agent), i})
		n.peakHeld = max(n.peakHeld, len(n.held))
		return
	}
	n.inbox.push(agent, f.send.Class, i, slot)
	n.expected[from][agent]++
	for again := true; again; {
		again = false
		for k, h := range n.held {
			g := &n.flights.all[h.flight]
			if int(h.agent) == agent && g.send.From == f.send.From && g.send.Sequence == n.expected[from][agent] {
				n.inbox.push(agent, g.send.Class, h.flight, none)
				n.expected[from][agent]++
				n.held = append(n.held[:k], n.held[k+1:]...)
				again = true
				break
			}
		}
	}
}
