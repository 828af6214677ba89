package engine

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// switchAllocator gives the inputs and outputs of all switches to flits that can go (rule 7): each
// input nominates one of its channels, and each output takes one nominee, round robin. All inputs
// of a router nominate at once, and so do all outputs choose, in one word each. Routers in which no
// packet has a channel to go to are not visited.
type switchAllocator struct {
	layout      layout
	words       []word      // by router
	turns       []turns     // by router
	requestBits []uint8     // by channel
	grants      [64]grant   // to inputs, by bit of a word
	taken       [64]grant   // of outputs, by request bit
	bitsOf      [256]uint64 // by a set of inputs: their fields
	live        []uint64    // routers with a packet that has a channel to go to, as bits; some may have become idle
	granted     []uint32    // channels of the flits that go in this cycle
}

// word has the state of the virtual channels of the inputs of a router, a bit each. Their requests
// for the switch take one and-operation, and the round robins of all inputs a few operations
// (fields.first). The fields that flits use are apart from the rest, so that two words fit into a
// cache line.
type word struct {
	active   uint64 // the front packet has a virtual channel
	occupied uint64 // there are flits
	credited uint64 // where the front packet goes there is a free place
	asked    uint64 // not bits: requests to the arbiters of inputs
}

// turns is whose turn it is at the inputs and outputs of a router.
type turns struct {
	inputs  uint64 // channels after the one of their input that was granted last
	outputs uint64 // by request bit: inputs after the one that the output was granted to last
	shared  uint64 // outputs to nodes that take flits of all inputs at the same time: all bits
	losers  uint64 // nominees that an output did not take
}

// init makes the allocator of some routers. There are routers for all bits of live, and one extra
// word for the channel nowhere.
func (s *switchAllocator) init(routers int, l layout) {
	full := noc.SetWords(routers) << 6
	*s = switchAllocator{layout: l, words: make([]word, full+1), requestBits: make([]uint8, full<<6),
		turns:   slices.Repeat([]turns{{inputs: ^uint64(0), outputs: ^uint64(0)}}, full),
		granted: make([]uint32, 0, l.moves(routers)), grants: newGrants(l.width), taken: newGrants(8), live: make([]uint64, full/64)}
	for inputs := range s.bitsOf {
		for p := range l.ports {
			s.bitsOf[inputs] |= uint64(inputs>>p&1) * (1<<l.width - 1) << (p * l.width)
		}
	}
}

// share lets an output take the nominees of all inputs.
func (s *switchAllocator) share(router noc.NodeID, output uint16) {
	s.turns[router].shared |= 0xff << requestBit(uint8(output), 0)
}

// allocate lists the channels that get their switches in this cycle.
func (s *switchAllocator) allocate() {
	s.granted = s.granted[:0]
	for i, live := range s.live {
		if live != 0 {
			s.allocateSet(i)
		}
	}
}

// allocateSet allocates the switches of a set of 64 routers. It calls nothing that is not inlined,
// so its variables stay in registers.
func (s *switchAllocator) allocateSet(set int) {
	words, turns, requestBits := (*[64]word)(s.words[set<<6:]), (*[64]turns)(s.turns[set<<6:]), (*[64 << 6]uint8)(s.requestBits[set<<12:])
	before, base, inputs := len(s.granted), uint32(set)<<12, s.layout.inputs
	granted := (*[64 << 3]uint32)(s.granted[before : before+64<<3])
	idle, count := uint64(0), 0
	for live := s.live[set]; live != 0; live &= live - 1 {
		r := bits.TrailingZeros64(live) & 63
		word, after := &words[r], &turns[r]
		asks := word.active & word.occupied & word.credited
		if asks&(asks-1) == 0 { // the usual case at low load: a lone request meets no other
			if asks == 0 {
				if word.active == 0 {
					idle |= live & -live
				}
				continue
			}
			word.asked++
			i := bits.TrailingZeros64(asks) & 63
			after.inputs = s.grants[i].turn(after.inputs)
			after.outputs = s.taken[requestBits[r<<6|i]&63].turn(after.outputs)
			granted[count&(64<<3-1)] = base + uint32(r<<6|i)
			count++
			continue
		}
		word.asked += uint64(bits.OnesCount64(asks))
		nominees, upTo := inputs.first(asks, after.inputs)
		wants := wanted(nominees, (*[64]uint8)(requestBits[r<<6:]))
		shared := wants & after.shared
		chosen, taken := outputs().first(wants&^shared, after.outputs)
		after.outputs = after.outputs&^outputs().filled(chosen) | ^taken
		won := s.bitsOf[inputsOf(chosen|shared)]
		after.inputs = after.inputs&^won | won&^upTo
		won &= nominees
		if nominees != won {
			after.losers += uint64(bits.OnesCount64(nominees ^ won))
		}
		for first := base + uint32(r<<6); won != 0; won &= won - 1 {
			granted[count&(64<<3-1)] = first + uint32(bits.TrailingZeros64(won))
			count++
		}
	}
	s.live[set] &^= idle
	s.granted = s.granted[:before+count]
}

// wanted returns the nominees of a router as a word of outputs.
func wanted(nominees uint64, requestBits *[64]uint8) (wants uint64) {
	for set := nominees; set != 0; set &= set - 1 {
		wants |= 1 << (requestBits[bits.TrailingZeros64(set)&63] & 63)
	}
	return wants
}

// inputsOf returns the inputs of which a word of outputs has bits.
func inputsOf(outputs uint64) uint64 {
	outputs |= outputs >> 32
	outputs |= outputs >> 16
	return (outputs | outputs>>8) & 0xff
}
