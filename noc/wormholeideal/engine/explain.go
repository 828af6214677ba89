package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Explain lists the headers that wait, what they hold and what they wait for, and the packets at the head of source
// queues that wait for the node to send others. Worms that are on their way are not listed.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for _, id := range n.waiting() {
		all = append(all, n.stuck(id))
	}
	return n.Queued(all)
}

// waiting lists the runs whose header waits.
func (n *Network) waiting() (list []int32) {
	for i := range n.worms {
		if root := n.worms[i].root; root != none {
			list = n.waitingFrom(root, list)
		}
	}
	return list
}

func (n *Network) waitingFrom(id int32, list []int32) []int32 {
	if n.runs[id].waits != none {
		list = append(list, id)
	}
	for c := n.runs[id].child; c != none; c = n.runs[c].sibling {
		list = n.waitingFrom(c, list)
	}
	return list
}

// stuck describes a header that waits.
func (n *Network) stuck(id int32) noc.Stuck {
	r := &n.runs[id]
	plan, x := n.Dispatch.At(r.worm), &n.places[r.waits]
	s := n.Stuck(plan.Packet)
	s.At, s.For, s.Since, s.Holds = noc.NodeID(r.router), noc.NodeID(r.router), r.since, fmt.Sprintf("injection port %d", plan.Port)
	behind := r
	if len(r.held) == 0 {
		behind = &n.runs[r.parent]
	}
	if c := behind.held[len(behind.held)-1]; c != none {
		s.Holds = n.channelName(c)
	}
	switch x.kind {
	case ejection:
		s.Waits = fmt.Sprintf("sink %d of node %d: no free place", plan.Class, x.node)
		for holder := range n.runs {
			if x.free == 0 && n.receives(int32(holder), x.node) != none {
				s.Waits = fmt.Sprintf("ejection into node %d: %s", x.node, n.heldBy(int32(holder)))
				break
			}
		}
		return s
	case token:
		s.Waits = n.holding(x.first)
		return s
	}
	choices := n.permitted(id)
	s.For, s.Waits = noc.NodeID(n.channels[choices[0]].to), n.holding(choices[0])
	if others := len(choices) - 1; others > 0 {
		s.Waits = fmt.Sprintf("%s or any of %d others", n.channelName(choices[0]), others)
	}
	return s
}

// holding names a channel and who has it.
func (n *Network) holding(c int32) string {
	holder := n.channels[c].holder
	if holder == none {
		return n.channelName(c) + ": free"
	}
	return n.channelName(c) + ": " + n.heldBy(holder)
}

// heldBy says whose a run is that has something.
func (n *Network) heldBy(id int32) string {
	p := n.Packets.At(n.Dispatch.At(n.runs[id].worm).Packet)
	return fmt.Sprintf("held by packet %d of node %d", p.Tag, p.Src)
}

// receives returns the position of a run from which a node takes flits, or none.
func (n *Network) receives(id, node int32) int32 {
	r := &n.runs[id]
	if r.worm == none {
		return none
	}
	for _, v := range r.visits[r.over:] {
		if int32(v.node) == node {
			return v.position
		}
	}
	if r.done && r.node == node && int(r.tail)+1 < len(r.held) {
		return int32(len(r.held)) - 1
	}
	return none
}

// channelName names a channel or a token.
func (n *Network) channelName(c int32) string {
	ch := &n.channels[c]
	switch {
	case ch.from != none:
		return fmt.Sprintf("channel %d-%d", ch.from, ch.to)
	case ch.to != none:
		return fmt.Sprintf("injection channel of router %d", ch.to)
	}
	for r := range n.tokens {
		if n.tokens[r] == ch.place || n.locals[r] == ch.place {
			return fmt.Sprintf("token of the group of switch %d", r)
		}
	}
	return "token"
}

// Deadlock finds headers that wait for each other in a circle and can never move: each waits for
// something that the worm of the next one holds, and gives back only after that one has moved. It
// is empty when every waiting header has a way out, if only over a client that frees a sink.
func (n *Network) Deadlock() (circle []noc.Stuck) {
	waiting := n.waiting()
	blocker := func(who int32, stuck map[int32]bool) int32 { return n.blocker(waiting, who, stuck) }
	for _, id := range fabric.Circle(waiting, blocker) {
		circle = append(circle, n.stuck(id))
	}
	return circle
}

// blocker returns a header that has to move before another can, or none if that one has a way
// out: for each of the channels that it could take there must be one.
func (n *Network) blocker(waiting []int32, who int32, stuck map[int32]bool) (found int32) {
	x := &n.places[n.runs[who].waits]
	if x.kind == ejection {
		return n.ejectionBlocker(waiting, x, stuck)
	}
	for _, c := range n.permitted(who) {
		ch := &n.channels[c]
		if ch.holder == none {
			return none
		}
		if found = n.delays(waiting, ch.holder, ch.position, x.kind == token, stuck); found == none {
			return none
		}
	}
	return found
}

// ejectionBlocker is blocker for the ejection channels of a node: each of them is held at a stop or at an end.
func (n *Network) ejectionBlocker(waiting []int32, x *place, stuck map[int32]bool) (found int32) {
	if x.free > 0 {
		return none // a full sink
	}
	found = none
	for id := range n.runs {
		at := n.receives(int32(id), x.node)
		if at == none {
			continue
		}
		if found = n.delays(waiting, int32(id), at, false, stuck); found == none {
			return none
		}
	}
	return found
}

// delays returns a stuck header before whose moving a worm does not give back what it holds at a
// position of a run, or none.
func (n *Network) delays(waiting []int32, held, position int32, branches bool, stuck map[int32]bool) int32 {
	for _, id := range waiting {
		if stuck[id] && n.runs[id].worm == n.runs[held].worm && n.keeps(id, held, position, branches) {
			return id
		}
	}
	return none
}

// keeps reports whether a worm gives back the channel at a position, or the token for branching
// there, only after a header of it, which waits, has moved.
func (n *Network) keeps(id, held, position int32, branches bool) bool {
	r := &n.runs[held]
	if !branches {
		return n.stops(id, held, position, r.phits-1)
	}
	if _, below := n.below(id, held, int32(len(r.held))-1); below {
		return true
	}
	enough := n.enough(r)
	return n.config.Tree.Release == wormholeideal.Flits && r.phits > enough && n.stops(id, held, int32(len(r.held))-1, enough)
}

// stops reports whether flits up to some number cannot leave a position while a header stays
// where it is: the buffers from the position, or from where the ways to both part, to the header
// have no room for so many.
func (n *Network) stops(id, held, position, flit int32) bool {
	end := n.runs[held].done && int(position)+1 == len(n.runs[held].held)
	for apart := int32(0); held != none; apart = 1 {
		if steps, below := n.below(id, held, position); below && !(end && apart == 0) {
			return (steps+apart)*int32(n.config.BufferPhits) <= flit
		}
		held = n.runs[held].parent
		if held != none {
			position = int32(len(n.runs[held].held)) - 1
		}
	}
	return false
}

// below returns the number of steps from a position down to where the header of a run is, if it is there.
func (n *Network) below(id, from, position int32) (steps int32, found bool) {
	depth := n.runs[id].base + int32(len(n.runs[id].held)) - 1
	for ; id != none; id = n.runs[id].parent {
		if id == from {
			steps = depth - n.runs[from].base - position
			return steps, steps >= 0
		}
	}
	return 0, false
}
