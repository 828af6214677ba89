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
		slices.SortFunc(plan.Stops, func(a, b noc.NodeID) int {
			if n.config.Tree.Multiple {
				if d := n.stages.TurnStage(plan.From, a) - n.stages.TurnStage(plan.From, b); d != 0 {
					return d
				}
			}
			return n.stages.Compare(a, b)
		})
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
	n.routers[p.router].decided++
	var c int32
	if plan.Routed {
		c = n.routing.Next(noc.NodeID(p.router), plan.Stops[plan.Next])
	} else {
		c = int32(n.wiring.Channel(noc.NodeID(p.router), plan.Path[plan.Step]))
		plan.Step++
	}
	n.ask(n.channels[c].queue, request{position: k, prefers: c}, at, t)
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
