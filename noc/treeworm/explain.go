package treeworm

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Explain lists the headers that wait, what they hold and what they wait for, and the packets at the head of
// source queues that wait for the node to send others.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for _, p := range n.waiting() {
		all = append(all, n.stuck(p))
	}
	return n.Queued(all)
}

// waiting lists the positions at which headers wait.
func (n *Network) waiting() (list []int32) {
	for i := range n.worms {
		if w := &n.worms[i]; w.live {
			for p := w.first; p < w.first+w.size; p++ {
				if n.positions[p].waits != none {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// stuck describes a header that waits.
func (n *Network) stuck(p int32) noc.Stuck {
	x := &n.positions[p]
	plan := n.Dispatch.At(x.worm)
	wanted := &n.places[x.waits]
	s := n.Stuck(plan.Packet)
	s.At, s.Since = n.wiring.Entry[plan.From].Router, x.since
	s.Holds, s.Waits = fmt.Sprintf("injection port %d", plan.Port), n.placeName(x.waits)
	behind := x.parent
	if wanted.kind == token {
		behind = p
	}
	if behind != none {
		c := &n.channels[n.positions[behind].channel]
		s.At, s.Holds = noc.NodeID(c.to), n.channelName(n.positions[behind].channel)
	}
	s.For = s.At
	first := &n.channels[wanted.first]
	if first.to != none {
		s.For = noc.NodeID(first.to)
	}
	switch holder := first.holder; {
	case wanted.kind == consumption && wanted.free != 0:
		s.Waits = fmt.Sprintf("sink %d of node %d: no free place", plan.Class, wanted.node)
	case holder == none:
		s.Waits += ": free"
	default:
		other := n.Packets.At(n.Dispatch.At(n.positions[holder].worm).Packet)
		s.Waits += fmt.Sprintf(": held by packet %d of node %d", other.Tag, other.Src)
	}
	return s
}

// placeName names what a header waits for.
func (n *Network) placeName(p int32) string {
	x := &n.places[p]
	switch x.kind {
	case consumption:
		return fmt.Sprintf("consumption channel of node %d", x.node)
	case upward:
		return fmt.Sprintf("channels up from switch %d", n.channels[x.first].from)
	case token:
		for r := range n.tokens {
			if n.tokens[r] == p || n.locals[r] == p {
				return fmt.Sprintf("token of the group of switch %d", r)
			}
		}
	}
	return n.channelName(x.first)
}

// channelName names a link or an injection channel.
func (n *Network) channelName(c int32) string {
	x := &n.channels[c]
	if x.from == none {
		return fmt.Sprintf("injection channel of node %d", n.places[x.place].node)
	}
	return fmt.Sprintf("channel %d-%d", x.from, x.to)
}

// Deadlock finds headers that wait for each other in a circle and can never move: each waits for something that
// the worm of the next one holds, and gives back only after that one has moved. It is empty when every
// waiting header has a way out, if only over a client that frees a sink.
func (n *Network) Deadlock() (circle []noc.Stuck) {
	for _, p := range fabric.Circle(n.waiting(), n.blocker) {
		circle = append(circle, n.stuck(p))
	}
	return circle
}

// blocker is a waiting header that has to move before another can, or none if that one has a way out: for
// each of the channels that it could take there must be one.
func (n *Network) blocker(p int32, stuck map[int32]bool) int32 {
	x := &n.positions[p]
	wanted := &n.places[x.waits]
	members := int32(1)
	switch {
	case wanted.kind == consumption:
		members = int32(n.config.Consumption)
	case wanted.kind == upward && n.config.Adaptive && !n.Dispatch.At(x.worm).Ordered:
		members = int32(n.of.Arity)
	}
	found := none
	for c := wanted.first; c < wanted.first+members; c++ {
		holder := n.channels[c].holder
		if holder == none {
			return none
		}
		by := n.delays(holder, wanted.kind == token, stuck)
		if by == none {
			return none
		}
		found = by
	}
	return found
}

// delays is a stuck header, that of the lowest position, before whose moving a worm does not leave a position, or
// give back the token that it holds there; none if there is no such.
func (n *Network) delays(held int32, branches bool, stuck map[int32]bool) int32 {
	x := &n.positions[held]
	w := &n.worms[x.worm]
	leaves := x.left == 0
	if x.node != none {
		leaves = x.settled
	}
	if branches {
		leaves = x.token == none
	}
	if !w.live || leaves {
		return none
	}
	for p := w.first; p < w.first+w.size; p++ {
		if stuck[p] && (branches && n.keepsToken(p, held) || !branches && n.decides(p, held, w.window)) {
			return p
		}
	}
	return none
}

// keepsToken reports whether a token is given back only after a waiting header has moved.
func (n *Network) keepsToken(p, held int32) bool {
	x := &n.positions[held]
	if n.below(p, held) >= 0 {
		return true
	}
	enough := n.enough(x)
	return n.config.Release == Flits && n.worms[x.worm].phits > enough && n.decides(p, held, enough/int32(n.config.BufferPhits))
}

// decides reports whether the tail leaves a position only after a header, which has not crossed into p, has:
// p, or what follows it, is within the window of the position, of a child of it, or of what lies before.
func (n *Network) decides(p, held, window int32) bool {
	x := &n.positions[held]
	if x.node != none {
		return n.near(p, held, window)
	}
	for c := x.first; c < x.first+x.count; c++ {
		if n.near(p, c, window) {
			return true
		}
	}
	return false
}

// near reports whether p is at most window steps below the first common position of it and another.
func (n *Network) near(p, other, window int32) bool {
	if n.places[n.positions[p].waits].kind == token {
		p = n.positions[p].first // its header waits at p and has not crossed what follows
	}
	for at := other; at != none; at = n.positions[at].parent {
		if steps := n.below(p, at); steps >= 0 {
			return steps <= window
		}
	}
	return false
}

// below is the number of steps from a position down to another, or -1.
func (n *Network) below(p, from int32) int32 {
	for steps := int32(0); p != none; p, steps = n.positions[p].parent, steps+1 {
		if p == from {
			return steps
		}
	}
	return -1
}
