package wormholeideal

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
)

// worm is one copy of a message on its way: a tree of positions, of which a path has one after the
// other.
type worm struct {
	root     int32   // the memory of its node
	ends     int32   // destinations of which the tail has not come
	branched bool    // it has held a token
	turn     int32   // stage of a bidirectional network up to which it climbs
	counting []int32 // positions whose token waits for flits to be forwarded
}

// position is a place where flits of a worm are: the memory of its node, the buffer behind a
// channel, or the node at the end of a path. It is made when the header asks for it.
type position struct {
	worm                   int32 // the dispatcher's number; none for a position that is not in use
	parent, child, sibling int32 // positions; the children are what the flits go on to
	depth                  int32 // positions from the memory
	channel                int32 // that leads here; none for the memory, or while the header waits for it
	router, in             int32 // where its flits are, and the input port
	links                  int32 // between routers, from the source
	low, high              int32 // stops of the plan: of a tree those below, of a path those that take a copy here
	node                   int32 // of an end: the destination; else none
	port                   int32 // of a tree: output of the switch before, climbs or ends

	phits        int32     // of the worm
	header, tail noc.Cycle // when they cross into the position; Never as long as that is not decided
	behind       int32     // children that the tail has not crossed into
	left         bool      // the tail has crossed into all children, or is at the end
	token        int32     // channel of the token that is held for branching here, or none
	owed         int32     // of a tree: destinations below that the header has not reached
}

// What leads to a position of a tree, if it is no output port of its own.
const (
	climbs = int32(-1) // any port up
	ends   = int32(-2) // the channel into the node
)

// arena holds the positions of all worms, and gives those of worms that have ended to others.
type arena struct {
	all    []position
	unused []int32
}

// at returns a position; the pointer is good until the next one is added.
func (a *arena) at(k int32) *position { return &a.all[k] }

// add adds a position behind another one, its parent, or the first of a worm.
func (n *Network) add(id, parent int32) int32 {
	a := &n.positions
	k := int32(len(a.all))
	if last := len(a.unused) - 1; last >= 0 {
		k, a.unused = a.unused[last], a.unused[:last]
	} else {
		a.all = append(a.all, position{})
	}
	p := &a.all[k]
	*p = position{worm: id, parent: parent, child: none, sibling: none, channel: none, node: none, token: none, header: noc.Never, tail: noc.Never}
	if parent == none {
		return k
	}
	before := &a.all[parent]
	before.behind++
	p.depth, p.links, p.phits = before.depth+1, before.links, before.phits
	last := &before.child
	for *last != none {
		last = &a.all[*last].sibling
	}
	*last = k
	return k
}

// remove takes a position and all behind it out of use.
func (a *arena) remove(k int32) {
	p := &a.all[k]
	for c := p.child; c != none; c = a.all[c].sibling {
		a.remove(c)
	}
	p.worm = none
	a.unused = append(a.unused, k)
}

// launch starts a worm in the memory of its node.
func (n *Network) launch(id int32, t noc.Cycle) {
	for int(id) >= len(n.worms) {
		n.worms = append(n.worms, worm{})
	}
	plan, w := n.Dispatch.At(id), &n.worms[id]
	*w = worm{root: n.add(id, none), ends: 1, counting: w.counting[:0]}
	p := n.positions.at(w.root)
	entry := n.wiring.Entry[plan.From]
	p.router, p.in, p.phits = int32(entry.Router), int32(entry.Port), plan.Phits
	if n.stages != nil {
		slices.Sort(plan.Stops) // those behind an output follow each other
		p.high = int32(len(plan.Stops))
		p.owed, w.ends = p.high, p.high
		if n.stages.Bidirectional {
			w.turn = int32(n.stages.TurnStage(plan.From, plan.Stops[0], plan.Stops[p.high-1]))
		}
		if plan.Port == dispatch.Loopback {
			p.router = int32(n.wiring.Exit[plan.From].Router)
		}
	}
	n.decide(w.root, t)
}

// decide lets the header in a position ask for what it needs next (rules 3 and 4).
func (n *Network) decide(at int32, t noc.Cycle) {
	p := n.positions.at(at)
	plan := n.Dispatch.At(p.worm)
	own := plan.Port == dispatch.Loopback
	switch {
	case p.depth == 0 && !own && n.config.InjectionChannels:
		low, high := p.low, p.high
		k := n.add(p.worm, at)
		child := n.positions.at(k)
		child.low, child.high, child.owed = low, high, high-low
		n.ask(n.channels[n.injectionChannel(plan.From, plan.Port)].queue, request{position: k}, at, t)
	case n.stages != nil && own:
		n.askForEnd(at, plan.From, t)
	case n.stages != nil:
		n.split(at, t)
	case !own && int32(n.wiring.Exit[plan.Stops[plan.Next]].Router) != p.router:
		n.askOnwards(at, t)
	case int(plan.Next)+1 == len(plan.Stops):
		n.askForEnd(at, plan.Stops[plan.Next], t)
	default:
		n.ask(n.exits[plan.Stops[plan.Next]], request{position: at, copies: true}, at, t)
	}
}

// askForEnd asks for the channel into a node, at which a path ends.
func (n *Network) askForEnd(at int32, node noc.NodeID, t noc.Cycle) {
	k := n.add(n.positions.at(at).worm, at)
	n.positions.at(k).node, n.positions.at(k).owed = int32(node), 1
	n.ask(n.exits[node], request{position: k}, at, t)
}

// askOnwards asks for the channel towards the next stop: that of the plan's path, or of the
// network's routing.
func (n *Network) askOnwards(at int32, t noc.Cycle) {
	k := n.add(n.positions.at(at).worm, at)
	p := n.positions.at(at)
	plan := n.Dispatch.At(p.worm)
	n.routers[p.router].Decided++
	var c int32
	if plan.Routed {
		c = n.routing.Next(noc.NodeID(p.router), plan.Stops[plan.Next])
	} else {
		c = int32(n.wiring.Channel(noc.NodeID(p.router), plan.Path[plan.Step]))
		plan.Step++
	}
	n.ask(n.channels[c].queue, request{position: k, prefers: c}, at, t)
}

// split divides the stops of a header in a switch among the outputs, and asks for a token if there
// are several.
func (n *Network) split(at int32, t noc.Cycle) {
	p := *n.positions.at(at)
	n.routers[p.router].Decided++
	stage, _ := n.stages.Place(noc.NodeID(p.router))
	stops := n.Dispatch.At(p.worm).Stops
	several := false
	for low := p.low; low < p.high; {
		port, high := n.output(&p, stage, stops[low]), low+1
		for port != ends && high < p.high && n.output(&p, stage, stops[high]) == port {
			high++
		}
		several = several || high-low < p.high-p.low
		child := n.positions.at(n.add(p.worm, at))
		child.port, child.low, child.high, child.owed = port, low, high, high-low
		if port == ends {
			child.node = int32(stops[low])
		}
		low = high
	}
	if several {
		needs := n.tokens[p.router]
		if needs == none && p.depth == 1 {
			needs = n.locals[p.router]
		}
		if needs != none {
			n.ask(needs, request{position: at}, at, t)
			return
		}
	}
	n.branch(at, t)
}

// output returns the output port of a switch towards a destination. A worm climbs a bidirectional
// network up to the stage from which all its destinations are below.
func (n *Network) output(p *position, stage int, d noc.NodeID) int32 {
	m := n.stages
	switch {
	case m.Bidirectional && p.depth <= n.worms[p.worm].turn:
		return climbs
	case m.Bidirectional && stage == 0, !m.Bidirectional && stage == m.Stages-1:
		return ends
	}
	return int32(m.Towards(stage, d))
}

// branch lets a header ask for its outputs.
func (n *Network) branch(at int32, t noc.Cycle) {
	p := n.positions.at(at)
	n.routers[p.router].Replicated += uint64(p.behind - 1)
	for k := p.child; k != none; k = n.positions.at(k).sibling {
		child := n.positions.at(k)
		to := none
		switch child.port {
		case ends:
			to = n.exits[child.node]
		case climbs:
			to = n.queueOf(p.router, int32(n.stages.Arity))
		default:
			to = n.queueOf(p.router, child.port)
		}
		n.ask(to, request{position: k}, at, t)
	}
}

// queueOf returns the queue for an output of a switch.
func (n *Network) queueOf(router, port int32) int32 {
	return n.channels[n.outputs[int(router)*n.ports+int(port)]].queue
}

// endWorms takes the worms out of the network whose tails have all come.
func (n *Network) endWorms() {
	for _, id := range n.ended {
		n.inside -= uint64(n.positions.at(n.worms[id].root).phits)
		n.positions.remove(n.worms[id].root)
		n.Dispatch.End(id)
	}
	n.ended = n.ended[:0]
}

// Releases counts the worms that got their first token, and the cycles that these waited for others
// to give it back, and the tokens that were given back: those whose headers had all arrived, and
// under the rule Flits those for which enough flits had been forwarded. Of these Early had been
// forwarded before the headers arrived, which would be too soon.
type Releases struct{ Given, Waited, Arrived, Counted, Early uint64 }

// Releases counts tokens since the network was built.
func (n *Network) Releases() Releases { return n.releases }

// giveToken gives a token to a header. It comes after its passing time, and the header then asks
// for its outputs.
func (n *Network) giveToken(g grant, t noc.Cycle) {
	p := n.positions.at(g.position)
	w, passes := &n.worms[p.worm], n.queues[n.channels[g.channel].queue].passes
	p.token = g.channel
	if w.branched && n.config.Tree.TokenTime == Once {
		passes = 0
	}
	if !w.branched {
		n.releases.Given++
		n.releases.Waited += uint64(t - g.since)
	}
	w.branched = true
	if n.countsFlits(p) {
		w.counting = append(w.counting, g.position)
	}
	n.calendar.Add(t+passes, tokenComes, g.position)
}

// countsFlits reports whether a position gives its token back by the number of flits that are
// forwarded, not when the headers have arrived (rule 9).
func (n *Network) countsFlits(p *position) bool {
	return n.config.Tree.Release == Flits && int(p.phits) > n.enough(p.router)
}

// headerArrives notes that a header has reached its node, and gives back the tokens that waited
// for that.
func (n *Network) headerArrives(at int32, t noc.Cycle) {
	for k := at; k != none; {
		p := n.positions.at(k)
		if p.owed--; p.owed == 0 && p.token != none && !n.countsFlits(p) {
			n.releases.Arrived++
			n.giveTokenBack(p, t)
		}
		k = p.parent
	}
}

// countFlits finds the tokens of a worm for which it is decided when enough flits have been
// forwarded.
func (n *Network) countFlits(w *worm, t noc.Cycle) {
	w.counting = slices.DeleteFunc(w.counting, func(k int32) bool {
		p, latest := n.positions.at(k), noc.Cycle(0)
		enough := int32(n.enough(p.router))
		for c := p.child; c != none; c = n.positions.at(c).sibling {
			at, known := n.crossing(c, enough)
			if !known {
				return false
			}
			latest = max(latest, at)
		}
		n.calendar.Add(latest, flitsPassed, k)
		return true
	})
}

// flitsPassed gives back a token for which enough flits have been forwarded.
func (n *Network) flitsPassed(k int32, t noc.Cycle) {
	p := n.positions.at(k)
	n.releases.Counted++
	if p.owed > 0 {
		n.releases.Early++
	}
	n.giveTokenBack(p, t)
}

// giveTokenBack gives back the token of a position in cycle t; it can be given again in the next
// one.
func (n *Network) giveTokenBack(p *position, t noc.Cycle) {
	n.giveBack(p.token, t+1, t)
	p.token = none
}

// passes returns the time of a free token to a switch of a group of so many: half a round, in
// whole cycles. The token of a single switch is there at once.
func (t *Tree) passes(size int32) noc.Cycle {
	if size < 2 {
		return 0
	}
	return noc.Cycle((int32(t.TokenHop)*size + 1) / 2)
}
