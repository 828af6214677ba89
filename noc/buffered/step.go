package buffered

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Step simulates cycles up to until, or to the first one with news for the client.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.now < until {
		if !n.config.EveryCycle {
			if next := min(n.nextWork(), until); next > n.now {
				n.now = next
				n.ejected = n.sinks.Delivered()
				if n.collect() || n.now == until {
					return n.now
				}
			}
		}
		n.cycle()
		room := n.sources.TakeRoomAgain()
		if n.collect() || room {
			return n.now
		}
	}
	return n.now
}

// nextWork is the next cycle in which a router, an interface, an event or a delivery is due.
func (n *Network) nextWork() noc.Cycle {
	for i := range n.due {
		if n.due[i]|n.feeds[i] != 0 {
			return n.now
		}
	}
	next := n.agendas.next(n.now)
	if n.news != 0 {
		next = min(next, n.now+noc.Cycle(bits.TrailingZeros64(bits.RotateLeft64(n.news, -int(n.now%fabric.Horizon)))))
	}
	return next
}

// collect moves the deliveries visible now to the client's list and reports whether there were any.
func (n *Network) collect() bool {
	bit := uint64(1) << (n.now % fabric.Horizon)
	if n.news&bit == 0 {
		return false
	}
	n.news &^= bit
	n.sinks.Collect(n.now)
	return true
}

// cycle simulates the current cycle: what was sent earlier takes effect, then each interface and each
// switch with work does its part.
func (n *Network) cycle() {
	t := n.now
	n.ejected = n.sinks.Delivered()
	n.takeEvents(t)
	n.soon = n.agendas.at(t + creditDelay)
	if n.order != nil {
		n.visit(t)
	} else {
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
	}
	n.push(n.entering, t+injectDelay)
	n.entering = n.entering[:0]
	n.receive(t)
	if len(n.soon.freed[0])|len(n.soon.freed[1]) != 0 {
		n.agendas.on(t + creditDelay)
	}
	n.now++
	if fabric.Invariants {
		if err := n.CheckInvariants(); err != nil {
			panic(err)
		}
	}
}

// visit is cycle's loops with the routers in another order, or all of them.
func (n *Network) visit(t noc.Cycle) {
	for _, r := range n.order {
		word, bit := r>>6, uint64(1)<<(r&63)
		if n.config.EveryCycle || n.feeds[word]&bit != 0 {
			n.feeds[word] &^= bit
			n.inject(n.routers[r], t)
		}
		if n.config.EveryCycle || n.due[word]&bit != 0 {
			n.due[word] &^= bit
			n.allocate(n.routers[r], t)
		}
	}
}
