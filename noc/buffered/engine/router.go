package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/topology"
)

// nextStage returns the set of outputs that a head may visit next: the local one, then turns in
// any order, the straight one last, so that a multicast never holds two slots of one ring.
func nextStage(branches, straight uint8) uint8 {
	if branches&(1<<topology.Local) != 0 {
		return 1 << topology.Local
	}
	if turns := branches &^ (1 << straight); turns != 0 {
		return turns
	}
	return branches
}

// request raises the request of a head for one output. It returns what the switch can grant of
// all requests for it.
func (r *router) request(p *port, localVC uint) uint64 {
	asking := p.asking | 1<<(localVC&localMask)
	p.asking = asking
	can := asking & p.open & p.idle // the others are known as ready
	r.ready |= can
	return can & r.idleLines
}

// ask raises the requests of a head with several destinations.
func (n *Network) ask(c *channel, r *router, localVC uint) {
	// A packet from the node turns into every ring: opposite[Local] is Local, which nextStage has
	// dealt with.
	c.stage = nextStage(c.branches, n.opposite[localVC>>classBits&(maxPorts-1)])
	if c.stage&(c.stage-1) != 0 {
		r.several |= 1 << (localVC & localMask)
	}
	for m := uint32(c.stage); m != 0; m &= m - 1 {
		r.request(&r.port[bits.TrailingZeros32(m)&(maxPorts-1)], localVC)
	}
}

// withdraw takes back the requests of a granted head for other outputs, and finds the heads that
// are ready when some ask for more than one output: such a head may ask for another that is idle.
func (n *Network) withdraw(c *channel, r *router, p *port, localVC uint) {
	bit := uint64(1) << (localVC & localMask)
	if r.several&bit != 0 {
		r.several &^= bit
		for m := uint32(c.stage); m != 0; m &= m - 1 {
			r.port[bits.TrailingZeros32(m)&(maxPorts-1)].asking &^= bit
		}
		n.findReady(r)
	} else if p.asking&r.several != 0 {
		n.findReady(r)
	}
}

// allocate is the switch allocation (SA) of one router: each idle input nominates one of the
// channels whose packet could leave now, whether or not the output arbiter will agree; each idle
// output grants one nominee. A single iteration.
func (n *Network) allocate(r *router, t noc.Cycle) {
	e := r.ready & r.idleLines // may be empty: routers are due, or visited in every cycle, for less
	if e&(e-1) == 0 {
		if e != 0 {
			n.allocateOne(r, uint(bits.TrailingZeros64(e)), t)
		}
		return
	}
	for asked := n.nominate(r, e); asked != 0; asked &= asked - 1 {
		out := uint(bits.TrailingZeros32(asked)) & (maxPorts - 1)
		p := &r.port[out]
		in := arbiter.Next8(n.nominees[out], r.lastInput[out])
		n.nominees[out] = 0
		r.lastInput[out] = int8(in)
		r.granted++
		n.grant(r, p, out, uint(n.nominated[in]), t)
	}
	n.wake(r)
}

// allocateOne is allocate where only one head can be granted something, as is most often so: no
// arbiter has a choice, and nothing is left to grant.
func (n *Network) allocateOne(r *router, localVC uint, t noc.Cycle) {
	c := &r.channel[localVC]
	out := c.front[0].port()
	if out == severalPorts {
		out = n.choose(c, r, localVC)
	}
	p := &r.port[out&(maxPorts-1)]
	r.lastInput[out&(maxPorts-1)] = int8(localVC >> classBits)
	lane := uint64(everyClass) << (localVC & localMask &^ (1<<classBits - 1))
	r.turn = r.turn&^lane | lane&-(2<<localVC)
	r.asked++
	r.nominated++
	r.granted++
	n.grant(r, p, out, localVC, t)
}

// nominate lets the inputs of a router nominate of the channels that could be granted something,
// and returns the outputs that nominees ask for.
func (n *Network) nominate(r *router, e uint64) (outputs uint32) {
	nominated, turn := arbiter.Octets(e, r.turn)
	r.turn = turn
	r.asked += uint64(bits.OnesCount64(e))
	for ; nominated != 0; nominated &= nominated - 1 {
		localVC := uint(bits.TrailingZeros64(nominated)) & localMask
		c := &r.channel[localVC]
		out := c.front[0].port()
		if out == severalPorts {
			out = n.choose(c, r, localVC)
		}
		in := localVC >> classBits & (maxPorts - 1)
		r.nominated++
		n.nominated[in] = uint8(localVC)
		n.nominees[out&(maxPorts-1)] |= 1 << in
		outputs |= 1 << (out & (maxPorts - 1))
	}
	return outputs
}

// choose picks the output that a nominated head with several destinations asks for: the next of
// those of its stage that could be granted.
func (n *Network) choose(c *channel, r *router, localVC uint) uint {
	can := uint8(0)
	for m := uint32(c.stage); m != 0; m &= m - 1 {
		out := bits.TrailingZeros32(m)
		p := &r.port[out&(maxPorts-1)]
		can |= uint8(p.open&p.idle>>(localVC&localMask)&1) << out
	}
	return arbiter.Next8(can, c.lastTurn)
}

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
