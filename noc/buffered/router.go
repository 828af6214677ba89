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

// ask raises the requests of a channel's head and returns those that could be granted now.
func (n *Network) ask(ch int, c *channel, in *port) (raised uint64) {
	// A packet from the node turns into every ring: against[Local] is Local, which nextStage has dealt with.
	c.stage = nextStage(c.branches, n.against[in.number])
	half, bit := in.number>>halfBits, uint64(1)<<(in.number&7<<3|uint8(ch&7))
	x := &n.routers[in.router]
	x.asking[half] |= bit
	base := ch>>classBits - int(in.number)
	for m := uint32(c.stage); m != 0; m &= m - 1 {
		i := (base + bits.TrailingZeros32(m)) << n.wide
		q := &n.requests[i+int(half)]
		q.asking |= bit
		raised |= bit & q.open & x.idle[half] & n.requests[i].idle
	}
	return raised
}

// withdraw takes the requests of a channel's head back.
func (n *Network) withdraw(ch int, stage uint16, x *router, in *port) {
	half, bit := in.number>>halfBits, uint64(1)<<(in.number&7<<3|uint8(ch&7))
	x.asking[half] &^= bit
	base := ch>>classBits - int(in.number)
	for m := uint32(stage); m != 0; m &= m - 1 {
		n.requests[(base+bits.TrailingZeros32(m))<<n.wide+int(half)].asking &^= bit
	}
}

// allocate is the switch allocation (SA) of one router: each idle input nominates one of the channels
// whose packet could leave now, each idle output grants one nominee. A single iteration.
func (n *Network) allocate(r int, t noc.Cycle) {
	base := r * n.ports
	x := &n.routers[r]
	asked, nominated := 0, 0
	contested := uint32(0)
	for half := range 1 + int(n.wide) {
		for e := n.eligible(base, half, x.idle[half]); e != 0; {
			shift := uint(bits.TrailingZeros64(e)) &^ 7
			channels := uint8(e >> shift)
			e &^= 0xff << shift
			in := half<<halfBits + int(shift>>3)
			class := n.nominate(&n.port[base+in], channels)
			asked += bits.OnesCount8(channels)
			nominated++
			q := n.choose((base+in)<<classBits|class, half, shift)
			n.nominees[q&15] |= 1 << in
			contested |= 1 << q
		}
	}
	if nominated == 0 {
		return
	}
	granted := 0
	for m := contested; m != 0; m &= m - 1 {
		out := bits.TrailingZeros32(m)
		p := &n.port[base+out]
		in := next16(n.nominees[out&15], p.lastInput)
		n.nominees[out&15] = 0
		p.lastInput = int8(in)
		n.grant(x, base+in, p, t)
		granted++
	}
	x.asked += uint64(asked)
	x.nominated += uint64(nominated)
	x.granted += uint64(granted)
	if granted < nominated || asked > nominated {
		raised := uint64(0)
		for half := range 1 + int(n.wide) {
			raised |= n.eligible(base, half, x.idle[half])
		}
		n.wake(int32(r), raised)
	}
}

// eligible is the set of channels whose packet could leave now. It visits all ports, busy or not: a
// branch per port would cost more.
func (n *Network) eligible(base, half int, idle uint64) (all uint64) {
	rows := n.requests[base<<n.wide : (base+n.ports)<<n.wide]
	stride := 1 << n.wide
	for i, q := half, 0; i < len(rows); i, q = i+stride, q+1 {
		g := rows[i].asking & rows[i].open & rows[i-half].idle & idle
		n.grantable[half&1][q&15] = g
		all |= g
	}
	return all
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

// choose picks the output that a nominated head asks for: the only one of its stage that could be
// granted, or the next of several turns.
func (n *Network) choose(ch, half int, shift uint) int {
	stage := uint32(n.channels[ch].stage)
	if stage&(stage-1) == 0 {
		return bits.TrailingZeros32(stage)
	}
	can := uint16(0)
	for m := stage; m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		can |= uint16(n.grantable[half&1][q&15]>>(shift+uint(ch&7))&1) << q
	}
	return next16(can, n.channels[ch].lastTurn)
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
