package buffered

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// nextStage is the set of outputs that a head may visit next: the local one, then turns in any order, the
// straight one last, so that a multicast never holds two slots of one ring.
func nextStage(branches uint16, straight uint8) uint16 {
	if branches&(1<<topology.Local) != 0 {
		return 1 << topology.Local
	}
	if turns := branches &^ (1 << straight); turns != 0 {
		return turns
	}
	return branches
}

// request raises the request of a head for one output.
func (x *router) request(p *port, spot uint) {
	half, bit := spot>>halfBits&1, uint64(1)<<(spot&63)
	p.asking[half] |= bit
	x.ready[half] |= bit & p.open[half] & p.idle
}

// ask raises the requests of a head with several destinations.
func (n *Network) ask(c *channel, x *router, spot uint) {
	// A packet from the node turns into every ring: against[Local] is Local, which nextStage has dealt with.
	c.stage = nextStage(c.branches, n.against[spot>>classBits&(maxPorts-1)])
	if c.stage&(c.stage-1) != 0 {
		x.several[spot>>halfBits&1] |= 1 << (spot & 63)
	}
	for m := uint32(c.stage); m != 0; m &= m - 1 {
		x.request(&x.port[bits.TrailingZeros32(m)&(maxPorts-1)], spot)
	}
}

// seize withdraws the requests of a head and makes the output that it takes busy: heads that ask for it,
// and for no other output that is idle, are ready no more.
func (n *Network) seize(c *channel, x *router, p *port, spot uint) {
	half, bit := spot>>halfBits&1, uint64(1)<<(spot&63)
	x.ready[half] &^= bit
	if c.stage&(c.stage-1) == 0 {
		p.asking[half] &^= bit
	} else {
		x.several[half] &^= bit
		for m := uint32(c.stage); m != 0; m &= m - 1 {
			x.port[bits.TrailingZeros32(m)&(maxPorts-1)].asking[half] &^= bit
		}
	}
	p.idle = 0
	x.ready[0] &^= p.asking[0]
	x.ready[1] &^= p.asking[1]
	if p.asking[0]&x.several[0]|p.asking[1]&x.several[1] != 0 {
		n.findReady(x)
	}
}

// allocate is the switch allocation (SA) of one router: each idle input nominates one of the channels
// whose packet could leave now, each idle output grants one nominee. A single iteration.
func (n *Network) allocate(x *router, t noc.Cycle) {
	asked, nominated, contested := 0, 0, uint32(0)
	for half := range x.ready {
		e := x.ready[half] & x.idleLines[half]
		asked += bits.OnesCount64(e)
		for e != 0 {
			shift := uint(bits.TrailingZeros64(e)) & 56
			channels := uint8(e >> shift)
			e &^= 0xff << shift
			in := uint(half)<<3 | shift>>classBits
			class := n.nominate(&x.port[in&(maxPorts-1)], channels)
			nominated++
			out := n.choose(x, in<<classBits|class)
			n.nominees[out] |= 1 << in
			contested |= 1 << out
		}
		if !n.wide {
			break
		}
	}
	x.asked += uint64(asked)
	x.nominated += uint64(nominated)
	x.granted += uint64(bits.OnesCount32(contested))
	for m := contested; m != 0; m &= m - 1 {
		out := uint(bits.TrailingZeros32(m)) & (maxPorts - 1)
		p := &x.port[out]
		in := next16(n.nominees[out], p.lastInput)
		n.nominees[out] = 0
		p.lastInput = int8(in)
		n.grant(x, p, in, t)
	}
	n.wake(x)
}

// nominate is the input arbiter: it picks one of the channels of an input and moves on, whether or not
// the output arbiter will agree.
func (n *Network) nominate(p *port, channels uint8) (class uint) {
	class = next8(channels, p.lastChannel)
	if n.priority {
		class = uint(bits.Len8(channels) - 1)
	}
	p.lastChannel = int8(class)
	return class
}

// choose picks the output that a nominated head asks for: the only one of its stage, or the next of
// several turns that could be granted.
func (n *Network) choose(x *router, spot uint) uint {
	c := &x.channel[spot&spotMask]
	stage := uint32(c.stage)
	if stage&(stage-1) == 0 {
		return uint(bits.TrailingZeros32(stage)) & (maxPorts - 1)
	}
	can := uint16(0)
	for m := stage; m != 0; m &= m - 1 {
		out := bits.TrailingZeros32(m)
		p := &x.port[out&(maxPorts-1)]
		can |= uint16(p.open[spot>>halfBits&1]&p.idle>>(spot&63)&1) << out
	}
	return next16(can, c.lastTurn)
}

// next8 is the first member of a non-empty set after last, wrapping round; last is -1 before the first
// grant. A rotation instead of comparisons: what it picks cannot be predicted.
func next8(set uint8, last int8) uint {
	from := uint(last+1) & 7
	return (from + uint(bits.TrailingZeros8(bits.RotateLeft8(set, -int(from))))) & 7
}

// next16 is next8 for sets of ports.
func next16(set uint16, last int8) uint {
	from := uint(last+1) & 15
	return (from + uint(bits.TrailingZeros16(bits.RotateLeft16(set, -int(from))))) & 15
}
