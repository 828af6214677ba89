package wormholeideal

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
)

// waiting is what changes of a queue: the headers that wait for one of its channels.
type waiting struct {
	requests []request // the oldest first
	free     int32     // free channels
	served   int32     // key of the request granted last
	listed   bool      // to be served
}

// request is a header's wish for one of a queue's channels.
type request struct {
	position int32 // to be crossed into; for a token, and at a stop where a worm goes on, the one the header is in
	prefers  int32 // channel, among the links of a router
	copies   bool  // the node takes a copy, and the worm goes on
	since    noc.Cycle
	key      int32 // decides among requests of one cycle
}

// grant is a request that gets a channel.
type grant struct {
	request
	channel int32
}

// The phases of a cycle in which channels are given away, by what they are for.
const (
	linkPhase = iota // links and injection channels
	ejectionPhase
	tokenPhase
	phases
)

// phaseOf gives the phase of a kind of queue.
var phaseOf = [...]int{link: linkPhase, injection: linkPhase, ejection: ejectionPhase, token: tokenPhase}

// ownWay is the key of a copy that a node sends to itself in a multistage network.
const ownWay = int32(-1)

// ask sorts a header, which is in some position, into a queue: the oldest request first, then by
// input port and injection port. Tokens have requests of several switches; the lowest comes
// first.
func (n *Network) ask(to int32, r request, at int32, t noc.Cycle) {
	p, x := n.positions.at(at), &n.waits[to]
	port := n.Dispatch.At(p.worm).Port
	switch {
	case n.stages == nil:
		r.key = p.in*portBase + port
	case port == dispatch.Loopback:
		r.key = ownWay
	case p.depth > 0:
		r.key = p.router*int32(2*n.stages.Arity) + p.in
	}
	r.since = t
	i := len(x.requests)
	for i > 0 && x.requests[i-1].since == t && x.requests[i-1].key > r.key {
		i--
	}
	x.requests = slices.Insert(x.requests, i, r)
	n.list(to)
}

// list notes that a queue is to be served in this cycle, if there are requests and free channels.
func (n *Network) list(q int32) {
	x := &n.waits[q]
	if x.listed || x.free == 0 || len(x.requests) == 0 {
		return
	}
	x.listed = true
	phase := phaseOf[n.queues[q].kind]
	n.toServe[phase] = append(n.toServe[phase], q)
}

// give gives away what is free in a phase, in rounds: a header that crosses may let a tail far behind
// leave its buffer, whose channel may be free in the same cycle, and one that has got an ejection
// channel and goes on may ask for another at the same router. Each round sees the channels that are
// free when it starts, so the order in which queues are visited changes nothing.
func (n *Network) give(phase int, t noc.Cycle) {
	for len(n.toServe[phase]) > 0 {
		n.granted = n.granted[:0]
		n.toServe[phase], n.serving = n.serving[:0], n.toServe[phase]
		for _, q := range n.serving {
			n.serve(q, t)
		}
		for _, g := range n.granted {
			switch {
			case phase == tokenPhase:
				n.giveToken(g, t)
			case g.copies:
				n.copyOut(g, t)
			default:
				n.cross(g.position, g.channel, t)
			}
		}
	}
}

// serve gives the free channels of a queue to headers that wait for them (rule 7) and appends what
// it gives to granted.
func (n *Network) serve(q int32, t noc.Cycle) {
	x, of := &n.waits[q], &n.queues[q]
	x.listed = false
	asking, granted := len(x.requests), 0
	for x.free > 0 {
		best, channel := n.next(q, t)
		if best < 0 {
			break
		}
		r := x.requests[best]
		x.requests = slices.Delete(x.requests, best, best+1)
		x.served = r.key
		x.free--
		granted++
		n.holdings[channel].holder = r.position
		if of.kind == ejection {
			n.Sinks.Reserve(of.node, n.planAt(r.position).Class, t)
		}
		n.granted = append(n.granted, grant{r, channel})
	}
	if granted > 0 && of.kind != token {
		a := &n.routers[n.giver(q)]
		a.asked += uint64(asking)
		a.granted += uint64(granted)
	}
}

// next returns which request of a queue gets a channel next, and which; negative if none does.
func (n *Network) next(q int32, t noc.Cycle) (best int, channel int32) {
	x := &n.waits[q]
	best, channel = -1, none
	for i := range x.requests {
		r := &x.requests[i]
		c := n.freeFor(q, r, t)
		if c == none || best >= 0 && !x.before(r, &x.requests[best]) {
			continue
		}
		if best, channel = i, c; n.config.Oldest() || n.queues[q].kind == token {
			break
		}
	}
	return best, channel
}

// before reports whether the turn of one request comes before that of another: inputs up to the
// one served last come after all others.
func (x *waiting) before(a, b *request) bool {
	wait := func(r *request) int32 {
		if r.key > x.served {
			return r.key - x.served
		}
		return r.key - x.served + 1<<30
	}
	return wait(a) < wait(b)
}

// freeFor returns the first free channel of a queue that a request may take, or none. Into a node
// there must be room in the sink.
func (n *Network) freeFor(q int32, r *request, t noc.Cycle) int32 {
	x, k := &n.queues[q], n.stands(q, r)
	plan := n.Dispatch.At(n.positions.at(k).worm)
	if x.kind == ejection && !n.Sinks.Room(x.node, plan.Class) {
		return none
	}
	if x.count == 1 {
		if n.holdings[x.first].isFree(t) {
			return x.first
		}
		return none
	}
	n.choices = n.permitted(q, r.prefers, n.positions.at(k).router, plan, n.choices[:0])
	for _, c := range n.choices {
		if n.holdings[c].isFree(t) {
			return c
		}
	}
	return none
}

func (h *holding) isFree(t noc.Cycle) bool { return h.holder == none && h.freeAt <= t }

// stands returns the position in which the header of a request in a queue is.
func (n *Network) stands(q int32, r *request) int32 {
	if n.queues[q].kind == token || r.copies {
		return r.position
	}
	return n.positions.at(r.position).parent
}

// giveBack lets others have a channel or a token from a cycle on.
func (n *Network) giveBack(c int32, from, t noc.Cycle) {
	n.holdings[c].holder, n.holdings[c].freeAt = none, from
	if from > t {
		n.calendar.Add(from, channelFalls, c)
	} else {
		n.fall(c)
	}
}

// fall adds a channel or a token to the free ones.
func (n *Network) fall(c int32) {
	q := n.channels[c].queue
	n.waits[q].free++
	n.list(q)
}
