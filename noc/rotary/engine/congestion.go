package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// permitted is the set of classes that the congestion control (rules 17 to 20) lets the interface of a router inject. The
// plain router says why there is any.
func (n *Network) permitted(b *bank, r int, waiting uint8) uint8 {
	x := &b.router[r]
	if n.injectLimit < n.segments*n.segmentSlots && n.used(b, r) >= n.injectLimit {
		return 0
	}
	if settled := n.settled(x); settled > n.now {
		b.paused |= 1 << r
		b.unpaused[b.on(n, min(settled-n.now, noc.Cycle(n.agendaMask)), paid, 1)] |= 1 << r
		return 0
	}
	if waiting = n.roomy(b, r, waiting); x.lost == 0 || !n.config.CalmInjection {
		return waiting
	}
	if b.impatient>>r&1 == 0 && n.jammed(b.first+r, x.lost) {
		return 0
	}
	return waiting >> bits.Len8(x.lost) << bits.Len8(x.lost)
}

// jammed reports whether a lost packet of some classes waits for anything but the sink of its class, which only the
// node can empty.
func (n *Network) jammed(id int, lost uint8) bool {
	for ; lost != 0; lost &= lost - 1 {
		if n.sinks.Room(noc.NodeID(id), noc.Class(bits.TrailingZeros8(lost))) {
			return true
		}
	}
	return false
}

// settled is the first cycle in which the interface owes little enough to inject.
func (n *Network) settled(x *router) noc.Cycle {
	due, slack := (x.paid+99)/100, noc.Cycle(n.config.PaceSlack)
	if n.config.PacePercent == 0 || due <= slack {
		return 0
	}
	return due - slack
}

// pay charges the interface for some phits at a share of their length.
func (n *Network) pay(x *router, phits noc.Cycle, percent int) {
	if n.config.PacePercent > 0 {
		x.paid = max(x.paid, 100*n.now) + phits*noc.Cycle(percent)
	}
}
