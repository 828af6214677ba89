package wormholeideal

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// grant gives free channels of some kind to those who have asked for them, and reports whether it
// gave any. Links and injection channels go together.
func (n *Network) grant(t noc.Cycle, of Kind) (any bool) {
	asked := n.asked
	for i := 0; i < len(asked); i++ { // headers that go on may ask for further channels
		if kind := n.Queues[asked[i]].Kind; kind == of || kind == Injection && of == Link {
			any = n.grantQueue(asked[i], t) || any
		}
		asked = n.asked
	}
	n.asked = slices.DeleteFunc(n.asked, func(q int32) bool { return len(n.queues[q].requests) == 0 })
	return any
}

// grantQueue gives the free channels of a queue away, and reports whether there were any that
// somebody takes.
func (n *Network) grantQueue(q int32, t noc.Cycle) bool {
	x, kind := &n.queues[q], n.Queues[q].Kind
	asking, granted := len(x.requests), 0
	for {
		best, channel := -1, None
		for i := range x.requests {
			r := &x.requests[i]
			c := n.freeFor(q, r, t)
			if c == None || best >= 0 && !x.before(r, &x.requests[best]) {
				continue
			}
			if best, channel = i, c; n.Config.Oldest() || kind == Token {
				break
			}
		}
		if best < 0 {
			break
		}
		r := x.requests[best]
		x.requests = slices.Delete(x.requests, best, best+1)
		x.served = r.key
		granted++
		n.take(r, channel, t)
	}
	if granted > 0 && kind != Token {
		a := &n.activity[n.Router(q)]
		a.ArbRequests[noc.SwitchOutput] += uint64(asking)
		a.ArbGrants[noc.SwitchOutput] += uint64(granted)
	}
	return granted > 0
}

// before reports whether the turn of one request comes before that of another: inputs up to the
// one served last come after all others.
func (x *queue) before(a, b *request) bool {
	wait := func(r *request) int32 {
		if r.key > x.served {
			return r.key - x.served
		}
		return r.key - x.served + 1<<30
	}
	return wait(a) < wait(b)
}

// freeFor returns the first free channel of a queue that a request may take, or None. Into a node
// there must be room in the sink.
func (n *Network) freeFor(q int32, r *request, t noc.Cycle) int32 {
	plan := n.Dispatch.At(r.worm.id)
	if x := &n.Queues[q]; x.Kind == Ejection && !n.Sinks.Room(x.Node, plan.Class) {
		return None
	}
	n.choices = n.Permitted(q, r.channel, r.worm.positions[n.stands(q, r)].router, plan, n.choices[:0])
	for _, c := range n.choices {
		if ch := &n.channels[c]; !ch.held && ch.freeAt <= t {
			return c
		}
	}
	return None
}

// stands returns the position in which the header of a request in a queue is.
func (n *Network) stands(q int32, r *request) int32 {
	if n.Queues[q].Kind == Token || r.copies {
		return r.position
	}
	return r.worm.positions[r.position].parent
}

// take gives a channel to a request.
func (n *Network) take(r request, c int32, t noc.Cycle) {
	w, ch := r.worm, &n.channels[c]
	ch.held, ch.holder, ch.position = true, w, r.position
	switch x := &n.Queues[n.Channels[c].Queue]; {
	case x.Kind == Token:
		w.positions[r.position].token = c
		passes := x.Passes
		if w.branched && n.Config.Tree.TokenTime == Once {
			passes = 0
		}
		if !w.branched {
			n.releases.Given++
			n.releases.Waited += uint64(t - r.since)
		}
		w.branched = true
		n.passing = append(n.passing, arrival{w, r.position, t + passes})
	case r.copies:
		n.receive(w, r.position, c, t)
	default:
		n.cross(w, r.position, c, t)
	}
}

// receive lets the node at a stop take a copy of what leaves a worm's position. At the last stop
// the way ends there; at another the header goes on to ask for the next channel, and copy and worm
// advance together.
func (n *Network) receive(w *worm, at, c int32, t noc.Cycle) {
	p := &w.positions[at]
	node := p.stops[0]
	if len(p.stops) == 1 {
		k := w.add(at)
		w.positions[k].node = int32(node)
		n.channels[c].position = k
		n.cross(w, k, c, t)
		return
	}
	plan := n.Dispatch.At(w.id)
	plan.Next++
	n.Sinks.Reserve(node, plan.Class, t)
	n.Dispatch.Head(w.id, node, p.links, t)
	a := &n.activity[p.router]
	a.Crossbar += uint64(w.phits)
	a.EjectPhits += uint64(w.phits)
	a.Replications++
	p.copies, p.stops = append(p.copies, node), slices.Delete(p.stops, 0, 1)
	n.channels[c].position = at
	n.decide(w, at, t)
}

// cross lets a header cross a channel into a position. What the worm's flits do on their way is
// counted at once.
func (n *Network) cross(w *worm, at, c int32, t noc.Cycle) {
	ch, p := &n.Channels[c], &w.positions[at]
	before := &w.positions[p.parent]
	p.channel = c
	p.crossed = append(p.crossed, t)
	phits := uint64(w.phits)
	n.channels[c].phits += phits
	a := &n.activity[before.router]
	if p.parent == 0 {
		a.InjectPhits += phits
		n.Dispatch.Leaves(w.id, t)
	} else if at == before.child {
		a.BufferReads[noc.VirtualChannel] += phits // one read feeds all branches
	}
	if ch.From != None {
		a.Crossbar += phits
	}
	if ch.To == None {
		plan := n.Dispatch.At(w.id)
		a.EjectPhits += phits
		n.Sinks.Reserve(noc.NodeID(p.node), plan.Class, t)
		n.Dispatch.Head(w.id, noc.NodeID(p.node), p.links, t)
		return
	}
	if ch.From != None {
		a.LinkPhits += phits
		n.hops += phits
		p.links++
	}
	p.router, p.in = ch.To, ch.In
	n.activity[p.router].BufferWrites[noc.VirtualChannel] += phits
	n.arriving = append(n.arriving, arrival{w, at, t + 1 + noc.Cycle(n.Config.RouteCycles)})
}

// moveAll lets every flit behind a header move that can, and gives back what tails have left.
func (n *Network) moveAll(t noc.Cycle) {
	for _, w := range n.worms {
		for k := len(w.positions) - 1; k >= w.first; k-- { // children first: they make room
			if p := &w.positions[k]; n.mayCross(w, p, t) {
				p.crossed = append(p.crossed, t)
			}
		}
		for k := w.first; k < len(w.positions); k++ {
			if p := &w.positions[k]; !p.left && w.passed(p) {
				p.left = true
				n.leave(w, int32(k), t)
			}
		}
		for w.first < len(w.positions) && w.positions[w.first].left {
			w.first++
		}
	}
}

// mayCross reports whether the next flit of a worm can cross into a position in cycle t (rule 5):
// the header has, no other flit does in this cycle, the flit is in the position before, and there
// is a free place.
func (n *Network) mayCross(w *worm, p *position, t noc.Cycle) bool {
	i := len(p.crossed)
	if i == 0 || i == w.phits || p.crossed[i-1] == t {
		return false
	}
	if before := &w.positions[p.parent]; p.parent > 0 && (len(before.crossed) <= i || before.crossed[i] == t) {
		return false
	}
	if leaves := i - n.Config.BufferPhits; p.node == None && leaves >= 0 {
		if p.many == 0 {
			return false
		}
		for _, c := range w.children(p) {
			if len(c.crossed) <= leaves || c.crossed[leaves]+noc.Cycle(n.Config.CreditCycles) > t {
				return false
			}
		}
	}
	return true
}

// passed reports whether the tail has left a position: it has crossed into all children, or it is
// at the end of its way.
func (w *worm) passed(p *position) bool {
	if p.node != None {
		return len(p.crossed) == w.phits
	}
	for _, c := range w.children(p) {
		if len(c.crossed) < w.phits {
			return false
		}
	}
	return p.many > 0
}

// leave gives back the channel, or the injection port, of a position that the tail leaves in
// cycle t, and completes the copies that were taken there.
func (n *Network) leave(w *worm, at int32, t noc.Cycle) {
	p := &w.positions[at]
	switch plan := n.Dispatch.At(w.id); {
	case p.node != None:
		n.giveBack(p.channel, t+1)
		n.Dispatch.Tail(w.id, noc.NodeID(p.node), p.links, t, t+1)
	case at == 0:
		n.freed = append(n.freed, port{plan.From, plan.Port})
	default:
		n.giveBack(p.channel, t+n.Config.ReleaseCycles())
	}
	for _, node := range p.copies {
		x := &n.Queues[n.Exits[node]]
		for c := x.First; c < x.First+x.Count; c++ {
			if ch := &n.channels[c]; ch.held && ch.holder == w {
				n.giveBack(c, t+1)
			}
		}
		n.Dispatch.Tail(w.id, node, p.links, t, t+1)
	}
}

// giveBack lets others have a channel from a cycle on.
func (n *Network) giveBack(c int32, from noc.Cycle) {
	ch := &n.channels[c]
	ch.held, ch.holder, ch.freeAt = false, nil, from
}

// finish ends the cycle: tokens are given back that are not needed any more, routers with a worm
// in them count it, and worms that are out of the network go.
func (n *Network) finish(t noc.Cycle) {
	for _, w := range n.worms {
		for k := range w.positions {
			p := &w.positions[k]
			if p.token != None && n.gives(w, int32(k)) {
				n.giveBack(p.token, t+1)
				p.token = None
			}
			if n.present(w, int32(k), t) && n.seen[p.router] != t+1 {
				n.seen[p.router] = t + 1
				n.busy[p.router]++
			}
		}
	}
	n.worms = slices.DeleteFunc(n.worms, func(w *worm) bool {
		if w.first < len(w.positions) {
			return false
		}
		n.Dispatch.End(w.id)
		n.spare = append(n.spare, w)
		return true
	})
}

// present reports whether a position keeps its router busy in cycle t: from the cycle after the
// header crossed into it until the tail leaves. Where nodes enter routers at once, the memory
// does from the cycle on in which the header leaves it.
func (n *Network) present(w *worm, at int32, t noc.Cycle) bool {
	p := &w.positions[at]
	if p.node != None || p.left && w.lastCrossing(p) < t {
		return false
	}
	if at > 0 {
		return len(p.crossed) > 0 && p.crossed[0] < t
	}
	return !n.Config.InjectionChannels && p.many > 0 && len(w.positions[p.child].crossed) > 0
}

// lastCrossing returns when the tail crossed into the last of a position's children.
func (w *worm) lastCrossing(p *position) (last noc.Cycle) {
	for _, c := range w.children(p) {
		last = max(last, c.crossed[w.phits-1])
	}
	return last
}
