package engine

import "github.com/carousel-sim/carousel/noc"

// The body of a worm. Let h(k) be the cycle in which the header crosses into position k, B the depth of a
// buffer, r the credit delay, and flit i = 0 the header. A flit crosses one cycle after the one before it,
// one cycle after it crossed into the position before, and r cycles after flit i-B left the buffer that it
// enters:
//
//	x(k,i) = max( x(k,i-1) + 1, x(k-1,i) + 1, x(k+1,i-B) + r ),   x(k,0) = h(k)
//
// Unrolled, every way from (k,i) back to a header ends in h(k+m) after m steps of the third kind, and
// because B > r the steps of the first kind make up the rest; the second kind adds nothing, as
// h(k) > h(k-1). So with the memory of the source never empty and the last node always taking
//
//	x(k,i) = i + max over m with m B <= i, k+m up to the last position, of  h(k+m) - m (B-r)
//
// and a worm needs no flits: when its tail leaves position k, in cycle x(k+1,L-1), is known as soon as the
// header is (L-1)/B positions further than k+1, or has left the network. The reference model of the tests
// moves flit by flit and agrees.

// followTail schedules the tail's leaving of positions, as far as the header's way decides it.
func (n *Network) followTail(id int32, t noc.Cycle) {
	for !n.worms[id].scheduled {
		at, known := n.tailTime(&n.worms[id])
		if !known {
			return
		}
		if at > t {
			n.worms[id].scheduled = true
			n.calendar.Add(at, tailLeaves, id)
			return
		}
		if n.leave(id, t); !n.worms[id].live {
			return
		}
	}
}

// tailTime is the cycle in which the tail leaves its position, if that is decided.
func (n *Network) tailTime(w *worm) (noc.Cycle, bool) {
	position := w.tail + 1
	last := position + (w.phits-1)/int32(n.config.BufferPhits)
	if last > w.head {
		if !w.done || position > w.head {
			return 0, false
		}
		last = w.head
	}
	step := int64(n.config.BufferPhits - n.config.CreditCycles)
	term := func(k int32) int64 { return int64(w.crossed[k]) - int64(k)*step }
	for w.seen = max(w.seen, position-1); w.seen < last; {
		w.seen++
		size := len(w.window)
		for size > int(w.first) && term(w.window[size-1]) <= term(w.seen) {
			size--
		}
		w.window = append(w.window[:size], w.seen)
	}
	for w.window[w.first] < position {
		w.first++
	}
	return noc.Cycle(int64(w.phits-1) + term(w.window[w.first]) + int64(position)*step), true
}

// leave lets the tail leave its position in cycle t: copies that are taken there are complete, and the
// position is free.
func (n *Network) leave(id int32, t noc.Cycle) {
	w := &n.worms[id]
	w.scheduled = false
	k := w.tail
	w.tail++
	if k == 0 {
		plan := n.Dispatch.At(id)
		n.calendar.Add(t+1, portFalls, int32(plan.From)*portBase+plan.Port)
		if !n.config.InjectionChannels {
			n.routers[n.wiring.Entry[plan.From].Router].Exit(t)
		}
	} else {
		n.routers[n.channels[w.held[k]].to].Exit(t)
		if n.config.CreditCycles == 0 {
			n.freeChannel(w.held[k])
		} else {
			n.calendar.Add(t+noc.Cycle(n.config.CreditCycles), channelFalls, w.held[k])
		}
	}
	for ; int(w.over) < len(w.visits) && w.visits[w.over].position == k; w.over++ {
		node := w.visits[w.over].node
		n.calendar.Add(t+1, ejectionFalls, int32(node))
		n.Dispatch.Tail(id, node, n.links(k), t, t+1)
	}
	if w.done && w.tail == w.head {
		w.live = false
		n.Dispatch.End(id)
	}
}

// freeChannel makes a channel free for whoever has asked for it longest.
func (n *Network) freeChannel(c int32) {
	n.channels[c].holder = none
	if from := n.channels[c].from; n.adaptive != nil && from != none {
		n.stir(from)
		return
	}
	n.list(c)
}
