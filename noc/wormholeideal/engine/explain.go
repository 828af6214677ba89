package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Explain lists the worms whose header waits, what they hold and what they wait for, and the packets at
// the head of source queues that wait for the node to send others. Worms that are on their way, and those
// whose tail follows, are not listed.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	for _, id := range n.waiting() {
		all = append(all, n.stuck(id))
	}
	return n.Queued(all)
}

// stuck describes a worm whose header waits.
func (n *Network) stuck(id int32) noc.Stuck {
	w, plan := &n.worms[id], n.Dispatch.At(id)
	s := n.Stuck(plan.Packet)
	s.At, s.Since, s.Holds = noc.NodeID(w.router), w.since, fmt.Sprintf("injection port %d", plan.Port)
	if w.head > 0 {
		s.Holds = n.channelName(w.held[w.head])
	}
	if w.waits < none {
		node := noc.NodeID(-2 - w.waits)
		s.For, s.Waits = noc.NodeID(w.router), fmt.Sprintf("ejection into node %d: %d channels free", node, n.receivers[node].idle)
		if n.receivers[node].idle > 0 {
			s.Waits = fmt.Sprintf("sink %d of node %d: no free place", plan.Class, node)
		}
		return s
	}
	ch := &n.channels[w.waits]
	s.For, s.Waits = noc.NodeID(ch.to), n.channelName(w.waits)+": free"
	if others := len(n.permitted(id)) - 1; others > 0 {
		s.Waits = fmt.Sprintf("%s or any of %d others", n.channelName(w.waits), others)
		return s
	}
	if ch.holder != none {
		holder := n.Packets.At(n.Dispatch.At(ch.holder).Packet)
		s.Waits = fmt.Sprintf("%s: held by packet %d of node %d", n.channelName(w.waits), holder.Tag, holder.Src)
	}
	return s
}

// channelName names the buffer behind a channel.
func (n *Network) channelName(c int32) string {
	ch := &n.channels[c]
	if ch.from == none {
		return fmt.Sprintf("injection channel %d", c-int32(len(n.wiring.Channels)))
	}
	return fmt.Sprintf("channel %d-%d", ch.from, ch.to)
}

// Deadlock finds worms that wait for each other in a circle and can never move: each holds what the one
// before it waits for. It is empty when every waiting worm has a way out, if only over a client that
// frees a sink.
func (n *Network) Deadlock() (circle []noc.Stuck) {
	for _, id := range fabric.Circle(n.waiting(), n.blocker) {
		circle = append(circle, n.stuck(id))
	}
	return circle
}

// waiting lists the worms whose header waits.
func (n *Network) waiting() (list []int32) {
	for i := range n.worms {
		if w := &n.worms[i]; w.live && w.waits != none {
			list = append(list, int32(i))
		}
	}
	return list
}

// blocker is a worm that holds what another waits for, or none if it has a way out.
func (n *Network) blocker(id int32, stuck map[int32]bool) int32 {
	w := &n.worms[id]
	if w.waits >= 0 {
		holder := none
		for _, c := range n.permitted(id) {
			if holder = n.channels[c].holder; holder == none || !stuck[holder] {
				return none
			}
		}
		return holder
	}
	node := noc.NodeID(-2 - w.waits)
	if n.receivers[node].idle > 0 {
		return none // a full sink
	}
	blocker := none
	for i := range n.worms {
		o := &n.worms[i]
		if !o.live {
			continue
		}
		for _, v := range o.visits[o.over:] {
			if v.node != node {
				continue
			}
			if !stuck[int32(i)] {
				return none
			}
			blocker = int32(i)
		}
	}
	return blocker
}
