package engine

import "math/bits"

// guesses are what speculation needs beyond what every network has: the allocator of the switch for headers that have no
// virtual channel yet, separable like the other. It sees the requests of the cycle's start and takes no input or output
// that the other, which came before it, has given away. Headers that it chooses move if they have got a virtual channel in
// this cycle with a free place.
type guesses struct {
	words   []guessing
	turns   []uint16 // by output: inputs after the one that it was granted to last
	given   []taken  // by router: what the other allocator has given away in this cycle
	routers []uint32 // each once: those with headers that have got a virtual channel in this cycle, with a free place
}

// guessing is what channels of a word do, and their turns.
type guessing struct {
	waiting uint64 // the front packet's header waits for a virtual channel
	got     uint64 // it has got one in this cycle
	lucky   uint64 // with a free place
	after   uint64 // channels after the one of their input that was granted last
}

// taken is inputs and outputs of a router.
type taken struct {
	inputs, outputs uint16
	listed          bool // in guesses.routers
}

func newGuesses(words, routers, ports int) *guesses {
	g := &guesses{words: make([]guessing, words), turns: make([]uint16, ports), given: make([]taken, routers)}
	for i := range g.words {
		g.words[i].after = ^uint64(0)
	}
	for i := range g.turns {
		g.turns[i] = ^uint16(0)
	}
	return g
}

// guess adds the headers that go ahead of their turn to the flits that go in a cycle.
func (n *Network) guess() {
	g := n.guesses
	if len(g.routers) > 0 {
		others := n.going
		n.give(others)
		for _, r := range g.routers {
			n.guessRouter(int(r))
		}
		for _, ch := range others {
			g.given[n.channel[ch].router] = taken{}
		}
		for _, r := range g.routers {
			g.given[r] = taken{}
		}
		g.routers = g.routers[:0]
	}
	for _, ch := range n.accepted {
		x := &g.words[ch>>6]
		x.got, x.lucky = 0, 0
	}
	n.accepted = n.accepted[:0]
}

// give notes which inputs and outputs have been granted.
func (n *Network) give(going []uint32) {
	for _, ch := range going {
		c := &n.channel[ch]
		given := &n.guesses.given[c.router]
		given.inputs |= 1 << c.input
		given.outputs |= 1 << c.output
	}
}

// guessRouter does it for one router.
func (n *Network) guessRouter(router int) {
	g := n.guesses
	var m nominees
	first := router * n.layout.words
	lucky := uint16(0)
	for i := range n.layout.words {
		x := &g.words[first+i]
		chosen, _ := n.layout.inputs.first(x.waiting|x.got, x.after)
		m.add(&n.layout, i, chosen, n.codesOf(first+i))
		for set := chosen & x.lucky; set != 0; set &= set - 1 {
			lucky |= 1 << n.channel[(first+i)<<6|bits.TrailingZeros64(set)].input
		}
	}
	given := &g.given[router]
	won := uint16(0)
	for ; m.outputs != 0; m.outputs &= m.outputs - 1 {
		o := bits.TrailingZeros32(m.outputs)
		inputs, at := m.wants[o], n.layout.portAt(router, o)
		if n.sides[at].shared {
			won |= inputs & lucky &^ given.inputs
			continue
		}
		inputs = firstAfter(inputs, g.turns[at]) & lucky &^ given.inputs
		if inputs == 0 || given.outputs>>o&1 != 0 {
			continue
		}
		g.turns[at] = ^(inputs | (inputs - 1))
		won |= inputs
	}
	n.words[first].asked += uint64(bits.OnesCount16(won))
	for i := range n.layout.words {
		n.award(first+i, &g.words[first+i].after, m.channels[i], uint32(won)>>(i*n.layout.perWord))
	}
}
