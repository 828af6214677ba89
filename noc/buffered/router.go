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
func (n *Network) request(x *router, link, in, class int) {
	half, bit := in>>halfBits, uint64(1)<<(in&7<<3|class)
	link <<= n.wide
	q := &n.requests[link+half]
	q.asking |= bit
	x.ready[half&1] |= bit & q.open & n.requests[link].idle
}

// ask raises the requests of a head with several destinations.
func (n *Network) ask(c *channel, x *router, base, in, class int) {
	// A packet from the node turns into every ring: against[Local] is Local, which nextStage has dealt with.
	c.stage = nextStage(c.branches, n.against[in])
	if c.stage&(c.stage-1) != 0 {
		x.several[in>>halfBits] |= 1 << (in&7<<3 | class)
	}
	for m := uint32(c.stage); m != 0; m &= m - 1 {
		n.request(x, base+bits.TrailingZeros32(m), in, class)
	}
}

// withdraw takes the requests of a head back.
func (n *Network) withdraw(x *router, base, in, class int, stage uint16) {
	half, bit := in>>halfBits, uint64(1)<<(in&7<<3|class)
	x.ready[half&1] &^= bit
	x.several[half&1] &^= bit
	for m := uint32(stage); m != 0; m &= m - 1 {
		n.requests[(base+bits.TrailingZeros32(m))<<n.wide+half].asking &^= bit
	}
}

// seize makes an output busy: heads that ask for it, and for no other that is idle, are ready no more.
func (n *Network) seize(x *router, base, out int) {
	link := (base + out) << n.wide
	n.requests[link].idle = 0
	for half := range 1 + int(n.wide) {
		asking := n.requests[link+half].asking
		x.ready[half&1] &^= asking
		if others := asking & x.several[half&1]; others != 0 {
			n.reconsider(x, base, half, others)
		}
	}
}

// reconsider finds out whether heads with several outputs to take are ready.
func (n *Network) reconsider(x *router, base, half int, heads uint64) {
	ready := uint64(0)
	for link := base << n.wide; link < (base+n.ports)<<n.wide; link += 1 << n.wide {
		q := &n.requests[link+half]
		ready |= q.asking & q.open & n.requests[link].idle
	}
	x.ready[half&1] = x.ready[half&1]&^heads | ready&heads
}

// allocate is the switch allocation (SA) of one router: each idle input nominates one of the channels
// whose packet could leave now, each idle output grants one nominee. A single iteration.
func (n *Network) allocate(r int, t noc.Cycle) {
	base := r * n.ports
	x := &n.routers[r]
	asked, nominated := 0, 0
	contested := uint32(0)
	for half := range 1 + int(n.wide) {
		for e := x.ready[half&1] & x.idle[half&1]; e != 0; {
			shift := uint(bits.TrailingZeros64(e)) & 56
			channels := uint8(e >> shift)
			e &^= 0xff << shift
			in := half<<halfBits | int(shift>>3)
			class := n.nominate(&n.port[base+in], channels)
			asked += bits.OnesCount8(channels)
			nominated++
			q := n.choose(base, in, class)
			n.nominees[q&15] |= 1 << (in & 15)
			contested |= 1 << (q & 15)
		}
	}
	if nominated == 0 {
		return
	}
	x.asked += uint64(asked)
	x.nominated += uint64(nominated)
	x.granted += uint64(bits.OnesCount32(contested))
	for m := contested; m != 0; m &= m - 1 {
		out := bits.TrailingZeros32(m) & 15
		in := next16(n.nominees[out], n.port[base+out].lastInput)
		n.nominees[out] = 0
		n.grant(x, base, in, out, t)
	}
	n.wake(r)
}

// nominate is the input arbiter: it picks one of the channels of an input and moves on, whether or not
// the output arbiter will agree.
func (n *Network) nominate(p *port, channels uint8) int {
	var class int
	if n.config.ChannelArbiter == Priority {
		class = bits.Len8(channels) - 1
	} else {
		class = next8(channels, p.lastChannel)
	}
	p.lastChannel = int8(class)
	return class
}

// choose picks the output that a nominated head asks for: the only one of its stage, or the next of
// several turns that could be granted.
func (n *Network) choose(base, in, class int) int {
	c := &n.channels[(base+in)<<classBits|class]
	stage := uint32(c.stage)
	if stage&(stage-1) == 0 {
		return bits.TrailingZeros32(stage)
	}
	can := uint16(0)
	for m := stage; m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		link := (base + q) << n.wide
		open := n.requests[link+in>>halfBits].open & n.requests[link].idle
		can |= uint16(open>>(in&7<<3|class)&1) << q
	}
	return next16(can, c.lastTurn)
}

// next8 is the first member of a non-empty set after last, wrapping round; last is -1 before the first
// grant. A rotation instead of comparisons: what it picks cannot be predicted.
func next8(set uint8, last int8) int {
	from := int(last+1) & 7
	return (from + bits.TrailingZeros8(bits.RotateLeft8(set, -from))) & 7
}

// next16 is next8 for sets of ports.
func next16(set uint16, last int8) int {
	from := int(last+1) & 15
	return (from + bits.TrailingZeros16(bits.RotateLeft16(set, -from))) & 15
}
