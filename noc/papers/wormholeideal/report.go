package wormholeideal

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Totals are running sums over the whole network. PhitHops includes flits that follow a header that
// has crossed.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.hops, n.inside
	return t
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	first := len(into)
	for r := range n.routers {
		into = append(into, n.routers[r].activity(n.Clock))
	}
	for c, l := range n.wiring.Channels {
		into[first+int(l.From)].LinkPhits += n.holdings[c].phits
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for c, l := range n.wiring.Channels {
		into = append(into, noc.Link{From: l.From, To: l.To, Port: uint8(l.Out), Phits: n.holdings[c].phits})
	}
	return into
}

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither
// lost nor doubled, each channel and token is held by exactly the worm that stretches over it, and
// no header waits for what is free.
func (n *Network) CheckInvariants() error {
	err := n.CheckDestinations()
	if err == nil {
		err = n.checkHolders()
	}
	for q := 0; q < len(n.waits) && err == nil; q++ {
		err = n.checkQueue(int32(q))
	}
	if err != nil {
		return fmt.Errorf("wormholeideal: cycle %d: %w", n.Clock, err)
	}
	return nil
}

// checkHolders reports whether each channel and token is held by the worm that stretches over it,
// and by no other.
func (n *Network) checkHolders() error {
	held := 0
	for k := range n.positions.all {
		p := &n.positions.all[k]
		if p.worm == none {
			continue
		}
		if n.stages == nil && !p.left {
			held += int(p.high - p.low)
		}
		if p.token != none {
			held++
		}
		if p.channel == none || p.left {
			continue
		}
		held++
		if n.holdings[p.channel].holder != int32(k) {
			return fmt.Errorf("a worm of node %d stretches over %s, which it does not hold", n.Dispatch.At(p.worm).From, n.name(p.channel))
		}
	}
	for c := range n.holdings {
		if n.holdings[c].holder != none {
			held--
		}
	}
	if held != 0 {
		return fmt.Errorf("%d channels are held by no worm that stretches over them", -held)
	}
	return nil
}

// checkQueue reports whether a queue counts its free channels correctly, and will be served if a
// header can get one.
func (n *Network) checkQueue(q int32) error {
	x, of, free := &n.waits[q], &n.queues[q], int32(0)
	for c := of.first; c < of.first+of.count; c++ {
		if ch := &n.holdings[c]; ch.holder == none && (ch.freeAt == 0 || ch.freeAt < n.Clock) {
			free++
		}
	}
	if free != x.free {
		return fmt.Errorf("%s: %d channels of its queue are free, %d are counted", n.name(of.first), free, x.free)
	}
	for i := range x.requests {
		if c := n.freeFor(q, &x.requests[i], n.Clock-1); c != none && !x.listed {
			return fmt.Errorf("a header waits for %s, which is free", n.name(c))
		}
	}
	return nil
}
