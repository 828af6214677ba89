package buffered

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// step is one router's cycle: its interface feeds the local port, its switch grants.
func (n *Network) step(r int, t noc.Cycle) {
	if n.sources.Ready(noc.NodeID(r)) != 0 {
		n.inject(r, t)
	}
	if n.wanted[r] != 0 {
		n.allocate(r, t)
	}
}

// routeHeads does the RC step of headers that may ask for the switch from this cycle on.
func (n *Network) routeHeads(t noc.Cycle) {
	row := &n.heads[t%fabric.Horizon]
	for _, ch := range *row {
		router := n.port[ch>>classBits].router
		c := &n.channels[ch]
		id := n.places[int(ch)*n.slots+int(c.head)]
		worm := n.worms.At(id)
		n.counters[router].routed++
		if port, ok := n.routes.unicast(router, worm); ok {
			c.branches = 1 << port
		} else {
			c.branches = n.routes.tree(router, worm.Src, n.worms.Set(id))
		}
		n.ask(int(ch), t)
	}
	*row = (*row)[:0]
	n.busy &^= 1 << (t % fabric.Horizon)
}

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

// ask raises the requests of a channel's head, and wakes the router for the first cycle in which one of
// them can be granted; requests without space are woken for by the credit.
func (n *Network) ask(ch int, t noc.Cycle) {
	link := ch >> classBits
	in := &n.port[link]
	c := &n.channels[ch]
	// A packet from the node turns into every ring: against[Local] is Local, which nextStage has dealt with.
	c.stage = nextStage(c.branches, n.against[in.number])
	n.wanted[in.router] |= c.stage
	word, bit := in.number>>3, uint64(1)<<(in.number&7<<3|uint8(ch&7))
	t = max(t, in.inputBusy)
	for m := uint32(c.stage); m != 0; m &= m - 1 {
		out := &n.port[link-int(in.number)+bits.TrailingZeros32(m)]
		out.asking[word] |= bit
		if out.open[word]&bit != 0 {
			n.wheel.Wake(noc.NodeID(in.router), max(t, out.busy))
		}
	}
}

// withdraw takes the requests of a channel's head back.
func (n *Network) withdraw(ch int) {
	link := ch >> classBits
	in := &n.port[link]
	word, bit := in.number>>3, uint64(1)<<(in.number&7<<3|uint8(ch&7))
	for m := uint32(n.channels[ch].stage); m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		asking := &n.port[link-int(in.number)+q].asking
		if asking[word] &^= bit; asking[0]|asking[1] == 0 {
			n.wanted[in.router] &^= 1 << q
		}
	}
}

// allocate is the switch allocation (SA) of one router: each idle input nominates one of the channels
// whose packet could leave now, each idle output grants one nominee. A single iteration.
func (n *Network) allocate(r int, t noc.Cycle) {
	base := r * n.ports
	ports := n.port[base : base+n.ports]
	wake := noc.Never
	var eligible inputs
	idle := uint32(0)
	for m := uint32(n.wanted[r]); m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		p := &ports[q]
		g := inputs{p.asking[0] & p.open[0], p.asking[1] & p.open[1]}
		if g[0]|g[1] == 0 {
			continue
		}
		if p.busy > t {
			wake = min(wake, p.busy)
			continue
		}
		n.grantable[q] = g
		idle |= 1 << q
		eligible[0] |= g[0]
		eligible[1] |= g[1]
	}
	asked, nominated := 0, 0
	contested := uint32(0)
	for word, e := range eligible {
		for e != 0 {
			shift := uint(bits.TrailingZeros64(e)) &^ 7
			channels := uint8(e >> shift)
			e &^= 0xff << shift
			in := word<<3 + int(shift>>3)
			p := &ports[in]
			if p.inputBusy > t {
				wake = min(wake, p.inputBusy)
				continue
			}
			class := n.nominate(p, channels)
			asked += bits.OnesCount8(channels)
			nominated++
			q := n.choose((base+in)<<classBits|class, idle, word, shift)
			n.nominees[q] |= 1 << in
			contested |= 1 << q
		}
	}
	if nominated > 0 {
		wake = min(wake, n.grantAll(base, contested, asked, nominated, t))
	}
	if wake != noc.Never {
		n.wheel.Wake(noc.NodeID(r), wake)
	}
}

// nominate is the input arbiter: it picks one of the channels of an input and moves on, whether or not
// the output arbiter will agree.
func (n *Network) nominate(p *port, channels uint8) int {
	var class int
	if n.config.ChannelArbiter == Priority {
		class = bits.Len8(channels) - 1
	} else {
		class = fabric.RoundRobin(uint64(channels), int(p.lastChannel))
	}
	p.lastChannel = int8(class)
	return class
}

// choose picks the output that a nominated head asks for: the only one of its stage that could be
// granted, or the next of several turns.
func (n *Network) choose(ch int, idle uint32, word int, shift uint) int {
	stage := uint32(n.channels[ch].stage)
	if stage&(stage-1) == 0 {
		return bits.TrailingZeros32(stage)
	}
	can := uint64(0)
	for m := idle & stage; m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		can |= n.grantable[q][word] >> (shift + uint(ch&7)) & 1 << q
	}
	return fabric.RoundRobin(can, int(n.channels[ch].lastTurn))
}

// grantAll is the output arbiters: each contested output grants one input. It returns when the router
// has to be stepped again because of what was or was not granted.
func (n *Network) grantAll(base int, contested uint32, asked, nominated int, t noc.Cycle) noc.Cycle {
	free := noc.Never
	granted := 0
	for m := contested; m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		out := &n.port[base+q]
		in := fabric.RoundRobin(uint64(n.nominees[q]), int(out.lastInput))
		n.nominees[q] = 0
		out.lastInput = int8(in)
		n.grant((base+in)<<classBits|int(n.port[base+in].lastChannel), base+q, t)
		free = min(free, out.busy)
		granted++
	}
	k := &n.counters[n.port[base].router]
	k.asked += uint64(asked)
	k.nominated += uint64(nominated)
	k.granted += uint64(granted)
	switch {
	case granted < nominated:
		return t + 1
	case asked > nominated:
		return free
	}
	return noc.Never
}
