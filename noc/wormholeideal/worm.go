package wormholeideal

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
)

// worm is one copy of a message on its way: a tree of positions, of which a path has one after the
// other.
type worm struct {
	id        int32
	phits     int
	positions []position // parents before children; the first is the memory of its node
	first     int        // all positions before it have been left
	branched  bool       // it has held a token
	turn      int        // stage of a bidirectional network up to which it climbs
}

// position is a place where flits of a worm are: the memory of its node, the buffer behind a
// channel, or the node at its end.
type position struct {
	parent      int32
	child, many int32        // the children, which follow each other
	channel     int32        // that leads here, or None for the memory
	router, in  int32        // where its flits are, and the input port
	links       int32        // between routers, from the source
	stops       []noc.NodeID // to be reached from here on
	copies      []noc.NodeID // nodes that take a copy of what leaves the buffer
	node        int32        // of an end: the destination; else None
	port        int32        // of a tree: output of the switch before, climbs or ends

	// crossed is when each flit crossed into the position.
	crossed []noc.Cycle
	left    bool  // the tail has crossed into all children, or is at the end
	token   int32 // channel of the token that is held for branching here
}

// What leads to a position of a tree, if it is no output port of its own.
const (
	climbs = int32(-1) // any port up
	ends   = int32(-2) // the way into the node
)

// ownWay is the key of a copy that a node sends to itself in a multistage network.
const ownWay = int32(-1)

// add adds a position and returns its number; slices keep their room.
func (w *worm) add(parent int32) int32 {
	k := len(w.positions)
	if k < cap(w.positions) {
		w.positions = w.positions[:k+1]
	} else {
		w.positions = append(w.positions, position{})
	}
	p := &w.positions[k]
	*p = position{parent: parent, channel: None, node: None, token: None, crossed: slices.Grow(p.crossed[:0], w.phits),
		copies: p.copies[:0], stops: p.stops[:0]}
	if parent >= 0 {
		at := &w.positions[parent]
		if at.many == 0 {
			at.child = int32(k)
		}
		at.many++
		p.links = at.links
	}
	return int32(k)
}

// children returns the positions behind one.
func (w *worm) children(p *position) []position { return w.positions[p.child : p.child+p.many] }

// launch starts a worm in the memory of its node.
func (n *Network) launch(id int32, t noc.Cycle) {
	var w *worm
	if k := len(n.spare); k > 0 {
		w, n.spare = n.spare[k-1], n.spare[:k-1]
	} else {
		w = new(worm)
	}
	plan := n.Dispatch.At(id)
	*w = worm{id: id, phits: int(plan.Phits), positions: w.positions[:0]}
	n.worms = append(n.worms, w)
	p := &w.positions[w.add(None)]
	entry := n.Wiring.Entry[plan.From]
	p.router, p.in = int32(entry.Router), int32(entry.Port)
	p.stops = append(p.stops, plan.Stops...)
	if n.Stages != nil {
		slices.Sort(p.stops)
		if n.Stages.Bidirectional {
			w.turn = n.Stages.TurnStage(plan.From, plan.Stops...)
		}
		if plan.Port == dispatch.Loopback {
			p.router = int32(n.Wiring.Exit[plan.From].Router)
		}
	}
	n.decide(w, 0, t)
}

// decide lets the header in a position ask for what it needs next (rules 3 and 4).
func (n *Network) decide(w *worm, at int32, t noc.Cycle) {
	p, plan := &w.positions[at], n.Dispatch.At(w.id)
	own := plan.Port == dispatch.Loopback
	switch {
	case at == 0 && !own && n.Config.InjectionChannels:
		k := w.add(0)
		w.positions[k].stops = append(w.positions[k].stops, w.positions[0].stops...)
		n.ask(n.Channels[n.Injection(plan.From, plan.Port)].Queue, request{worm: w, position: k}, at, t)
	case n.Stages != nil && own:
		k := w.add(0)
		w.positions[k].node = int32(plan.From)
		n.ask(n.Exits[plan.From], request{worm: w, position: k}, at, t)
	case n.Stages != nil:
		n.split(w, at, t)
	case own || int32(n.Wiring.Exit[p.stops[0]].Router) == p.router:
		n.ask(n.Exits[p.stops[0]], request{worm: w, position: at, copies: true}, at, t)
	default:
		n.askOnwards(w, at, t)
	}
}

// askOnwards asks for the channel towards the next stop: that of the plan's path, or of the
// network's routing.
func (n *Network) askOnwards(w *worm, at int32, t noc.Cycle) {
	plan := n.Dispatch.At(w.id)
	k := w.add(at)
	p, child := &w.positions[at], &w.positions[k]
	child.stops = append(child.stops, p.stops...)
	n.activity[p.router].RouteLookups++
	c := int32(0)
	if plan.Routed {
		c = n.Routing.Next(noc.NodeID(p.router), p.stops[0])
	} else {
		c = int32(n.Wiring.Channel(noc.NodeID(p.router), plan.Path[plan.Step]))
		plan.Step++
	}
	n.ask(n.Channels[c].Queue, request{worm: w, position: k, channel: c}, at, t)
}

// split divides the stops of a header in a switch among the outputs, and asks for a token if there
// are several.
func (n *Network) split(w *worm, at int32, t noc.Cycle) {
	router := w.positions[at].router
	n.activity[router].RouteLookups++
	stage, _ := n.Stages.Place(noc.NodeID(router))
	for _, d := range w.positions[at].stops {
		port := n.output(w, at, stage, d)
		p := &w.positions[at]
		if k := p.child + p.many - 1; p.many > 0 && w.positions[k].port == port && port != ends {
			w.positions[k].stops = append(w.positions[k].stops, d)
			continue
		}
		k := w.add(at)
		child := &w.positions[k]
		child.port, child.stops = port, append(child.stops, d)
		if port == ends {
			child.node = int32(d)
		}
	}
	if w.positions[at].many > 1 {
		needs := n.Tokens[router]
		if needs == None && w.positions[at].parent == 0 {
			needs = n.Locals[router]
		}
		if needs != None {
			n.ask(needs, request{worm: w, position: at}, at, t)
			return
		}
	}
	n.branch(w, at, t)
}

// output returns the output port of a switch towards a destination. A worm climbs a bidirectional
// network up to the stage from which all its destinations are below.
func (n *Network) output(w *worm, at int32, stage int, d noc.NodeID) int32 {
	m := n.Stages
	if !m.Bidirectional {
		if stage == m.Stages-1 {
			return ends
		}
		return int32(m.Digit(int(d), m.Stages-1-stage))
	}
	if w.depth(at) <= w.turn {
		return climbs
	}
	if stage == 0 {
		return ends
	}
	return int32(m.Digit(int(d), stage))
}

// depth returns how many channels lead from the memory to a position.
func (w *worm) depth(at int32) (depth int) {
	for ; at > 0; at = w.positions[at].parent {
		depth++
	}
	return depth
}

// branch lets a header ask for its outputs.
func (n *Network) branch(w *worm, at int32, t noc.Cycle) {
	p := &w.positions[at]
	if p.many > 1 {
		n.activity[p.router].Replications += uint64(p.many - 1)
	}
	for k := p.child; k < p.child+p.many; k++ {
		child := &w.positions[k]
		to := None
		switch child.port {
		case ends:
			to = n.Exits[child.node]
		case climbs:
			to = n.queueOf(p.router, int32(n.Stages.Arity))
		default:
			to = n.queueOf(p.router, child.port)
		}
		n.ask(to, request{worm: w, position: k}, at, t)
	}
}

// queueOf returns the queue for an output of a switch.
func (n *Network) queueOf(router, port int32) int32 {
	return n.Channels[n.Outputs[int(router)*n.Ports+int(port)]].Queue
}

// ask queues a header, which is in some position: the oldest request first, then by
// input port and injection port. Tokens have requests of several switches; the lowest comes
// first.
func (n *Network) ask(to int32, r request, at int32, t noc.Cycle) {
	p, x := &r.worm.positions[at], &n.queues[to]
	port := n.Dispatch.At(r.worm.id).Port
	switch {
	case n.Stages == nil:
		r.key = p.in*(dispatch.Loopback+1) + port
	case port == dispatch.Loopback:
		r.key = ownWay
	case at > 0:
		r.key = p.router*int32(2*n.Stages.Arity) + p.in
	}
	r.since = t
	i := len(x.requests)
	for i > 0 && x.requests[i-1].since == t && x.requests[i-1].key > r.key {
		i--
	}
	x.requests = slices.Insert(x.requests, i, r)
	if len(x.requests) == 1 {
		n.asked = append(n.asked, to)
	}
}
