package engine

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/set"
)

// switchAllocator gives the inputs and outputs of all switches to flits that can go. All inputs of
// a router nominate at once, and so do all outputs choose, in one word each. Routers in which no
// packet has a channel to go to are not visited.
type switchAllocator struct {
	layout     layout
	words      []word      // by router
	turns      []turns     // by router
	requests   []request   // by channel
	channelsOf [256]vcSet  // by a set of inputs
	live       []routerSet // routers with a packet that has a channel to go to; some may have become idle
	granted    []globalVC  // channels of the flits that go in this cycle
}

// routerSet is a set of routers among 64.
type routerSet = set.Of64[uint32]

// word has the state of the virtual channels of the inputs of a router. Their requests
// for the switch take one and-operation, and the round robins of all inputs a few operations
// (fields.first). The fields that flits use are apart from the rest, so that two words fit into a
// cache line.
type word struct {
	active   vcSet  // the front packet has a virtual channel
	occupied vcSet  // there are flits
	credited vcSet  // where the front packet goes there is a free place
	asked    uint64 // requests to the arbiters of inputs
}

// turns is whose turn it is at the inputs and outputs of a router.
type turns struct {
	inputs  vcSet      // channels after the one of their input that was granted last
	outputs requestSet // of inputs after the one that the output was granted to last
	shared  requestSet // all for outputs to nodes that take flits of all inputs at the same time
	losers  uint64     // nominees that an output did not take
}

// init makes the allocator of some routers. There are routers for all bits of live, and one extra
// word for noChannel.
func (s *switchAllocator) init(routers int, l layout) {
	full := noc.SetWords(routers) << 6
	*s = switchAllocator{layout: l, words: make([]word, full+1), requests: make([]request, full<<6),
		turns:   slices.Repeat([]turns{{inputs: ^vcSet(0), outputs: ^requestSet(0)}}, full),
		granted: make([]globalVC, 0, l.moves(routers)), live: make([]routerSet, full/64)}
	for inputs := range s.channelsOf {
		for p := range l.ports {
			s.channelsOf[inputs] |= vcSet(inputs>>p&1) * (1<<l.width - 1) << (p * l.width)
		}
	}
}

// share lets an output take the nominees of all inputs.
func (s *switchAllocator) share(router noc.NodeID, output uint16) {
	s.turns[router].shared |= requestsOf(uint8(output))
}

// allocate lists the channels that get their switches in this cycle.
func (s *switchAllocator) allocate() {
	s.granted = s.granted[:0]
	for i, live := range s.live {
		if live != 0 {
			s.allocateSwitch(i)
		}
	}
}

// allocateSwitch is rule 7 for a group of 64 routers: each input nominates one of its channels, and
// each output takes one nominee, both round robin. It calls nothing that is not inlined, so its
// variables stay in registers.
func (s *switchAllocator) allocateSwitch(group int) {
	words, turns, requests := (*[64]word)(s.words[group<<6:]), (*[64]turns)(s.turns[group<<6:]), (*[64 << 6]request)(s.requests[group<<12:])
	before, base, inputs := len(s.granted), globalVC(group)<<12, s.layout.inputs
	granted := (*[64 << 3]globalVC)(s.granted[before : before+64<<3])
	idle, count := routerSet(0), 0
	for live := s.live[group]; live != 0; live &= live - 1 {
		r := live.First()
		word, after := &words[r], &turns[r]
		asks := word.active & word.occupied & word.credited
		if !asks.Many() { // the usual case at low load: a lone request meets no other
			if asks == 0 {
				if word.active == 0 {
					idle |= live & -live
				}
				continue
			}
			word.asked++
			v := asks.First()
			request := requests[r<<6|uint32(v)]
			after.inputs = turn(after.inputs, s.channelsOf[1<<request.input()], uint8(v))
			after.outputs = turn(after.outputs, requestsOf(request.output()), uint8(request))
			granted[count&(64<<3-1)] = base + globalVC(r<<6) + globalVC(v)
			count++
			continue
		}
		word.asked += uint64(asks.Count())
		nominees, upTo := inputs.first(asks, after.inputs)
		wants := wanted(nominees, (*[64]request)(requests[r<<6:]))
		shared := wants & after.shared
		chosen, taken := outputs().first(wants&^shared, after.outputs)
		after.outputs = after.outputs&^outputs().filled(chosen) | ^taken
		won := s.channelsOf[inputsOf(chosen|shared)]
		after.inputs = after.inputs&^won | won&^upTo
		won &= nominees
		if nominees != won {
			after.losers += uint64((nominees ^ won).Count())
		}
		for ; won != 0; won &= won - 1 {
			granted[count&(64<<3-1)] = base + globalVC(r<<6) + globalVC(won.First())
			count++
		}
	}
	s.live[group] &^= idle
	s.granted = s.granted[:before+count]
}

// wanted returns the requests of the nominees of a router.
func wanted(nominees vcSet, requests *[64]request) (wants requestSet) {
	for ; nominees != 0; nominees &= nominees - 1 {
		wants.Add(requests[nominees.First()])
	}
	return wants
}

// inputsOf returns the inputs of some requests.
func inputsOf(requests requestSet) portSet {
	requests |= requests >> 32
	requests |= requests >> 16
	return portSet(requests | requests>>8)
}
