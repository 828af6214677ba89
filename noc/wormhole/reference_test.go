package wormhole

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/topology"
)

// reference is the same network written for clarity: flits are things in queues, and every router looks at
// every channel in every cycle. It shares the configuration, the routing tables, and the dispatcher (which
// package wormholeideal holds to a model of its own) with the engine, and nothing else.
type reference struct {
	grid *topology.Grid // of rings, or nil
	dispatch.Interfaces
	c        Config
	w        *topology.Wiring
	sets     [noc.MaxClasses][2]uint32
	routes   routes
	vcs      int
	routers  []*refRouter
	flits    []refArrival
	credits  []refCredit
	ports    []refPort
	hops     map[int32]int32
	activity []noc.Activity
	inside   uint64
}

type refRouter struct {
	inputs  [][]*refChannel // by port and virtual channel
	outputs []*refOutput
	feeders []refFeeder // of the inputs
	// The input and its channel that got a place of a sink last.
	entered   int
	enteredBy []int
}

// refFeeder is what is at the other end of an input: an output of a router, or a node.
type refFeeder struct {
	router, out int
	node        noc.NodeID
	own         bool
}

type refChannel struct {
	fifo   []refFlit
	since  noc.Cycle // when the front packet's header came to the front
	stage  stage
	output int
	half   int
	vc     int // of the output
	last   int // virtual channel that was granted last
	copies bool
	leaves bool
	node   noc.NodeID // that takes the packet or a copy
	hops   int32
}

type refFlit struct {
	worm         int32
	header, tail bool
}

type refOutput struct {
	peer, entry          int // -1 for a node
	exit                 bool
	credits              []int
	taken                []bool
	turn                 []int // per virtual channel: input that it was granted to last
	lastInput, lastGuess int
	lastChannel          int // of the input of the same number
	lastGuessed          int
	phits                uint64
}

type refArrival struct {
	at             noc.Cycle
	router, in, vc int
	flit           refFlit
}

type refCredit struct {
	at              noc.Cycle
	router, out, vc int
}

type refPort struct {
	at   noc.Cycle
	node noc.NodeID
	vc   int32
}

func newReference(w *topology.Wiring, ports, parts int, s routes, c Config, planner dispatch.Planner) *reference {
	m := &reference{c: c, w: w, sets: c.sets(parts), vcs: c.channels(parts), routes: s, hops: map[int32]int32{},
		activity: make([]noc.Activity, w.Routers)}
	portsOf, shared := c.injection(&m.sets), 0
	for v := range 32 {
		shared += int(portsOf[0] >> v & 1)
	}
	m.Interfaces = dispatch.New(planner, dispatch.Config{Nodes: w.Nodes(), Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits, Startup: c.Startup,
		Preparation: c.Preparation, CutThrough: c.CutThrough, Ports: shared, PortsOf: portsOf, KeepOrder: true})
	for range w.Routers {
		x := &refRouter{feeders: make([]refFeeder, ports), entered: -1}
		for range ports {
			var row []*refChannel
			o := &refOutput{peer: -1, entry: -1, lastInput: -1, lastGuess: -1, lastChannel: -1, lastGuessed: -1}
			for range m.vcs {
				row = append(row, &refChannel{last: -1})
				o.credits, o.taken, o.turn = append(o.credits, c.BufferPhits), append(o.taken, false), append(o.turn, -1)
			}
			x.enteredBy = append(x.enteredBy, -1)
			x.inputs, x.outputs = append(x.inputs, row), append(x.outputs, o)
		}
		m.routers = append(m.routers, x)
	}
	for _, l := range w.Channels {
		o := m.routers[l.From].outputs[l.Out]
		o.peer, o.entry = int(l.To), int(l.In)
		m.routers[l.To].feeders[l.In] = refFeeder{router: int(l.From), out: int(l.Out)}
	}
	for node := range noc.NodeID(w.Nodes()) {
		m.routers[w.Entry[node].Router].feeders[w.Entry[node].Port] = refFeeder{node: node, own: true}
		m.routers[w.Exit[node].Router].outputs[w.Exit[node].Port].exit = true
	}
	return m
}

// Cycle simulates one cycle.
func (m *reference) Cycle() {
	t := m.Clock
	m.flits = take(m.flits, func(a refArrival) bool { return a.at == t }, func(a refArrival) {
		ch := m.routers[a.router].inputs[a.in][a.vc]
		if ch.fifo = append(ch.fifo, a.flit); len(ch.fifo) == 1 && a.flit.header {
			ch.since = t
		}
		m.activity[a.router].BufferWrites[noc.VirtualChannel]++
	})
	m.credits = take(m.credits, func(c refCredit) bool { return c.at == t }, func(c refCredit) {
		m.routers[c.router].outputs[c.out].credits[c.vc]++
	})
	m.ports = take(m.ports, func(p refPort) bool { return p.at == t }, func(p refPort) { m.Dispatch.FreePort(p.node, p.vc) })
	for _, id := range m.Dispatch.Serve(t) {
		w := m.Dispatch.At(id)
		entry := m.w.Entry[w.From]
		ch := m.routers[entry.Router].inputs[entry.Port][w.Port]
		for i := range w.Phits {
			ch.fifo = append(ch.fifo, refFlit{id, i == 0, i == w.Phits-1})
		}
		ch.since = t + noc.Cycle(m.c.LinkCycles)
		m.hops[id] = 0
	}
	for r := range m.routers {
		m.route(r, t)
	}
	for r := range m.routers {
		m.allocate(r, t)
	}
	m.Clock++
	m.Sinks.Collect(m.Clock)
}

// take calls do for the elements that are due and returns the others.
func take[T any](list []T, due func(T) bool, do func(T)) (rest []T) {
	for _, e := range list {
		if due(e) {
			do(e)
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}

// route computes routes that have been under way long enough, and counts idle routers.
func (m *reference) route(r int, t noc.Cycle) {
	present := false
	for _, row := range m.routers[r].inputs {
		for _, ch := range row {
			present = present || len(ch.fifo) > 0 || ch.stage != empty
			if ch.stage != empty || len(ch.fifo) == 0 || t < ch.since+noc.Cycle(m.c.RouteCycles) {
				continue
			}
			id := ch.fifo[0].worm
			w := m.Dispatch.At(id)
			m.activity[r].RouteLookups++
			ch.stage, ch.hops, ch.copies, ch.leaves = waiting, m.hops[id], false, false
			if m.w.Exit[w.Stops[w.Next]].Router == noc.NodeID(r) && int(w.Next) < len(w.Stops)-1 {
				ch.copies, ch.node = true, w.Stops[w.Next]
				w.Next++
			}
			stop := w.Stops[w.Next]
			ch.output, ch.half = int(m.w.Exit[stop].Port), 1
			switch {
			case m.w.Exit[stop].Router == noc.NodeID(r):
				ch.leaves, ch.node = true, stop
			case w.Routed && m.routes.adaptive != nil && !w.Ordered:
				ch.output = m.choose(r, w.Class, stop)
			case w.Routed:
				o, h := m.routes.next(uint32(r), uint32(w.From), uint32(stop))
				ch.output, ch.half = int(o), int(h)
				if m.grid != nil && len(w.Stops) == 1 {
					ch.half = m.half(w.From, stop, int(o))
				}
			default:
				ch.output = int(m.routes.towards(uint32(r), w.Path[w.Step]))
				w.Step++
			}
		}
	}
	m.activity[r].Cycles++
	if !present {
		m.activity[r].IdleCycles++
	}
}

// half is 0 for a packet that crosses the dateline of the ring in which it is, wherever in the ring that is, else 1.
func (m *reference) half(from, to noc.NodeID, output int) int {
	dim, sign := m.grid.Direction(output)
	if sign*(m.grid.Coordinate(to, dim)-m.grid.Coordinate(from, dim)) < 0 {
		return 0
	}
	return 1
}

// choose takes the first permitted output with a channel that is free, or the first.
func (m *reference) choose(r int, class noc.Class, stop noc.NodeID) int {
	for _, o := range m.routes.outputs(uint32(r), stop) {
		for vc, taken := range m.routers[r].outputs[o].taken {
			if m.sets[class][1]>>vc&1 != 0 && !taken {
				return int(o)
			}
		}
	}
	return int(m.routes.outputs(uint32(r), stop)[0])
}

// allocate does both allocations of a router on the state at the start of the cycle, then moves what was
// granted.
func (m *reference) allocate(r int, t noc.Cycle) {
	x := m.routers[r]
	asking := m.requests(r, waiting)
	ready := m.requests(r, active)
	granted := m.allocateChannels(r)
	var moved []refMove
	inputs, outputs := map[int]bool{}, map[int]bool{}
	for _, v := range ready {
		m.activity[r].ArbRequests[noc.SwitchInput]++
		inputs[v.in] = true
	}
	m.activity[r].ArbGrants[noc.SwitchInput] += uint64(len(inputs))
	m.activity[r].ArbRequests[noc.SwitchOutput] += uint64(len(inputs))
	moved = m.match(r, ready, func(o *refOutput) (*int, *int) { return &o.lastChannel, &o.lastInput })
	inputs = map[int]bool{}
	for _, v := range moved {
		x.outputs[v.in].lastChannel = v.vc
		if o := x.inputs[v.in][v.vc].output; !x.outputs[o].exit || !m.c.EjectionPerInput {
			x.outputs[o].lastInput = v.in
		}
		inputs[v.in], outputs[x.inputs[v.in][v.vc].output] = true, true
	}
	var guessed []refMove
	if m.c.Speculative {
		guessed = m.match(r, asking, func(o *refOutput) (*int, *int) { return &o.lastGuessed, &o.lastGuess })
	}
	for _, v := range moved {
		m.send(r, v, t)
	}
	for v, vc := range granted {
		ch := x.inputs[v.in][v.vc]
		ch.stage, ch.vc = active, vc
		if ch.copies || ch.leaves {
			m.Dispatch.Head(ch.fifo[0].worm, ch.node, ch.hops, t)
		}
	}
	for _, v := range guessed {
		ch := x.inputs[v.in][v.vc]
		free := ch.leaves && m.c.EjectionPerInput
		if inputs[v.in] || outputs[ch.output] && !free || ch.stage != active || !ch.leaves && x.outputs[ch.output].credits[ch.vc] == 0 {
			continue
		}
		x.outputs[v.in].lastGuessed, x.outputs[ch.output].lastGuess = v.vc, v.in
		a := &m.activity[r]
		a.ArbRequests[noc.SwitchInput]++
		a.ArbGrants[noc.SwitchInput]++
		a.ArbRequests[noc.SwitchOutput]++
		m.send(r, v, t)
	}
}
