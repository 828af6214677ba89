package engine

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
)

// launch starts a worm in the memory of its node.
func (n *Network) launch(id int32, t noc.Cycle) {
	for int(id) >= len(n.worms) {
		n.worms = append(n.worms, worm{root: none})
	}
	root := n.newRun(id, none)
	plan := n.Dispatch.At(id)
	w, r := &n.worms[id], &n.run[root]
	*w = worm{root: root, leaves: 1, counting: w.counting[:0]}
	r.phits, r.window, r.port = plan.Phits, (plan.Phits-1)/int32(n.Config.BufferPhits), plan.Port
	entry := n.Wiring.Entry[plan.From]
	r.router, r.in = int32(entry.Router), int32(entry.Port)
	r.held, r.crossed = append(r.held, none), append(r.crossed, 0)
	r.tail, r.best, r.seen = 0, 0, 0
	if n.switches != nil {
		slices.Sort(plan.Stops)
		r.high, w.leaves = int32(len(plan.Stops)), int32(len(plan.Stops))
		r.owed = w.leaves
		if plan.Port == dispatch.Loopback {
			r.router = int32(n.Wiring.Exit[plan.From].Router)
		}
	}
	n.decide(root, t)
}

// decide lets the header of a run ask for what is next: the channel into the network, the
// ejection channel of a stop that is attached here, or the channel onwards.
func (n *Network) decide(id int32, t noc.Cycle) {
	r := &n.run[id]
	plan := n.Dispatch.At(r.worm)
	inMemory, own := r.parent == none && len(r.held) == 1, r.port == dispatch.Loopback
	if inMemory && !own && n.Config.InjectionChannels {
		c := n.Injection(plan.From, r.port)
		n.allocator.ask(id, n.channels[c].Queue, c, t)
		return
	}
	if n.switches != nil {
		if own {
			n.allocator.ask(id, n.Exits[plan.From], none, t)
		} else {
			n.splitStops(id, t)
		}
		return
	}
	stop := plan.Stops[plan.Next]
	if own || int32(n.Wiring.Exit[stop].Router) == r.router {
		n.allocator.ask(id, n.Exits[stop], none, t)
		return
	}
	n.routers[r.router].Decided++
	c := none
	if plan.Routed {
		c = n.Routing.Next(noc.NodeID(r.router), stop)
	} else {
		c = int32(n.Wiring.Channel(noc.NodeID(r.router), plan.Path[plan.Step]))
		plan.Step++
	}
	n.allocator.ask(id, n.channels[c].Queue, c, t)
}

// splitStops divides the stops of a header in a switch among the outputs. Stops are ascending, so
// that those of an output follow each other: each stage divides by the next lower digit. With
// several outputs each begins a run, and the header may need a token.
func (n *Network) splitStops(id int32, t noc.Cycle) {
	r := &n.run[id]
	plan := n.Dispatch.At(r.worm)
	router := r.router
	n.routers[router].Decided++
	stage := n.switches.stage(router)
	depth := r.base + int32(len(r.held)) - 1
	switch {
	case n.switches.Bidirectional && depth <= n.switches.turn(plan.From, plan.Stops):
		n.allocator.ask(id, n.switches.upwards(router), none, t)
		return
	case n.switches.sameOutput(stage, plan.Stops[r.low], plan.Stops[r.high-1]):
		n.allocator.ask(id, n.switches.queue(router, plan.Stops[r.low]), none, t)
		return
	}
	last := none
	for at := r.low; at < r.high; {
		end := at + 1
		for end < r.high && n.switches.sameOutput(stage, plan.Stops[at], plan.Stops[end]) {
			end++
		}
		child := n.newRun(r.worm, id)
		r = &n.run[id] // newRun may move all
		x := &n.run[child]
		x.phits, x.window, x.port, x.base = r.phits, r.window, r.port, r.base+int32(len(r.held))
		x.router, x.in, x.links, x.low, x.high, x.owed = r.router, r.in, r.links, at, end, end-at
		x.reach = int64(x.base) - 1
		if last == none {
			r.child = child
		} else {
			n.run[last].sibling = child
		}
		last = child
		r.ahead++
		at = end
	}
	r.split = true
	needs := n.Tokens[router]
	if needs == none && r.parent == none && len(r.held) == 2 {
		needs = n.Locals[router]
	}
	if needs != none {
		n.allocator.ask(id, needs, none, t)
		return
	}
	n.branch(id, t)
}

// branch lets the header of a run that has split ask for its outputs.
func (n *Network) branch(id int32, t noc.Cycle) {
	r := &n.run[id]
	n.routers[r.router].Replicated += uint64(r.ahead - 1)
	stops := n.Dispatch.At(r.worm).Stops
	for c := r.child; c != none; c = n.run[c].sibling {
		n.allocator.ask(c, n.switches.queue(r.router, stops[n.run[c].low]), none, t)
	}
}

// receive lets the node at a stop take a copy of a worm. At the last stop of a way the header
// crosses into the node at once; at another the worm goes on to ask for the next channel, and copy
// and worm advance together.
func (n *Network) receive(id int32, node noc.NodeID, t noc.Cycle) {
	r := &n.run[id]
	plan := n.Dispatch.At(r.worm)
	x := &n.routers[r.router]
	x.Crossbar += uint64(r.phits)
	x.Ejected += uint64(r.phits)
	n.Dispatch.Head(r.worm, node, r.links, t)
	if n.switches == nil {
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
	if n.switches != nil {
		n.tokens.arrive(id, t)
	}
	n.advanced(id, t)
}

// cross lets the header of a run cross a channel that the run holds from now on.
func (n *Network) cross(id, c int32, t noc.Cycle) {
	ch, r := &n.channels[c], &n.run[id]
	phits := uint64(r.phits)
	ch.phits += phits
	n.leaveRouter(id, t)
	if ch.From != none {
		n.phitHops += phits
		n.routers[ch.From].Crossbar += phits
		r.links++
	}
	r.held, r.crossed = append(r.held, c), append(r.crossed, t)
	r.router, r.in = ch.To, ch.In
	n.routers[ch.To].Written += phits
	n.routers[ch.To].Enter(t + 1)
	n.calendar.Add(t+1+noc.Cycle(n.Config.RouteCycles), headArrives, id)
	n.advanced(id, t)
}

// leaveRouter counts the flits that follow a header out of the memory of their node, or out of a
// buffer. One read feeds all branches.
func (n *Network) leaveRouter(id int32, t noc.Cycle) {
	r := &n.run[id]
	x := &n.routers[r.router]
	switch at := r.base + int32(len(r.held)) - 1; {
	case at == 0:
		x.Injected += uint64(r.phits)
		n.Dispatch.Leaves(r.worm, t)
		if !n.Config.InjectionChannels {
			x.Enter(t)
		}
	case len(r.held) > 0 || n.run[r.parent].child == id:
		x.Read += uint64(r.phits)
	}
}

// advanced takes the crossing of a header into the closed form, and gives back what is not needed
// any more.
func (n *Network) advanced(id int32, t noc.Cycle) {
	worm := n.run[id].worm
	n.reached(id, t)
	if n.switches != nil && len(n.worms[worm].counting) > 0 {
		n.tokens.countFlits(&n.worms[worm], t)
	}
}

// end takes a worm out of the network.
func (n *Network) end(worm int32) {
	n.free(n.worms[worm].root)
	n.worms[worm].root = none
	n.Dispatch.End(worm)
}
