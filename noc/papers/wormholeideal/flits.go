package wormholeideal

import "github.com/carousel-sim/carousel/noc"

// The bodies of worms. A channel carries one worm at a time, so that nothing but the crossings of
// headers decides when the flits behind them cross. Rule 5 says of flit i and position v
//
//	x(v,i) = max( x(v,i-1) + 1, x(parent,i) + 1, x(child,i-B) + r over all children ),   x(v,0) = h(v)
//
// with h(v) the crossing of the header, B the depth of a buffer and r the credit delay. The memory
// of the source is never empty, and nodes always take. A flit therefore waits for a header that
// crossed late m positions ahead, less the flits that the buffers between take, and for the
// position before it:
//
//	x(v,i) = max( i + ahead(v, i/B), x(parent,i) + 1 )
//	ahead(v,m) = max( h(v), ahead(child,m-1) - (B-r) over all children )
//
// To go down to a child and back up gains nothing, as it takes B flits and 1+r cycles, and B steps
// to the flit before take B cycles. No flit has to be moved, and only tails are events. In tests an
// oracle moves all flits by rule 5.

// cross lets a header cross a channel into a position. What the worm's flits do on their way is
// counted at once.
func (n *Network) cross(at, c int32, t noc.Cycle) {
	ch, p := &n.channels[c], n.positions.at(at)
	before := n.positions.at(p.parent)
	phits := uint64(p.phits)
	p.channel = c
	n.holdings[c].phits += phits
	a := &n.routers[before.router]
	if p.depth == 1 {
		a.injected += phits
		n.Dispatch.Leaves(p.worm, t)
		n.inside += phits
		if !n.config.InjectionChannels {
			a.enter(t)
		}
	} else if at == before.child {
		a.read += phits // one read feeds all branches
	}
	if ch.from != none {
		a.crossbar += phits
	}
	if ch.to == none {
		a.ejected += phits
		n.reach(p, noc.NodeID(p.node), t)
		n.headerArrives(at, t)
	} else {
		if ch.from != none {
			n.hops += phits
			p.links++
		}
		p.router, p.in = ch.to, ch.in
		n.routers[p.router].written += phits
		n.routers[p.router].enter(t + 1)
		n.calendar.Add(t+1+noc.Cycle(n.config.RouteCycles), headerReady, at)
	}
	n.follow(at, t)
}

// copyOut lets the node at a stop take a copy of what leaves a position. The header goes on to ask
// for the next channel, and copy and worm advance together.
func (n *Network) copyOut(g grant, t noc.Cycle) {
	p := n.positions.at(g.position)
	plan := n.Dispatch.At(p.worm)
	if p.high == p.low {
		p.low, p.high = plan.Next, plan.Next
	}
	p.high++
	n.reach(p, plan.Stops[plan.Next], t)
	plan.Next++
	a := &n.routers[p.router]
	a.crossbar += uint64(p.phits)
	a.ejected += uint64(p.phits)
	a.replicated++
	n.decide(g.position, t)
}

// reach notes that a header which leaves a position is at a node in the next cycle.
func (n *Network) reach(p *position, node noc.NodeID, t noc.Cycle) {
	n.Dispatch.Head(p.worm, node, p.links, t)
	if n.OnHeader != nil {
		n.OnHeader(n.Packets.At(n.Dispatch.At(p.worm).Packet).Tag, t+1)
	}
}

// follow decides, after a header has crossed into a position, which tails it was that decides.
func (n *Network) follow(at int32, t noc.Cycle) {
	p := n.positions.at(at)
	p.header = t
	if w := &n.worms[p.worm]; len(w.counting) > 0 {
		n.countFlits(w, t)
	}
	window := n.window(p.phits - 1)
	if p.depth <= window && p.node == none {
		return // no tail depends on so few headers
	}
	top := at
	for p.depth > 1 && n.positions.at(p.parent).tail == noc.Never {
		top = p.parent
		p = n.positions.at(top)
	}
	n.decideTails(top, window, t)
}

// window returns the number of positions ahead whose headers a flit waits for.
func (n *Network) window(flit int32) int32 { return flit / int32(n.config.BufferPhits) }

// decideTails decides when the tail crosses into a position whose parent's tail is decided, and
// into those behind it, as far as headers have gone.
func (n *Network) decideTails(k, window int32, t noc.Cycle) {
	p := n.positions.at(k)
	if p.tail == noc.Never {
		latest, known := n.ahead(k, window)
		if !known {
			return
		}
		p.tail = noc.Cycle(latest + int64(p.phits-1))
		if p.depth > 1 {
			p.tail = max(p.tail, n.positions.at(p.parent).tail+1)
		}
		if p.tail > t {
			n.calendar.Add(p.tail, tailCrosses, k)
		} else {
			n.tailCrosses(k, t)
		}
	}
	for c := p.child; c != none; c = n.positions.at(c).sibling {
		n.decideTails(c, window, t)
	}
}

// ahead returns the latest of the headers of a position and of those up to some steps behind it,
// less what the buffers between take, and whether all these headers have crossed.
func (n *Network) ahead(k, steps int32) (latest int64, known bool) {
	p := n.positions.at(k)
	if p.header == noc.Never {
		return 0, false
	}
	latest = int64(p.header)
	if steps == 0 || p.node != none {
		return latest, true
	}
	if p.child == none {
		return 0, false
	}
	for c := p.child; c != none; c = n.positions.at(c).sibling {
		behind, known := n.ahead(c, steps-1)
		if !known {
			return 0, false
		}
		latest = max(latest, behind-int64(n.config.BufferPhits-n.config.CreditCycles))
	}
	return latest, true
}

// crossing returns the cycle in which a flit crosses into a position, and whether it is decided. It
// looks at all positions before: it is for counts that are not needed for every message.
func (n *Network) crossing(k, flit int32) (at noc.Cycle, known bool) {
	latest, known := n.ahead(k, n.window(flit))
	at = noc.Cycle(latest + int64(flit))
	if p := n.positions.at(k); known && p.depth > 1 {
		before, decided := n.crossing(p.parent, flit)
		at, known = max(at, before+1), decided
	}
	return at, known
}

// tailCrosses lets the tail of a worm cross into a position in cycle t. It leaves the one before
// when it has crossed into all children of that.
func (n *Network) tailCrosses(k int32, t noc.Cycle) {
	p := n.positions.at(k)
	before := n.positions.at(p.parent)
	if before.behind--; before.behind == 0 {
		n.leave(p.parent, t)
	}
	if p.node == none {
		return
	}
	p.left = true
	n.giveBack(p.channel, t+1, t)
	n.Dispatch.Tail(p.worm, noc.NodeID(p.node), p.links, t, t+1)
	w := &n.worms[p.worm]
	if w.ends--; w.ends == 0 {
		n.ended = append(n.ended, p.worm)
	}
}

// leave gives back the channel, or the injection port, of a position that the tail leaves in
// cycle t, and completes the copies that were taken there.
func (n *Network) leave(k int32, t noc.Cycle) {
	p := n.positions.at(k)
	p.left = true
	plan := n.Dispatch.At(p.worm)
	if p.depth == 0 {
		n.calendar.Add(t+1, portFalls, int32(plan.From)*portBase+plan.Port)
		if !n.config.InjectionChannels {
			n.routers[n.wiring.Entry[plan.From].Router].Exit(t + 1)
		}
	} else {
		n.routers[p.router].Exit(t + 1)
		n.giveBack(p.channel, t+n.config.ReleaseCycles(), t)
	}
	if n.stages != nil {
		return
	}
	for _, node := range plan.Stops[p.low:p.high] {
		x := &n.queues[n.exits[node]]
		for c := x.first; c < x.first+x.count; c++ {
			if n.holdings[c].holder == k {
				n.giveBack(c, t+1, t)
			}
		}
		n.Dispatch.Tail(p.worm, node, p.links, t, t+1)
	}
}
