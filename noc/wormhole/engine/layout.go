package engine

import (
	"errors"

	"github.com/carousel-sim/carousel/noc"
)

// layout tells where virtual channels are. Those of a router's inputs are bits of one word: an
// input's are side by side in a field, and all fields of a network are equal. The other way round,
// requests are bits of another word, with a field of eight bits for each output.
type layout struct {
	ports    int
	channels int // virtual channels per port
	places   int // virtual channels of the inputs of a router
	width    int // bits of an input's field
	inputs   fields[vcSet]
}

// maxPorts is the number of ports of a router whose outputs fit into a word.
const maxPorts = 8

// ErrTooLarge tells that a router has more than 64 virtual channels or more than eight ports, or that a
// delay is longer than 63 cycles. The plain form takes it.
var ErrTooLarge = errors.New("wormhole: the engine supports routers of at most 64 virtual channels and 8 ports, and delays of at most 63 cycles; use the plain form")

// newLayout lays out routers of some ports.
func newLayout(ports, channels int) (layout, error) {
	l := layout{ports: ports, channels: channels, places: ports * channels, width: max(channels, 2)}
	if ports > maxPorts || ports*l.width > 64 {
		return l, ErrTooLarge
	}
	l.inputs = newFields[vcSet](ports, l.width)
	return l, nil
}

// moves returns the size of lists of flits that go in a cycle: one of each input, of eight inputs
// in full sets of 64 routers.
func (l *layout) moves(routers int) int { return noc.SetWords(routers) << 6 * maxPorts }

// portAt returns the index of a router's port.
func (l *layout) portAt(router, port int) uint32 { return uint32(router*l.ports + port) }

// channelAt returns the index of a virtual channel of a router's input.
func (l *layout) channelAt(router, input, v int) globalVC {
	return globalVC(router<<6 + input*l.width + v)
}

// outputs are the fields of a word of outputs.
func outputs() fields[requestSet] {
	return fields[requestSet]{low: 0x0101010101010101, high: 0x8080808080808080, last: 7}
}

// fields divide a word into equal parts, from the lowest bits on, of two bits at least.
type fields[S ~uint64] struct {
	low, high S     // first and last bits of all fields
	last      uint8 // number of a field's last bit
}

// newFields divides a word into some fields.
func newFields[S ~uint64](number, width int) fields[S] {
	f := fields[S]{last: uint8(width - 1)}
	for i := range number {
		f.low |= 1 << (i * width)
		f.high |= 1 << (i*width + width - 1)
	}
	return f
}

// first chooses one bit in each field in which any asks: the first of those after the one that was
// granted last, or else the first of all. It also returns all bits up to the chosen ones; fields in
// which none asks are full.
func (f fields[S]) first(asks, after S) (chosen, upTo S) {
	later := asks & after
	none := f.high &^ (later | ((later | f.high) - f.low)) // last bits of the fields without any later
	asks = later | asks&(none<<1-none>>(f.last&63))
	less := (asks | f.high) - f.low
	return asks &^ less, (asks | f.high) ^ less
}

// filled returns all bits of the fields in which there is any of some.
func (f fields[S]) filled(some S) S {
	any := (some | ((some | f.high) - f.low)) & f.high
	return any<<1 - any>>(f.last&63)
}

// turn returns what comes after the grants of a word of round robins, once a bit of a field is granted.
func turn[S ~uint64](after, field S, bit uint8) S { return after&^field | field&-(2<<(bit&63)) }
