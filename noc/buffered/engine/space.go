package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// spend notes that a credit of a network output was taken, in a general network.
func (n *Network) spend(x *router, p *port, spot uint, t noc.Cycle) {
	n.testSpace(x, spot)
	// The router across tests this count; it sees the change from the next cycle on.
	a := n.wheel.On(t + 1)
	a.retests = append(a.retests, n.straightOn(p, spot&(1<<classBits-1)))
}

// takeCredits applies credits that become usable for outputs and classes.
func (n *Network) takeCredits(list []address) {
	if n.general {
		for _, a := range list {
			n.at(a).port[a.spot()>>classBits].credits[a.spot()&(1<<classBits-1)]++
			n.testAround(a)
		}
		return
	}
	routers := n.routers
	for _, a := range list {
		x, number, class := routers[uint(a)>>addressBits], a.spot()>>classBits, a.spot()&(1<<classBits-1)
		p := &x.port[number]
		p.credits[class]++
		p.open |= n.admits[number][min(p.credits[class], 2)] << class
		can := p.asking & p.open & p.idle
		x.ready |= can
		x.mark(can & x.idleLines)
	}
}

// testAround tests what a credit admits in a general network: at its own output, and at the one
// behind it on the ring for the bubble that is tested there.
func (n *Network) testAround(a address) {
	p := &n.at(a).port[a.spot()>>classBits]
	for _, a := range [...]address{a, n.straightOn(p, a.spot()&(1<<classBits-1))} {
		n.testSpace(n.at(a), a.spot())
		n.findReady(n.at(a))
	}
}

// findReady finds all heads of a router that are ready.
func (n *Network) findReady(x *router) {
	x.ready = 0
	for out := range n.ports {
		p := &x.port[out&(maxPorts-1)]
		x.ready |= p.asking & p.open & p.idle
	}
	n.wake(x)
}

// straightOn returns the output by which a packet that leaves over the given one leaves the next
// router in the same direction. On a torus there always is one.
func (n *Network) straightOn(p *port, class uint) address {
	return p.far&^spotMask | address(n.opposite[p.far.spot()>>classBits])<<classBits | address(class)
}

// pattern is the channels of class 0 that an output admits by its level of space, which in networks
// that are not general is its credits, or 2 if it has more.
type pattern [4]uint64

// patterns lists the patterns of the ports: one credit is enough for a packet that goes straight
// on, one that enters the ring needs the bubble.
func patterns(opposite [maxPorts]uint8, bubble bool) (all [maxPorts]pattern) {
	for number := range all {
		straight := uint(opposite[number]) << classBits
		all[number][1] = 1 << (straight & spotMask)
		all[number][2] = everyPort
		if !bubble {
			all[number][1] = all[number][2]
		}
	}
	return all
}

// setSpace notes which channels of a class a level of space admits.
func (n *Network) setSpace(p *port, number, class uint, level uint8) {
	class &= 1<<classBits - 1
	p.open = p.open&^(everyPort<<class) | n.admits[number][level&3]<<class
}

// testSpace finds what the credits for an output and class admit where the bubble is tested at
// the router.
func (n *Network) testSpace(x *router, spot uint) {
	number, class := spot>>classBits&(maxPorts-1), spot&(1<<classBits-1)
	p := &x.port[number]
	level := n.level(class, p.credits[class])
	if n.local && level > 0 {
		in := &x.port[n.opposite[number]&(maxPorts-1)]
		level = max(1, n.level(class, n.at(in.far).port[in.far.spot()>>classBits].credits[class]))
	}
	n.setSpace(p, number, class, level)
}

// level returns whom so many credits of a class admit: nobody (0), packets that go straight on (1),
// or also those that enter a ring (2).
func (n *Network) level(class uint, credits uint8) uint8 {
	switch s := &n.space[class&(1<<classBits-1)]; {
	case int(credits) < s.Ahead:
		return 0
	case int(credits) < s.Enter:
		return 1
	}
	return 2
}

// testSink finds which classes the sink of a node takes.
func (n *Network) testSink(r int) {
	room := uint64(0)
	for c := range n.config.Classes {
		if n.Sinks.Room(noc.NodeID(r), noc.Class(c)) {
			room |= 1 << c
		}
	}
	n.routers[r].port[topology.Local].open = everyPort * room
	n.findReady(n.routers[r])
}
