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
func (x *router) request(p *port, spot uint) uint64 {
	asking := p.asking | 1<<(spot&spotMask)
	p.asking = asking
	can := asking & p.open & p.idle // the others are known as ready
	x.ready |= can
	return can & x.idleLines
}

// ask raises the requests of a head with several destinations.
func (n *Network) ask(c *channel, x *router, spot uint) {
	// A packet from the node turns into every ring: opposite[Local] is Local, which nextStage has
	// dealt with.
	c.stage = nextStage(c.branches, n.opposite[spot>>classBits&(maxPorts-1)])
	if c.stage&(c.stage-1) != 0 {
		x.several |= 1 << (spot & spotMask)
	}
	for m := uint32(c.stage); m != 0; m &= m - 1 {
		x.request(&x.port[bits.TrailingZeros32(m)&(maxPorts-1)], spot)
	}
}

// withdraw takes back the requests of a granted head for other outputs, and finds the heads that
// are ready when some ask for more than one output: such a head may ask for another that is idle.
func (n *Network) withdraw(c *channel, x *router, p *port, spot uint) {
	bit := uint64(1) << (spot & spotMask)
	if x.several&bit != 0 {
		x.several &^= bit
		for m := uint32(c.stage); m != 0; m &= m - 1 {
			x.port[bits.TrailingZeros32(m)&(maxPorts-1)].asking &^= bit
		}
		n.findReady(x)
	} else if p.asking&x.several != 0 {
		n.findReady(x)
	}
}

// allocate is the switch allocation (SA) of one router: each idle input nominates one of the
// channels whose packet could leave now, whether or not the output arbiter will agree; each idle
// output grants one nominee. A single iteration.
func (n *Network) allocate(x *router, t noc.Cycle) {
	e := x.ready & x.idleLines // may be empty: routers are due, or visited in every cycle, for less
	if e&(e-1) == 0 {
		if e != 0 {
			n.allocateOne(x, uint(bits.TrailingZeros64(e)), t)
		}
		return
	}
	for asked := n.nominate(x, e); asked != 0; asked &= asked - 1 {
		out := uint(bits.TrailingZeros32(asked)) & (maxPorts - 1)
		p := &x.port[out]
		in := arbiter.Next8(n.nominees[out], x.lastInput[out])
		n.nominees[out] = 0
		x.lastInput[out] = int8(in)
		x.granted++
		n.grant(x, p, out, uint(n.nominated[in]), t)
	}
	n.wake(x)
}

// allocateOne is allocate where only one head can be granted something, as is most often so: no
// arbiter has a choice, and nothing is left to grant.
func (n *Network) allocateOne(x *router, spot uint, t noc.Cycle) {
	c := &x.channel[spot]
	out := c.front[0].port()
	if out == severalPorts {
		out = n.choose(c, x, spot)
	}
	p := &x.port[out&(maxPorts-1)]
	x.lastInput[out&(maxPorts-1)] = int8(spot >> classBits)
	lane := uint64(everyClass) << (spot & spotMask &^ (1<<classBits - 1))
	x.turn = x.turn&^lane | lane&-(2<<spot)
	x.asked++
	x.nominated++
	x.granted++
	n.grant(x, p, out, spot, t)
}

// nominate lets the inputs of a router nominate of the channels that could be granted something,
// and returns the outputs that nominees ask for.
func (n *Network) nominate(x *router, e uint64) (outputs uint32) {
	nominated, turn := arbiter.Octets(e, x.turn)
	x.turn = turn
	x.asked += uint64(bits.OnesCount64(e))
	for ; nominated != 0; nominated &= nominated - 1 {
		spot := uint(bits.TrailingZeros64(nominated)) & spotMask
		c := &x.channel[spot]
		out := c.front[0].port()
		if out == severalPorts {
			out = n.choose(c, x, spot)
		}
		in := spot >> classBits & (maxPorts - 1)
		x.nominated++
		n.nominated[in] = uint8(spot)
		n.nominees[out&(maxPorts-1)] |= 1 << in
		outputs |= 1 << (out & (maxPorts - 1))
	}
	return outputs
}

// choose picks the output that a nominated head with several destinations asks for: the next of
// those of its stage that could be granted.
func (n *Network) choose(c *channel, x *router, spot uint) uint {
	can := uint8(0)
	for m := uint32(c.stage); m != 0; m &= m - 1 {
		out := bits.TrailingZeros32(m)
		p := &x.port[out&(maxPorts-1)]
		can |= uint8(p.open&p.idle>>(spot&spotMask)&1) << out
	}
	return arbiter.Next8(can, c.lastTurn)
}
