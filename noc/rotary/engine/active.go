package engine

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// active is what a bank has to look at, so that a cycle costs nothing where nothing is: at low load
// a bank of 64 routers has a handful of packets, and most of its segments and ports none. Sets of
// segments and ports have a bit for each. A set may have members in vain, but never lacks one.
type active struct {
	headed   uint64 // segments with a first header
	came     uint64 // segments into which a packet has turned in this cycle
	tight    uint64 // segments that are tight for some router
	occupied uint64 // inputs with a header
	holding  uint64 // inputs that ask for a hold, or have one
	leaving  uint64 // outputs with a head
	passed   uint64 // outputs by which a place of a neighbour has been taken

	mail, refilled [2]uint64 // inputs with mail and outputs with first credits, by parity of the cycle
	agenda         [maxAgendas]agenda
}

// agenda is where something is noted for one cycle: sets of segments, inputs or outputs.
type agenda [kinds]uint32

// What is noted in agendas, of segments, inputs and outputs.
const (
	appear  = iota // segments: the first header of a lane is there
	turned         // segments: a packet has left whole, into the next one
	ejected        // segments: or to the output
	entered        // inputs: a packet has left whole
	alarmed        // inputs: a header may have been refused for long
	staged         // outputs: the head of a lane is there
	sent           // outputs: a packet has left whole
	paid           // of no port: interfaces may have paid what they owe
	kinds
)

// on is the agenda of some cycles from now, at least 1, in which something is noted of a segment or
// port.
func (b *bank) on(n *Network, cycles noc.Cycle, kind int, of uint64) uint {
	slot := n.slot(cycles)
	b.agenda[slot][kind] |= uint32(of)
	return slot
}

// slot is the agenda of some cycles from now.
func (n *Network) slot(cycles noc.Cycle) uint { return uint(n.now+cycles) & n.agendaMask & agendaBits }

// note has it that there is something of a segment or port in some agendas.
func (b *bank) note(dates uint32, kind int, of uint64) {
	for ; dates != 0; dates &= dates - 1 {
		b.agenda[bits.TrailingZeros32(dates)&agendaBits][kind] |= uint32(of)
	}
}

// advance carries out the agendas of the current cycle.
func (b *bank) advance(n *Network) {
	slot := n.slot(0)
	all := b.agenda[slot]
	b.agenda[slot] = agenda{}
	b.advanceSegments(&all, slot)
	b.advancePorts(&all, slot)
	b.paused &^= b.unpaused[slot]
	b.unpaused[slot] = 0
}

// nextDate is the next cycle after the current one for which something is noted, or noc.Never.
func (b *bank) nextDate(n *Network) noc.Cycle {
	for cycles := noc.Cycle(1); cycles <= noc.Cycle(n.agendaMask); cycles++ {
		if b.agenda[n.slot(cycles)] != (agenda{}) {
			return n.now + cycles
		}
	}
	return noc.Never
}

func (b *bank) advanceSegments(all *agenda, slot uint) {
	slot &= agendaBits
	for m := uint64(all[turned]); m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		y, set := x.next, x.turned[slot]
		x.turned[slot] = 0
		x.toRing[0] &^= set
		x.toRing[1] &^= set
		y.fromRing[0] &^= set
		y.fromRing[1] &^= set
	}
	for m := uint64(all[ejected]); m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		set := x.ejected[slot]
		x.ejected[slot] = 0
		x.toOutput[0] &^= set
		x.toOutput[1] &^= set
		x.outIdle |= set
	}
	for m := uint64(all[appear]); m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		x.ready[0] |= x.appears[0][slot]
		x.ready[1] |= x.appears[1][slot]
		x.appears[0][slot], x.appears[1][slot] = 0, 0
	}
	b.headed |= uint64(all[appear])
}

func (b *bank) advancePorts(all *agenda, slot uint) {
	slot &= agendaBits
	for m := uint64(all[entered]); m != 0; m &= m - 1 {
		in := &b.input[first(m)]
		set := in.entered[slot]
		in.entered[slot] = 0
		in.streaming &^= set
		x, y := in.segment[0], in.segment[1]
		x.fromInput[0] &^= set
		x.fromInput[1] &^= set
		y.fromInput[0] &^= set
		y.fromInput[1] &^= set
	}
	for m := uint64(all[alarmed]); m != 0; m &= m - 1 {
		in := &b.input[first(m)]
		in.alarm |= in.alarms[slot]
		in.alarms[slot] = 0
	}
	for m := uint64(all[sent]); m != 0; m &= m - 1 {
		o := &b.output[first(m)]
		o.idle |= o.sent[slot]
		o.sent[slot] = 0
	}
	for m := uint64(all[staged]); m != 0; m &= m - 1 {
		o := &b.output[first(m)]
		o.leaving[0] |= o.appears[0][slot]
		o.leaving[1] |= o.appears[1][slot]
		o.appears[0][slot], o.appears[1][slot] = 0, 0
	}
	b.leaving |= uint64(all[staged])
}

// collectMail takes note of what neighbours sent in the cycle before: headers at the inputs, first
// credits.
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
	b.mail[now], b.refilled[now] = 0, 0
	b.forgetPassed()
}

// forgetPassed forgets which places of neighbours were taken in the cycle before.
func (b *bank) forgetPassed() {
	for m := b.passed; m != 0; m &= m - 1 {
		b.output[first(m)].passed = 0
	}
	b.passed = 0
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
			a := &b.agenda[slot]
			noted := func(set uint64, kind int) bool { return set == 0 || a[kind]>>s&1 != 0 }
			if !noted(x.appears[0][slot]|x.appears[1][slot], appear) || !noted(x.turned[slot], turned) || !noted(x.ejected[slot], ejected) {
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
			a := &b.agenda[slot]
			noted := func(set uint64, kind int) bool { return set == 0 || a[kind]>>p&1 != 0 }
			if !noted(in.entered[slot], entered) || !noted(in.alarms[slot], alarmed) || !noted(o.sent[slot], sent) ||
				!noted(o.appears[0][slot]|o.appears[1][slot], staged) {
				return fmt.Sprintf("port %d: a note in an agenda", p)
			}
		}
	}
	return ""
}

func (x *segment) String() string { return fmt.Sprintf("segment %d", x.number) }
