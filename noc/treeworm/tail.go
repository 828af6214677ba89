package treeworm

import "github.com/carousel-sim/carousel/noc"

// The body of a worm. Let h(v) be the cycle in which the header crosses into position v of the tree, B the
// depth of a buffer, and flit i = 0 the header. A flit crosses one cycle after the one before it, one cycle
// after it crossed into the parent, and not before flit i-B has left the buffer that it enters, which it has
// when it is in all branches:
//
//	x(v,i) = max( x(v,i-1) + 1, x(parent,i) + 1, x(child,i-B) over all children ),   x(v,0) = h(v)
//
// Unrolled, every way from (v,i) back to a header goes a steps up, then m steps down into any branch, each of
// which takes B flits, and the steps of the first kind make up the rest. Ways that go down before they go
// up gain nothing, for a step down and up costs one cycle and takes B flits, and steps of the first kind cost
// one cycle for each. So with the memory of the source never empty and nodes always taking
//
//	x(v,i) = i + max over ancestors u of v, a steps up, v itself at a = 0, and over positions w from u on,
//	             m steps down with m B <= i, of   h(w) + a - m B
//
// and a worm needs no flits. The maximum over w for the tail, i = L-1, is kept at each u as ahead(u), and is
// known when the headers have crossed the (L-1)/B positions that follow u in every branch; then
//
//	tail(v) = max( ahead(v), tail(parent) + 1 ),   x(v,L-1) = L-1 + tail(v)
//
// A channel falls free when the tail has crossed into all children. The reference model of the tests moves
// flit by flit and agrees.

// follow takes the crossing of a header into the closed form of its worm.
func (n *Network) follow(p int32, t noc.Cycle) {
	window, depth := n.worms[n.positions[p].worm].window, int64(n.config.BufferPhits)
	at := p
	for m := int32(0); m <= window && at != none; m++ {
		x := &n.positions[at]
		x.ahead = max(x.ahead, int64(t)-int64(m)*depth+bias)
		x.missing--
		at = x.parent
	}
	for m := int32(0); m <= window && p != none; m++ {
		x := &n.positions[p]
		if x.missing == 0 && (x.parent == none || n.positions[x.parent].settled) {
			n.settle(p, t)
		}
		p = x.parent
	}
}

// bias keeps ahead above zero, so that -1 is nothing.
const bias = int64(1) << 40

// settle notes that it is known when the tail crosses into a position, and goes on to the positions behind.
func (n *Network) settle(p int32, t noc.Cycle) {
	x := &n.positions[p]
	if x.settled {
		return
	}
	x.settled = true
	x.tail = x.ahead
	id := x.worm
	if x.parent != none {
		x.tail = max(x.tail, n.positions[x.parent].tail+1)
	}
	crosses := int64(n.worms[id].phits-1) + x.tail - bias
	if x.parent != none {
		before := &n.positions[x.parent]
		before.last = max(before.last, crosses)
		if before.left--; before.left == 0 {
			n.calendar.Add(noc.Cycle(before.last+1), channelFalls, before.channel)
		}
	} else {
		plan := n.Dispatch.At(id)
		n.calendar.Add(noc.Cycle(crosses+1), portFalls, int32(plan.From)*portBase+plan.Port)
	}
	if x.node != none {
		n.calendar.Add(noc.Cycle(crosses+1), channelFalls, x.channel)
		if noc.Cycle(crosses) == t {
			n.deliver(p, t)
		} else {
			n.calendar.Add(noc.Cycle(crosses), tailArrives, p)
		}
		return
	}
	first, count := x.first, x.count
	for c := first; c < first+count; c++ {
		if n.positions[c].missing == 0 {
			n.settle(c, t)
		}
	}
}

// crossing is the cycle in which a flit crosses into a position, if the headers have gone far enough to
// decide it. It walks the tree, for counts that are not needed for every message.
func (n *Network) crossing(p, flit int32) (noc.Cycle, bool) {
	best := int64(-1)
	for at, up := p, int64(0); at != none; at, up = n.positions[at].parent, up+1 {
		ahead := n.aheadOf(at, flit/int32(n.config.BufferPhits))
		if ahead < 0 {
			return 0, false
		}
		best = max(best, ahead+up)
	}
	return noc.Cycle(int64(flit) + best - bias), true
}

// aheadOf is the largest term of the closed form from a position on, so many steps down; negative if it is not
// decided.
func (n *Network) aheadOf(p, window int32) int64 {
	x := &n.positions[p]
	if !x.crossed {
		return -1
	}
	best := int64(x.head) + bias
	for c := x.first; window > 0 && c < x.first+x.count; c++ {
		ahead := n.aheadOf(c, window-1)
		if ahead < 0 {
			return -1
		}
		best = max(best, ahead-int64(n.config.BufferPhits))
	}
	return best
}
