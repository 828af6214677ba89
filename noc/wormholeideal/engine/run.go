package engine

import (
	"math"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
)

// worm is one copy of a message on its way.
type worm struct {
	root   int32 // run, or none
	leaves int32 // ends of its ways whose tail has not come
	// branched tells that it has held a token.
	branched bool
	// counting are runs that hold a token and wait for flits to be forwarded.
	counting []int32
}

// run is a stretch of a worm's way without a branch. Its positions are the channels that the
// header has crossed, each with the buffer behind it. The first position of a worm is the memory
// of its node, the last one of each way the node at its end.
type run struct {
	worm, parent   int32 // worm is none for a run that is not in use
	child, sibling int32 // first child, next child of the parent; or none
	phits, window  int32 // of the worm; window is (phits-1)/B, see tail.go
	base           int32 // positions of the worm before the first
	port           int32 // injection port
	router, in     int32 // where the header is
	links          int32 // between routers, up to the header
	low, high      int32 // stops of a tree that lie behind, of the plan's
	node           int32 // of a run that begins with the way into a node; else none
	done           bool  // the header has reached the node at the end
	split          bool  // it has branched
	scheduled      bool  // the next step of the tail is in the calendar

	held    []int32     // per position: channel
	crossed []noc.Cycle // per position: when the header crossed into it
	visits  []visit     // copies taken on the way
	over    int32       // of which so many are complete

	// The closed form (tail.go).
	reach  int64 // positions of the worm that all headers from here on have reached
	tail   int32 // last position that the tail has crossed into; -1 before the first
	latest int64 // its term
	best   int32 // position of the largest term of the window
	seen   int32 // last position that was compared
	ahead  int32 // children whose tail has not crossed into their first position

	owed  int32 // ends behind that headers have not reached
	token int32 // channel of the token held for branching
	request
}

// visit is a copy that a node takes of what leaves a position.
type visit struct {
	node     noc.NodeID
	position int32
}

// everywhere is the reach of headers that are all at the end of their ways.
const everywhere = int64(math.MaxInt64)

// usualWay is the room that a run has at first.
const usualWay = 32

// newRun makes a run; its slices keep their room.
func (n *Network) newRun(worm, parent int32) int32 {
	if k := len(n.spare); k > 0 {
		id := n.spare[k-1]
		n.spare = n.spare[:k-1]
		n.runs[id].reset(worm, parent)
		return id
	}
	n.runs = append(n.runs, run{held: make([]int32, 0, usualWay), crossed: make([]noc.Cycle, 0, usualWay), visits: make([]visit, 0, 2)})
	n.runs[len(n.runs)-1].reset(worm, parent)
	return int32(len(n.runs) - 1)
}

func (r *run) reset(worm, parent int32) {
	*r = run{worm: worm, parent: parent, child: none, sibling: none, node: none, token: none, tail: -1, best: -1, seen: -1,
		held: r.held[:0], crossed: r.crossed[:0], visits: r.visits[:0], request: request{waits: none, wants: none, behind: none}}
}

// launch starts a worm in the memory of its node.
func (n *Network) launch(id int32, t noc.Cycle) {
	for int(id) >= len(n.worms) {
		n.worms = append(n.worms, worm{root: none})
	}
	root := n.newRun(id, none)
	plan := n.Dispatch.At(id)
	w, r := &n.worms[id], &n.runs[root]
	*w = worm{root: root, leaves: 1, counting: w.counting[:0]}
	r.phits, r.window, r.port = plan.Phits, (plan.Phits-1)/int32(n.config.BufferPhits), plan.Port
	entry := n.wiring.Entry[plan.From]
	r.router, r.in = int32(entry.Router), int32(entry.Port)
	r.held, r.crossed = append(r.held, none), append(r.crossed, 0)
	r.tail, r.best, r.seen = 0, 0, 0
	if n.stages != nil {
		slices.Sort(plan.Stops)
		r.high, w.leaves = int32(len(plan.Stops)), int32(len(plan.Stops))
		r.owed = w.leaves
		if plan.Port == dispatch.Loopback {
			r.router = int32(n.wiring.Exit[plan.From].Router)
		}
	}
	n.decide(root, t)
}

// decide lets the header of a run ask for what is next: the channel into the network, the
// ejection channel of a stop that is attached here, or the channel onwards.
func (n *Network) decide(id int32, t noc.Cycle) {
	r := &n.runs[id]
	plan := n.Dispatch.At(r.worm)
	inMemory, own := r.parent == none && len(r.held) == 1, r.port == dispatch.Loopback
	if inMemory && !own && n.config.InjectionChannels {
		c := n.entries + int32(plan.From)*int32(n.config.InjectionPorts) + r.port
		n.ask(id, n.channels[c].place, c, t)
		return
	}
	if n.stages != nil {
		if own {
			n.ask(id, n.exits[plan.From], none, t)
		} else {
			n.splitStops(id, t)
		}
		return
	}
	stop := plan.Stops[plan.Next]
	if own || int32(n.wiring.Exit[stop].Router) == r.router {
		n.ask(id, n.exits[stop], none, t)
		return
	}
	n.routers[r.router].Decided++
	c := none
	if plan.Routed {
		c = n.router.Next(noc.NodeID(r.router), stop)
	} else {
		c = int32(n.wiring.Channel(noc.NodeID(r.router), plan.Path[plan.Step]))
		plan.Step++
	}
	n.ask(id, n.channels[c].place, c, t)
}

// splitStops divides the stops of a header in a switch among the outputs. Stops are ascending, so
// that those of an output follow each other: each stage divides by the next lower digit. With
// several outputs each begins a run, and the header may need a token.
func (n *Network) splitStops(id int32, t noc.Cycle) {
	r := &n.runs[id]
	plan := n.Dispatch.At(r.worm)
	router := r.router
	n.routers[router].Decided++
	stage := router / int32(n.stages.Rows())
	depth := r.base + int32(len(r.held)) - 1
	switch {
	case n.stages.Bidirectional && depth <= n.turn(plan):
		c := n.upwards[router]
		n.ask(id, n.channels[c].place, c, t)
		return
	case n.sameOutput(stage, plan.Stops[r.low], plan.Stops[r.high-1]):
		n.askOutput(id, router, stage, plan.Stops[r.low], t)
		return
	}
	last := none
	for at := r.low; at < r.high; {
		end := at + 1
		for end < r.high && n.sameOutput(stage, plan.Stops[at], plan.Stops[end]) {
			end++
		}
		child := n.newRun(r.worm, id)
		r = &n.runs[id] // newRun may move all
		x := &n.runs[child]
		x.phits, x.window, x.port, x.base = r.phits, r.window, r.port, r.base+int32(len(r.held))
		x.router, x.in, x.links, x.low, x.high, x.owed = r.router, r.in, r.links, at, end, end-at
		x.reach = int64(x.base) - 1
		if last == none {
			r.child = child
		} else {
			n.runs[last].sibling = child
		}
		last = child
		r.ahead++
		at = end
	}
	r.split = true
	needs := n.tokens[router]
	if needs == none && r.parent == none && len(r.held) == 2 {
		needs = n.locals[router]
	}
	if needs != none {
		n.ask(id, needs, none, t)
		return
	}
	n.branch(id, t)
}

// branch lets the header of a run that has split ask for its outputs.
func (n *Network) branch(id int32, t noc.Cycle) {
	r := &n.runs[id]
	router, stage := r.router, r.router/int32(n.stages.Rows())
	n.routers[router].Replicated += uint64(r.ahead - 1)
	for c := r.child; c != none; c = n.runs[c].sibling {
		n.askOutput(c, router, stage, n.Dispatch.At(n.runs[c].worm).Stops[n.runs[c].low], t)
	}
}

// askOutput lets a header in a switch ask for the output towards a destination.
func (n *Network) askOutput(id, router, stage int32, d noc.NodeID, t noc.Cycle) {
	if n.lastStage(stage) {
		n.ask(id, n.exits[d], none, t)
		return
	}
	c := n.outputs[int(router)*n.stages.Arity+int(n.output(stage, d))]
	n.ask(id, n.channels[c].place, c, t)
}

// turn returns the stage up to which a worm climbs a bidirectional network.
func (n *Network) turn(plan *dispatch.Worm) int32 {
	first, last := plan.Stops[0], plan.Stops[len(plan.Stops)-1]
	return int32(max(n.stages.TurnStage(plan.From, first), n.stages.TurnStage(plan.From, last)))
}

// lastStage reports whether the nodes are behind the outputs of a stage.
func (n *Network) lastStage(stage int32) bool {
	if n.stages.Bidirectional {
		return stage == 0
	}
	return stage == int32(n.stages.Stages)-1
}

// sameOutput reports whether two destinations are behind the same output of a switch; there is
// one output per node behind the last stage.
func (n *Network) sameOutput(stage int32, a, b noc.NodeID) bool {
	return a == b || !n.lastStage(stage) && n.output(stage, a) == n.output(stage, b)
}

// output returns the port of a switch towards a destination, once it is decided by that alone.
func (n *Network) output(stage int32, d noc.NodeID) int32 {
	digit := stage
	if !n.stages.Bidirectional {
		digit = int32(n.stages.Stages) - 1 - stage
	}
	return int32(d) / n.powers[digit] % int32(n.stages.Arity)
}

// receive lets the node at a stop take a copy of a worm. At the last stop of a way the header
// crosses into the node at once; at another the worm goes on to ask for the next place, and copy
// and worm advance together.
func (n *Network) receive(id int32, node noc.NodeID, t noc.Cycle) {
	r := &n.runs[id]
	plan := n.Dispatch.At(r.worm)
	x := &n.routers[r.router]
	x.Crossbar += uint64(r.phits)
	x.Ejected += uint64(r.phits)
	n.Dispatch.Head(r.worm, node, r.links, t)
	if n.stages == nil {
		if plan.Next++; int(plan.Next) < len(plan.Stops) {
			r.visits = append(r.visits, visit{node, int32(len(r.held)) - 1})
			x.Replicated++
			n.decide(id, t)
			return
		}
	}
	r.node, r.done = int32(node), true
	n.leaveRouter(id, t)
	r.held, r.crossed = append(r.held, none), append(r.crossed, t)
	n.arrive(id, t)
	n.advanced(id, t)
}

// cross lets the header of a run cross a channel that the run holds from now on.
func (n *Network) cross(id, c int32, t noc.Cycle) {
	ch, r := &n.channels[c], &n.runs[id]
	phits := uint64(r.phits)
	ch.phits += phits
	n.leaveRouter(id, t)
	if ch.from != none {
		n.phitHops += phits
		n.routers[ch.from].Crossbar += phits
		r.links++
	}
	r.held, r.crossed = append(r.held, c), append(r.crossed, t)
	r.router, r.in = ch.to, ch.in
	n.routers[ch.to].Written += phits
	n.routers[ch.to].Enter(t + 1)
	n.calendar.Add(t+1+noc.Cycle(n.config.RouteCycles), headArrives, id)
	n.advanced(id, t)
}

// leaveRouter counts the flits that follow a header out of the memory of their node, or out of a
// buffer. One read feeds all branches.
func (n *Network) leaveRouter(id int32, t noc.Cycle) {
	r := &n.runs[id]
	x := &n.routers[r.router]
	switch at := r.base + int32(len(r.held)) - 1; {
	case at == 0:
		x.Injected += uint64(r.phits)
		n.Dispatch.Leaves(r.worm, t)
		if !n.config.InjectionChannels {
			x.Enter(t)
		}
	case len(r.held) > 0 || n.runs[r.parent].child == id:
		x.Read += uint64(r.phits)
	}
}

// advanced takes the crossing of a header into the closed form, and gives back what is not needed any more.
func (n *Network) advanced(id int32, t noc.Cycle) {
	worm := n.runs[id].worm
	n.reached(id, t)
	if n.stages != nil && len(n.worms[worm].counting) > 0 {
		n.countFlits(&n.worms[worm], t)
	}
}

// end takes a worm out of the network.
func (n *Network) end(worm int32) {
	n.free(n.worms[worm].root)
	n.worms[worm].root = none
	n.Dispatch.End(worm)
}

// free gives back a run and all behind it.
func (n *Network) free(id int32) {
	for c := n.runs[id].child; c != none; c = n.runs[c].sibling {
		n.free(c)
	}
	n.runs[id].worm = none
	n.spare = append(n.spare, id)
}
