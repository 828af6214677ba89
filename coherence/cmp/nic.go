package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
)

// delayed is a message that its controller has made and that enters the interface at a later cycle.
type delayed struct {
	at     noc.Cycle
	flight int32
}

// loopback is a copy for an agent at the sender's own router: one cycle, no network.
type loopback struct {
	at     noc.Cycle
	agent  int32
	flight int32
}

// nic holds the network interfaces of all routers. It turns messages into packets, with one queue
// per router and class (nic.go), and packets back into messages in the inboxes of the agents at a
// router.
type nic struct {
	chip     *System // whose agents it serves
	network  noc.Network
	protocol coherence.Protocol
	classes  int // of messages
	plan     *floorplan
	flights  flights
	inbox    inboxes
	credits  credits

	delay     [coherence.Roles]queue.FIFO[delayed] // one per role, because a role's latency is constant
	latencies [coherence.Roles]noc.Cycle
	due       noc.Cycle // when the first of them enters; Never when there is none
	local     queue.FIFO[loopback]
	lines     queue.Lines[int32] // of flights to offer, per router and class
	asked     int                // packets under way of which the network will tell that they have left
	peak      int                // flights that waited at one router
	apart     bool               // the copy for the home bank does not leave in turn

	receivers []coherence.Agent // buffer

	// Ordered messages: numbers given by the sender and expected by the receiver, per pair of
	// agents; the rows of senders that never order anything stay empty.
	agents   int
	given    [][]uint32
	expected [][]uint32
	held     []held
	peakHeld int
}

// held is an ordered message that arrived before an earlier one.
type held struct {
	agent  int32
	flight int32
}

func newNIC(s *System) nic {
	routers, classes, agents := s.network.Nodes(), len(s.about.Classes), len(s.agents.all)
	return nic{chip: s, network: s.network, protocol: s.protocol, classes: classes, plan: s.plan, latencies: s.config.Latency.byRole(), flights: flights{nodes: routers},
		inbox: newInboxes(agents, classes), credits: newCredits(s.config, s.network, classes),
		apart: s.config.Copies != "" && s.config.Copies != InTurn && s.config.Cores > 1 && s.network.Hardware().DestinationBits == 0,
		due:   noc.Never, lines: queue.NewLines[int32](routers, classes), agents: agents,
		given: make([][]uint32, agents), expected: make([][]uint32, agents)}
}

// send queues a message that agent has made; it enters the interface after the agent's latency.
func (n *nic) send(agent int, role coherence.Role, m coherence.Send) {
	i := n.flights.add(m, n.plan.routers[agent], n.chip.now)
	n.flights.all[i].copies = 1 // keeps the flight alive until route counts its destinations
	n.takeCredit(&n.flights.all[i])
	n.chip.paths.send(i, n.chip.now)
	at := n.chip.now + n.latencies[role]
	n.delay[role].Push(delayed{at, i})
	n.due = min(n.due, at)
}

// packetize puts every message whose time has come into the queues, in order of role and age.
func (n *nic) packetize() {
	for role := range n.delay {
		q := &n.delay[role]
		for q.Len() > 0 && q.Front().at <= n.chip.now {
			i := q.Pop().flight
			n.chip.paths.flights[i].charge(componentOf[role], n.chip.now)
			if f := &n.flights.all[i]; f.send.Ordered {
				n.packetizeOrdered(i)
			} else if f.send.Many {
				n.packetizeMany(i)
			} else {
				f.copies = 0
				n.address(i, n.plan.agentIndex(f.send.One))
				n.enqueue(i, Unicast)
			}
		}
	}
	n.due = noc.Never
	for role := range n.delay {
		if q := &n.delay[role]; q.Len() > 0 {
			n.due = min(n.due, q.Front().at)
		}
	}
}

// packetizeMany addresses a message to each of its destinations. One network packet serves all
// routers.
func (n *nic) packetizeMany(i int32) {
	f := &n.flights.all[i]
	if n.apart && f.send.Home && !f.send.Memory && n.plan.routers[n.plan.bankAgent(f.send.Block)] != f.router {
		n.packetizeHome(i)
		return
	}
	f.copies = 0
	n.receivers = f.send.AppendReceivers(n.receivers[:0], &n.plan.homes)
	caches := 0
	for _, to := range n.receivers {
		agent := n.plan.agentIndex(to)
		n.address(i, agent)
		switch to.Role {
		case coherence.Cache:
			caches++
		case coherence.Bank:
			f.home = n.plan.routers[agent]
		}
	}
	cast := Multicast
	if len(n.receivers) == 1 {
		cast = Unicast
	} else if caches >= n.chip.config.Cores-1 && caches > 0 {
		cast = Broadcast
	}
	n.enqueue(i, cast)
}

// packetizeHome makes a packet of its own for the home bank, before or behind that for the other receivers.
func (n *nic) packetizeHome(i int32) {
	m := n.flights.all[i].send
	home, others := m, m
	home.Many, home.One, others.Home = false, n.chip.agents.names[n.plan.bankAgent(m.Block)], false
	list := [2]coherence.Send{home, others}
	if n.chip.config.Copies == HomeLast {
		list = [2]coherence.Send{others, home}
	}
	list[0].Receipt = false // the second copy leaves last
	for k := range list {
		c := n.flights.add(list[k], n.flights.all[i].router, n.flights.all[i].created)
		n.chip.paths.copy(c, i)
		if k == 1 {
			n.flights.all[c].holdsCredit, n.flights.all[i].holdsCredit = n.flights.all[i].holdsCredit, false
		}
		if n.flights.all[c].send.Many {
			n.packetizeMany(c)
			continue
		}
		n.address(c, n.plan.bankAgent(m.Block))
		n.enqueue(c, Unicast)
	}
	n.flights.all[i].copies = 1
	n.flights.accepted(i)
}

// packetizeOrdered makes one unicast per destination, numbered for the pair of agents, so that any
// network will do: the receiving interface restores the order.
func (n *nic) packetizeOrdered(i int32) {
	m := n.flights.all[i].send
	router, created := n.flights.all[i].router, n.flights.all[i].created
	last := none
	n.receivers = m.AppendReceivers(n.receivers[:0], &n.plan.homes)
	for _, to := range n.receivers {
		agent := n.plan.agentIndex(to)
		copied := m
		copied.Many, copied.Receipt, copied.One = false, false, to
		copied.Sequence = n.number(n.given, n.plan.agentIndex(m.From), agent)
		c := n.flights.add(copied, router, created)
		n.chip.paths.copy(c, i)
		n.address(c, agent)
		if last != none {
			n.enqueue(last, Unicast)
		}
		last = c
	}
	n.flights.all[last].send.Receipt = m.Receipt
	// The last copy leaves last, and returns the credit of all.
	n.flights.all[last].holdsCredit = n.flights.all[i].holdsCredit
	n.flights.all[i].holdsCredit = false
	n.enqueue(last, Unicast)
	n.flights.all[i].copies = 1
	n.flights.accepted(i)
}

// number returns the next number of a pair of agents and counts it.
func (n *nic) number(rows [][]uint32, from, to int) uint32 {
	if rows[from] == nil {
		rows[from] = make([]uint32, n.agents)
	}
	number := rows[from][to]
	rows[from][to]++
	return number
}

// address adds one agent to a flight's destinations: by the network, or by loopback.
func (n *nic) address(i int32, agent int) {
	f := &n.flights.all[i]
	f.copies++
	if r := n.plan.routers[agent]; r != f.router {
		f.dst.Add(r)
		return
	}
	f.local++
	n.local.Push(loopback{n.chip.now + 1, int32(agent), i})
	n.chip.classes[f.send.Class].Local++
}

// enqueue queues a flight's network packet, if it needs one.
func (n *nic) enqueue(i int32, cast Cast) {
	f := &n.flights.all[i]
	f.cast = cast
	if f.dst.Empty() {
		n.returnCredit(f)
		n.receipt(i)
		return
	}
	f.unsent = true
	r := int(f.router)
	n.lines.Push(r, int(f.send.Class), i)
	n.peak = max(n.peak, n.lines.LenAt(r))
	count := &n.chip.classes[f.send.Class]
	count.Casts[cast]++
	count.Phits += uint64(n.chip.phitsOf(f))
}

// offer hands waiting packets to the network, highest class first at each router, until it refuses.
func (n *nic) offer() { n.lines.Offer(n.offerFlight) }

// offerFlight hands one packet to the network and reports whether there was room.
func (n *nic) offerFlight(_ int, i int32) bool {
	f := &n.flights.all[i]
	p := noc.Packet{Src: f.router, Dst: f.dst, Tag: noc.Tag(i), Phits: n.chip.phitsOf(f), Class: f.send.Class, Receipt: f.send.Receipt}
	if !n.network.Offer(p) {
		return false
	}
	f.unsent = false
	n.chip.paths.flights[i].charge(ComponentInterface, n.chip.now)
	n.returnCredit(f)
	if p.Receipt {
		n.asked++
	}
	return true
}

// takeReceipts tells the senders of the messages whose last copy has left the source queue.
func (n *nic) takeReceipts() {
	for _, r := range n.network.Sent() {
		n.asked--
		n.receipt(int32(r.Tag))
	}
}

// receipt tells the sender that the last copy of a message has left, if it asked for that.
func (n *nic) receipt(i int32) {
	f := &n.flights.all[i]
	if !f.send.Receipt {
		return
	}
	f.send.Receipt = false
	core := int(f.send.From.Index)
	n.chip.agents.prepare(core, coherence.Cache)
	n.chip.paths.forget()
	n.chip.agents.caches[core].Sent(f.send.Message, n.chip.now, &n.chip.agents.effects)
	n.chip.agents.apply(core, coherence.Cache)
}

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
