package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// takeCredits applies credits that become usable for outputs and classes.
func (n *Network) takeCredits(list []globalVC) {
	routers := n.routers
	for _, a := range list {
		r, number, class := routers[uint(a)>>globalBits], a.localVC()>>classBits, a.localVC()&(1<<classBits-1)
		p := &r.port[number]
		p.credits[class]++
		p.open |= n.admits[number][n.level(class, p.credits[class])] << class
		can := p.asking & p.open & p.idle
		r.ready |= can
		r.mark(can & r.idleLines)
	}
}

// findReady finds all heads of a router that are ready.
func (n *Network) findReady(r *router) {
	r.ready = 0
	for out := range n.ports {
		p := &r.port[out&(maxPorts-1)]
		r.ready |= p.asking & p.open & p.idle
	}
	n.wake(r)
}

// pattern is the channels of class 0 that an output admits by its level of space.
type pattern [4]uint64

// patterns lists the patterns of the ports: one credit is enough for a packet that goes straight
// on, one that enters the ring needs the bubble.
func patterns(opposite [maxPorts]uint8, bubble bool) (all [maxPorts]pattern) {
	for number := range all {
		straight := uint(opposite[number]) << classBits
		all[number][1] = 1 << (straight & localMask)
		all[number][2] = everyPort
		if !bubble {
			all[number][1] = all[number][2]
		}
	}
	return all
}

// level returns which packets so many credits of a class admit: none (0), those that go straight on
// (1), or also those that enter a ring (2).
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
func (n *Network) testSink(node int) {
	room := uint64(0)
	for c := range n.config.Classes {
		if n.Sinks.Room(noc.NodeID(node), noc.Class(c)) {
			room |= 1 << c
		}
	}
	n.routers[node].port[topology.Local].open = everyPort * room
	n.findReady(n.routers[node])
}
