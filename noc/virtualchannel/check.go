package virtualchannel

import (
	"fmt"
	"math/bits"
)

// CheckInvariants tells whether the state between two cycles is sound: destinations are neither lost nor
// doubled, and credits, flits and their ways add up for every channel. Built with the tag invariants it
// runs after every cycle.
func (n *Network) CheckInvariants() error {
	_, queued := n.sources.Waiting()
	if stops, total := n.dispatch.Waiting(), n.sources.Owed()-int(n.sinks.Delivered()); stops+queued != total {
		return fmt.Errorf("virtualchannel: cycle %d: %d stops of worms and %d destinations in source queues, %d are owed",
			n.now, stops, queued, total)
	}
	return n.checkCredits()
}

// checkCredits: what the sender knows to be free, flits here and on their way, and credits on their way make
// up each channel; its owner sends to it; and a channel asks for the switch exactly when it could move.
func (n *Network) checkCredits() error {
	if n.underWay == nil {
		n.underWay = make([]int16, len(n.channel))
	}
	under := n.underWay
	clear(under)
	for i := range n.agenda {
		for _, a := range n.agenda[i].flits {
			under[a.channel]++
		}
		for _, ch := range n.agenda[i].credits {
			under[ch]++
		}
	}
	for ch := range n.channel {
		c := &n.channel[ch]
		asks := c.stage == active && c.count > 0 && (c.to == none || n.credits[c.to] > 0)
		at := int(c.router)*n.ports + int(c.in)
		if p := &n.port[at]; asks != (p.ready>>c.number&1 != 0) || (c.stage == waiting) != (p.waiting>>c.number&1 != 0) {
			return fmt.Errorf("virtualchannel: cycle %d, node %d: %s asks for the switch: %v, for a channel: %v; ready %b, waiting %b",
				n.now, c.router, n.name(int32(ch)), asks, c.stage == waiting, p.ready, p.waiting)
		}
		if n.feeder[at] == none {
			continue
		}
		if sum := int(n.credits[ch]) + int(c.count) + int(under[ch]); sum != n.config.BufferPhits {
			return fmt.Errorf("virtualchannel: cycle %d, node %d: %s has %d credits, %d flits and %d on their way, together not %d",
				n.now, c.router, n.name(int32(ch)), n.credits[ch], c.count, under[ch], n.config.BufferPhits)
		}
		up := n.owner[ch]
		free := n.port[n.feeder[at]].free>>c.number&1 != 0
		if free != (up == none) || up != none && int(n.channel[up].to) != ch {
			return fmt.Errorf("virtualchannel: cycle %d, node %d: %s belongs to channel %d, which sends elsewhere, or is free: %v",
				n.now, c.router, n.name(int32(ch)), up, free)
		}
	}
	return n.checkPorts()
}

// checkPorts: a router's ports with requests are those whose channels have some.
func (n *Network) checkPorts() error {
	for r := range n.routers {
		var ready, waiting uint32
		for p, x := range n.port[r*n.ports : (r+1)*n.ports] {
			if x.ready != 0 {
				ready |= 1 << p
			}
			if x.waiting != 0 {
				waiting |= 1 << p
			}
		}
		if x := &n.routers[r]; ready != x.ready || waiting != x.waiting {
			return fmt.Errorf("virtualchannel: cycle %d, node %d: %d ports are noted as ready, %d are", n.now, r,
				bits.OnesCount32(x.ready), bits.OnesCount32(ready))
		}
	}
	return nil
}
