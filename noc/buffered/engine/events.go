package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// release is the address of a channel, all of whose input falls idle, << portBits | output.
type release int32

// events is what takes effect in one of the cycles to come. A list per kind of event: a long loop
// of equal steps is predicted, one over what a single router has to do is not and made a grant a
// third slower.
type events struct {
	releases []release    // an output and an input fall idle
	freed    [2][]address // credits usable at an interface, and for the channel across an output
	senders  []address    // interfaces fall idle
	heads    []address    // channels whose head may ask for the switch
	copies   int          // streams that end in a buffer, of packets copied in the router
}

// clear empties the lists of a cycle.
func (a *events) clear() {
	a.releases, a.freed[0], a.freed[1] = a.releases[:0], a.freed[0][:0], a.freed[1][:0]
	a.senders, a.heads, a.copies = a.senders[:0], a.heads[:0], 0
}

// takeEvents lets take effect what was sent or started earlier: ports fall idle, credits arrive,
// and headers whose route is known become heads. An event makes its router due if the switch can
// grant something after it: until the switch does, events only add to what it can grant.
func (n *Network) takeEvents(t noc.Cycle) {
	a := n.wheel.Take(t)
	if a == nil {
		return
	}
	n.takeReleases(a.releases)
	n.takeCredits(a.freed[1])
	for _, at := range a.senders {
		n.at(at).sending = false
		n.wakeInterface(n.at(at))
	}
	for _, at := range a.freed[0] {
		x, class := n.at(at), at.spot()&(1<<classBits-1)
		x.port[topology.Local].credits[class]++
		x.free |= 1 << class
		n.wakeInterface(x)
	}
	n.takeHeads(a.heads)
	a.clear()
}

// wakeInterface makes an interface due if it has something to send.
func (n *Network) wakeInterface(x *router) {
	if !x.sending && n.Sources.Ready(noc.NodeID(x.id))&x.free != 0 {
		n.feeds[x.id>>6] |= 1 << (x.id & 63)
	}
}

// wake makes a router due if its switch can grant something.
func (n *Network) wake(x *router) {
	x.mark(x.ready & x.idleLines)
}

// mark makes a router due if a set of what it can grant is not empty. It is compiled to a
// conditional move, and has to be: a branch would be a coin toss.
func (x *router) mark(can uint64) {
	due := *x.due
	with := due | x.bit
	if can != 0 {
		due = with
	}
	*x.due = due
}

// takeReleases makes outputs and inputs idle again.
func (n *Network) takeReleases(list []release) {
	routers := n.routers
	for _, e := range list {
		x := routers[uint(e)>>(addressBits+portBits)]
		p, spot := &x.port[uint(e)&(maxPorts-1)], uint(e)>>portBits&spotMask
		p.idle = ^uint64(0)
		x.idleLines |= everyClass << (spot &^ (1<<classBits - 1))
		x.ready |= p.asking & p.open
		x.mark(x.ready & x.idleLines)
	}
}

// takeHeads does the RC step of headers that may ask for the switch from this cycle on.
func (n *Network) takeHeads(list []address) {
	written := max(n.Clock, n.delays.ready) - n.delays.ready
	routers, several := n.routers, 0
	for _, a := range list {
		x, spot := routers[uint(a)>>addressBits], a.spot()
		x.addHead(written)
		k := x.channel[spot].front[0]
		if k&manyBit != 0 { // later: a loop that calls functions keeps nothing in registers
			list[several] = a
			several++
			continue
		}
		x.mark(x.request(&x.port[k.port()], spot))
	}
	for _, a := range list[:several] {
		n.routeSeveral(n.at(a), a.spot())
		n.wake(n.at(a))
	}
}

// routeSeveral does the RC step of a header with several destinations.
func (n *Network) routeSeveral(x *router, spot uint) {
	c := &x.channel[spot&spotMask]
	id := c.front[0].worm()
	c.branches = n.routes.tree(x.id, n.Packets.At(id).Src, n.Packets.Set(id))
	n.ask(c, x, spot)
}
