package treeworm

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// ask lets a header that is ready in the switch behind a position ask for what it needs there: the token of the
// switch's group if it branches, or its outputs.
func (n *Network) ask(p int32, t noc.Cycle) {
	at := &n.positions[p]
	router := n.channels[at.channel].to
	n.routers[router].Decided++
	if at.count > 1 {
		needs := n.tokens[router]
		if needs == none && at.parent == none {
			needs = n.locals[router]
		}
		if needs != none {
			n.enqueue(needs, p, t, n.key(p))
			return
		}
	}
	n.branch(p, t)
}

// key orders headers that ask in one cycle: by switch, then input.
func (n *Network) key(p int32) int32 {
	c := &n.channels[n.positions[p].channel]
	return c.to*int32(2*n.of.Arity) + c.in
}

// branch lets a header ask for the outputs of its switch.
func (n *Network) branch(p int32, t noc.Cycle) {
	at := &n.positions[p]
	router, key := n.channels[at.channel].to, n.key(p)
	if at.count > 1 {
		n.routers[router].Replicated += uint64(at.count - 1)
	}
	for c := at.first; c < at.first+at.count; c++ {
		child := &n.positions[c]
		switch {
		case child.node != none:
			n.enqueue(n.exits[child.node], c, t, key)
		case child.port == climbs:
			n.enqueue(n.upwards[router], c, t, key)
		default:
			n.enqueue(n.outputs[int(router)*n.of.Arity+int(child.port)], c, t, key)
		}
	}
}

// enqueue sorts a header into the queue of a place: the oldest request first, then the lowest key.
func (n *Network) enqueue(to, p int32, t noc.Cycle, key int32) {
	x := &n.positions[p]
	x.waits, x.since, x.key = to, t, key
	at := &n.places[to].queue
	for *at != none {
		other := &n.positions[*at]
		if other.since > t || other.since == t && other.key > key {
			break
		}
		at = &other.behind
	}
	x.behind = *at
	*at = p
	n.list(to)
}

// list notes that a place is to be arbitrated in this cycle.
func (n *Network) list(p int32) {
	x := &n.places[p]
	if x.listed || x.free == 0 || x.queue == none {
		return
	}
	x.listed = true
	if x.kind == token {
		n.asked = append(n.asked, p)
	} else {
		n.listed = append(n.listed, p)
	}
}

// free takes a channel back, which its holder has left in the cycle before.
func (n *Network) free(c int32, t noc.Cycle) {
	ch := &n.channels[c]
	if ch.to != none {
		n.routers[ch.to].Exit(t - 1)
	}
	ch.holder = none
	n.places[ch.place].free |= 1 << ch.member
	n.list(ch.place)
}

// grant gives the free channels of a place to headers that wait for it.
func (n *Network) grant(p int32, t noc.Cycle) {
	x := &n.places[p]
	asking, granted := uint64(0), uint64(0)
	for at := x.queue; at != none; at = n.positions[at].behind {
		asking++
	}
	c := none
	for x.free != 0 {
		member := bits.TrailingZeros64(x.free)
		at := n.next(x, member)
		if at == nil {
			break
		}
		pos := *at
		*at = n.positions[pos].behind
		x.served = n.positions[pos].key
		x.free &^= 1 << member
		c = x.first + int32(member)
		granted++
		n.cross(pos, c, t)
	}
	if granted == 0 {
		return
	}
	router := n.channels[c].from
	if router == none {
		router = n.channels[c].to
	}
	n.routers[router].Asked += asking
	n.routers[router].Granted += granted
}

// next is where the queue of a place names the header that the lowest free channel goes to; nil for none.
func (n *Network) next(x *place, member int) (chosen *int32) {
	least := int32(0)
	for at := &x.queue; *at != none; at = &n.positions[*at].behind {
		if !n.takes(x, *at, member) {
			continue
		}
		if n.config.Arbitration == Oldest {
			return at
		}
		turn := n.positions[*at].key - x.served // those up to the one served last come after all others
		if turn <= 0 {
			turn += 1 << 30
		}
		if chosen == nil || turn < least {
			chosen, least = at, turn
		}
	}
	return chosen
}

// takes reports whether a header goes by the lowest free channel of a place: into a node there must be room in
// the sink, and some take the lowest port up or none.
func (n *Network) takes(x *place, p int32, member int) bool {
	plan := n.Dispatch.At(n.positions[p].worm)
	switch x.kind {
	case consumption:
		return n.Sinks.Room(noc.NodeID(x.node), plan.Class)
	case upward:
		return member == 0 || n.config.Adaptive && !plan.Ordered
	}
	return true
}

// cross lets a header cross a channel into a position.
func (n *Network) cross(p, c int32, t noc.Cycle) {
	x, ch := &n.positions[p], &n.channels[c]
	w := &n.worms[x.worm]
	x.waits, x.behind = none, none
	x.crossed, x.head, x.channel = true, t, c
	ch.holder = p
	phits := uint64(w.phits)
	ch.phits += phits
	if x.parent == none {
		n.leaveSource(x.worm, ch, t)
	}
	if ch.from != none {
		r := &n.routers[ch.from]
		r.Crossbar += phits
		if x.parent != none && p == n.positions[x.parent].first {
			r.Read += phits // one read feeds all branches
		}
		if ch.to != none {
			n.phitHops += phits
		}
	}
	if ch.to != none {
		n.routers[ch.to].Written += phits
		n.routers[ch.to].Enter(t + 1)
		n.calendar.Add(t+1+noc.Cycle(n.config.RouteCycles), headArrives, p)
	} else {
		n.arrive(p, t)
	}
	n.follow(p, t)
	n.countFlits(w, t)
}

// leaveSource counts a worm whose header leaves its node.
func (n *Network) leaveSource(id int32, ch *channel, t noc.Cycle) {
	router := ch.to
	if router == none { // a copy to oneself
		router = ch.from
	}
	n.routers[router].Injected += uint64(n.worms[id].phits)
	n.Dispatch.Leaves(id, t)
}

// hops is the number of links between switches up to a leaf.
func (x *position) hops() int32 { return max(0, x.depth-2) }

// arrive notes that a header has a consumption channel, and gives back the tokens that waited for it.
func (n *Network) arrive(p int32, t noc.Cycle) {
	x := &n.positions[p]
	node := noc.NodeID(x.node)
	n.routers[n.channels[x.channel].from].Ejected += uint64(n.worms[x.worm].phits)
	n.Sinks.Reserve(node, n.Dispatch.At(x.worm).Class)
	n.Dispatch.Head(x.worm, node, x.hops(), t)
	for at := p; at != none; at = n.positions[at].parent {
		up := &n.positions[at]
		if up.owed--; up.owed == 0 && up.token != none {
			n.arrived(at, t)
		}
	}
}

// deliver hands a message whose tail has reached a leaf to its node.
func (n *Network) deliver(p int32, t noc.Cycle) {
	x := &n.positions[p]
	w := &n.worms[x.worm]
	n.Dispatch.Tail(x.worm, noc.NodeID(x.node), x.hops(), t, t+1)
	if w.leaves--; w.leaves == 0 {
		n.end(x.worm)
	}
}
