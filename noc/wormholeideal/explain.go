package wormholeideal

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Explain lists the headers that wait, what they hold and what they wait for, and the packets at
// the head of source queues that wait for the node to send others. Worms that are on their way are
// not listed.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for _, w := range n.waits() {
		all = append(all, n.stuck(w))
	}
	return n.Queued(all)
}

// wait is a request and the queue that it is in.
type wait struct {
	queue int32
	*request
}

// waits lists all requests.
func (n *Network) waits() (all []wait) {
	for _, q := range n.asked {
		for i := range n.queues[q].requests {
			all = append(all, wait{q, &n.queues[q].requests[i]})
		}
	}
	return all
}

// stuck describes a request.
func (n *Network) stuck(r wait) noc.Stuck {
	at, x := n.stands(r), &n.Queues[r.queue]
	p, plan := &r.worm.positions[at], n.Dispatch.At(r.worm.id)
	s := n.Stuck(plan.Packet)
	s.At, s.For, s.Since, s.Holds = noc.NodeID(p.router), noc.NodeID(p.router), r.since, fmt.Sprintf("injection port %d", plan.Port)
	if at > 0 {
		s.Holds = n.Name(p.channel)
	}
	choices := n.permitted(r.queue, r.request)
	ch := &n.channels[choices[0]]
	if to := n.Channels[choices[0]].To; to != None {
		s.For = noc.NodeID(to)
	}
	s.Waits = n.Name(choices[0])
	switch {
	case x.Kind == Ejection && n.idle(x):
		s.Waits = fmt.Sprintf("sink %d of node %d: no free place", plan.Class, x.Node)
	case x.Kind != Ejection && len(choices) > 1:
		s.Waits = fmt.Sprintf("%s or any of %d others", s.Waits, len(choices)-1)
	case ch.held:
		other := n.Packets.At(n.Dispatch.At(ch.holder.id).Packet)
		s.Waits += fmt.Sprintf(": held by packet %d of node %d", other.Tag, other.Src)
	default:
		s.Waits += ": free"
	}
	return s
}

// stands returns the position in which the header of a request is.
func (n *Network) stands(r wait) int32 {
	if n.Queues[r.queue].Kind == Token || r.copies {
		return r.position
	}
	return r.worm.positions[r.position].parent
}

// idle reports whether nobody has one of a queue's channels.
func (n *Network) idle(x *Queue) bool {
	for c := range x.Count {
		if !n.channels[x.First+c].held {
			return true
		}
	}
	return false
}

// Deadlock finds headers that wait for each other in a circle and can never move: each waits for
// something that the worm of the next one holds, and gives back only after that one has moved. It
// is empty when every waiting header has a way out, if only over a client that frees a sink.
func (n *Network) Deadlock() (circle []noc.Stuck) {
	waits := n.waits()
	numbers := make([]int32, len(waits))
	for i := range numbers {
		numbers[i] = int32(i)
	}
	blocker := func(who int32, stuck map[int32]bool) int32 { return n.blocker(waits, who, stuck) }
	for _, i := range fabric.Circle(numbers, blocker) {
		circle = append(circle, n.stuck(waits[i]))
	}
	return circle
}

// blocker returns a header that has to move before another can, or -1 if that one has a way out:
// for each of the channels that it could take there must be one.
func (n *Network) blocker(waits []wait, who int32, stuck map[int32]bool) (found int32) {
	found = None
	for _, c := range n.permitted(waits[who].queue, waits[who].request) {
		ch := &n.channels[c]
		found = None
		for i := range waits {
			if x := &waits[i]; ch.held && x.worm == ch.holder && stuck[int32(i)] && n.keeps(*x, ch.position, n.Queues[waits[who].queue].Kind == Token) {
				found = int32(i)
				break
			}
		}
		if found == None {
			return None
		}
	}
	return found
}

// keeps reports whether a worm gives back the channel or the token that it holds at a position
// only after a header of it, which waits, has moved.
func (n *Network) keeps(x wait, held int32, ofToken bool) bool {
	w, header := x.worm, n.stands(x)
	if ofToken {
		if _, below := w.below(header, held); below {
			return true
		}
		stage, _ := n.stages.Place(noc.NodeID(w.positions[held].router))
		enough := n.config.Enough(*n.stages, stage)
		return n.config.Tree.Release == Flits && w.phits > enough && n.stops(w, header, held, enough)
	}
	return n.stops(w, header, held, w.phits-1)
}

// stops reports whether flits up to some number cannot leave a position while a header stays in
// another one: the buffers from the position, or from one before it on the way to both, to the
// header have no room for so many.
func (n *Network) stops(w *worm, header, held int32, flit int) bool {
	for at := held; at >= 0; at = w.positions[at].parent {
		steps, below := w.below(header, at)
		if below && at != held {
			steps++ // flits have to cross into this position first
		}
		if below {
			return steps*n.config.BufferPhits <= flit
		}
	}
	return false
}

// below returns the number of steps from a position down to another, if it is there.
func (w *worm) below(p, from int32) (steps int, found bool) {
	for ; p >= 0; p, steps = w.positions[p].parent, steps+1 {
		if p == from {
			return steps, true
		}
	}
	return 0, false
}
