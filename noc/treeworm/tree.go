package treeworm

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
)

// worm is one copy of a message on its way.
type worm struct {
	live   bool
	phits  int32
	window int32 // (phits-1)/B: how many positions ahead decide when a tail moves
	first  int32 // block of positions, parents before children
	size   int32
	leaves int32 // whose tail has not arrived
	// counting are positions that hold a token and wait for flits to be forwarded.
	counting []int32
}

// position is a channel that a worm crosses and the buffer behind it, or a consumption channel.
type position struct {
	worm, parent int32
	first, count int32 // children, which follow each other
	depth        int32 // channels from the source, this one included
	stage        int32 // of the switch behind the channel
	port         int32 // output of the switch before; climbs for any one up
	node         int32 // of a leaf: destination; else none

	crossed, settled bool
	channel          int32     // held
	head             noc.Cycle // when the header crossed
	// The closed form, see tail.go. ahead and tail are -1 while nothing is known.
	missing     int32 // positions of the window that the header has not crossed
	ahead, tail int64
	left        int32 // children whose tail is not known
	last        int64 // latest tail of the others
	owed        int32 // leaves from here on that the header has not reached
	token       int32 // channel of the token held for branching here

	// What the header waits for: to cross into this position, or, at a position that it has crossed, a token.
	waits  int32 // place
	behind int32 // next position that waits for the same
	since  noc.Cycle
	key    int32 // switch and input: decides among headers of the same cycle
}

// climbs is the port of a position on the way up.
const climbs = int32(-1)

// maxBlock is above the logarithm of the size of every tree.
const maxBlock = 32

// ownWay is the key of a copy that a node sends to itself.
const ownWay = int32(-1)

// span is a range of a worm's stops.
type span struct{ low, high int32 }

// launch starts a worm: its header asks for the channel into the network.
func (n *Network) launch(id int32, t noc.Cycle) {
	for int(id) >= len(n.worms) {
		n.worms = append(n.worms, worm{})
	}
	w := &n.worms[id]
	plan := n.Dispatch.At(id)
	*w = worm{live: true, phits: plan.Phits, window: (plan.Phits - 1) / int32(n.config.BufferPhits), counting: w.counting[:0]}
	slices.Sort(plan.Stops)
	n.plant(plan)
	w.size = int32(len(n.scratch))
	w.first = n.block(w.size)
	tree := n.positions[w.first : w.first+w.size]
	for i := range tree {
		p := &tree[i]
		*p = n.scratch[i]
		p.worm, p.left = id, p.count
		if p.parent != none {
			p.parent += w.first
		}
		p.first += w.first
		if p.node != none {
			w.leaves++
		}
		for at, m := p, int32(0); ; at, m = &n.positions[at.parent], m+1 {
			if m <= w.window {
				at.missing++
			}
			if p.node != none {
				at.owed++
			}
			if at.parent == none || m >= w.window && p.node == none {
				break
			}
		}
	}
	if plan.Port == dispatch.Loopback {
		n.enqueue(n.exits[plan.From], w.first, t, ownWay)
		return
	}
	n.enqueue(n.entries[plan.From], w.first, t, 0)
}

// plant lays the tree of a worm out in scratch, by breadth. Stops are ascending, so that those of a branch
// follow each other: each stage divides by the next lower digit.
func (n *Network) plant(plan *dispatch.Worm) {
	fresh := position{parent: none, depth: 1, node: none, ahead: -1, tail: -1, last: -1, channel: none, token: none, waits: none, behind: none}
	n.scratch, n.spans = append(n.scratch[:0], fresh), append(n.spans[:0], span{0, int32(len(plan.Stops))})
	if plan.Port == dispatch.Loopback {
		n.scratch[0].node = int32(plan.From)
		return
	}
	turn := int32(0)
	last, step := int32(n.of.Stages-1), int32(1)
	if n.of.Bidirectional {
		turn = int32(n.of.TurnStage(plan.From, plan.Stops[0]))
		turn = max(turn, int32(n.of.TurnStage(plan.From, plan.Stops[len(plan.Stops)-1])))
		last, step = 0, -1
	}
	for i := int32(0); int(i) < len(n.scratch); i++ {
		p, s := &n.scratch[i], n.spans[i]
		p.first = int32(len(n.scratch))
		child := fresh
		child.parent, child.depth = i, p.depth+1
		switch {
		case p.node != none:
		case n.of.Bidirectional && p.depth <= turn:
			p.count, child.stage, child.port = 1, p.stage+1, climbs
			n.scratch, n.spans = append(n.scratch, child), append(n.spans, s)
		default:
			for at := s.low; at < s.high; {
				port := n.output(p.stage, plan.Stops[at])
				end := at + 1
				for end < s.high && n.output(p.stage, plan.Stops[end]) == port {
					end++
				}
				child.stage, child.port = p.stage+step, port
				if p.stage == last {
					child.node = int32(plan.Stops[at])
				}
				n.scratch, n.spans = append(n.scratch, child), append(n.spans, span{at, end})
				n.scratch[i].count++
				at = end
			}
		}
	}
}

// output is the port of a switch towards a destination, once it is decided by that alone.
func (n *Network) output(stage int32, d noc.NodeID) int32 {
	digit := stage
	if !n.of.Bidirectional {
		digit = int32(n.of.Stages) - 1 - stage
	}
	return int32(d) / n.powers[digit] % int32(n.of.Arity)
}

// block takes room for a number of positions.
func (n *Network) block(size int32) int32 {
	class := bits.Len32(uint32(size - 1))
	if k := len(n.spare[class]); k > 0 {
		first := n.spare[class][k-1]
		n.spare[class] = n.spare[class][:k-1]
		return first
	}
	first := int32(len(n.positions))
	n.positions = slices.Grow(n.positions, 1<<class)[:int(first)+1<<class]
	return first
}

// end takes a worm out of the network.
func (n *Network) end(id int32) {
	w := &n.worms[id]
	w.live = false
	class := bits.Len32(uint32(w.size - 1))
	n.spare[class] = append(n.spare[class], w.first)
	n.Dispatch.End(id)
}
