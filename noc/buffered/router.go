package buffered

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

func trailing(w uint64) int { return bits.TrailingZeros64(w) }

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
		link := ch >> classBits
		router := n.routerOf[link]
		c := &n.channels[ch]
		worm := n.worms.At(n.places[int(ch)*n.slots+int(c.head)].worm)
		a := &n.activity[router]
		a.RouteLookups++
		if n.config.Multicast == Tree {
			a.HeaderTests += uint64(n.nodes * n.ports)
		}
		if port, ok := n.routes.unicast(router, worm); ok {
			c.branches = 1 << port
		} else {
			id := n.places[int(ch)*n.slots+int(c.head)].worm
			c.branches = n.routes.tree(router, worm.Src, n.worms.Set(id))
		}
		n.ask(int(ch))
	}
	*row = (*row)[:0]
}

// stage is the set of outputs that a head may visit next: the local one, then turns in any order, the
// straight one last, so that a multicast never holds two slots of one ring.
func (n *Network) stage(ch int) uint16 {
	b := n.channels[ch].branches
	if b&(1<<topology.Local) != 0 {
		return 1 << topology.Local
	}
	port := n.portOf[ch>>classBits]
	if port == topology.Local {
		return b
	}
	if turns := b &^ (1 << n.against[port]); turns != 0 {
		return turns
	}
	return b
}

// ask raises the requests of a channel's head.
func (n *Network) ask(ch int) {
	link := ch >> classBits
	router, port := int(n.routerOf[link]), int(n.portOf[link])
	bit := uint64(1) << (uint(port&7)<<3 | uint(ch&7))
	stage := n.stage(ch)
	n.wanted[router] |= stage
	for m := uint32(stage); m != 0; m &= m - 1 {
		out := router*n.ports + bits.TrailingZeros32(m)
		n.requests[out*n.words+port>>3] |= bit
	}
}

// withdraw takes the requests of a channel's head back.
func (n *Network) withdraw(ch int) {
	link := ch >> classBits
	router, port := int(n.routerOf[link]), int(n.portOf[link])
	bit := uint64(1) << (uint(port&7)<<3 | uint(ch&7))
	for m := uint32(n.stage(ch)); m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		words := n.requests[(router*n.ports+q)*n.words:][:n.words]
		words[port>>3] &^= bit
		left := uint64(0)
		for _, w := range words {
			left |= w
		}
		if left == 0 {
			n.wanted[router] &^= 1 << q
		}
	}
}

// allocate is the switch allocation (SA) of one router: each idle input nominates one of the channels
// whose packet could leave now, each idle output grants one nominee. A single iteration.
func (n *Network) allocate(r int, t noc.Cycle) {
	base := r * n.ports
	wake := noc.Never
	var eligible [maxWords]uint64
	idle := uint32(0)
	for m := uint32(n.wanted[r]); m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		at := (base + q) * n.words
		g := &n.grantable[q]
		some := uint64(0)
		for w := range n.words {
			g[w] = n.requests[at+w] & n.open[at+w]
			some |= g[w]
		}
		if some == 0 {
			continue
		}
		if busy := n.linkBusy[base+q]; busy > t {
			wake = min(wake, busy)
			continue
		}
		idle |= 1 << q
		for w := range n.words {
			eligible[w] |= g[w]
		}
	}
	asked, nominated := 0, 0
	contested := uint32(0)
	for w := range n.words {
		for e := eligible[w]; e != 0; {
			k := uint(trailing(e)) &^ 7
			channels := uint8(e >> k)
			e &^= 0xff << k
			port := w<<3 + int(k>>3)
			if busy := n.inputBusy[base+port]; busy > t {
				wake = min(wake, busy)
				continue
			}
			class := n.nominate(base+port, channels)
			asked += bits.OnesCount8(channels)
			nominated++
			q := n.choose((base+port)<<classBits|class, idle, w, k)
			n.nominees[q] |= 1 << port
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
func (n *Network) nominate(input int, channels uint8) int {
	var class int
	if n.config.ChannelArbiter == Priority {
		class = bits.Len8(channels) - 1
	} else {
		class = fabric.RoundRobin(uint64(channels), int(n.lastChannel[input]))
	}
	n.lastChannel[input] = int8(class)
	return class
}

// choose picks the output that a nominated head asks for: the only one of its stage that could be
// granted, or the next of several turns.
func (n *Network) choose(ch int, idle uint32, word int, shift uint) int {
	can := uint64(0)
	for m := idle & uint32(n.stage(ch)); m != 0; m &= m - 1 {
		q := bits.TrailingZeros32(m)
		can |= n.grantable[q][word] >> (shift + uint(ch&7)) & 1 << q
	}
	if can&(can-1) == 0 {
		return trailing(can)
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
		link := base + q
		port := fabric.RoundRobin(uint64(n.nominees[q]), int(n.lastInput[link]))
		n.nominees[q] = 0
		n.lastInput[link] = int8(port)
		input := base + port
		end, more := n.grant(input<<classBits|int(n.lastChannel[input]), link, t)
		n.linkBusy[link], n.inputBusy[input] = end, end
		granted++
		if more || asked > nominated {
			free = min(free, end)
		}
	}
	a := &n.activity[n.routerOf[base]]
	a.ArbRequests[noc.SwitchInput] += uint64(asked)
	a.ArbGrants[noc.SwitchInput] += uint64(nominated)
	a.ArbRequests[noc.SwitchOutput] += uint64(nominated)
	a.ArbGrants[noc.SwitchOutput] += uint64(granted)
	if granted < nominated {
		return t + 1
	}
	return free
}
