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

// collect moves the deliveries visible now to the client's list and tells whether there were any.
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
	n.takeEvents(t)
	if n.order != nil {
		n.visit(t)
	} else {
		for i, w := range n.feeds {
			for n.feeds[i] = 0; w != 0; w &= w - 1 {
				n.inject(i<<6+bits.TrailingZeros64(w), t)
			}
		}
		for i, w := range n.due {
			for n.due[i] = 0; w != 0; w &= w - 1 {
				n.allocate(i<<6+bits.TrailingZeros64(w), t)
			}
		}
	}
	n.now++
	if checking {
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
			n.inject(int(r), t)
		}
		if n.config.EveryCycle || n.due[word]&bit != 0 {
			n.due[word] &^= bit
			n.allocate(int(r), t)
		}
	}
}

// takeEvents lets take effect what was sent or started earlier: ports fall idle, credits arrive, and
// headers whose route is known become heads. Each event makes exactly those routers due that it may have
// given something to grant.
func (n *Network) takeEvents(t noc.Cycle) {
	row := n.agendas.take(t)
	if row == nil {
		return
	}
	for _, e := range row.releases {
		n.release(e)
	}
	for _, ch := range row.credits {
		n.takeCredit(int(ch))
	}
	for _, r := range row.senders {
		n.routers[r].sending = false
		n.wakeInterface(r)
	}
	for _, ch := range row.refills {
		r := n.port[ch>>classBits].router
		n.credits[ch]++
		n.testSpace(int(ch))
		n.wakeInterface(r)
	}
	for _, ch := range row.heads {
		n.becomeHead(int(ch))
	}
	row.clear()
}

// wakeInterface makes an interface due if it has something to send.
func (n *Network) wakeInterface(r int32) {
	if x := &n.routers[r]; !x.sending && n.sources.Ready(noc.NodeID(r))&x.free != 0 {
		n.feeds[r>>6] |= 1 << (r & 63)
	}
}

// wake makes a router due if some request in a set is raised.
func (n *Network) wake(r int32, raised uint64) {
	n.due[r>>6] |= (raised | -raised) >> 63 << (r & 63) // no branch: it would be a coin toss
}

// release makes an output and an input idle again.
func (n *Network) release(e release) {
	link := int(e >> releaseBits)
	in := uint(e & (1<<releaseBits - 1))
	r := n.port[link].router
	x := &n.routers[r]
	half := in >> halfBits
	line := uint64(0xff) << (in & 7 << 3)
	x.idle[half] |= line
	raised := x.asking[half] & line
	link <<= n.wide
	n.requests[link].idle = allIdle
	for h := range 1 + int(n.wide) {
		q := &n.requests[link+h]
		raised |= q.asking & q.open & x.idle[h]
	}
	n.wake(r, raised)
}

// becomeHead does the RC step of a header that may ask for the switch from this cycle on.
func (n *Network) becomeHead(ch int) {
	c := &n.channels[ch]
	in := &n.port[ch>>classBits]
	if c.head.port != severalPorts {
		c.branches = 1 << c.head.port
	} else {
		c.branches = n.routes.tree(in.router, n.worms.At(c.head.worm).Src, n.worms.Set(c.head.worm))
	}
	n.wake(in.router, n.ask(ch, c, in))
}
