package engine

import "github.com/carousel-sim/carousel/noc"

// A word is up to 64 virtual channels of the inputs of one router, a bit each. An input's are side by side in a field of
// the word, and all fields of a network are equal. Most routers are one word; others take several, with as many inputs in
// each as fit. What the switch's allocators ask of channels is one and-operation, and the round robins of all inputs of a
// word are a few (fields.first). What flits touch is apart from the
// rest, so that two words fit into a cache line.
type word struct {
	active uint64 // the front packet has a virtual channel
	some   uint64 // there are flits
	room   uint64 // where the front packet goes there is a free place
	asked  uint64 // not bits: requests to the arbiters of inputs
}

// robin is whose turn it is at the inputs of a word while routers are allocated one by one, and what else is needed then.
type robin struct {
	after uint64 // channels after the one of their input that was granted last
	// Narrow routers only: the outputs are eight bits each, one for each input.
	turns  uint64 // inputs after the one that the output was granted to last, or anything where all are granted
	shared uint64 // outputs to nodes that take flits of all inputs at the same time: all bits
	losers uint64 // nominees that an output did not take
}

// fields divide a word into equal parts, from the lowest bits on, of two bits at least.
type fields struct {
	low, high uint64 // first and last bits of all fields
	last      uint8  // number of a field's last bit
}

// newFields divides a word into some fields.
func newFields(number, width int) fields {
	f := fields{last: uint8(width - 1)}
	for i := range number {
		f.low |= 1 << (i * width)
		f.high |= 1 << (i*width + width - 1)
	}
	return f
}

// first chooses one bit in each field in which any asks: the first of those after the one that was granted last, or else
// the first of all. It tells all bits that are not after the chosen ones, too, of which fields without any are full.
func (f *fields) first(asks, after uint64) (chosen, upTo uint64) {
	later := asks & after
	none := f.high &^ (later | ((later | f.high) - f.low)) // last bits of the fields without any later
	asks = later | asks&(none<<1-none>>(f.last&63))
	less := (asks | f.high) - f.low
	return asks &^ less, (asks | f.high) ^ less
}

// filled is all bits of the fields in which there is any of some.
func (f *fields) filled(some uint64) uint64 {
	any := (some | ((some | f.high) - f.low)) & f.high
	return any<<1 - any>>(f.last&63)
}

// octets are eight fields of eight bits: the outputs of a narrow router, and the inputs in each.
const lowOctets, highOctets = 0x0101010101010101, 0x8080808080808080

// firstOctets is fields.first for octets; those chosen become the last that were granted.
func firstOctets(asks uint64, last *uint64) uint64 {
	after := *last
	later := asks & after
	none := highOctets &^ (later | ((later | highOctets) - lowOctets))
	asks = later | asks&(none<<1-none>>7)
	less := (asks | highOctets) - lowOctets
	some := (asks | less) & highOctets
	*last = after&^(some<<1-some>>7) | ^((asks | highOctets) ^ less)
	return asks &^ less
}

// grants are what changes when a round robin grants one that asks: of the inputs of a word, by channel, and of the outputs of a
// narrow router, by code. Tables, because shifts by a variable need a certain register of a processor.
type grants struct{ inputs, outputs [64]grant }

// grant is all but the field in which one is granted, and what is after that in the field.
type grant struct{ others, after uint64 }

// turn is what is after those that were granted last, once this is one of them.
func (g *grant) turn(after uint64) uint64 { return after&g.others | g.after }

func newGrants(l *layout) (g grants) {
	for i := range 64 {
		field, octet := l.bitsOf(1<<(i/l.width)), uint64(0xff)<<(i&^7)
		g.inputs[i] = grant{^field, field & -(2 << i)}
		g.outputs[i] = grant{^octet, octet & -(2 << i)}
	}
	return g
}

// layout tells where virtual channels are: a channel index is a word's index times 64 plus the bit.
type layout struct {
	ports    int
	channels int   // virtual channels per port
	places   int   // virtual channels of the inputs of a router
	width    int   // bits of an input's field
	perWord  int   // inputs in a word
	words    int   // of a router
	portBits uint8 // of a port's number in a code
	narrow   bool  // a router is one word, and an octet enough for its inputs
	inputs   fields
}

// newLayout lays out routers of some ports, with at most so many inputs in a word, if it is not 0.
func newLayout(ports, channels, perWord int) layout {
	l := layout{ports: ports, channels: channels, places: ports * channels, width: max(channels, 2), portBits: 4}
	l.perWord = min(ports, 64/l.width)
	if perWord > 0 {
		l.perWord = min(perWord, l.perWord)
	}
	l.words = (ports + l.perWord - 1) / l.perWord
	l.narrow = l.words == 1 && ports <= 8
	if l.narrow {
		l.portBits = 3
	}
	l.inputs = newFields(l.perWord, l.width)
	return l
}

// portAt is the index of a router's port.
func (l *layout) portAt(router, port int) uint32 { return uint32(router*l.ports + port) }

// channelAt is the index of a virtual channel of a router's input.
func (l *layout) channelAt(router, input, v int) uint32 {
	return uint32(router*l.words<<6 + l.firstLane(input) + v)
}

// firstLane is the lane of an input's first virtual channel in its bank.
func (l *layout) firstLane(input int) int { return input/l.perWord<<6 | input%l.perWord*l.width }

// code is where a nominee of an input stands at an output: what the switch's allocators read of a channel.
func (l *layout) code(output, input uint8) uint8 { return output<<(l.portBits&7) | input }

// bitsOf is the fields of some inputs of a word, counted from its first.
func (l *layout) bitsOf(inputs uint32) (set uint64) {
	for p := range l.perWord {
		if inputs>>p&1 != 0 {
			set |= (1<<l.width - 1) << (p * l.width)
		}
	}
	return set
}

// codesOf is where the front packets of the channels of a word leave.
func (n *Network) codesOf(word int) *[64]uint8 { return (*[64]uint8)(n.codes[word<<6:]) }

// makeWords makes the words of all banks, and one more, which is nowhere's; and the tables of fields.
func (n *Network) makeWords() {
	n.words = make([]word, noc.SetWords(len(n.routers))<<6*n.layout.words+1)
	n.robins, n.codes = make([]robin, len(n.words)), make([]uint8, len(n.words)<<6)
	for i := range n.robins {
		x := &n.robins[i]
		x.after, x.turns = ^uint64(0), ^uint64(0)
	}
	for inputs := range n.bitsOf {
		n.bitsOf[inputs] = n.layout.bitsOf(uint32(inputs))
	}
	n.grants = newGrants(&n.layout)
}
