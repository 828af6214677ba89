package noc

import "math/bits"

// Word is what one phit holds: up to 128 bits, bit 0 the lowest of element 0.
type Word [2]uint64

// WordBits is the number of bits of a Word, and so the widest phit whose flipped bits can be
// counted.
const WordBits = 128

// Flips returns the number of wires that change when another word follows.
func (w Word) Flips(next Word) uint64 {
	return uint64(bits.OnesCount64(w[0]^next[0]) + bits.OnesCount64(w[1]^next[1]))
}

// WordMask returns the bits that a phit of the given width has.
func WordMask(phitBits int) Word {
	switch {
	case phitBits >= WordBits:
		return Word{^uint64(0), ^uint64(0)}
	case phitBits > 64:
		return Word{^uint64(0), 1<<(phitBits-64) - 1}
	}
	return Word{1<<phitBits - 1, 0}
}

// And returns the bits that both words have.
func (w Word) And(mask Word) Word { return Word{w[0] & mask[0], w[1] & mask[1]} }

// ToggleCounter is a network that counts flipped bits when it is asked to. Counting changes
// nothing else.
type ToggleCounter interface {
	Network
	// CountToggles makes the network count from its first packet on; it is called before any is
	// offered. content tells what the phits of a packet hold that Offer has accepted: a word for
	// each, header first, which are read before the next call. Bits above the width of a phit are
	// dropped. Element 1 of the header is the network's: it holds the destinations that a copy
	// still owes, as a set where headers carry one (Hardware.DestinationBits) and as a number
	// elsewhere. The words of sets of more than 64 nodes are laid over each other by exclusive
	// or. It fails where phits are wider than WordBits.
	CountToggles(content func(Packet) []Word) error
}

// Toggles counts bits that flipped in one router since it was built: on each bundle of wires,
// those in which a phit differs from the one that crossed the same wires before it. All wires
// begin at zero and keep their last word while nothing crosses them. They are counted where a
// network was asked to; see [ToggleCounter].
//
// Each count has a bundle of wires of its own for each
//
//   - input port, from the link or the node before it.
//   - FIFO, of what is written into it: the two lanes of a rotary router's segments and output
//     stages are two.
//   - FIFO, of what is read; those of a ring segment are its two read ports, to the ring and to the
//     output. A read that feeds both at once counts at the output only.
//   - crossbar input and crossbar output.
//   - branch of an input stage's demultiplexer, one per ring.
//   - wire from a ring segment to the next one.
//   - output: what leaves the router there, which in rotary routers is also what the output stage's
//     multiplexer passes.
type Toggles struct {
	Arrived      uint64 // at the input ports, from other routers and the node
	BufferWrites [BufferKinds]uint64
	BufferReads  [BufferKinds]uint64
	CrossbarIn   uint64 // behind the multiplexer of an input port's virtual channels
	CrossbarOut  uint64
	InputDemux   uint64
	RingHop      uint64
	RingDual     uint64 // of RingHop, those of phits that were read for the ring and the output at once
	Link         uint64 // on outputs to other routers
	Eject        uint64 // on the output to the node
	Counted      bool   // or else nobody counted, and all are 0
}

// Less takes the counts at an earlier time off; what they say of wires before it is forgotten.
func (t Toggles) Less(start Toggles) Toggles {
	for k := range t.BufferWrites {
		t.BufferWrites[k] -= start.BufferWrites[k]
		t.BufferReads[k] -= start.BufferReads[k]
	}
	t.Arrived -= start.Arrived
	t.CrossbarIn -= start.CrossbarIn
	t.CrossbarOut -= start.CrossbarOut
	t.InputDemux -= start.InputDemux
	t.RingHop -= start.RingHop
	t.RingDual -= start.RingDual
	t.Link -= start.Link
	t.Eject -= start.Eject
	return t
}
