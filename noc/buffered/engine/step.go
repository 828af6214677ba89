package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// work returns the next cycle in which a router, an interface or an event is due.
func (n *Network) work() noc.Cycle {
	for i := range n.due {
		if n.due[i]|n.feeds[i] != 0 {
			return n.Clock
		}
	}
	return n.wheel.Next(n.Clock)
}

// cycle simulates the current cycle: what was sent earlier takes effect, then each interface and
// each switch with work does its part.
func (n *Network) cycle() {
	t := n.Clock
	n.began, n.ejected = t, n.Sinks.Delivered()
	n.takeEvents(t)
	n.freedNow = n.wheel.At(t + creditDelay)
	if n.config.EveryCycle {
		for node := range n.routers {
			n.due[node>>6] |= 1 << (node & 63)
			n.feeds[node>>6] |= 1 << (node & 63)
		}
	}
	routers := n.routers
	for i, w := range n.feeds {
		for n.feeds[i] = 0; w != 0; w &= w - 1 {
			n.inject(routers[i<<6+bits.TrailingZeros64(w)], t)
		}
	}
	for i, w := range n.due {
		for n.due[i] = 0; w != 0; w &= w - 1 {
			n.allocate(routers[i<<6+bits.TrailingZeros64(w)], t)
		}
	}
	n.push(n.entering, t+injectDelay)
	n.entering = n.entering[:0]
	n.receive(t)
	if len(n.freedNow.freed[0])|len(n.freedNow.freed[1]) != 0 {
		n.wheel.On(t + creditDelay)
	}
}
