package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// takeCredits applies credits that become usable for outputs and classes.
func (n *Network) takeCredits(list []address) {
	routers := n.routers
	for _, a := range list {
		x, number, class := routers[uint(a)>>addressBits], a.spot()>>classBits, a.spot()&(1<<classBits-1)
		p := &x.port[number]
		p.credits[class]++
		p.open |= n.admits[number][n.level(class, p.credits[class])] << class
		can := p.asking & p.open & p.idle
		x.ready |= can
		x.mark(can & x.idleLines)
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

// pattern is the channels of class 0 that an output admits by its level of space.
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

// level returns whom so many credits of a class admit: nobody (0), packets that go straight on (1),
// or also those that enter a ring (2).
func (n *Network) level(class uint, credits uint8) uint8 {
	if !n.reserved {
		return min(credits, 2)
	}
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
