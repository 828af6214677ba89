package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// allocator gives channels to headers that ask for them (rules 7 and 8).
type allocator struct {
	net    *Network
	oldest bool // the oldest request gets a channel, not that whose turn it is
	queues []queue

	links     []int32 // queues to be served in this cycle: for links and injection channels,
	ejections []int32 // for ejection channels,
	needed    []int32 // and for tokens
	again     []int32 // scratch: those of the next round of this cycle
	chosen    []int32 // scratch: runs whose headers cross in this round
	choices   []int32 // scratch
}

// queue is the headers that wait for one of some channels, and how many of these nobody has: a
// wormholeideal.Queue in half a cache line.
type queue struct {
	kind   wormholeideal.Kind
	listed bool  // to be served
	head   int32 // first run that waits; for one cycle by key
	first  int32 // of its channels
	count  int32 // of these
	free   int32
	node   noc.NodeID
	passes int32
	served int32 // key of the request granted last
}

// request is what the header of a run waits for.
type request struct {
	waits  int32 // queue, or none
	wants  int32 // channel that it prefers
	behind int32 // next run that waits for the same
	since  noc.Cycle
	key    int32 // decides among headers of the same cycle
}

func newAllocator(n *Network, oldest bool) allocator {
	a := allocator{net: n, oldest: oldest, queues: make([]queue, len(n.Queues))}
	for i, q := range n.Queues {
		a.queues[i] = queue{kind: q.Kind, head: none, first: q.First, count: q.Count, free: q.Count, node: q.Node, passes: int32(q.Passes), served: ownWay - 1}
	}
	return a
}

// busy reports whether a queue is to be served.
func (a *allocator) busy() bool { return len(a.ejections)+len(a.links)+len(a.needed) > 0 }

// ask sorts a header into a queue: the oldest request first, then the lowest key.
func (a *allocator) ask(id, to, wants int32, t noc.Cycle) {
	n := a.net
	r := &n.run[id]
	r.request = request{waits: to, wants: wants, since: t, key: a.key(r)}
	at := &a.queues[to].head
	for *at != none {
		other := &n.run[*at]
		if other.since > t || other.since == t && other.key > r.key {
			break
		}
		at = &other.behind
	}
	r.behind = *at
	*at = id
	a.list(to)
}

// key orders headers that ask in one cycle: by input port, then injection port. Tokens have
// requests of several switches, the lowest of which comes first.
func (a *allocator) key(r *run) int32 {
	switch s := a.net.switches; {
	case s == nil:
		return r.in*portBase + r.port
	case r.port == dispatch.Loopback:
		return ownWay
	case r.parent == none && len(r.held) == 1: // in the memory of the node
		return 0
	default:
		return r.router*int32(2*s.Arity) + r.in
	}
}

// list notes that a queue is to be served in this cycle, if a channel of it is free or may be.
func (a *allocator) list(q int32) {
	x := &a.queues[q]
	if x.listed || x.head == none || x.free == 0 {
		return
	}
	x.listed = true
	switch x.kind {
	case wormholeideal.Ejection:
		a.ejections = append(a.ejections, q)
	case wormholeideal.Token:
		a.needed = append(a.needed, q)
	default:
		a.links = append(a.links, q)
	}
}

// release makes one more channel of a queue free for whoever asks for it.
func (a *allocator) release(q int32) {
	a.queues[q].free++
	a.list(q)
}

// freeChannel makes a link, an injection channel or a token free.
func (a *allocator) freeChannel(c int32) {
	ch := &a.net.channels[c]
	ch.holder = none
	a.release(ch.Queue)
}

// pop takes a request out of a queue, which has granted it a channel; at is where the queue names
// it.
func (a *allocator) pop(x *queue, at *int32) (id int32, r *run) {
	id = *at
	r = &a.net.run[id]
	*at = r.behind
	r.waits, r.behind = none, none
	x.served = r.key
	x.free--
	return id, r
}

// allocate gives free channels away. Ejection channels come first, for a header that has got one
// and goes on asks for the channel onwards in the same cycle. A header that crosses may draw a
// tail out of a buffer far behind, whose channel may then be free for the same cycle. Channels
// are therefore given away in rounds: each round sees the channels that are free at its
// beginning, so that the order in which queues are visited changes nothing.
func (a *allocator) allocate(t noc.Cycle) {
	for len(a.ejections) > 0 {
		a.ejections, a.again = a.again[:0], a.ejections
		for _, q := range a.again {
			a.queues[q].listed = false
			a.serve(q, t)
		}
	}
	for len(a.links) > 0 {
		a.links, a.again = a.again[:0], a.links
		a.chosen = a.chosen[:0]
		for _, q := range a.again {
			a.queues[q].listed = false
			a.serve(q, t)
		}
		for _, id := range a.chosen {
			a.net.cross(id, a.net.run[id].wants, t)
		}
	}
}

// serve gives the free channels of a queue to headers that wait for them. Those that have got a
// link are in chosen, and wants names it; those that have got an ejection channel take it at once.
func (a *allocator) serve(q int32, t noc.Cycle) {
	n, x := a.net, &a.queues[q]
	only := x.count == 1 && a.oldest && x.kind != wormholeideal.Ejection // it goes to the first that asks
	asking, granted := uint64(0), uint64(0)
	for id := x.head; id != none; id = n.run[id].behind {
		asking++
	}
	for x.free > 0 {
		at := &x.head
		if !only {
			if at = a.next(x); at == nil {
				break
			}
		}
		id, r := a.pop(x, at)
		granted++
		if x.kind == wormholeideal.Ejection {
			n.Sinks.Reserve(x.node, n.Dispatch.At(r.worm).Class, t)
			n.receive(id, x.node, t)
			continue
		}
		if only {
			r.wants = x.first
		}
		ch := &n.channels[r.wants]
		ch.holder, ch.position = id, int32(len(r.held))
		a.chosen = append(a.chosen, id)
	}
	if granted > 0 {
		router := n.channels[x.first].From
		if router == none {
			router = n.channels[x.first].To
		}
		n.routers[router].Asked += asking
		n.routers[router].Granted += granted
	}
}

// next returns where a queue names the header that gets a channel next, which it prefers from
// then on; nil for none.
func (a *allocator) next(x *queue) (chosen *int32) {
	n := a.net
	least := int32(0)
	for at := &x.head; *at != none; at = &n.run[*at].behind {
		r := &n.run[*at]
		c := a.freeFor(*at, x)
		if c == none {
			continue
		}
		if a.oldest {
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
		n.run[*chosen].wants = a.freeFor(*chosen, x)
	}
	return chosen
}

// freeFor returns the first free channel of a queue that a header takes, or none. Those into a node
// are all alike, and there must be room in the sink.
func (a *allocator) freeFor(id int32, x *queue) int32 {
	n := a.net
	if x.kind == wormholeideal.Ejection {
		if n.Sinks.Room(x.node, n.Dispatch.At(n.run[id].worm).Class) {
			return x.first
		}
		return none
	}
	if x.count == 1 {
		if n.channels[x.first].holder == none {
			return x.first
		}
		return none
	}
	r := &n.run[id]
	a.choices = n.Permitted(r.waits, r.wants, r.router, n.Dispatch.At(r.worm), a.choices[:0])
	for _, c := range a.choices {
		if n.channels[c].holder == none {
			return c
		}
	}
	return none
}
