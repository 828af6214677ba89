package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Explain lists the headers that wait, what they hold and what they wait for, and the packets at
// the head of source queues that wait for the node to send others. Worms that are on their way are
// not listed.
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
			list = n.waitingBehind(root, list)
		}
	}
	return list
}

// waitingBehind appends a run whose header waits, and those behind it.
func (x *runs) waitingBehind(id int32, list []int32) []int32 {
	if x.run[id].waits != none {
		list = append(list, id)
	}
	for c := x.run[id].child; c != none; c = x.run[c].sibling {
		list = x.waitingBehind(c, list)
	}
	return list
}

// stuck describes a header that waits.
func (n *Network) stuck(id int32) noc.Stuck {
	r := &n.run[id]
	plan, x := n.Dispatch.At(r.worm), &n.allocator.queues[r.waits]
	s := n.Stuck(plan.Packet)
	s.At, s.For, s.Since, s.Holds = noc.NodeID(r.router), noc.NodeID(r.router), r.since, fmt.Sprintf("injection port %d", plan.Port)
	behind := r
	if len(r.held) == 0 {
		behind = &n.run[r.parent]
	}
	if c := behind.held[len(behind.held)-1]; c != none {
		s.Holds = n.Name(c)
	}
	switch x.kind {
	case wormholeideal.Ejection:
		s.Waits = fmt.Sprintf("sink %d of node %d: no free place", plan.Class, x.node)
		for holder := range n.run {
			if x.free == 0 && n.receives(int32(holder), x.node) != none {
				s.Waits = fmt.Sprintf("ejection into node %d: %s", x.node, n.heldBy(int32(holder)))
				break
			}
		}
		return s
	case wormholeideal.Token:
		s.Waits = n.holding(x.first)
		return s
	}
	choices := n.allocator.permitted(id)
	s.For, s.Waits = noc.NodeID(n.channels[choices[0]].To), n.holding(choices[0])
	if others := len(choices) - 1; others > 0 {
		s.Waits = fmt.Sprintf("%s or any of %d others", n.Name(choices[0]), others)
	}
	return s
}

// holding names a channel and who has it.
func (n *Network) holding(c int32) string {
	holder := n.channels[c].holder
	if holder == none {
		return n.Name(c) + ": free"
	}
	return n.Name(c) + ": " + n.heldBy(holder)
}

// heldBy says whose a run is that has something.
func (n *Network) heldBy(id int32) string {
	p := n.Packets.At(n.Dispatch.At(n.run[id].worm).Packet)
	return fmt.Sprintf("held by packet %d of node %d", p.Tag, p.Src)
}

// receives returns the position of a run from which a node takes flits, or none.
func (x *runs) receives(id int32, node noc.NodeID) int32 {
	r := &x.run[id]
	if r.worm == none {
		return none
	}
	for _, v := range r.visits[r.over:] {
		if v.node == node {
			return v.position
		}
	}
	if r.done && r.node == int32(node) && int(r.tail)+1 < len(r.held) {
		return int32(len(r.held)) - 1
	}
	return none
}
