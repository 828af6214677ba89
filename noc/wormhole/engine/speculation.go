package engine

import (
	"math/bits"
	"slices"
)

// speculation is the allocator of the switch for headers that have no virtual channel yet (rule 8),
// separable like the other. It sees the requests of the cycle's start and takes no input or output
// that the other, which came before it, has given away. Headers that it chooses go if they have got
// a virtual channel in this cycle with a free place.
type speculation struct {
	switches *switchAllocator
	words    []guesses // by router
	taken    []taken   // by router: what the other allocator has given away in this cycle
	routers  []uint32  // each once: those with headers that have got a virtual channel in this cycle, with a free place
	accepted []uint32  // channels whose headers have got one in this cycle
}

// guesses are what the channels of a router do, and whose turn it is.
type guesses struct {
	waiting uint64 // the front packet's header waits for a virtual channel
	got     uint64 // it has got one in this cycle
	lucky   uint64 // with a free place
	after   uint64 // channels after the one of their input that was granted last
	turns   uint64 // by code: inputs after the one that the output was granted to last
}

// taken is inputs and outputs of a router.
type taken struct {
	inputs, outputs uint8
	listed          bool // in speculation.routers
}

func newSpeculation(s *switchAllocator) *speculation {
	return &speculation{switches: s, taken: make([]taken, len(s.robins)),
		words: slices.Repeat([]guesses{{after: ^uint64(0), turns: ^uint64(0)}}, len(s.words))}
}

// accept notes that a header has got a virtual channel in this cycle, with a free place or not.
func (g *speculation) accept(ch, router uint32, room bool) {
	g.accepted = append(g.accepted, ch)
	x, bit := &g.words[ch>>6], uint64(1)<<(ch&63)
	x.waiting &^= bit
	x.got |= bit
	if !room {
		return
	}
	x.lucky |= bit
	if given := &g.taken[router]; !given.listed {
		given.listed = true
		g.routers = append(g.routers, router)
	}
}

// allocate adds the headers that go ahead of their turn to the flits that go in a cycle.
func (g *speculation) allocate() {
	if len(g.routers) > 0 {
		others := g.switches.granted
		for _, ch := range others {
			given, code := &g.taken[ch>>6], g.switches.codes[ch]
			given.inputs |= 1 << inputOf(code)
			given.outputs |= 1 << outputOf(code)
		}
		for _, r := range g.routers {
			g.arbitrate(int(r))
		}
		for _, ch := range others {
			g.taken[ch>>6] = taken{}
		}
		for _, r := range g.routers {
			g.taken[r] = taken{}
		}
		g.routers = g.routers[:0]
	}
	for _, ch := range g.accepted {
		x := &g.words[ch>>6]
		x.got, x.lucky = 0, 0
	}
	g.accepted = g.accepted[:0]
}

// arbitrate does it for one router.
func (g *speculation) arbitrate(router int) {
	s, x := g.switches, &g.words[router]
	codes := (*[64]uint8)(s.codes[router<<6:])
	nominees, _ := s.layout.inputs.first(x.waiting|x.got, x.after)
	wants := wanted(nominees, codes)
	shared := wants & s.robins[router].shared
	chosen, _ := outputs().first(wants&^shared, x.turns)
	for set := nominees & s.bitsOf[inputsOf(chosen|shared)] & x.lucky; set != 0; set &= set - 1 {
		bit := bits.TrailingZeros64(set)
		if code := codes[bit&63]; g.isLeft(router, code) {
			x.turns = s.taken[code&63].turn(x.turns)
			x.after = s.grants[bit].turn(x.after)
			s.words[router].asked++
			s.granted = append(s.granted, uint32(router<<6|bit))
		}
	}
}

// isLeft reports whether the other allocator has left the input and the output of a code.
func (g *speculation) isLeft(router int, code uint8) bool {
	given := &g.taken[router]
	shared := g.switches.robins[router].shared>>(code&63)&1 != 0
	return given.inputs>>inputOf(code)&1 == 0 && (shared || given.outputs>>outputOf(code)&1 == 0)
}
