package engine

import "slices"

// speculation is the allocator of the switch for headers that have no virtual channel yet. It comes
// after the other allocator, and sees the requests of the cycle's start.
type speculation struct {
	switches *switchAllocator
	words    []speculative // by router
	taken    []taken       // by router: what the other allocator has given away in this cycle
	routers  []uint32      // each once: those with headers that have got a virtual channel in this cycle, with a free place
	accepted []globalVC    // channels whose headers have got one in this cycle
}

// speculative are what the channels of a router do, and whose turn it is.
type speculative struct {
	waiting vcSet      // the front packet's header waits for a virtual channel
	got     vcSet      // it has got one in this cycle
	room    vcSet      // with a free place
	inputs  vcSet      // channels after the one of their input that was granted last
	outputs requestSet // of inputs after the one that the output was granted to last
}

// taken is inputs and outputs of a router.
type taken struct {
	inputs, outputs portSet
	listed          bool // in speculation.routers
}

func newSpeculation(s *switchAllocator) *speculation {
	return &speculation{switches: s, taken: make([]taken, len(s.turns)),
		words: slices.Repeat([]speculative{{inputs: ^vcSet(0), outputs: ^requestSet(0)}}, len(s.words))}
}

// accept notes that a header has got a virtual channel in this cycle, with a free place or not.
func (g *speculation) accept(ch globalVC, room bool) {
	g.accepted = append(g.accepted, ch)
	word := &g.words[ch.router()]
	word.waiting.Remove(ch.vc())
	word.got.Add(ch.vc())
	if !room {
		return
	}
	word.room.Add(ch.vc())
	if given := &g.taken[ch.router()]; !given.listed {
		given.listed = true
		g.routers = append(g.routers, ch.router())
	}
}

// allocate adds the headers that go ahead of their turn to the flits that go in a cycle.
func (g *speculation) allocate() {
	if len(g.routers) > 0 {
		others := g.switches.granted
		for _, ch := range others {
			given, request := &g.taken[ch.router()], g.switches.requests[ch]
			given.inputs.Add(request.input())
			given.outputs.Add(request.output())
		}
		for _, r := range g.routers {
			g.speculate(r)
		}
		for _, ch := range others {
			g.taken[ch.router()] = taken{}
		}
		for _, r := range g.routers {
			g.taken[r] = taken{}
		}
		g.routers = g.routers[:0]
	}
	for _, ch := range g.accepted {
		word := &g.words[ch.router()]
		word.got, word.room = 0, 0
	}
	g.accepted = g.accepted[:0]
}

// speculate is rule 8 for one router: headers that asked for a virtual channel in this cycle also
// get the switch, where the first allocator has left input and output.
func (g *speculation) speculate(router uint32) {
	s, word := g.switches, &g.words[router]
	requests := (*[64]request)(s.requests[router<<6:])
	nominees, _ := s.layout.inputs.first(word.waiting|word.got, word.inputs)
	wants := wanted(nominees, requests)
	shared := wants & s.turns[router].shared
	chosen, _ := outputs().first(wants&^shared, word.outputs)
	for v := range (nominees & s.channelsOf[inputsOf(chosen|shared)] & word.room).All() {
		if request := requests[v&63]; g.isLeft(router, request) {
			word.outputs = turn(word.outputs, requestsOf(request.output()), uint8(request))
			word.inputs = turn(word.inputs, s.channelsOf[1<<request.input()], uint8(v))
			s.words[router].asked++
			s.granted = append(s.granted, globalVC(router<<6)+globalVC(v))
		}
	}
}

// isLeft reports whether the other allocator has left the input and the output of a request.
func (g *speculation) isLeft(router uint32, r request) bool {
	given := &g.taken[router]
	return !given.inputs.Has(r.input()) && (g.switches.turns[router].shared.Has(r) || !given.outputs.Has(r.output()))
}
