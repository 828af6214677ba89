package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// permitted is the set of classes that the congestion control (rules 17 to 20) lets the interface
// of a router inject. The plain router says why there is any.
func (n *Network) permitted(b *bank, r int, waiting uint8) uint8 {
	x := &b.router[r]
	if n.injectLimit < n.segments*n.segmentSlots && n.used(b, r) >= n.injectLimit {
		return 0
	}
	if settled := n.solvent(x); settled > n.now {
		b.paused |= 1 << r
		b.unpaused[b.on(n, min(settled-n.now, noc.Cycle(n.agendaMask)), paid, 1)] |= 1 << r
		return 0
	}
	if waiting = n.withQuota(b, r, waiting); x.aged == 0 || !n.config.CalmInjection {
		return waiting
	}
	if b.impatient>>r&1 == 0 && n.jammed(b.first+r, x.aged) {
		return 0
	}
	return waiting >> bits.Len8(x.aged) << bits.Len8(x.aged)
}

// jammed reports whether an aged packet of some classes waits for anything but the sink of its
// class, which only the node can empty.
func (n *Network) jammed(id int, aged uint8) bool {
	for ; aged != 0; aged &= aged - 1 {
		if n.sinks.Room(noc.NodeID(id), noc.Class(bits.TrailingZeros8(aged))) {
			return true
		}
	}
	return false
}

// solvent is the first cycle in which the interface owes little enough to inject.
func (n *Network) solvent(x *router) noc.Cycle {
	due, slack := (x.paid+99)/100, noc.Cycle(n.config.PaceSlack)
	if n.config.PacePercent == 0 || due <= slack {
		return 0
	}
	return due - slack
}

// charge charges the interface for some phits at a share of their length.
func (n *Network) charge(x *router, phits noc.Cycle, percent int) {
	if n.config.PacePercent > 0 {
		x.paid = max(x.paid, 100*n.now) + phits*noc.Cycle(percent)
	}
}
