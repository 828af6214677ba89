package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Step implements noc.Network.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.now < until {
		if next := min(n.nextWork(), until); next > n.now {
			n.now = next
		} else {
			n.cycle()
		}
		seen := n.sinks.Next() <= n.now
		if seen {
			n.sinks.Collect(n.now)
		}
		if n.sources.TakeRoomAgain() || seen {
			break
		}
	}
	return n.now
}

// nextWork is the first cycle in which a router has something to do or a delivery becomes visible.
func (n *Network) nextWork() noc.Cycle {
	if n.config.EveryCycle {
		return n.now
	}
	next := n.sinks.Next()
	for i := range n.banks {
		next = min(next, n.banks[i].wake)
	}
	return next
}

// cycle steps every bank that is due.
func (n *Network) cycle() {
	n.publish()
	n.due = n.due[:0]
	for i := range n.banks {
		if b := &n.banks[i]; b.wake <= n.now || n.config.EveryCycle {
			b.wake = noc.Never // from here on, others may wake it for the next cycle
			n.due = append(n.due, int32(i))
		}
	}
	if n.now&n.look == 0 {
		n.represent()
	}
	if n.now-n.refreshed >= refreshEvery {
		n.refresh()
	}
	if n.visit == nil {
		for _, i := range n.due {
			b := &n.banks[i]
			b.prepare(n)
			n.step(b, b.all)
			n.sleep(b)
		}
	} else {
		n.visitInOrder()
	}
	n.now++
	if fabric.Invariants {
		n.mustHold()
	}
}

// visitInOrder steps the routers of the due banks one by one, in the order that a test asks for.
func (n *Network) visitInOrder() {
	due := make([]bool, len(n.banks))
	for _, i := range n.due {
		due[i] = true
		n.banks[i].prepare(n)
	}
	for _, id := range n.visit {
		if b, bit := n.bankOf(int(id)); due[id>>6] {
			n.step(b, bit)
		}
	}
	for _, i := range n.due {
		n.sleep(&n.banks[i])
	}
}

// prepare brings a bank to the current cycle.
func (b *bank) prepare(n *Network) {
	if b.inWords {
		b.prepareWords(n)
		return
	}
	b.moved = false
	b.advance(n)
	b.collectMail(n)
}

// step lets some routers of a bank decide everything they can in this cycle.
func (n *Network) step(b *bank, routers uint64) {
	if b.inWords {
		n.stepWords(b, routers)
		return
	}
	n.sendAll(b, routers)
	n.arbitrate(b, routers)
	n.enterAll(b, routers)
	n.injectAll(b, routers)
	n.holdAll(b, routers)
}

// sleep finds out when a bank must be stepped next: when time brings something, or in the next
// cycle if something waits and anything moves. Neighbours and clients wake it for what they bring.
func (n *Network) sleep(b *bank) {
	if b.inWords {
		n.sleepWords(b)
		return
	}
	switch {
	case b.feeding|b.headed|b.occupied|b.leaving != 0 && (b.moved || b.few|b.tight != 0):
		b.wake = min(b.wake, n.now+1)
		return
	case b.feeding != 0 && b.patience > n.now:
		b.wake = min(b.wake, b.patience)
	}
	b.wake = min(b.wake, b.nextDate(n))
}
