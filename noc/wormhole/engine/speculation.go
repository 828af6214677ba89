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
	words    []speculative // by router
	taken    []taken       // by router: what the other allocator has given away in this cycle
	routers  []uint32      // each once: those with headers that have got a virtual channel in this cycle, with a free place
	accepted []uint32      // channels whose headers have got one in this cycle
}

// speculative are what the channels of a router do, and whose turn it is.
type speculative struct {
	waiting uint64 // the front packet's header waits for a virtual channel
	got     uint64 // it has got one in this cycle
	room    uint64 // with a free place
	inputs  uint64 // channels after the one of their input that was granted last
	outputs uint64 // by request bit: inputs after the one that the output was granted to last
}

// taken is inputs and outputs of a router.
type taken struct {
	inputs, outputs uint8
	listed          bool // in speculation.routers
}

func newSpeculation(s *switchAllocator) *speculation {
	return &speculation{switches: s, taken: make([]taken, len(s.turns)),
		words: slices.Repeat([]speculative{{inputs: ^uint64(0), outputs: ^uint64(0)}}, len(s.words))}
}

// accept notes that a header has got a virtual channel in this cycle, with a free place or not.
func (g *speculation) accept(ch, router uint32, room bool) {
	g.accepted = append(g.accepted, ch)
	word, bit := &g.words[ch>>6], uint64(1)<<(ch&63)
	word.waiting &^= bit
	word.got |= bit
	if !room {
		return
	}
	word.room |= bit
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
			given, request := &g.taken[ch>>6], g.switches.requestBits[ch]
			given.inputs |= 1 << inputOf(request)
			given.outputs |= 1 << outputOf(request)
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
		word := &g.words[ch>>6]
		word.got, word.room = 0, 0
	}
	g.accepted = g.accepted[:0]
}

// arbitrate does it for one router.
func (g *speculation) arbitrate(router int) {
	s, word := g.switches, &g.words[router]
	requestBits := (*[64]uint8)(s.requestBits[router<<6:])
	nominees, _ := s.layout.inputs.first(word.waiting|word.got, word.inputs)
	wants := wanted(nominees, requestBits)
	shared := wants & s.turns[router].shared
	chosen, _ := outputs().first(wants&^shared, word.outputs)
	for set := nominees & s.bitsOf[inputsOf(chosen|shared)] & word.room; set != 0; set &= set - 1 {
		bit := bits.TrailingZeros64(set)
		if request := requestBits[bit&63]; g.isLeft(router, request) {
			word.outputs = s.taken[request&63].turn(word.outputs)
			word.inputs = s.grants[bit].turn(word.inputs)
			s.words[router].asked++
			s.granted = append(s.granted, uint32(router<<6|bit))
		}
	}
}

// isLeft reports whether the other allocator has left the input and the output of a request bit.
func (g *speculation) isLeft(router int, request uint8) bool {
	given := &g.taken[router]
	shared := g.switches.turns[router].shared>>(request&63)&1 != 0
	return given.inputs>>inputOf(request)&1 == 0 && (shared || given.outputs>>outputOf(request)&1 == 0)
}
