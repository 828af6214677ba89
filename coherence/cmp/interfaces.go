package cmp

import (
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
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

// interfaces are the network interfaces of all routers: they turn messages into packets, one queue per
// router and class, and packets back into messages for the agents at a router.
type interfaces struct {
	delay   [coherence.Roles]fifo[delayed] // one per role, because a role's latency is constant
	due     noc.Cycle                      // when the first of them enters; Never when there is none
	local   fifo[loopback]
	queues  []fifo[int32] // per router and class: flights to offer
	waiting []uint64      // routers with a flight to offer, as bits
	queued  []uint8       // per router: classes with a flight to offer
	depth   []int32       // per router: flights queued
	offers  int           // flights queued at all routers
	peak    int

	// Ordered messages: numbers given by the sender and expected by the receiver, per pair of agents;
	// the rows of senders that never order anything stay empty.
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

func newInterfaces(routers, classes, agents int) interfaces {
	return interfaces{due: noc.Never, queues: make([]fifo[int32], routers*classes), waiting: make([]uint64, (routers+63)/64),
		queued: make([]uint8, routers), depth: make([]int32, routers), agents: agents,
		given: make([][]uint32, agents), expected: make([][]uint32, agents)}
}

// send queues a message that agent has made; it enters the interface after the agent's latency.
func (s *System) send(agent int, role coherence.Role, m coherence.Send) {
	i := s.flights.add(m, s.plan.routers[agent], s.now)
	s.flights.all[i].copies = 1 // keeps the flight alive until route counts its destinations
	s.enterInterface(&s.flights.all[i])
	at := s.now + s.delays[role]
	s.nic.delay[role].push(delayed{at, i})
	s.nic.due = min(s.nic.due, at)
}

// route puts every message whose time has come into the queues, in order of role and age.
func (s *System) route() {
	for role := range s.nic.delay {
		q := &s.nic.delay[role]
		for q.len() > 0 && q.front().at <= s.now {
			i := q.pop().flight
			if f := &s.flights.all[i]; f.send.Ordered {
				s.routeOrdered(i)
			} else if f.send.Many {
				s.routeMany(i)
			} else {
				f.copies = 0
				s.address(i, s.agentIndex(f.send.One))
				s.dispatch(i, Unicast)
			}
		}
	}
	s.nic.due = noc.Never
	for role := range s.nic.delay {
		if q := &s.nic.delay[role]; q.len() > 0 {
			s.nic.due = min(s.nic.due, q.front().at)
		}
	}
}

// routeMany addresses a message to each of its destinations. One network packet serves all routers.
func (s *System) routeMany(i int32) {
	f := &s.flights.all[i]
	f.copies = 0
	caches := s.addressCaches(i)
	others := 0
	if f.send.Home {
		bank := s.bankAgent(f.send.Block)
		f.home = s.plan.routers[bank]
		s.address(i, bank)
		others++
	}
	if f.send.Memory {
		s.address(i, s.memoryAgent(f.send.Block))
		others++
	}
	s.destinations[f.send.Class].add(caches + others)
	cast := Multicast
	if caches+others == 1 {
		cast = Unicast
	} else if caches >= s.config.Cores-1 && caches > 0 {
		cast = Broadcast
	}
	s.dispatch(i, cast)
}

// addressCaches addresses a message to the L1s among its destinations, and returns how many they are.
func (s *System) addressCaches(i int32) int {
	f := &s.flights.all[i]
	if f.send.From.Role == coherence.Cache {
		if o := &s.plan.others[f.send.From.Index]; equal(f.send.Caches, o.cores) {
			f.copies += int32(o.away)
			unite(&f.dst, o.routers)
			for _, core := range o.near {
				s.address(i, core)
			}
			return o.away + len(o.near)
		}
	}
	caches := 0
	for core, ok := f.send.Caches.Next(0); ok; core, ok = f.send.Caches.Next(core + 1) {
		s.address(i, int(core))
		caches++
	}
	return caches
}

// routeOrdered makes one unicast per destination, numbered for the pair of agents, so that any network
// will do: the receiving interface restores the order.
func (s *System) routeOrdered(i int32) {
	m := s.flights.all[i].send
	router, created := s.flights.all[i].router, s.flights.all[i].created
	last := none
	one := func(agent int) {
		copied := m
		copied.Many, copied.Receipt = false, false
		copied.One = s.agentOf(agent)
		copied.Sequence = s.number(s.nic.given, s.agentIndex(m.From), agent)
		c := s.flights.add(copied, router, created)
		s.address(c, agent)
		if last != none {
			s.dispatch(last, Unicast)
		}
		last = c
	}
	if m.Many {
		for core, ok := m.Caches.Next(0); ok; core, ok = m.Caches.Next(core + 1) {
			one(int(core))
		}
		if m.Home {
			one(s.bankAgent(m.Block))
		}
		if m.Memory {
			one(s.memoryAgent(m.Block))
		}
	} else {
		one(s.agentIndex(m.One))
	}
	s.flights.all[last].send.Receipt = m.Receipt
	// The last copy leaves last, and gives back the place of all.
	s.flights.all[last].placed = s.flights.all[i].placed
	s.flights.all[i].placed = false
	s.dispatch(last, Unicast)
	s.flights.all[i].copies = 1
	s.flights.accepted(i)
}

// number returns the next number of a pair of agents and counts it.
func (s *System) number(rows [][]uint32, from, to int) uint32 {
	if rows[from] == nil {
		rows[from] = make([]uint32, s.nic.agents)
	}
	n := rows[from][to]
	rows[from][to]++
	return n
}

// address adds one agent to a flight's destinations: by the network, or by loopback.
func (s *System) address(i int32, agent int) {
	f := &s.flights.all[i]
	f.copies++
	if r := s.plan.routers[agent]; r != f.router {
		f.dst.Add(r)
		return
	}
	f.local++
	s.nic.local.push(loopback{s.now + 1, int32(agent), i})
	s.classes[f.send.Class].Local++
}

// dispatch queues a flight's network packet, if it needs one.
func (s *System) dispatch(i int32, cast Cast) {
	f := &s.flights.all[i]
	f.cast = cast
	if f.dst.Empty() {
		s.leaveInterface(f)
		s.receipt(i)
		return
	}
	f.unsent = true
	r := int(f.router)
	s.nic.queues[r*s.protocol.classes+int(f.send.Class)].push(i)
	s.nic.queued[r] |= 1 << f.send.Class
	s.nic.waiting[r/64] |= 1 << (r % 64)
	s.nic.depth[r]++
	s.nic.offers++
	s.nic.peak = max(s.nic.peak, int(s.nic.depth[r]))
	count := &s.classes[f.send.Class]
	count.Casts[cast]++
	count.Phits += uint64(f.send.Phits)
}

// offer hands waiting packets to the network, highest class first at each router, until it refuses.
func (s *System) offer() {
	for w, word := range s.nic.waiting {
		for ; word != 0; word &= word - 1 {
			s.offerFrom(64*w + bits.TrailingZeros64(word))
		}
	}
}

func (s *System) offerFrom(r int) {
	for classes := s.nic.queued[r]; classes != 0; {
		c := bits.Len8(classes) - 1
		classes &^= 1 << c
		q := &s.nic.queues[r*s.protocol.classes+c]
		for q.len() > 0 {
			i := *q.front()
			f := &s.flights.all[i]
			p := noc.Packet{Src: f.router, Dst: f.dst, Tag: noc.Tag(i), Phits: f.send.Phits, Class: f.send.Class}
			if !s.network.Offer(p) {
				break
			}
			q.pop()
			s.nic.depth[r]--
			s.nic.offers--
			f.unsent = false
			s.leaveInterface(f)
			s.receipt(i)
		}
		if q.len() == 0 {
			s.nic.queued[r] &^= 1 << c
		}
	}
	if s.nic.queued[r] == 0 {
		s.nic.waiting[r/64] &^= 1 << (r % 64)
	}
}

// receipt tells the sender that the last copy of a message has left, if it asked for that.
func (s *System) receipt(i int32) {
	f := &s.flights.all[i]
	if !f.send.Receipt {
		return
	}
	f.send.Receipt = false
	core := int(f.send.From.Index)
	s.prepare(core, coherence.Cache)
	s.caches[core].Sent(f.send.Message, s.now, &s.effects)
	s.apply(core, coherence.Cache)
}

// arrive gives this cycle's network deliveries and loopback copies to the agents' inboxes.
func (s *System) arrive() {
	for s.nic.local.len() > 0 && s.nic.local.front().at <= s.now {
		l := s.nic.local.pop()
		s.deliver(int(l.agent), l.flight, none)
	}
	list := s.network.Deliveries()
	for k := range list {
		d := &list[k]
		i := int32(d.Tag)
		f := &s.flights.all[i]
		s.observeDelivery(f, d)
		// A step ends with the first cycle that delivers something, so they are in order of their routers.
		if f.send.Many && (k == 0 || list[k-1].At != d.At) && (k+1 == len(list) || list[k+1].At != d.At) && s.ignored(f, d.At, i) {
			continue
		}
		place := s.arriveAt(d.At, d.Class)
		if f.send.Many {
			s.deliverMany(f, d.At, i, place)
		} else {
			s.deliver(s.agentIndex(f.send.One), i, place)
		}
		s.acceptedFrom(place)
	}
}

// ignored reports whether a message that is alone in coming to a router is for nobody there but an L1, and the L1 ignores it:
// the L1 would find it alone in its inbox later in this cycle, and nothing that comes in between changes the L1.
func (s *System) ignored(f *flight, router noc.NodeID, i int32) bool {
	core, m := s.plan.soleAt[router], &f.send
	if core < 0 || !m.Caches.Has(noc.NodeID(core)) || m.Home && f.home == router || m.Memory || s.places.bound > 0 ||
		s.inbox.has(int(core)) || !s.protocol.Ignores(int(core), &m.Message) {
		return false
	}
	s.touch(m.Block)
	s.flights.accepted(i)
	return true
}

// deliverMany gives a copy of a message to each of its destinations at a router.
func (s *System) deliverMany(f *flight, router noc.NodeID, i, place int32) {
	m := &f.send
	for _, core := range s.plan.coresAt[router] {
		if m.Caches.Has(noc.NodeID(core)) {
			s.deliver(int(core), i, place)
		}
	}
	if m.Home && f.home == router {
		s.deliver(s.bankAgent(m.Block), i, place)
	}
	if m.Memory {
		if a := s.memoryAgent(m.Block); s.plan.routers[a] == router {
			s.deliver(a, i, place)
		}
	}
}

// deliver puts a copy into an agent's inbox.
func (s *System) deliver(agent int, i, place int32) {
	if place != none {
		s.places.in[place].left++
	}
	if m := &s.flights.all[i].send; m.Ordered {
		s.deliverOrdered(agent, i, place)
	} else {
		s.inbox.push(agent, m.Class, i, place)
	}
}

// deliverOrdered puts a copy into an agent's inbox once its predecessors are there. While it waits for them it needs no
// place in the interface.
func (s *System) deliverOrdered(agent int, i, place int32) {
	f := &s.flights.all[i]
	from := s.agentIndex(f.send.From)
	if s.nic.expected[from] == nil {
		s.nic.expected[from] = make([]uint32, s.nic.agents)
	}
	if f.send.Sequence != s.nic.expected[from][agent] {
		s.acceptedFrom(place)
		s.nic.held = append(s.nic.held, held{int32(agent), i})
		s.nic.peakHeld = max(s.nic.peakHeld, len(s.nic.held))
		return
	}
	s.inbox.push(agent, f.send.Class, i, place)
	s.nic.expected[from][agent]++
	for again := true; again; {
		again = false
		for k, h := range s.nic.held {
			g := &s.flights.all[h.flight]
			if int(h.agent) == agent && g.send.From == f.send.From && g.send.Sequence == s.nic.expected[from][agent] {
				s.inbox.push(agent, g.send.Class, h.flight, none)
				s.nic.expected[from][agent]++
				s.nic.held = append(s.nic.held[:k], s.nic.held[k+1:]...)
				again = true
				break
			}
		}
	}
}
