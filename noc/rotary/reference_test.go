package rotary

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// The reference is a plain model of the same router, written for clarity and with structures of its own:
// every phit moves by itself, every router is visited in every cycle and every rule is evaluated from
// scratch. It panics when a phit is not where the streaming of its packet needs it, which checks the claim
// that a granted packet never stalls.

// refCopy is one packet copy.
type refCopy struct {
	packet            noc.Packet
	owed              []noc.NodeID // ascending
	offered, injected noc.Cycle
	hops, turns       int
	origin            int // input port of the current router
}

// refSlot is a place in a buffer: reserved for a copy, filled phit by phit.
type refSlot struct {
	copy   *refCopy
	phits  []noc.Cycle // phit i is here from cycle phits[i] on
	sent   int         // phits that have left
	enters noc.Cycle   // first cycle in which it counts as being in the router
}

func (s *refSlot) headerHere(now noc.Cycle) bool { return len(s.phits) > 0 && s.phits[0] <= now }

// refStream moves one phit per cycle from a slot to another.
type refStream struct {
	router int
	from   *refSlot // nil: the source
	to     *refSlot // nil: the node
	delay  noc.Cycle
	copy   *refCopy
	next   int
	count  func(dual bool) // per phit moved
}

// refPort is a read port that streams one packet at a time.
type refPort struct{ until noc.Cycle }

func (p *refPort) idle(now noc.Cycle) bool { return p.until <= now }

type refSegment struct {
	lanes             [2][]*refSlot
	laneOut, written  [2]refPort
	ring, out         refPort
	first             int
	draining          []*refSlot // left, but phits still here
	ringPort, outPort int        // name of the port whose segment follows, and of the output
}

func (s *refSegment) used() int { return len(s.lanes[0]) + len(s.lanes[1]) }

type refInput struct {
	slots   []*refSlot
	read    refPort
	refused int // cycles in which the present head has been refused
	inRings int
	tight   bool
	ordered bool
}

type refOutput struct {
	lanes [2][]*refSlot
	read  refPort
	last  int
}

type refRouter struct {
	segments [2][]*refSegment // by ring and port
	inputs   []*refInput
	outputs  []*refOutput
	holder   [2]int
	source   refPort
	queues   [][]*refCopy // per class
	lastTake int
	incoming int
	activity noc.Activity
}

func (r *refRouter) used() (n int) {
	for _, ring := range r.segments {
		for _, s := range ring {
			n += s.used()
		}
	}
	return n
}

type reference struct {
	grid       topology.Grid
	config     Config
	now        noc.Cycle
	routers    []*refRouter
	streams    []*refStream
	deliveries []noc.Delivery
	room       map[[2]int]int // bounded sinks
	// What neighbours see: at the start of the cycle.
	inputFree [][]int
	load      []int
}

func newReference(g topology.Grid, c Config) *reference {
	m := &reference{grid: g, config: c, room: map[[2]int]int{}}
	p := g.Ports()
	for range g.Nodes() {
		r := &refRouter{holder: [2]int{-1, -1}, queues: make([][]*refCopy, c.Classes), lastTake: -1}
		for i := range p {
			r.inputs = append(r.inputs, &refInput{tight: c.EntryHysteresis})
			r.outputs = append(r.outputs, &refOutput{})
			r.segments[0] = append(r.segments[0], &refSegment{ringPort: (i + 1) % p, outPort: (i + 1) % p})
			r.segments[1] = append(r.segments[1], &refSegment{ringPort: (i + p - 1) % p, outPort: (i + p - 1) % p})
		}
		m.routers = append(m.routers, r)
	}
	return m
}

func (m *reference) segmentSlots() int { return m.config.SegmentPhits / m.config.SlotPhits }
func (m *reference) laneSlots() int    { return m.config.OutputStagePhits / m.config.SlotPhits / 2 }
func (m *reference) free(s *refSegment) int {
	return m.segmentSlots() - s.used()
}

func (m *reference) offer(p noc.Packet) bool {
	q := &m.routers[p.Src].queues[p.Class]
	if len(*q) == m.config.SourceQueue {
		return false
	}
	c := &refCopy{packet: p, offered: m.now}
	for n, ok := p.Dst.Next(0); ok; n, ok = p.Dst.Next(n + 1) {
		c.owed = append(c.owed, n)
	}
	*q = append(*q, c)
	return true
}

// step simulates one cycle.
func (m *reference) step() {
	m.inputFree, m.load = nil, nil
	for _, r := range m.routers {
		var free []int
		for _, in := range r.inputs {
			free = append(free, m.config.InputStagePhits/m.config.SlotPhits-len(in.slots))
		}
		m.inputFree = append(m.inputFree, free)
		m.load = append(m.load, m.ownLoad(r))
	}
	for id, r := range m.routers {
		for p := range r.outputs {
			m.send(id, p)
		}
		wrote := m.arbitrate(id)
		for p := range r.inputs {
			if p != topology.Local {
				m.enter(id, p, wrote)
			}
		}
		m.inject(id)
		m.hold(id)
	}
	m.countIdle()
	m.move()
	m.now++
}

// stream starts a packet; the phits move in move.
func (m *reference) stream(router int, from, to *refSlot, delay noc.Cycle, c *refCopy, count func(bool)) {
	m.streams = append(m.streams, &refStream{router: router, from: from, to: to, delay: delay, copy: c, count: count})
}

// move moves one phit of every running stream.
func (m *reference) move() {
	var running []*refStream
	type reading struct {
		slot *refSlot
		phit int
	}
	readers := map[reading]int{}
	for _, s := range m.streams {
		readers[reading{s.from, s.next}]++
	}
	for _, s := range m.streams {
		if s.from != nil && (len(s.from.phits) <= s.next || s.from.phits[s.next] > m.now) {
			panic(fmt.Sprintf("cycle %d: phit %d of %+v is not there in time", m.now, s.next, s.copy))
		}
		if s.from != nil {
			s.from.sent = max(s.from.sent, s.next+1)
		}
		s.count(s.from != nil && readers[reading{s.from, s.next}] > 1)
		if s.to != nil {
			s.to.phits = append(s.to.phits, m.now+s.delay)
		}
		if s.next++; s.next < int(s.copy.packet.Phits) {
			running = append(running, s)
		} else if s.to == nil {
			c := s.copy
			m.deliveries = append(m.deliveries, noc.Delivery{Tag: c.packet.Tag, Src: c.packet.Src,
				At: noc.NodeID(s.router), Class: c.packet.Class, Offered: c.offered, Injected: c.injected,
				Arrived: m.now + 1, Hops: uint16(c.hops)})
		}
	}
	m.streams = running
}

func (m *reference) countIdle() {
	busy := make([]bool, len(m.routers))
	for _, s := range m.streams {
		if s.from != nil { // what leaves the source is in the router from the next cycle on
			busy[s.router] = true
		}
	}
	for id, r := range m.routers {
		for _, list := range r.allSlots() {
			for _, s := range list {
				busy[id] = busy[id] || s.enters <= m.now
			}
		}
		r.activity.Cycles++
		if !busy[id] {
			r.activity.IdleCycles++
		}
	}
}

func (r *refRouter) allSlots() (lists [][]*refSlot) {
	for p := range r.inputs {
		lists = append(lists, r.inputs[p].slots, r.outputs[p].lanes[0], r.outputs[p].lanes[1])
		for ring := range r.segments {
			lists = append(lists, r.segments[ring][p].lanes[0], r.segments[ring][p].lanes[1])
		}
	}
	return lists
}

func (m *reference) serves(id, p int, owed []noc.NodeID) (yes, no []noc.NodeID) {
	for _, d := range owed {
		if m.grid.Profitable(noc.NodeID(id), p, d) {
			yes = append(yes, d)
		} else {
			no = append(no, d)
		}
	}
	return yes, no
}

// serving is serves for a copy: ordered ones follow the x-then-y path without wrap-around links.
func (m *reference) serving(id, p int, c *refCopy) (yes, no []noc.NodeID) {
	if !c.packet.Ordered {
		return m.serves(id, p, c.owed)
	}
	want := topology.Local
	for dim := len(m.grid.Radix) - 1; dim >= 0; dim-- { // the lowest dimension that differs wins
		here, there := m.grid.Coordinate(noc.NodeID(id), dim), m.grid.Coordinate(c.owed[0], dim)
		if there > here {
			want = m.grid.Port(dim, +1)
		} else if there < here {
			want = m.grid.Port(dim, -1)
		}
	}
	if p == want {
		return c.owed, nil
	}
	return nil, c.owed
}

// --- output stages

func (m *reference) send(id, p int) {
	r := m.routers[id]
	o := r.outputs[p]
	if !o.read.idle(m.now) {
		return
	}
	var able []int
	for lane := range o.lanes {
		if len(o.lanes[lane]) > 0 && o.lanes[lane][0].headerHere(m.now) && m.accepts(id, p, o.lanes[lane][0].copy) {
			able = append(able, lane)
		}
	}
	if len(able) == 0 {
		return
	}
	r.activity.ArbRequests[noc.OutputLane] += uint64(len(able))
	r.activity.ArbGrants[noc.OutputLane]++
	lane := able[0]
	if len(able) == 2 {
		lane = 1 - o.last
	}
	o.last = lane
	slot := o.lanes[lane][0]
	o.lanes[lane] = o.lanes[lane][1:]
	c := slot.copy
	o.read.until = m.now + noc.Cycle(c.packet.Phits)
	a := &r.activity
	if p == topology.Local {
		if k, ok := m.room[[2]int{id, int(c.packet.Class)}]; ok {
			m.room[[2]int{id, int(c.packet.Class)}] = k - 1
		}
		m.stream(id, slot, nil, 0, c, func(bool) {
			a.BufferReads[noc.OutputStage]++
			a.OutputMux++
			a.EjectPhits++
		})
		return
	}
	peer, entry, _ := m.grid.Neighbour(noc.NodeID(id), p)
	next := m.routers[peer]
	c.hops++
	c.turns = 0
	c.origin = entry
	to := &refSlot{copy: c, enters: m.now + 1}
	next.inputs[entry].slots = append(next.inputs[entry].slots, to)
	m.stream(id, slot, to, 1, c, func(bool) {
		a.BufferReads[noc.OutputStage]++
		a.OutputMux++
		a.LinkPhits++
		next.activity.BufferWrites[noc.InputStage]++
	})
}

func (m *reference) accepts(id, p int, c *refCopy) bool {
	if p == topology.Local {
		k, bounded := m.room[[2]int{id, int(c.packet.Class)}]
		return !bounded || k > 0
	}
	peer, entry, _ := m.grid.Neighbour(noc.NodeID(id), p)
	return m.inputFree[peer][entry] > 0
}

// --- segments

type refAsk struct {
	leave bool // whole to the output
	split bool // a replica to the output
}

// wish applies ref 3.1 to the copy at the head of a lane of ring's segment s.
func (m *reference) wish(id, ring int, s *refSegment, c *refCopy) refAsk {
	r, p := m.routers[id], s.outPort
	o := r.outputs[p]
	yes, no := m.serving(id, p, c)
	scale := float64(m.grid.Ports()) / 5
	miss := int(float64(m.config.MissLimit)*scale + 0.5)
	misroutable := c.turns > miss && m.config.MissLimit < 255 && !c.packet.Ordered && p != topology.Local
	available := len(o.lanes[ring]) < m.laneSlots() && s.out.idle(m.now)
	if p != topology.Local {
		peer, _, ok := m.grid.Neighbour(noc.NodeID(id), p)
		available = available && ok && (!m.config.ClassLimit || m.load[peer] < m.limit(c))
	}
	stage := 2*m.laneSlots() - len(o.lanes[0]) - len(o.lanes[1])
	if m.config.Rule4Scope == LaneScope {
		stage = m.laneSlots() - len(o.lanes[ring])
	}
	switch {
	case !available || (len(yes) == 0 && !misroutable):
		return refAsk{}
	case len(yes) > 0 && len(no) == 0:
		return refAsk{leave: true}
	case misroutable:
		r.activity.Misroutes++
		return refAsk{leave: true}
	case p == topology.Local:
		return refAsk{split: true}
	case stage >= m.config.ReplicateSlots:
		return refAsk{split: true}
	case c.turns <= int(float64(m.config.PruneAfter)*scale+0.5):
		return refAsk{}
	}
	return refAsk{leave: true}
}

func (m *reference) limit(c *refCopy) int {
	return 2*m.grid.Ports()*m.segmentSlots() - m.config.ClassStep*(m.config.Classes-1-int(c.packet.Class))
}

func (m *reference) ownLoad(r *refRouter) int {
	if m.config.ClassScope == InflightScope {
		return r.used() + r.incoming
	}
	return r.used()
}

// arbitrate decides for all segments on the counts at the start of the cycle, then makes the turns. It
// returns the segments that turning headers took a slot of.
func (m *reference) arbitrate(id int) map[*refSegment]bool {
	r := m.routers[id]
	type turning struct {
		slot *refSlot
		from *refSegment
		to   *refSegment
	}
	var turns []turning
	start := map[*refSegment]int{}
	for ring := range r.segments {
		for _, s := range r.segments[ring] {
			start[s] = m.free(s)
		}
	}
	a := &r.activity
	for ring := range r.segments {
		for _, s := range r.segments[ring] {
			next := r.segments[ring][s.ringPort]
			first := s.first
			for _, lane := range []int{first, 1 - first} {
				if len(s.lanes[lane]) == 0 || !s.lanes[lane][0].headerHere(m.now) || !s.laneOut[lane].idle(m.now) {
					continue
				}
				slot := s.lanes[lane][0]
				c := slot.copy
				ask := m.wish(id, ring, s, c)
				turn := s.ring.idle(m.now) && start[next] >= m.config.TurnSlots && r.holder[ring] != s.ringPort &&
					(!m.config.RingTurnBalance || start[next] >= start[s])
				until := m.now + noc.Cycle(c.packet.Phits)
				if ask.leave || ask.split {
					s.out.until = until
					m.eject(id, ring, s.outPort, slot, ask.split)
				}
				if !ask.leave && turn {
					s.ring.until = until
					turns = append(turns, turning{slot, s, next})
				}
				if ask.leave || turn {
					s.lanes[lane] = s.lanes[lane][1:]
					s.first = 1 - lane
					s.laneOut[lane].until = m.now + 1
					if m.config.LaneBlock {
						s.laneOut[lane].until = until
					}
					s.draining = append(s.draining, slot)
				}
			}
		}
	}
	wrote := map[*refSegment]bool{}
	for _, t := range turns {
		t.slot.copy.turns++
		m.write(id, t.to, t.slot, 2, false, func(dual bool) {
			if !dual {
				a.BufferReads[noc.RingSegment]++ // a dual read is counted by the output's stream
			} else {
				a.RingDual++
			}
			a.BufferWrites[noc.RingSegment]++
			a.RingHop++
		})
		a.ArbRequests[noc.RingEntry]++
		a.ArbGrants[noc.RingEntry]++
		wrote[t.to] = true
	}
	return wrote
}

// eject starts a copy, or a replica of it, towards an output stage.
func (m *reference) eject(id, ring, p int, slot *refSlot, split bool) {
	r, c := m.routers[id], slot.copy
	a := &r.activity
	if split {
		yes, no := m.serving(id, p, c)
		taken := *c
		taken.owed = yes
		c.owed = no
		c = &taken
		a.Replications++
		a.HeaderWrites += 2 * uint64(m.grid.Nodes())
	} else {
		in := r.inputs[c.origin]
		in.inRings--
		if c.packet.Ordered {
			in.ordered = false
		}
		if m.config.EntryHysteresis && in.inRings < 4 {
			in.tight = true
		}
	}
	to := &refSlot{copy: c, enters: m.now}
	r.outputs[p].lanes[ring] = append(r.outputs[p].lanes[ring], to)
	if p != topology.Local {
		peer, _, _ := m.grid.Neighbour(noc.NodeID(id), p)
		m.routers[peer].incoming++
	}
	m.stream(id, slot, to, 2, c, func(bool) {
		a.BufferReads[noc.RingSegment]++
		a.BufferWrites[noc.OutputStage]++
		a.RingEject++
	})
}

// write reserves a slot in a segment and starts the copy towards it. from is nil for the source.
func (m *reference) write(id int, s *refSegment, from *refSlot, delay noc.Cycle, source bool, count func(bool)) {
	c := from.copy
	lane := s.first
	busy0, busy1 := !s.written[0].idle(m.now), !s.written[1].idle(m.now)
	switch {
	case busy0 && !busy1:
		lane = 1
	case busy1 && !busy0:
		lane = 0
	case len(s.lanes[0]) < len(s.lanes[1]):
		lane = 0
	case len(s.lanes[1]) < len(s.lanes[0]):
		lane = 1
	}
	to := &refSlot{copy: c, enters: m.now}
	if source {
		to.enters, from = m.now+1, nil
	}
	s.lanes[lane] = append(s.lanes[lane], to)
	s.written[lane].until = m.now + noc.Cycle(c.packet.Phits)
	if m.config.Multicast == Adaptive {
		m.routers[id].activity.HeaderTests += uint64(m.grid.Nodes())
	}
	m.stream(id, from, to, delay, c, count)
}

// checkPhits verifies that the phits in each segment fit its memory.
func (m *reference) checkPhits() error {
	for id, r := range m.routers {
		for ring := range r.segments {
			for p, s := range r.segments[ring] {
				total := 0
				var draining []*refSlot
				for _, d := range s.draining {
					if d.sent < int(d.copy.packet.Phits) {
						draining = append(draining, d)
					}
				}
				s.draining = draining
				for _, list := range [][]*refSlot{s.lanes[0], s.lanes[1], draining} {
					for _, slot := range list {
						for i, at := range slot.phits {
							if at <= m.now && i >= slot.sent {
								total++
							}
						}
					}
				}
				if total > m.config.SegmentPhits {
					return fmt.Errorf("cycle %d: router %d ring %d segment %d holds %d phits", m.now, id, ring, p, total)
				}
			}
		}
	}
	return nil
}

// --- entries

func (m *reference) mayUse(c *refCopy, ring, p int) bool {
	if !c.packet.Ordered {
		return true
	}
	plus := false
	for dim := range m.grid.Radix {
		plus = plus || m.grid.Port(dim, +1) == p
	}
	return (ring == 1) == plus
}

func (m *reference) enter(id, p int, wrote map[*refSegment]bool) {
	r := m.routers[id]
	in := r.inputs[p]
	if len(in.slots) == 0 || !in.slots[0].headerHere(m.now) || !in.read.idle(m.now) {
		return
	}
	slot := in.slots[0]
	c := slot.copy
	if c.packet.Ordered && in.ordered {
		return
	}
	need := m.config.EnterSlots
	if in.tight {
		need++
	}
	var rings []int
	for ring := range r.segments {
		s := r.segments[ring][p]
		switch {
		case !m.mayUse(c, ring, p):
		case m.free(s) >= need:
			rings = append(rings, ring)
		case wrote[s] && m.free(s)+1 >= need:
			r.activity.ArbRequests[noc.RingEntry]++
		}
	}
	if len(rings) == 0 {
		in.refused++
		return
	}
	in.refused = 0
	in.slots = in.slots[1:]
	in.read.until = m.now + noc.Cycle(c.packet.Phits)
	r.incoming--
	for ring := range r.holder {
		if r.holder[ring] == p {
			r.holder[ring] = -1
		}
	}
	m.intoRing(id, p, rings, slot, 1, false)
}

// intoRing chooses among the rings that admit a copy (ref 2.5) and starts it.
func (m *reference) intoRing(id, p int, rings []int, slot *refSlot, delay noc.Cycle, source bool) {
	r, c := m.routers[id], slot.copy
	ring := rings[0]
	if len(rings) == 2 {
		ring = m.chooseRing(id, p, c)
	}
	in := r.inputs[p]
	if in.inRings++; in.inRings >= 6 {
		in.tight = false
	}
	in.ordered = in.ordered || c.packet.Ordered
	c.turns = 1
	c.origin = p
	a := &r.activity
	a.ArbRequests[noc.RingEntry]++
	a.ArbGrants[noc.RingEntry]++
	m.write(id, r.segments[ring][p], slot, delay, source, func(bool) {
		a.BufferReads[noc.InputStage]++
		a.InputDemux++
		a.RingInject++
		a.BufferWrites[noc.RingSegment]++
		if source {
			a.InjectPhits++
			a.BufferWrites[noc.InputStage]++
		}
	})
}

func (m *reference) chooseRing(id, p int, c *refCopy) int {
	r := m.routers[id]
	if a, b := m.free(r.segments[0][p]), m.free(r.segments[1][p]); a != b {
		if a > b {
			return 0
		}
		return 1
	}
	var last, first [2]int
	for ring := range r.segments {
		owed := slices.Clone(c.owed)
		at := p
		for k := 1; len(owed) > 0; k++ {
			yes, no := m.serves(id, r.segments[ring][at].outPort, owed)
			if len(yes) > 0 {
				last[ring] = k
				if first[ring] == 0 {
					first[ring] = k
				}
			}
			owed = no
			at = r.segments[ring][at].ringPort
		}
	}
	switch {
	case last[0] < last[1]:
		return 0
	case last[0] > last[1]:
		return 1
	case first[0] < first[1]:
		return 0
	case first[0] > first[1]:
		return 1
	}
	return int(scramble(m.config.Seed, uint64(id), m.now) >> uint(p) & 1)
}

func (m *reference) inject(id int) {
	r := m.routers[id]
	limit := int(float64(m.config.InjectLimit)*float64(2*m.grid.Ports()*m.segmentSlots())/40 + 0.5)
	if !r.source.idle(m.now) || r.used() >= limit {
		return
	}
	admits := func(c *refCopy) (rings []int) {
		for ring := range r.segments {
			if m.mayUse(c, ring, 0) && m.free(r.segments[ring][0]) >= m.config.InjectSlots {
				rings = append(rings, ring)
			}
		}
		return rings
	}
	chosen := -1
	for k := 1; k <= m.config.Classes && chosen < 0; k++ {
		class := (r.lastTake + k) % m.config.Classes
		if m.config.InterfaceOrder == Priority {
			class = m.config.Classes - k
		}
		if len(r.queues[class]) == 0 {
			continue
		}
		c := r.queues[class][0]
		if len(admits(c)) == 0 || (c.packet.Ordered && r.inputs[0].ordered) ||
			(m.config.ClassLimit && m.ownLoad(r) >= m.limit(c)) {
			continue
		}
		chosen = class
	}
	if chosen < 0 {
		return
	}
	r.lastTake = chosen
	c := r.queues[chosen][0]
	if len(c.owed) > 1 && (m.config.Multicast == Replicate || c.packet.Ordered) {
		k := 0 // the first destination after the source, wrapping
		for i, d := range c.owed {
			if d > noc.NodeID(id) {
				k = i
				break
			}
		}
		one := *c
		one.owed = []noc.NodeID{c.owed[k]}
		c.owed = slices.Delete(slices.Clone(c.owed), k, k+1)
		c = &one
	} else {
		r.queues[chosen] = r.queues[chosen][1:]
	}
	c.injected = m.now
	r.source.until = m.now + noc.Cycle(c.packet.Phits)
	m.intoRing(id, 0, admits(c), &refSlot{copy: c}, 2, true)
}

// hold chooses the segment of each ring that refuses ring traffic from the next cycle on.
func (m *reference) hold(id int) {
	r := m.routers[id]
	for ring := range r.holder {
		free := 0
		for _, s := range r.segments[ring] {
			free += m.free(s)
		}
		if free < m.config.EnterSlots {
			r.holder[ring] = -1
		}
		if r.holder[ring] >= 0 || free < m.config.EnterSlots || !m.config.EntryHold {
			continue
		}
		most := 0
		for p, in := range r.inputs {
			if in.refused >= m.config.HoldAfter && in.refused > most &&
				m.free(r.segments[ring][p]) == m.config.EnterSlots-1 && m.mayUse(in.slots[0].copy, ring, p) {
				most = in.refused
				r.holder[ring] = p
			}
		}
	}
}
