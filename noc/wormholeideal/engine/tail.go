package engine

import "github.com/carousel-sim/carousel/noc"

// The body of a worm. Let h(v) be the cycle in which the header crosses into position v, B the
// depth of a buffer, r the credit delay, and flit i = 0 the header. A flit crosses one cycle
// after the one before it, one cycle after it crossed into the parent, and r cycles after flit
// i-B left the buffer that it enters, which it has when it is in all branches:
//
//	x(v,i) = max( x(v,i-1) + 1, x(parent,i) + 1, x(child,i-B) + r over all children ),   x(v,0) = h(v)
//
// Unrolled, every way from (v,i) back to a header goes a steps up, then m steps down into any
// branch, each of which takes B flits, and because B > r the steps of the first kind make up the
// rest. Ways that go down before they go up gain nothing, for a step down and up costs 1+r cycles
// and takes B flits, and steps of the first kind cost one cycle for each. So with the memory of
// the source never empty and nodes always taking
//
//	x(v,i) = i + max over ancestors u of v, a steps up, v itself at a = 0, and over positions w from u on,
//	             m steps down with m B <= i, of   h(w) + a - m (B-r)
//
// and a worm needs no flits. For the tail, i = L-1, the maximum over w is known when all headers
// that follow u have gone (L-1)/B positions further than u, or have reached their nodes; with
// ahead(u) for it
//
//	tail(v) = max( ahead(v), tail(parent) + 1 ),   x(v,L-1) = L-1 + tail(v)
//
// On a path the ancestors add nothing, as h(k) > h(k-1). The plain form moves flit by flit and
// agrees.

// reached notes how far the headers behind a run have gone, and follows tails that this decides.
func (n *Network) reached(id int32, t noc.Cycle) {
	for first := true; id != none; first = false {
		r := &n.run[id]
		reach := int64(r.base) + int64(len(r.held)) - 1
		if r.done {
			reach = everywhere
		} else if r.split {
			reach = everywhere
			for c := r.child; c != none; c = n.run[c].sibling {
				reach = min(reach, n.run[c].reach)
			}
		}
		if reach == r.reach && !first {
			return
		}
		r.reach = reach
		parent := r.parent
		if n.followTail(id, t); n.run[id].worm == none {
			return // it has come to its end
		}
		id = parent
	}
}

// followTail schedules the next step of a run's tail as far as the headers' ways decide it.
func (n *Network) followTail(id int32, t noc.Cycle) {
	for {
		r := &n.run[id]
		if r.scheduled || int(r.tail)+1 == len(r.held) || r.tail < 0 && !n.tailIsAt(r.parent) {
			return
		}
		if r.reach < int64(r.base)+int64(r.tail)+1+int64(r.window) {
			return
		}
		behind := r.latest
		if r.tail < 0 {
			behind = n.run[r.parent].latest
		}
		r.latest = n.aheadOf(r, r.tail+1)
		if r.base+r.tail > 0 {
			r.latest = max(r.latest, behind+1)
		}
		if at := noc.Cycle(int64(r.phits-1) + r.latest); at > t {
			r.scheduled = true
			n.calendar.Add(at, tailCrosses, id)
			return
		}
		if n.stepTail(id, t); n.run[id].worm == none {
			return // it has come to its end
		}
	}
}

// tailIsAt reports whether the tail of a run has come to its end, where it branches.
func (x *runs) tailIsAt(id int32) bool {
	r := &x.run[id]
	return r.split && int(r.tail)+1 == len(r.held)
}

// aheadOf returns the largest term of a window of positions, which is known, from one of a run on.
// Windows move on position by position.
func (x *runs) aheadOf(r *run, position int32) int64 {
	last := min(position+r.window, int32(len(r.crossed))-1)
	if r.best < position {
		r.best, r.seen = position, position
	}
	best := x.term(r, r.best)
	for k := max(r.seen, position) + 1; k <= last; k++ {
		if term := x.term(r, k); term >= best {
			r.best, best = k, term
		}
	}
	r.seen = max(r.seen, last)
	if left := position + r.window - last; left > 0 && r.split {
		for c := r.child; c != none; c = x.run[c].sibling {
			best = max(best, x.largest(&x.run[c], left-1))
		}
	}
	return best + int64(r.base+position)*x.step
}

// largest returns the largest term of a run's positions up to one, and of what follows.
func (x *runs) largest(r *run, last int32) int64 {
	best := x.term(r, 0)
	for k := int32(1); k <= last && int(k) < len(r.crossed); k++ {
		best = max(best, x.term(r, k))
	}
	if left := last - int32(len(r.crossed)); left >= 0 && r.split {
		for c := r.child; c != none; c = x.run[c].sibling {
			best = max(best, x.largest(&x.run[c], left))
		}
	}
	return best
}

// term returns that of one position: when the header crossed into it, less what the buffers
// before it take.
func (x *runs) term(r *run, k int32) int64 {
	return int64(r.crossed[k]) - int64(r.base+k)*x.step
}

// stepTail lets the tail of a run cross into the next position in cycle t. It leaves the one
// before when it has crossed into all children of that.
func (n *Network) stepTail(id int32, t noc.Cycle) {
	r := &n.run[id]
	r.scheduled = false
	r.tail++
	if r.tail > 0 {
		n.leave(id, r.tail-1, t)
	} else if n.run[r.parent].ahead--; n.run[r.parent].ahead == 0 {
		n.leave(r.parent, n.run[r.parent].tail, t)
	}
	r = &n.run[id]
	switch at := int(r.tail) + 1; {
	case at == len(r.held) && r.done:
		n.deliver(id, t)
	case at == len(r.held) && r.split:
		for c := r.child; c != none; c = n.run[c].sibling {
			n.followTail(c, t)
		}
	}
}

// leave gives back the channel, or the injection port, of a position that the tail leaves in
// cycle t, and completes the copies that were taken there.
func (n *Network) leave(id, position int32, t noc.Cycle) {
	r := &n.run[id]
	if c := r.held[position]; c == none {
		plan := n.Dispatch.At(r.worm)
		n.calendar.Add(t+1, portFalls, int32(plan.From)*portBase+plan.Port)
		if !n.Config.InjectionChannels {
			n.routers[n.Wiring.Entry[plan.From].Router].Exit(t)
		}
	} else {
		n.routers[n.channels[c].To].Exit(t)
		if n.release > 0 {
			n.calendar.Add(t+n.release, channelFalls, c)
		} else {
			n.allocator.freeChannel(c)
		}
	}
	for ; int(r.over) < len(r.visits) && r.visits[r.over].position == position; r.over++ {
		node := r.visits[r.over].node
		n.calendar.Add(t+1, ejectionFalls, int32(node))
		n.Dispatch.Tail(r.worm, node, n.linksAt(position), t, t+1)
	}
}

// linksAt returns the number of links between routers up to a position of a path.
func (n *Network) linksAt(position int32) int32 {
	if n.Config.InjectionChannels && position > 0 {
		return position - 1
	}
	return position
}

// deliver hands a message whose tail has reached the end of a way to the node there.
func (n *Network) deliver(id int32, t noc.Cycle) {
	r := &n.run[id]
	n.calendar.Add(t+1, ejectionFalls, r.node)
	n.Dispatch.Tail(r.worm, noc.NodeID(r.node), r.links, t, t+1)
	w := &n.worms[r.worm]
	if w.leaves--; w.leaves == 0 {
		n.end(r.worm)
	}
}

// crossing returns the cycle in which a flit crosses into a position, if the headers have gone
// far enough to decide it. It looks at all positions before: it is for counts that are not needed
// for every message.
func (x *runs) crossing(id, position, flit int32) (noc.Cycle, bool) {
	best, window := int64(-1)<<62, flit/x.depth
	for up := int64(0); ; up++ {
		r := &x.run[id]
		if r.base+position == 0 { // the memory has all flits
			return noc.Cycle(int64(flit) + best), true
		}
		if int(position) >= len(r.crossed) || r.reach < int64(r.base)+int64(position)+int64(window) {
			return 0, false
		}
		ahead := x.term(r, position)
		for k := position + 1; k <= position+window && int(k) < len(r.crossed); k++ {
			ahead = max(ahead, x.term(r, k))
		}
		if left := position + window - int32(len(r.crossed)); left >= 0 && r.split {
			for c := r.child; c != none; c = x.run[c].sibling {
				ahead = max(ahead, x.largest(&x.run[c], left))
			}
		}
		best = max(best, ahead+int64(r.base+position)*x.step+up)
		if position--; position < 0 {
			id = r.parent
			position = int32(len(x.run[id].crossed)) - 1
		}
	}
}
