package rotary

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// active is what a bank has to look at, so that a cycle costs nothing where nothing is: at low load a bank of 64
// routers has a handful of packets, and most of its segments and ports none. Sets of segments and ports have a bit
// for each. A set may have members in vain, but never lacks one.
type active struct {
	headed   uint64 // segments with a first header
	came     uint64 // segments into which a packet has turned in this cycle
	tight    uint64 // segments that are tight for some router
	occupied uint64 // inputs with a header
	holding  uint64 // inputs that ask for a hold, or have one
	leaving  uint64 // outputs with a head
	passed   uint64 // outputs by which a place of a neighbour has been taken

	mail, refilled [2]uint64 // inputs with mail and outputs with first credits, by parity of the cycle
	dates          uint32    // agendas in which there is anything
	agenda         [maxAgendas]agenda
}

// agenda is where something is noted for one cycle: a bit for each segment, input and output, from the lowest.
type agenda uint64

const (
	inputShift  = maxSegments
	outputShift = maxSegments + maxPorts
)

func ofSegment(x *segment) agenda { return agenda(x.bit) }
func ofInput(p int) agenda        { return 1 << inputShift << (p & portBits) }
func ofOutput(p int) agenda       { return 1 << outputShift << (p & portBits) }

// on is the agenda of some cycles from now, at least 1, in which something is noted of a segment or port.
func (b *bank) on(n *Network, cycles noc.Cycle, of agenda) uint {
	slot := n.slot(cycles)
	b.dates |= 1 << slot
	b.agenda[slot] |= of
	return slot
}

// slot is the agenda of some cycles from now.
func (n *Network) slot(cycles noc.Cycle) uint { return uint(n.now+cycles) & n.agendaMask & agendaBits }

// note has it that there is something of a segment or port in some agendas.
func (b *bank) note(dates uint32, of agenda) {
	b.dates |= dates
	for ; dates != 0; dates &= dates - 1 {
		b.agenda[bits.TrailingZeros32(dates)&agendaBits] |= of
	}
}

// advance carries out the agendas of the current cycle.
func (b *bank) advance(n *Network) {
	slot := n.slot(0)
	if b.dates>>slot&1 == 0 {
		return
	}
	b.dates &^= 1 << slot
	all := b.agenda[slot]
	b.agenda[slot] = 0
	for m := uint64(all & (1<<inputShift - 1)); m != 0; m &= m - 1 {
		b.advanceSegment(&b.segment[first(m)], slot)
	}
	for m := uint64(all >> inputShift & (1<<maxPorts - 1)); m != 0; m &= m - 1 {
		b.input[first(m)].advance(slot)
	}
	for m := uint64(all >> outputShift); m != 0; m &= m - 1 {
		b.advanceOutput(first(m), slot)
	}
	b.paused &^= b.unpaused[slot]
	b.unpaused[slot] = 0
}

func (b *bank) advanceSegment(x *segment, slot uint) {
	slot &= agendaBits
	if appears := x.appears[0][slot] | x.appears[1][slot]; appears != 0 {
		x.ready[0] |= x.appears[0][slot]
		x.ready[1] |= x.appears[1][slot]
		x.appears[0][slot], x.appears[1][slot] = 0, 0
		b.headed |= x.bit
	}
	if turned := x.turned[slot]; turned != 0 {
		x.turned[slot] = 0
		x.toRing[0] &^= turned
		x.toRing[1] &^= turned
		x.next.fromRing[0] &^= turned
		x.next.fromRing[1] &^= turned
	}
	if ejected := x.ejected[slot]; ejected != 0 {
		x.ejected[slot] = 0
		x.toOutput[0] &^= ejected
		x.toOutput[1] &^= ejected
		x.outIdle |= ejected
	}
}

func (in *input) advance(slot uint) {
	slot &= agendaBits
	if entered := in.entered[slot]; entered != 0 {
		in.entered[slot] = 0
		in.streaming &^= entered
		for _, x := range in.segment {
			x.fromInput[0] &^= entered
			x.fromInput[1] &^= entered
		}
	}
	in.alarm |= in.alarms[slot]
	in.alarms[slot] = 0
}

func (b *bank) advanceOutput(p int, slot uint) {
	o := &b.output[p]
	slot &= agendaBits
	o.idle |= o.sent[slot]
	o.leaving[0] |= o.appears[0][slot]
	o.leaving[1] |= o.appears[1][slot]
	o.sent[slot], o.appears[0][slot], o.appears[1][slot] = 0, 0, 0
	if o.leaving[0]|o.leaving[1] != 0 {
		b.leaving |= 1 << (p & portBits)
	}
}

// collectMail takes note of what neighbours sent in the cycle before: headers at the inputs, first credits.
func (b *bank) collectMail(n *Network) {
	now := n.now & 1
	for m := b.mail[now]; m != 0; m &= m - 1 {
		in := &b.input[first(m)]
		in.occupied |= in.mail[now]
		in.mail[now] = 0
	}
	b.occupied |= b.mail[now]
	for m := b.refilled[now]; m != 0; m &= m - 1 {
		o := &b.output[first(m)]
		o.credited |= o.refilled[now]
		o.refilled[now] = 0
	}
	for m := b.passed; m != 0; m &= m - 1 {
		b.output[first(m)].passed = 0
	}
	b.mail[now], b.refilled[now], b.passed = 0, 0, 0
}

// lacks tells what a bank has to look at and does not know of.
func (b *bank) lacks() string {
	for s := range b.segment {
		x := &b.segment[s]
		switch missing := func(set, known uint64) bool { return set != 0 && known>>s&1 == 0 }; {
		case missing(x.ready[0]|x.ready[1], b.headed):
			return x.String() + ": a first header"
		case missing(x.tight, b.tight):
			return x.String() + ": a router with few places behind it"
		}
		for slot := range x.turned {
			noted := x.appears[0][slot] | x.appears[1][slot] | x.turned[slot] | x.ejected[slot]
			if noted != 0 && b.agenda[slot]&ofSegment(x) == 0 {
				return x.String() + ": a note in an agenda"
			}
		}
	}
	for p := range b.input {
		in, o := &b.input[p], &b.output[p]
		missing := func(set, known uint64) bool { return set != 0 && known>>p&1 == 0 }
		switch {
		case missing(in.occupied, b.occupied), missing(in.mail[0], b.mail[0]), missing(in.mail[1], b.mail[1]):
			return fmt.Sprintf("input %d: a header", p)
		case missing(in.expired|in.holds[0]|in.holds[1], b.holding):
			return fmt.Sprintf("input %d: a hold", p)
		case missing(o.leaving[0]|o.leaving[1], b.leaving):
			return fmt.Sprintf("output %d: a head", p)
		case missing(o.refilled[0], b.refilled[0]), missing(o.refilled[1], b.refilled[1]), missing(o.passed, b.passed):
			return fmt.Sprintf("output %d: a place or credit of the neighbour", p)
		}
		for slot := range in.entered {
			if in.entered[slot]|in.alarms[slot] != 0 && b.agenda[slot]&ofInput(p) == 0 ||
				o.sent[slot]|o.appears[0][slot]|o.appears[1][slot] != 0 && b.agenda[slot]&ofOutput(p) == 0 {
				return fmt.Sprintf("port %d: a note in an agenda", p)
			}
		}
	}
	return ""
}

func (x *segment) String() string { return fmt.Sprintf("segment %d", x.number) }
