package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Deadlock finds headers that wait for each other in a circle and can never move: each waits for
// something that the worm of the next one holds, and gives back only after that one has moved. It
// is empty when every waiting header has a way out, if only over a client that frees a sink.
func (n *Network) Deadlock() (circle []noc.Stuck) {
	d := deadlock{n, n.waiting()}
	for _, id := range fabric.Circle(d.waiting, d.blocker) {
		circle = append(circle, n.stuck(id))
	}
	return circle
}

// deadlock is a search for headers that wait for each other.
type deadlock struct {
	*Network
	waiting []int32 // runs
}

// blocker returns a header that has to move before another can, or none if that one has a way
// out: for each of the channels that it could take there must be one.
func (d deadlock) blocker(who int32, stuck map[int32]bool) (found int32) {
	q := d.run[who].waits
	kind := d.Queues[q].Kind
	if kind == wormholeideal.Ejection {
		return d.ejectionBlocker(q, stuck)
	}
	for _, c := range d.allocator.permitted(who) {
		ch := &d.channels[c]
		if ch.holder == none {
			return none
		}
		if found = d.delays(ch.holder, ch.position, kind == wormholeideal.Token, stuck); found == none {
			return none
		}
	}
	return found
}

// ejectionBlocker is blocker for the ejection channels of a node: each of them is held at a stop or
// at an end.
func (d deadlock) ejectionBlocker(q int32, stuck map[int32]bool) (found int32) {
	if d.allocator.queues[q].free > 0 {
		return none // a full sink
	}
	found = none
	for id := range d.run {
		at := d.receives(int32(id), d.Queues[q].Node)
		if at == none {
			continue
		}
		if found = d.delays(int32(id), at, false, stuck); found == none {
			return none
		}
	}
	return found
}

// delays returns a stuck header before whose moving a worm does not give back what it holds at a
// position of a run, or none.
func (d deadlock) delays(held, position int32, branches bool, stuck map[int32]bool) int32 {
	for _, id := range d.waiting {
		if stuck[id] && d.run[id].worm == d.run[held].worm && d.keeps(id, held, position, branches) {
			return id
		}
	}
	return none
}

// keeps reports whether a worm gives back the channel at a position, or the token for branching
// there, only after a header of it, which waits, has moved.
func (d deadlock) keeps(id, held, position int32, branches bool) bool {
	r := &d.run[held]
	if !branches {
		return d.stops(id, held, position, r.phits-1)
	}
	if _, below := d.below(id, held, int32(len(r.held))-1); below {
		return true
	}
	enough := d.tokens.enough(r)
	return d.config.Tree.Release == wormholeideal.Flits && r.phits > enough && d.stops(id, held, int32(len(r.held))-1, enough)
}

// stops reports whether flits up to some number cannot leave a position while a header stays
// where it is: the buffers from the position, or from where the ways to both part, to the header
// have no room for so many.
func (x *runs) stops(id, held, position, flit int32) bool {
	end := x.run[held].done && int(position)+1 == len(x.run[held].held)
	for apart := int32(0); held != none; apart = 1 {
		if steps, below := x.below(id, held, position); below && !(end && apart == 0) {
			return (steps+apart)*x.depth <= flit
		}
		held = x.run[held].parent
		if held != none {
			position = int32(len(x.run[held].held)) - 1
		}
	}
	return false
}

// below returns the number of steps from a position down to where the header of a run is, if it is
// there.
func (x *runs) below(id, from, position int32) (steps int32, found bool) {
	depth := x.run[id].base + int32(len(x.run[id].held)) - 1
	for ; id != none; id = x.run[id].parent {
		if id == from {
			steps = depth - x.run[from].base - position
			return steps, steps >= 0
		}
	}
	return 0, false
}
