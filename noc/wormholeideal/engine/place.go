package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
)

// request is what the header of a run waits for.
type request struct {
	waits  int32 // place, or none
	wants  int32 // channel that it prefers
	behind int32 // next run that waits for the same
	since  noc.Cycle
	key    int32 // decides among headers of the same cycle
}

// ask sorts a header into the queue of a place: the oldest request first, then the lowest key.
func (n *Network) ask(id, to, wants int32, t noc.Cycle) {
	r := &n.runs[id]
	r.request = request{waits: to, wants: wants, since: t, key: n.key(r)}
	at := &n.places[to].queue
	for *at != none {
		other := &n.runs[*at]
		if other.since > t || other.since == t && other.key > r.key {
			break
		}
		at = &other.behind
	}
	r.behind = *at
	*at = id
	n.list(to)
}

// key orders headers that ask in one cycle: by input port, then injection port. Tokens have
// requests of several switches, the lowest of which comes first.
func (n *Network) key(r *run) int32 {
	switch {
	case n.stages == nil:
		return r.in*portBase + r.port
	case r.port == dispatch.Loopback:
		return ownWay
	case r.parent == none && len(r.held) == 1: // in the memory of the node
		return 0
	}
	return r.router*int32(2*n.stages.Arity) + r.in
}

// list notes that a place is to be arbitrated in this cycle, if a channel of it is free or may be.
func (n *Network) list(p int32) {
	x := &n.places[p]
	if x.listed || x.queue == none || x.free == 0 {
		return
	}
	x.listed = true
	switch x.kind {
	case ejection:
		n.asked = append(n.asked, p)
	case token:
		n.needed = append(n.needed, p)
	default:
		n.listed = append(n.listed, p)
	}
}

// freeChannel makes a channel free for whoever asks for it.
func (n *Network) freeChannel(c int32) {
	ch := &n.channels[c]
	ch.holder = none
	n.places[ch.place].free++
	n.list(ch.place)
}

// arbitrate gives free channels away. Ejection channels come first, for a header that has got one
// and goes on asks for the channel onwards in the same cycle. A header that crosses may draw a
// tail out of a buffer far behind, whose channel may then be free for the same cycle. Channels
// are therefore given away in rounds: each round sees the channels that are free at its
// beginning, so that the order in which places are visited changes nothing.
func (n *Network) arbitrate(t noc.Cycle) {
	for len(n.asked) > 0 {
		n.asked, n.again = n.again[:0], n.asked
		for _, p := range n.again {
			n.places[p].listed = false
			n.eject(p, t)
		}
	}
	for len(n.listed) > 0 {
		n.listed, n.again = n.again[:0], n.listed
		n.chosen = n.chosen[:0]
		for _, p := range n.again {
			n.places[p].listed = false
			n.choose(p)
		}
		for _, id := range n.chosen {
			n.cross(id, n.runs[id].wants, t)
		}
	}
}

// choose gives the free channels of a place to headers that wait for it. Those that have got one
// are in chosen, and wants names it.
func (n *Network) choose(p int32) {
	x := &n.places[p]
	asking := uint64(0)
	for id := x.queue; id != none; id = n.runs[id].behind {
		asking++
	}
	granted := uint64(0)
	for at := n.next(x); at != nil; at = n.next(x) {
		id := *at
		r := &n.runs[id]
		*at = r.behind
		r.waits, r.behind = none, none
		x.served = r.key
		ch := &n.channels[r.wants]
		ch.holder, ch.position = id, int32(len(r.held))
		n.chosen = append(n.chosen, id)
		granted++
		if x.free--; x.free == 0 {
			break
		}
	}
	if granted > 0 {
		router := n.channels[x.first].from
		if router == none {
			router = n.channels[x.first].to
		}
		n.routers[router].Asked += asking
		n.routers[router].Granted += granted
	}
}

// next returns where the queue of a place names the header that gets a channel next, which it
// prefers from then on; nil for none.
func (n *Network) next(x *place) (chosen *int32) {
	if x.count == 1 && n.oldest {
		n.runs[x.queue].wants = x.first
		return &x.queue
	}
	least := int32(0)
	for at := &x.queue; *at != none; at = &n.runs[*at].behind {
		r := &n.runs[*at]
		c := n.freeFor(*at, x)
		if c == none {
			continue
		}
		if n.oldest {
			r.wants = c
			return at
		}
		turn := r.key - x.served // those up to the one served last come after all others
		if turn <= 0 {
			turn += 1 << 30
		}
		if chosen == nil || turn < least {
			chosen, least = at, turn
		}
	}
	if chosen != nil {
		n.runs[*chosen].wants = n.freeFor(*chosen, x)
	}
	return chosen
}

// freeFor returns the first free channel of a place that a header takes, or none.
func (n *Network) freeFor(id int32, x *place) int32 {
	if x.count == 1 {
		if n.channels[x.first].holder == none {
			return x.first
		}
		return none
	}
	for _, c := range n.permitted(id) {
		if n.channels[c].holder == none {
			return c
		}
	}
	return none
}

// permitted lists the channels that a waiting header may take, in the order of preference; the
// slice is good until the next call.
func (n *Network) permitted(id int32) []int32 {
	r := &n.runs[id]
	x, plan := &n.places[r.waits], n.Dispatch.At(r.worm)
	n.choices = n.choices[:0]
	switch {
	case x.count == 1 || n.stages == nil && (!plan.Routed || plan.Ordered):
		return append(n.choices, r.wants)
	case n.stages == nil:
		n.choices = n.adaptive.Choices(noc.NodeID(r.router), plan.Stops[plan.Next], n.choices)
		return n.choices
	case !n.config.Tree.Adaptive || plan.Ordered:
		return append(n.choices, x.first)
	}
	for c := x.first; c < x.first+x.count; c++ {
		n.choices = append(n.choices, c)
	}
	return n.choices
}

// eject gives the ejection channels of a node to headers whose class has room in the sink.
func (n *Network) eject(p int32, t noc.Cycle) {
	x := &n.places[p]
	node := noc.NodeID(x.node)
	asking, granted := uint64(0), uint64(0)
	for id := x.queue; id != none; id = n.runs[id].behind {
		asking++
	}
	for x.free > 0 {
		at := n.nextInto(x)
		if at == nil {
			break
		}
		id := *at
		r := &n.runs[id]
		*at = r.behind
		r.waits, r.behind = none, none
		x.served = r.key
		x.free--
		granted++
		n.Sinks.Reserve(node, n.Dispatch.At(r.worm).Class)
		n.receive(id, node, t)
	}
	if granted > 0 {
		c := &n.routers[n.wiring.Exit[node].Router]
		c.Asked += asking
		c.Granted += granted
	}
}

// nextInto is next for ejection channels.
func (n *Network) nextInto(x *place) (chosen *int32) {
	least := int32(0)
	for at := &x.queue; *at != none; at = &n.runs[*at].behind {
		r := &n.runs[*at]
		if !n.Sinks.Room(noc.NodeID(x.node), n.Dispatch.At(r.worm).Class) {
			continue
		}
		if n.oldest {
			return at
		}
		turn := r.key - x.served
		if turn <= 0 {
			turn += 1 << 30
		}
		if chosen == nil || turn < least {
			chosen, least = at, turn
		}
	}
	return chosen
}
