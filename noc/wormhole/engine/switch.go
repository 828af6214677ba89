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
// This is its general form, which decides one router at a time, whatever its size. There are two
// fast ones: small routers are decided one by one too, while few flits move (small.go); while many
// do, 64 routers are decided together (group.go). All give the same, to which the tests hold them.
type switchAllocator struct {
	layout  layout
	words   []word
	robins  []robin     // by router, so many as layout says
	codes   []uint8     // by channel
	grants  [64]grant   // to inputs, by bit of a word
	taken   [64]grant   // of outputs, by code
	bitsOf  [256]uint64 // of a word of a small router, by inputs: their fields
	groups  []group
	many    int      // a group is bit-sliced when more of its flits than this have moved in the cycle before
	granted []uint32 // channels of the flits that go in this cycle
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

// requests returns the channels that can send a flit, and counts them.
func (x *word) requests() uint64 {
	set := x.active & x.occupied & x.credited
	x.asked += uint64(bits.OnesCount64(set))
	return set
}

// robin is whose turn it is at the inputs of a word, and at the outputs of another one.
type robin struct {
	after  uint64 // channels after the one of their input that was granted last
	turns  uint64 // by code: inputs after the one that the output was granted to last
	shared uint64 // outputs to nodes that take flits of all inputs at the same time: all bits
	losers uint64 // of a router's first: nominees that an output did not take
}

// manyFlits is about where both forms take the same time.
const manyFlits = 80

// init makes the allocator of some routers. There is one word more, which is nowhere's, and the
// groups are full.
func (s *switchAllocator) init(routers int, l layout, channels []channel) {
	full := noc.SetWords(routers) << 6
	*s = switchAllocator{layout: l, many: manyFlits, words: make([]word, full*l.words+1), codes: make([]uint8, full*l.words<<6),
		robins:  slices.Repeat([]robin{{after: ^uint64(0), turns: ^uint64(0)}}, full*l.robins),
		granted: make([]uint32, 0, routers*l.ports+64), grants: newGrants(l.width), taken: newGrants(1 << l.portBits)}
	for inputs := range s.bitsOf {
		for p := range l.perWord {
			s.bitsOf[inputs] |= uint64(inputs>>p&1) * (1<<l.width - 1) << (p * l.width)
		}
	}
	s.groups = makeGroups(s, routers, channels)
}

// share lets an output take the nominees of all inputs.
func (s *switchAllocator) share(router noc.NodeID, output uint16) {
	first := int(s.layout.code(uint8(output), 0))
	s.robins[int(router)*s.layout.robins+first>>6].shared |= (1<<(1<<s.layout.portBits) - 1) << (first & 63)
	s.groups[router>>6].shared[output] |= 1 << (router & 63)
}

// allocate lists the channels that get their switches in this cycle.
func (s *switchAllocator) allocate() {
	granted := s.granted[:0]
	for i := range s.groups {
		g, before := &s.groups[i], len(granted)
		if g.live == 0 {
			continue
		}
		if g.sliced && g.moved <= s.many/2 || !g.sliced && g.moved > s.many {
			g.change()
		}
		switch {
		case g.sliced:
			granted = g.allocate(granted)
		case g.small != nil:
			granted = g.small.allocate(g, granted)
		default:
			granted = s.allocateGroup(g, granted)
		}
		g.moved = len(granted) - before
	}
	s.granted = granted
}

// allocateGroup allocates the switches of the routers of a group, one after the other.
func (s *switchAllocator) allocateGroup(g *group, granted []uint32) []uint32 {
	for live := g.live; live != 0; live &= live - 1 {
		r := bits.TrailingZeros64(live)
		router, any := g.first+r, false
		m := match{router: router}
		for i := range s.layout.words {
			asks := s.words[router*s.layout.words+i].requests()
			m.nominate(s, i, asks, s.robins[router*s.layout.robins+i].after)
			any = any || asks != 0
		}
		if !any {
			if !s.anyActive(router) {
				g.live &^= 1 << r
			}
			continue
		}
		for i := range s.layout.outputWords {
			lost := m.choose(s, i, s.robins[router*s.layout.robins+i].turns)
			s.robins[router*s.layout.robins].losers += uint64(bits.OnesCount64(lost))
		}
		for i := range s.layout.words {
			for set := m.winners(s, i); set != 0; set &= set - 1 {
				granted = append(granted, s.grant(router, i, bits.TrailingZeros64(set)))
			}
		}
	}
	return granted
}

// grant makes a channel the last that its input and its output were granted to, and returns its
// index.
func (s *switchAllocator) grant(router, word, bit int) uint32 {
	ch := (router*s.layout.words+word)<<6 | bit
	code := s.codes[ch]
	x, y := &s.robins[router*s.layout.robins+word], &s.robins[router*s.layout.robins+int(code>>6)]
	x.after = s.grants[bit].turn(x.after)
	y.turns = s.taken[code&63].turn(y.turns)
	return uint32(ch)
}

// match is the matching of one router's inputs and outputs, of whatever size.
type match struct {
	router   int
	nominees [wormhole.MaxPorts]uint64 // channels by word
	wants    [outputWords]uint64       // by code: what they want of the outputs; then what the outputs choose
}

// nominate lets each input of a word nominate one of the channels that ask.
func (m *match) nominate(s *switchAllocator, word int, asks, after uint64) {
	m.nominees[word], _ = s.layout.inputs.first(asks, after)
	for set := m.nominees[word]; set != 0; set &= set - 1 {
		code := s.codes[(m.router*s.layout.words+word)<<6|bits.TrailingZeros64(set)]
		m.wants[code>>6] |= 1 << (code & 63)
	}
}

// choose lets each output of a word choose one nominee, or all where it is shared. It returns the
// others.
func (m *match) choose(s *switchAllocator, word int, after uint64) (lost uint64) {
	all := m.wants[word]
	shared := all & s.robins[m.router*s.layout.robins+word].shared
	chosen, _ := s.layout.outputs.first(all&^shared, after)
	m.wants[word] = shared | chosen
	return all &^ m.wants[word]
}

// winners returns the nominees of a word that have been chosen.
func (m *match) winners(s *switchAllocator, word int) (won uint64) {
	for set := m.nominees[word]; set != 0; set &= set - 1 {
		bit := bits.TrailingZeros64(set)
		code := s.codes[(m.router*s.layout.words+word)<<6|bit]
		won |= m.wants[code>>6] >> (code & 63) & 1 << bit
	}
	return won
}

// anyActive reports whether any packet of a router has a channel to go to.
func (s *switchAllocator) anyActive(router int) bool {
	for _, x := range s.words[router*s.layout.words:][:s.layout.words] {
		if x.active != 0 {
			return true
		}
	}
	return false
}

// losers returns the number of nominees of a router that an output did not take.
func (s *switchAllocator) losers(router int) uint64 {
	return s.robins[router*s.layout.robins].losers + s.groups[router>>6].losers.of(router)
}

// asked returns the number of requests to the arbiters of a router's inputs.
func (s *switchAllocator) asked(router int) (sum uint64) {
	for _, x := range s.words[router*s.layout.words:][:s.layout.words] {
		sum += x.asked
	}
	return sum
}
