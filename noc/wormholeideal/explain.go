package wormholeideal

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Explain lists the headers that wait, what they hold and what they wait for, and the packets at the head of source
// queues that wait for the node to send others. Worms that are on their way are not listed.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for _, p := range n.asked {
		for i := range n.places[p].queue {
			all = append(all, n.stuck(&n.places[p], &n.places[p].queue[i]))
		}
	}
	return n.Queued(all)
}

// stuck describes a request.
func (n *Network) stuck(x *place, r *request) noc.Stuck {
	at := n.stands(x, r)
	p, plan := &r.worm.positions[at], n.Dispatch.At(r.worm.id)
	s := n.Stuck(plan.Packet)
	s.At, s.For, s.Since, s.Holds = noc.NodeID(p.router), noc.NodeID(p.router), r.since, fmt.Sprintf("injection port %d", plan.Port)
	if at > 0 {
		s.Holds = n.channelName(p.channel)
	}
	choices := n.permitted(x, r)
	ch := &n.channels[choices[0]]
	if ch.to != none {
		s.For = noc.NodeID(ch.to)
	}
	s.Waits = n.channelName(choices[0])
	switch {
	case x.kind == ejection && n.idle(x):
		s.Waits = fmt.Sprintf("sink %d of node %d: no free place", plan.Class, x.node)
	case x.kind != ejection && len(choices) > 1:
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
func (n *Network) stands(x *place, r *request) int32 {
	if x.kind == token || r.copies {
		return r.position
	}
	return r.worm.positions[r.position].parent
}

// idle reports whether nobody has one of a place's channels.
func (n *Network) idle(x *place) bool {
	for _, c := range x.channels {
		if !n.channels[c].held {
			return true
		}
	}
	return false
}

// channelName names a channel.
func (n *Network) channelName(c int32) string {
	ch := &n.channels[c]
	switch {
	case int(c) < len(n.wiring.Channels):
		return fmt.Sprintf("channel %d-%d", ch.from, ch.to)
	case ch.to != none:
		return fmt.Sprintf("injection channel of router %d", ch.to)
	case ch.from != none:
		return fmt.Sprintf("ejection channel of router %d", ch.from)
	}
	for r := range n.tokens {
		for _, p := range []int32{n.tokens[r], n.locals[r]} {
			if p != none && n.places[p].channels[0] == c {
				return fmt.Sprintf("token of the group of switch %d", r)
			}
		}
	}
	return "token"
}

// Deadlock finds headers that wait for each other in a circle and can never move: each waits for
// something that the worm of the next one holds, and gives back only after that one has moved. It
// is empty when every waiting header has a way out, if only over a client that frees a sink.
func (n *Network) Deadlock() (circle []noc.Stuck) {
	var waits []wait
	var numbers []int32
	for _, p := range n.asked {
		for i := range n.places[p].queue {
			numbers = append(numbers, int32(len(waits)))
			waits = append(waits, wait{&n.places[p], &n.places[p].queue[i]})
		}
	}
	blocker := func(who int32, stuck map[int32]bool) int32 { return n.blocker(waits, who, stuck) }
	for _, i := range fabric.Circle(numbers, blocker) {
		circle = append(circle, n.stuck(waits[i].place, waits[i].request))
	}
	return circle
}

// wait is a request and where it waits.
type wait struct {
	*place
	*request
}

// blocker returns a header that has to move before another can, or -1 if that one has a way out:
// for each of the channels that it could take there must be one.
func (n *Network) blocker(waits []wait, who int32, stuck map[int32]bool) (found int32) {
	found = none
	for _, c := range n.permitted(waits[who].place, waits[who].request) {
		ch := &n.channels[c]
		found = none
		for i := range waits {
			if x := &waits[i]; ch.held && x.worm == ch.holder && stuck[int32(i)] && n.keeps(x, ch.position, waits[who].kind == token) {
				found = int32(i)
				break
			}
		}
		if found == none {
			return none
		}
	}
	return found
}

// keeps reports whether a worm gives back the channel or the token that it holds at a position
// only after a header of it, which waits, has moved.
func (n *Network) keeps(x *wait, held int32, ofToken bool) bool {
	w, header := x.worm, n.stands(x.place, x.request)
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
