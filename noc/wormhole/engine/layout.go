package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// layout tells where virtual channels are. Those of a router's inputs are bits of one word or,
// where they do not fit, of several with as many inputs in each as fit: an input's are side by side
// in a field of a word, and all fields of a network are equal. A channel's index is its word's
// index times 64 plus the bit; its lane is that within its router.
type layout struct {
	ports    int
	channels int // virtual channels per port
	places   int // virtual channels of the inputs of a router
	width    int // bits of an input's field
	perWord  int // inputs in a word, eight at most
	words    int // of a router
	inputs   fields
	// The other way round, outputs are words with a field for each, of a bit for each input.
	outputs     fields
	outputWords int   // of a router
	robins      int   // of a router: enough for the words of inputs and of outputs
	portBits    uint8 // of a port's number in a code
}

// newLayout lays out routers of some ports, with at most so many inputs in a word, if it is not 0.
func newLayout(ports, channels, perWord int) layout {
	l := layout{ports: ports, channels: channels, places: ports * channels, width: max(channels, 2)}
	l.perWord = min(ports, 64/l.width, 8)
	if perWord > 0 {
		l.perWord = min(perWord, l.perWord)
	}
	l.words = (ports + l.perWord - 1) / l.perWord
	l.inputs = newFields(l.perWord, l.width)
	l.portBits, l.outputWords, l.outputs = 3, 1, octets()
	if ports > 8 {
		l.portBits, l.outputWords, l.outputs = 4, outputWords, newFields(4, 16)
	}
	l.robins = max(l.words, l.outputWords)
	return l
}

// outputWords is the most words that the outputs of a router take.
const outputWords = wormhole.MaxPorts * wormhole.MaxPorts / 64

// small reports whether a router is one word both ways.
func (l *layout) small() bool { return l.words == 1 && l.outputWords == 1 }

// moves returns the size of lists of flits that go in a cycle: one of each input, of eight inputs
// at least in full sets of 64 routers.
func (l *layout) moves(routers int) int { return noc.SetWords(routers) << 6 * max(8, l.ports) }

// portAt returns the index of a router's port.
func (l *layout) portAt(router, port int) uint32 { return uint32(router*l.ports + port) }

// channelAt returns the index of a virtual channel of a router's input.
func (l *layout) channelAt(router, input, v int) uint32 {
	return uint32(router*l.words<<6 + l.firstLane(input) + v)
}

// firstLane returns the lane of an input's first virtual channel.
func (l *layout) firstLane(input int) int { return input/l.perWord<<6 | input%l.perWord*l.width }

// code returns where a channel of an input stands among those that want an output: what the switch
// allocators read of it.
func (l *layout) code(output, input uint8) uint8 { return output<<(l.portBits&7) | input }

// outputOf returns the output of a code, and inputOf the input.
func (l *layout) outputOf(code uint8) uint8 { return code >> (l.portBits & 7) }
func (l *layout) inputOf(code uint8) uint8  { return code & (1<<(l.portBits&7) - 1) }

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

// first chooses one bit in each field in which any asks: the first of those after the one that was
// granted last, or else the first of all. It also returns all bits up to the chosen ones; fields in
// which none asks are full.
func (f fields) first(asks, after uint64) (chosen, upTo uint64) {
	later := asks & after
	none := f.high &^ (later | ((later | f.high) - f.low)) // last bits of the fields without any later
	asks = later | asks&(none<<1-none>>(f.last&63))
	less := (asks | f.high) - f.low
	return asks &^ less, (asks | f.high) ^ less
}

// filled returns all bits of the fields in which there is any of some.
func (f fields) filled(some uint64) uint64 {
	any := (some | ((some | f.high) - f.low)) & f.high
	return any<<1 - any>>(f.last&63)
}

// grant is what changes in a word of round robins when one bit is granted: all but its field, and
// what is after it in the field. A table, because shifts by a variable need a certain register of a
// processor.
type grant struct{ others, after uint64 }

// turn returns the bits after those that were granted last, once this is one of them.
func (g *grant) turn(after uint64) uint64 { return after&g.others | g.after }

// newGrants makes the grants of all bits of a word in fields of a width.
func newGrants(width int) (grants [64]grant) {
	for i := range grants {
		field := uint64(1<<width-1) << (i / width * width)
		grants[i] = grant{^field, field & -(2 << i)}
	}
	return grants
}
