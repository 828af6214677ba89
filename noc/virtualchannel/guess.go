package virtualchannel

import "math/bits"

// guess is the allocator of the switch for headers that have no virtual channel yet, separable like the other. It sees
// the requests of the cycle's start and takes no input or output that the other, which came before it, has given away.
// Headers that it chooses move if they have got a virtual channel in this cycle with a free place.
func (n *Network) guess(b int) {
	x, m := &n.banks[b], &n.match
	if !n.nominateAhead(b, &x.guessing) {
		return
	}
	copy(m.busy, m.won)
	clear(m.won)
	for o := range n.ports {
		n.takeAhead(x, o)
	}
	n.settle(b, &x.guessing)
}

// nominateAhead chooses one of the headers that wait at each input, and finds the lucky ones among these.
func (n *Network) nominateAhead(b int, a *arbiters) (some bool) {
	m := &n.match
	all := uint64(0)
	for p := range n.ports {
		asks, lanes, got := m.asks[p], n.banks[b].lanes[p], n.lucky[b*n.places+p*n.channels:][:n.channels]
		any, lucky := uint64(0), uint64(0)
		for v := range asks {
			asks[v] = lanes[v].waiting
			any |= asks[v]
		}
		choose(asks, a.input[p])
		for v, set := range asks {
			lucky |= set & got[v]
			got[v] = 0
		}
		m.lucky[p] = lucky
		out0, out1, out2 := outputsOf(asks, lanes)
		m.sort(n.ports, p, any, out0, out1, out2, asks, lanes)
		all |= lucky
	}
	return all != 0
}

// takeAhead finds the nominees that move by an output.
func (n *Network) takeAhead(x *bank, o int) {
	m := &n.match
	wants, exits := m.wants[o][:n.ports], uint64(0)
	if n.config.EjectionPerInput {
		exits = x.exits[o]
	}
	var all [maxPorts]uint64
	copy(all[:], wants)
	after, granted := x.guessing.output[o], uint64(0)
	choose(wants, after)
	for p, set := range wants {
		set = (set&^exits&^m.used[o] | all[p&(maxPorts-1)]&exits) & m.lucky[p] &^ m.busy[p]
		wants[p] = set
		m.won[p] |= set
		granted |= set
		n.ejected += uint64(bits.OnesCount64(set & x.exits[o]))
	}
	remember(wants, after, granted&^exits)
}
