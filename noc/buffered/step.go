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
	n.receive(t)
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
// headers whose route is known become heads. Each event makes its router due if it can grant something.
func (n *Network) takeEvents(t noc.Cycle) {
	a := &n.agendas
	i := uint(t) & a.mask & (maxAgendas - 1)
	if a.busy>>i&1 == 0 {
		return
	}
	for _, e := range a.releases[i] {
		n.release(e)
	}
	for _, at := range a.credits[i] {
		if at >= 0 {
			n.takeCredit(at)
		} else {
			n.retest(^at)
		}
	}
	for _, r := range a.senders[i] {
		n.routers[r].sending = false
		n.wakeInterface(int(r))
	}
	for _, at := range a.refills[i] {
		n.credits[n.channel(at)]++
		n.routers[at.router()].free |= 1 << at.class()
		n.wakeInterface(at.router())
	}
	for _, at := range a.heads[i] {
		n.becomeHead(at)
	}
	a.clear(i)
}

// wakeInterface makes an interface due if it has something to send.
func (n *Network) wakeInterface(r int) {
	if x := &n.routers[r]; !x.sending && n.sources.Ready(noc.NodeID(r))&x.free != 0 {
		n.feeds[r>>6] |= 1 << (r & 63)
	}
}

// wake makes a router due if its switch can grant something.
func (n *Network) wake(r int, x *router) {
	can := x.ready[0]&x.idle[0] | x.ready[1]&x.idle[1]
	n.due[uint(r)>>6] |= (can | -can) >> 63 << (uint(r) & 63) // no branch: it would be a coin toss
}

// release makes an output and an input idle again.
func (n *Network) release(e release) {
	r, out, in := int(e>>(2*portBits)), int(e>>portBits)&(maxPorts-1), uint(e)&(maxPorts-1)
	x := &n.routers[r]
	p := &n.port[r*n.ports+out]
	x.idle[in>>3] |= 0xff << (in << classBits & 63)
	p.idle = everyOne
	x.ready[0] |= p.asking[0] & p.open[0]
	x.ready[1] |= p.asking[1] & p.open[1]
	n.wake(r, x)
}

// becomeHead does the RC step of a header that may ask for the switch from this cycle on.
func (n *Network) becomeHead(a address) {
	r := a.router()
	base := r * n.ports
	x := &n.routers[r]
	spot := uint(a) & (1<<addressBits - 1)
	c := &n.channels[base<<classBits+int(spot)]
	if out := c.head.port; out != severalPorts {
		c.branches, c.stage = 1<<(out&15), 1<<(out&15)
		request(x, &n.port[base+int(out)], spot)
	} else {
		c.branches = n.routes.tree(int32(r), n.worms.At(c.head.worm).Src, n.worms.Set(c.head.worm))
		n.ask(c, x, base, spot)
	}
	n.wake(r, x)
}
