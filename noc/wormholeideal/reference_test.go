package wormholeideal

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// reference is the same network written for clarity: every flit has a place, and every cycle every flit is
// asked whether it can move. It shares the configuration, the routing and the planner with the engine,
// and nothing else.
type reference struct {
	c         Config
	w         *topology.Wiring
	router    routing.Function
	planner   dispatch.Planner
	now       noc.Cycle
	channels  []*refChannel // of the wiring
	injection [][]*refChannel
	nodes     []*refNode
	worms     []*refWorm // launched, tail not out
	arrived   []noc.Delivery
	adaptive  routing.Adaptive
	wanting   map[noc.NodeID][]*refWorm // adaptive headers, by router
	places    map[[2]int]int            // bounded sinks
	activity  []noc.Activity
}

type refChannel struct {
	to      noc.NodeID
	from    int // router, -1 for injection channels
	in      int
	holder  *refWorm
	freeAt  noc.Cycle
	crossed noc.Cycle // last cycle in which a flit crossed, plus 1
	asking  []*refWorm
	phits   uint64
}

type refNode struct {
	queues   [][]*refPacket
	forwards []refErrand
	current  *refErrand
	stage    string
	round    int
	until    noc.Cycle
	ports    []*refWorm // busy ports; the last is the way to oneself
	portFree []noc.Cycle
	ejecting []noc.Cycle // per channel in use: when it falls free, or Never
	asking   []*refWorm
}

type refPacket struct {
	noc.Packet
	offered noc.Cycle
	worms   []*refWorm
}

type refErrand struct {
	p     *refPacket
	after int
	ready noc.Cycle
}

type refWorm struct {
	p        *refPacket
	index    int
	plan     multicast.Worm
	flits    int
	round    int
	base     int
	port     int
	launched bool
	done     bool
	way      []*refChannel // way[k] is the channel into position k; way[0] is nil
	x        [][]noc.Cycle // x[k][i]: when flit i crossed into position k
	at       []int         // per flit: its position
	moved    []noc.Cycle   // per flit: last cycle in which it moved, plus 1
	router   noc.NodeID
	in       int
	next     int // stop
	step     int
	ready    noc.Cycle // when the header asks for the next place
	waiting  bool
	choices  []int32 // channels that it may take, where routing is adaptive
	since    noc.Cycle
	visits   []refVisit
}

type refVisit struct {
	node     noc.NodeID
	position int
	over     bool
}

func newReference(w *topology.Wiring, c Config, r routing.Function, planner dispatch.Planner) *reference {
	ports := mostChannels(w)
	if c.InjectionPorts == 0 {
		c.InjectionPorts = ports
	}
	if c.EjectionChannels == 0 {
		c.EjectionChannels = ports
	}
	m := &reference{c: c, w: w, router: r, planner: planner, wanting: map[noc.NodeID][]*refWorm{},
		places: map[[2]int]int{}, activity: make([]noc.Activity, w.Routers)}
	m.adaptive, _ = r.(routing.Adaptive)
	for _, l := range w.Channels {
		m.channels = append(m.channels, &refChannel{to: l.To, from: int(l.From), in: int(l.In)})
	}
	for node := range w.Nodes() {
		m.nodes = append(m.nodes, &refNode{stage: "idle", queues: make([][]*refPacket, c.Classes),
			ports: make([]*refWorm, c.InjectionPorts+1), portFree: make([]noc.Cycle, c.InjectionPorts+1)})
		var row []*refChannel
		for range c.InjectionPorts {
			row = append(row, &refChannel{to: w.Entry[node].Router, from: -1, in: int(w.Entry[node].Port)})
		}
		m.injection = append(m.injection, row)
	}
	return m
}

// Offer puts a packet into the source queue of its node and class.
func (m *reference) Offer(p noc.Packet) bool {
	queue := &m.nodes[p.Src].queues[p.Class]
	if len(*queue) == m.c.SourceQueue {
		return false
	}
	*queue = append(*queue, &refPacket{Packet: p, offered: m.now})
	return true
}

// Cycle simulates one cycle.
func (m *reference) Cycle() {
	t := m.now
	for node := range m.nodes {
		for m.station(noc.NodeID(node), t) {
		}
	}
	for _, w := range m.worms {
		if !w.done && !w.waiting && w.ready <= t {
			m.ask(w, t)
		}
	}
	for changed := true; changed; {
		changed = false
		for node := range m.nodes {
			changed = m.take(noc.NodeID(node), t) || changed
		}
		for _, w := range m.worms {
			if !w.done && !w.waiting && w.ready <= t {
				m.ask(w, t) // whoever has got an ejection channel
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, row := range append([][]*refChannel{m.channels}, m.injection...) {
			for _, ch := range row {
				changed = m.cross(ch, t) || changed
			}
		}
		for moved := true; moved; {
			moved = false
			for _, w := range m.worms {
				for i := range w.flits {
					moved = m.move(w, i, t) || moved
				}
			}
			changed = changed || moved
		}
		if !changed { // all that was on the move has moved
			changed = m.round(t)
		}
	}
	m.finish(t)
	m.now++
}

// station is the sending side of a node; it reports whether something happened.
func (m *reference) station(node noc.NodeID, t noc.Cycle) bool {
	s := m.nodes[node]
	for p := range s.ports {
		if s.ports[p] != nil && s.portFree[p] <= t {
			s.ports[p] = nil
		}
	}
	loop := len(s.ports) - 1
	switch s.stage {
	case "idle":
		if !slices.Contains(s.ports[:loop], nil) || !m.choose(node, t) {
			return false
		}
		s.stage, s.round, s.until = "preparing", 0, t+noc.Cycle(m.c.Startup)
		if m.c.CutThrough && s.current.after >= 0 && s.current.ready == t && m.c.Startup > 0 {
			s.until-- // it began when the header came, in the cycle before
		}
		if s.current.after < 0 && s.current.p.Dst.Count() > 1 {
			s.until += noc.Cycle(m.c.Preparation)
		}
	case "preparing":
		if t < s.until {
			return false
		}
		s.stage = "sending"
	case "sending":
		more, all := m.launch(node, t)
		if !all {
			return false
		}
		s.stage = "idle"
		if more {
			s.stage = "clearing"
		}
	case "clearing":
		if m.c.Startup > 0 && !m.c.CutThrough {
			for _, w := range s.ports {
				if w != nil && w.p == s.current.p && w.round == s.round && w.plan.After == s.current.after {
					return false
				}
			}
		}
		s.round++
		s.stage, s.until = "preparing", t+noc.Cycle(m.c.Startup)
	}
	return true
}

// launch sends the worms of a node's round for which there is a port. It reports whether there is another round, and
// whether all of this one have gone.
func (m *reference) launch(node noc.NodeID, t noc.Cycle) (more, all bool) {
	s := m.nodes[node]
	loop := len(s.ports) - 1
	for _, w := range s.current.p.worms {
		if w.plan.From != node || w.plan.After != s.current.after || w.launched || w.round < s.round {
			continue
		}
		if w.round > s.round {
			more = more || w.round == s.round+1
			continue
		}
		port := slices.Index(s.ports[:loop], nil)
		if len(w.plan.Stops) == 1 && w.plan.Stops[0] == node {
			port = loop
			if s.ports[loop] != nil {
				port = -1
			}
		}
		if port < 0 {
			return more, false
		}
		s.ports[port], s.portFree[port] = w, noc.Never
		w.launched, w.ready, w.router, w.in = true, t, m.w.Entry[node].Router, int(m.w.Entry[node].Port)
		if w.port = port; port == loop {
			w.port = dispatch.Loopback
		}
		m.worms = append(m.worms, w)
	}
	return more, true
}

// choose takes the next message of a node.
func (m *reference) choose(node noc.NodeID, t noc.Cycle) bool {
	s := m.nodes[node]
	slices.SortStableFunc(s.forwards, func(a, b refErrand) int {
		return cmp.Or(cmp.Compare(a.ready, b.ready), cmp.Compare(a.p.offered, b.p.offered), cmp.Compare(a.p.Src, b.p.Src),
			cmp.Compare(b.p.Class, a.p.Class), cmp.Compare(a.p.Tag, b.p.Tag))
	})
	best := -1
	for class, q := range s.queues {
		if len(q) > 0 && (best < 0 || q[0].offered <= s.queues[best][0].offered) {
			best = class
		}
	}
	if len(s.forwards) > 0 && s.forwards[0].ready <= t && (best < 0 || s.forwards[0].ready <= s.queues[best][0].offered) {
		e := s.forwards[0]
		s.current, s.forwards = &e, s.forwards[1:]
		return true
	}
	if best < 0 {
		return false
	}
	p := s.queues[best][0]
	s.queues[best] = s.queues[best][1:]
	s.current = &refErrand{p: p, after: -1}
	m.plan(p)
	return true
}

// plan makes the worms of a packet.
func (m *reference) plan(p *refPacket) {
	var others, later []noc.NodeID
	for d, ok := p.Dst.Next(0); ok; d, ok = p.Dst.Next(d + 1) {
		if d > p.Src {
			others = append(others, d)
		} else if d < p.Src {
			later = append(later, d)
		}
	}
	others = append(others, later...)
	if m.planner != nil && len(others) > 1 && !p.Ordered {
		slices.Sort(others)
		plan, err := m.planner.Plan(multicast.Request{Source: p.Src, Destinations: others})
		if err != nil {
			panic(err)
		}
		for _, w := range plan {
			p.worms = append(p.worms, &refWorm{plan: w, round: w.Round})
		}
	} else {
		for i, d := range others {
			w := &refWorm{plan: multicast.Worm{From: p.Src, Stops: []noc.NodeID{d}, After: -1}}
			if m.c.Startup > 0 {
				w.round = i / m.c.InjectionPorts
			}
			p.worms = append(p.worms, w)
		}
	}
	if p.Dst.Has(p.Src) {
		p.worms = append(p.worms, &refWorm{plan: multicast.Worm{From: p.Src, Stops: []noc.NodeID{p.Src}, After: -1}})
	}
	for i, w := range p.worms {
		w.p, w.index, w.flits = p, i, int(p.Phits)+m.c.HeaderPhits
		w.way, w.x = []*refChannel{nil}, [][]noc.Cycle{nil}
		w.at, w.moved = make([]int, w.flits), make([]noc.Cycle, w.flits)
	}
}
