package engine

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
	origin            int        // input port of the current router
	served            noc.NodeID // path: where it has been served last, or its source
	back              bool       // path: backwards
	spread            bool       // of a multicast that the routers copy
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
	count  func(phit int, dual bool) // per phit moved
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
	begs     bool         // the interface asks for a hold
	passed   map[int]bool // outputs that have taken a place in this cycle
	owed     int          // the pace: hundredths of cycles
	served   noc.Cycle    // of the latest injection
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
	wires      map[refWires]noc.Word
	content    func(noc.Packet) []noc.Word // nil where nobody counts flipped bits
	// What neighbours see: at the start of the cycle.
	inputFree [][]int
	places    [][]int // held, per router and class
}

func newReference(g topology.Grid, c Config) *reference {
	c.ClassLimit = c.ClassLimit && !c.UnlimitedOutput
	m := &reference{grid: g, config: c, room: map[[2]int]int{}, wires: map[refWires]noc.Word{}}
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
	c := &refCopy{packet: p, offered: m.now, served: p.Src}
	for n, ok := p.Dst.Next(0); ok; n, ok = p.Dst.Next(n + 1) {
		c.owed = append(c.owed, n)
	}
	*q = append(*q, c)
	return true
}

// step simulates one cycle.
func (m *reference) step() {
	m.inputFree, m.places = nil, nil
	for _, r := range m.routers {
		var free []int
		for _, in := range r.inputs {
			free = append(free, m.config.InputStagePhits/m.config.SlotPhits-len(in.slots))
		}
		m.inputFree = append(m.inputFree, free)
	}
	for id := range m.routers {
		m.places = append(m.places, m.held(id))
	}
	for id, r := range m.routers {
		r.passed = map[int]bool{}
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
		r.owed = max(0, r.owed-100)
	}
	m.countIdle()
	m.move()
	m.now++
}

// stream starts a packet; the phits move in move.
func (m *reference) stream(router int, from, to *refSlot, delay noc.Cycle, c *refCopy, count func(int, bool)) {
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
		s.count(s.next, s.from != nil && readers[reading{s.from, s.next}] > 1)
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
		r.activity.Toggles.Counted = m.content != nil
		if !busy[id] {
			r.activity.IdleCycles++
		}
	}
}

// onTour is serving with the path scheme: the copy heads for the destination that comes next on the snake
// through the grid, counted from where it has been served last.
func (m *reference) onTour(id, p int, c *refCopy) (yes, no []noc.NodeID) {
	target := m.nextStop(c)
	if !m.grid.Profitable(noc.NodeID(id), p, target) {
		return nil, c.owed
	}
	if p != topology.Local {
		return c.owed, nil
	}
	for _, d := range c.owed {
		if d != target {
			no = append(no, d)
		}
	}
	return []noc.NodeID{target}, no
}

func (m *reference) nextStop(c *refCopy) noc.NodeID {
	tour := snake(m.grid.Radix)
	start := slices.IndexFunc(tour, func(at []int) bool { return m.grid.Node(at...) == c.served })
	for k := range tour {
		if c.back {
			k = len(tour) - k
		}
		if d := m.grid.Node(tour[(start+k)%len(tour)]...); slices.Contains(c.owed, d) {
			return d
		}
	}
	panic("a copy without destinations")
}

// bothWays divides the destinations of a multicast into those that the path scheme serves forwards and
// backwards.
func (m *reference) bothWays(c *refCopy) (ahead, behind []noc.NodeID) {
	tour := snake(m.grid.Radix)
	at := map[noc.NodeID]int{}
	for k, coordinates := range tour {
		at[m.grid.Node(coordinates...)] = k
	}
	for _, d := range c.owed {
		distance := at[d] - at[c.packet.Src]
		if m.grid.Wrap {
			distance = (distance + len(tour)) % len(tour)
		}
		if distance >= 0 && (!m.grid.Wrap || distance <= len(tour)/2) {
			ahead = append(ahead, d)
		} else {
			behind = append(behind, d)
		}
	}
	return ahead, behind
}

// snake lists the coordinates of a grid: the snake through one plane, back through the next one.
func snake(radix []int) (tour [][]int) {
	if len(radix) == 0 {
		return [][]int{nil}
	}
	last := len(radix) - 1
	plane := snake(radix[:last])
	for k := range radix[last] {
		for _, at := range plane {
			tour = append(tour, append(slices.Clone(at), k))
		}
		slices.Reverse(plane)
	}
	return tour
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
	if m.config.Multicast == Path && !c.packet.Ordered {
		return m.onTour(id, p, c)
	}
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
