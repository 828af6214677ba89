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
	words    []guesses
	turns    []uint64 // of outputs, by router: inputs after the one that it was granted to last
	taken    []taken  // by router: what the other allocator has given away in this cycle
	routers  []uint32 // each once: those with headers that have got a virtual channel in this cycle, with a free place
	accepted []uint32 // channels whose headers have got one in this cycle
}

// guesses are what channels of a word do, and whose turn it is.
type guesses struct {
	waiting uint64 // the front packet's header waits for a virtual channel
	got     uint64 // it has got one in this cycle
	lucky   uint64 // with a free place
	after   uint64 // channels after the one of their input that was granted last
}

// taken is inputs and outputs of a router.
type taken struct {
	inputs, outputs uint16
	listed          bool // in speculation.routers
}

func newSpeculation(s *switchAllocator) *speculation {
	g := &speculation{switches: s, words: make([]guesses, len(s.words)), turns: slices.Repeat([]uint64{^uint64(0)}, len(s.robins)),
		taken: make([]taken, len(s.robins)/s.layout.robins)}
	for i := range g.words {
		g.words[i].after = ^uint64(0)
	}
	return g
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
		perRouter := uint32(g.switches.layout.words) << 6
		for _, ch := range others {
			given, code := &g.taken[ch/perRouter], g.switches.codes[ch]
			given.inputs |= 1 << g.switches.layout.inputOf(code)
			given.outputs |= 1 << g.switches.layout.outputOf(code)
		}
		for _, r := range g.routers {
			g.arbitrate(int(r))
		}
		for _, ch := range others {
			g.taken[ch/perRouter] = taken{}
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
	s, l := g.switches, &g.switches.layout
	m, words := &s.match, g.words[router*l.words:][:l.words]
	for i, x := range words {
		m.inputs[i].asks, m.inputs[i].after = x.waiting|x.got, x.after
	}
	for i := range l.outputWords {
		m.outputs[i].after = g.turns[router*l.robins+i]
	}
	won, _ := m.arbitrate(s, router)
	for i := range words {
		x, first := &words[i], (router*l.words+i)<<6
		for set := m.inputs[i].chosen & s.bitsOf[won>>(i*l.perWord)&0xff] & x.lucky; set != 0; set &= set - 1 {
			bit := bits.TrailingZeros64(set)
			if code := s.codes[first|bit]; g.isLeft(router, code) {
				turns := &g.turns[router*l.robins+int(code>>6)]
				*turns = s.taken[code&63].turn(*turns)
				x.after = s.grants[bit].turn(x.after)
				s.words[router*l.words].asked++
				s.granted = append(s.granted, uint32(first|bit))
			}
		}
	}
}

// isLeft reports whether the other allocator has left the input and the output of a code.
func (g *speculation) isLeft(router int, code uint8) bool {
	s, given := g.switches, &g.taken[router]
	shared := s.robins[router*s.layout.robins+int(code>>6)].shared>>(code&63)&1 != 0
	return given.inputs>>s.layout.inputOf(code)&1 == 0 && (shared || given.outputs>>s.layout.outputOf(code)&1 == 0)
}
