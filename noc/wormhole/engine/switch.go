package engine

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// switchAllocator gives the inputs and outputs of all switches to flits that can go (rule 7): each
// input nominates one of its channels, and each output takes one nominee, round robin. Routers in
// which no packet has a channel to go to are not looked at.
//
// This is its general form, which decides routers of any size. Small routers have a fast one
// (small.go), which gives the same; a test holds them to it.
type switchAllocator struct {
	layout  layout
	words   []word
	robins  []robin     // by router, so many as layout says
	codes   []uint8     // by channel
	grants  [64]grant   // to inputs, by bit of a word
	taken   [64]grant   // of outputs, by code
	bitsOf  [256]uint64 // of a word of a small router, by inputs: their fields
	live    []uint64    // routers with a packet that has a channel to go to, as bits; and some that had
	granted []uint32    // channels of the flits that go in this cycle
	match   match       // scratch
}

// word is what up to 64 virtual channels of the inputs of one router do, a bit each. What they ask
// of the switch is one and-operation, and the round robins of all inputs are a few (fields.first).
// What flits touch is apart from the rest, so that two words fit into a cache line.
type word struct {
	active   uint64 // the front packet has a virtual channel
	occupied uint64 // there are flits
	credited uint64 // where the front packet goes there is a free place
	asked    uint64 // not bits: requests to the arbiters of inputs
}

// robin is whose turn it is at the inputs of a word, and at the outputs of another one.
type robin struct {
	after  uint64 // channels after the one of their input that was granted last
	turns  uint64 // by code: inputs after the one that the output was granted to last
	shared uint64 // outputs to nodes that take flits of all inputs at the same time: all bits
	losers uint64 // of a router's first: nominees that an output did not take
}

// init makes the allocator of some routers. There is one word more, which is nowhere's, and there
// are routers for all bits of live.
func (s *switchAllocator) init(routers int, l layout) {
	full := noc.SetWords(routers) << 6
	*s = switchAllocator{layout: l, words: make([]word, full*l.words+1), codes: make([]uint8, full*l.words<<6),
		robins:  slices.Repeat([]robin{{after: ^uint64(0), turns: ^uint64(0)}}, full*l.robins),
		granted: make([]uint32, 0, l.moves(routers)), grants: newGrants(l.width), taken: newGrants(1 << l.portBits), live: make([]uint64, full/64)}
	for inputs := range s.bitsOf {
		for p := range l.perWord {
			s.bitsOf[inputs] |= uint64(inputs>>p&1) * (1<<l.width - 1) << (p * l.width)
		}
	}
}

// share lets an output take the nominees of all inputs.
func (s *switchAllocator) share(router noc.NodeID, output uint16) {
	first := int(s.layout.code(uint8(output), 0))
	s.robins[int(router)*s.layout.robins+first>>6].shared |= (1<<(1<<s.layout.portBits) - 1) << (first & 63)
}

// allocate lists the channels that get their switches in this cycle.
func (s *switchAllocator) allocate() {
	s.granted = s.granted[:0]
	for i, live := range s.live {
		switch {
		case live == 0:
		case s.layout.small():
			s.allocateSmall(i)
		default:
			s.allocateAny(i)
		}
	}
}

// allocateAny allocates the switches of 64 routers of any size, one after the other.
func (s *switchAllocator) allocateAny(set int) {
	l, m, granted := &s.layout, &s.match, s.granted
	for live := s.live[set]; live != 0; live &= live - 1 {
		router := set<<6 | bits.TrailingZeros64(live)
		words, robins := s.words[router*l.words:][:l.words], s.robins[router*l.robins:][:l.robins]
		asking, lone, active := 0, 0, uint64(0)
		for i := range words {
			w, x := &words[i], &m.inputs[i]
			x.asks, x.after = w.active&w.occupied&w.credited, robins[i].after
			if x.asks != 0 {
				count := bits.OnesCount64(x.asks)
				w.asked += uint64(count)
				asking, lone = asking+count, i<<6|bits.TrailingZeros64(x.asks)
			}
			active |= w.active
		}
		switch asking {
		case 0:
			if active == 0 {
				s.live[set] &^= live & -live
			}
		case 1:
			ch := router*l.words<<6 + lone
			x, code := &robins[lone>>6], s.codes[ch]
			x.after = s.grants[ch&63].turn(x.after)
			y := &robins[code>>6]
			y.turns = s.taken[code&63].turn(y.turns)
			granted = append(granted, uint32(ch))
		default:
			granted = s.arbitrate(router, robins, granted)
		}
	}
	s.granted = granted
}

// arbitrate lists the channels of a router that get its switch, when match has what asks.
func (s *switchAllocator) arbitrate(router int, robins []robin, granted []uint32) []uint32 {
	l, m := &s.layout, &s.match
	for i := range l.outputWords {
		m.outputs[i].after = robins[i].turns
	}
	won, losers := m.arbitrate(s, router)
	robins[0].losers += losers
	for i := range l.outputWords {
		x := &m.outputs[i]
		robins[i].turns = x.after&^l.outputs.filled(x.chosen) | ^x.upTo
	}
	first := uint32(router*l.words) << 6
	for i := range l.words {
		x, inputs := &m.inputs[i], s.bitsOf[won&0xff]
		robins[i].after = x.after&^inputs | inputs&^x.upTo
		for set := x.chosen & inputs; set != 0; set &= set - 1 {
			granted = append(granted, first|uint32(bits.TrailingZeros64(set)))
		}
		won >>= l.perWord & 31
		first += 64
	}
	return granted
}

// match is the matching of one router's inputs and outputs, of whatever size.
type match struct {
	inputs  [wormhole.MaxPorts]round // by word: channels
	outputs [outputWords]round       // by code
}

// round is one round of the arbiters of a word: what asks and what comes after the last that was
// granted, then what is chosen and all up to that.
type round struct{ asks, after, chosen, upTo uint64 }

// arbitrate lets each input nominate one of the channels that ask, and each output choose one of its
// nominees, or take all where it is shared. It returns the inputs whose nominees are taken, as bits,
// and the number of the others.
func (m *match) arbitrate(s *switchAllocator, router int) (won uint32, losers uint64) {
	l, codes := &s.layout, s.codes[router*s.layout.words<<6:]
	wants := [outputWords]uint64{}
	for i := range l.words {
		x := &m.inputs[i]
		x.chosen, x.upTo = l.inputs.first(x.asks, x.after)
		for set := x.chosen; set != 0; set &= set - 1 {
			code := codes[i<<6|bits.TrailingZeros64(set)]
			wants[code>>6%outputWords] |= 1 << (code & 63)
		}
	}
	for i := range l.outputWords {
		x := &m.outputs[i]
		shared := wants[i] & s.robins[router*l.robins+i].shared
		x.chosen, x.upTo = l.outputs.first(wants[i]&^shared, x.after)
		taken := shared | x.chosen
		if taken != wants[i] {
			losers += uint64(bits.OnesCount64(taken ^ wants[i]))
		}
		taken |= taken >> 32
		won |= uint32(taken | taken>>16)
	}
	if l.outputWords == 1 {
		return (won | won>>8) & 0xff, losers
	}
	return won & 0xffff, losers
}

// losers returns the number of nominees of a router that an output did not take.
func (s *switchAllocator) losers(router int) uint64 {
	return s.robins[router*s.layout.robins].losers
}

// asked returns the number of requests to the arbiters of a router's inputs.
func (s *switchAllocator) asked(router int) (sum uint64) {
	for _, x := range s.words[router*s.layout.words:][:s.layout.words] {
		sum += x.asked
	}
	return sum
}
