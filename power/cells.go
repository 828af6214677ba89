package power

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power/chip"
)

// cells evaluates the closed forms of profile S for one configuration (rule 8). The coefficients
// hold for random data; activity scales the share of each that is data, the rest is clock
// (section 8). Energies are in J, leakage in W.
type cells struct {
	cellTechnology
	voltage  float64 // V
	square   float64 // V^2
	alpha    float64
	activity float64 // alpha in terms of the 0.5 for which the coefficients were fitted
}

// The shares of a register and of a FIFO write that follow the data.
const (
	registerDataShare = 0.5
	writeDataShare    = 0.75
)

func newCells(c Config) cells {
	c = c.Effective()
	return cells{
		cellTechnology: cellsAt(c.TechNM),
		voltage:        c.VoltageV,
		square:         c.VoltageV * c.VoltageV,
		alpha:          c.Alpha,
		activity:       c.Alpha / 0.5,
	}
}

// write returns a phit into a RAM: the data bus reaches the inputs of all its rows.
func (s *cells) write(bits, entries int) float64 {
	return s.square * float64(bits) * (s.writeFixed + s.writeEntry*float64(entries)) *
		(1 - writeDataShare + writeDataShare*s.activity)
}

// read returns a phit through the multiplexer among all rows of a RAM.
func (s *cells) read(bits, entries int) float64 {
	return s.square * float64(bits) * (s.readFixed + s.readEntry*float64(entries)*s.activity)
}

// crossbar returns a phit that crosses a multiplexer crossbar to some outputs at once.
func (s *cells) crossbar(ports, bits, outputs int) float64 {
	p := float64(ports)
	register := s.register * (1 - registerDataShare + registerDataShare*s.activity)
	return s.square * float64(bits) * (s.spineFixed + s.spinePort*p*s.activity +
		float64(outputs)*(register+s.muxInput*p*s.activity))
}

// mux returns a phit through a multiplexer of some inputs.
func (s *cells) mux(bits, inputs int) float64 {
	return s.square * float64(bits) * s.muxInput * float64(inputs) * s.activity
}

// arbiter is a matrix among some requesters. Its requests cost nothing beside the grant.
func (s *cells) arbiterCost(requesters int) arbiterCost {
	if requesters < 2 {
		return arbiterCost{}
	}
	pairs := float64(requesters * (requesters - 1))
	return arbiterCost{grant: s.square * s.arbiter * pairs, leak: s.voltage * s.arbiterLeak * pairs}
}

// clockTree is its wires in one cycle; the clock pins of the registers are in the events.
func (s *cells) clockTree(ports, bits int) float64 {
	return s.square * (s.treeFixed + s.treeBit*float64(ports*bits))
}

// headerTest returns one destination bit compared with a port mask, an order of magnitude only.
func (s *cells) headerTest() float64 { return 4 * s.muxInput * s.square * s.alpha }

// headerWrite returns one bit of a register.
func (s *cells) headerWrite() float64 {
	return s.square * s.register * (1 - registerDataShare + registerDataShare*s.activity)
}

// repeaterSpan is the length of wire that one repeater drives at the least energy, in mm.
const repeaterSpan = 3

// link has as few repeaters as make the cycle. It returns J per phit and W.
func (s *cells) link(bits int, mm float64, spacing int) (phit, leak float64) {
	wire := s.linkWire.spaced(spacing).total() * mm * 1e-3
	repeaters := math.Ceil(mm / repeaterSpan)
	w := float64(bits)
	phit = s.alpha * w * (wire + repeaters*s.repeater) * s.square / 2
	return phit, s.voltage * w * s.repeaterLeak * repeaters
}

// ringWire returns a phit over the wire between two segments of a ring.
func (s *cells) ringWire(bits int, mm float64) float64 {
	return s.alpha * float64(bits) * s.linkWire.total() * mm * 1e-3 * s.square / 2
}

// cellTechnology holds the coefficients of profile S (rule 9): capacitances in F
// per bit, leakage in W per volt.
type cellTechnology struct {
	writeFixed, writeEntry float64 // w0, w1: per access, and per entry of the RAM
	readFixed, readEntry   float64 // r0, r1
	// A crossbar is an input spine of xa + xb P and, per output, a register xc and a multiplexer
	// xd P.
	spineFixed, spinePort    float64
	register, muxInput       float64
	arbiter                  float64 // per ordered pair of requesters
	treeFixed, treeBit       float64 // clock tree, per cycle
	repeater                 float64 // per bit of a link
	bufferLeak, registerLeak float64 // per bit
	muxLeak                  float64 // per bit and input
	arbiterLeak              float64 // per ordered pair of requesters
	repeaterLeak             float64 // per bit
	linkWire                 wireGeometry
}

const (
	femto = 1e-15
	micro = 1e-6
)

// cellsAt returns the table of a technology. Above 45 nm the cells are those of 45 nm, larger by
// the ratio of published cell data; a global wire keeps its capacitance per length.
func cellsAt(nm int) cellTechnology {
	switch nm {
	case 90:
		return cells45.enlarged(2.4, 1.5)
	case 65:
		return cells45.enlarged(1.75, 1.5)
	case 45:
		return cells45
	case 32:
		return cells32
	case 22:
		return cells22
	}
	// Below 22 nm, energies are those of 22 nm times a factor (rule 9), each at its nominal supply.
	scale, volt := chip.ScaleOf(nm), nominalVoltage[22]/nominalVoltage[nm]
	t := cells22.enlarged(scale.Logic*volt*volt, scale.Leakage*volt)
	t.linkWire.permittivity *= scale.Wire * volt * volt
	return t
}

// enlarged scales the capacitance and the leakage of cells, not the wires.
func (t cellTechnology) enlarged(capacitance, leakage float64) cellTechnology {
	for _, c := range []*float64{&t.writeFixed, &t.writeEntry, &t.readFixed, &t.readEntry, &t.spineFixed,
		&t.spinePort, &t.register, &t.muxInput, &t.arbiter, &t.treeFixed, &t.treeBit, &t.repeater} {
		*c *= capacitance
	}
	for _, l := range []*float64{&t.bufferLeak, &t.registerLeak, &t.muxLeak, &t.arbiterLeak, &t.repeaterLeak} {
		*l *= leakage
	}
	return t
}

// cellWire is the global wire of all technologies; the dielectric improves at 22 nm.
var cellWire = wireGeometry{width: 160e-9, spacing: 160e-9, thickness: 280e-9, height: 250e-9, permittivity: 2.8}

var cells45 = cellTechnology{
	writeFixed: 10.95 * femto, writeEntry: 1.509 * femto,
	readFixed: 8.17 * femto, readEntry: 1.506 * femto,
	spineFixed: -0.6 * femto, spinePort: 1.285 * femto, register: 3.74 * femto, muxInput: 1.373 * femto,
	arbiter: 6.60 * femto, treeFixed: 195.9 * femto, treeBit: 1.184 * femto, repeater: 4.5 * femto,
	bufferLeak: 2.357 * micro, registerLeak: 1.628 * micro, muxLeak: 0.651 * micro, arbiterLeak: 2.51 * micro,
	repeaterLeak: 0.43 * micro, linkWire: cellWire,
}

var cells32 = cellTechnology{
	writeFixed: 7.457 * femto, writeEntry: 1.029 * femto,
	readFixed: 5.586 * femto, readEntry: 1.018 * femto,
	spineFixed: -0.4 * femto, spinePort: 0.870 * femto, register: 2.60 * femto, muxInput: 0.925 * femto,
	arbiter: 4.48 * femto, treeFixed: 136.6 * femto, treeBit: 0.839 * femto, repeater: 4.5 * femto,
	bufferLeak: 2.235 * micro, registerLeak: 1.562 * micro, muxLeak: 0.605 * micro, arbiterLeak: 2.35 * micro,
	repeaterLeak: 0.38 * micro, linkWire: cellWire,
}

var cells22 = cellTechnology{
	writeFixed: 4.66 * femto, writeEntry: 0.606 * femto,
	readFixed: 3.50 * femto, readEntry: 0.570 * femto,
	spineFixed: -0.2 * femto, spinePort: 0.475 * femto, register: 1.73 * femto, muxInput: 0.526 * femto,
	arbiter: 2.60 * femto, treeFixed: 70 * femto, treeBit: 0.64 * femto, repeater: 4.5 * femto,
	bufferLeak: 2.16 * micro, registerLeak: 1.504 * micro, muxLeak: 0.605 * micro, arbiterLeak: 2.24 * micro,
	repeaterLeak: 0.30 * micro, linkWire: cellWire22,
}

var cellWire22 = wireGeometry{width: 160e-9, spacing: 160e-9, thickness: 280e-9, height: 250e-9, permittivity: 2.6}

// priceCells fills the price list from the closed forms of profile S.
func (r *Router) priceCells(s cells, h noc.Hardware, c Config) {
	bits, w := h.PhitBits, float64(h.PhitBits)
	e, static := &r.events, &r.leakage
	muxInputs := 0 // per bit, in multiplexers that are not part of a RAM or of the crossbar
	for k := range h.FIFOs {
		if h.FIFOs[k] == 0 {
			continue
		}
		entries := h.Depth[k]
		shared := noc.BufferKind(k) == noc.VirtualChannel && h.VirtualChannels > 1
		if shared && c.FIFO == FIFOSingleRAM {
			entries *= h.VirtualChannels
		}
		e.write[k], e.read[k] = s.write(bits, entries), s.read(bits, entries)
		if shared && c.FIFO == FIFOBanked {
			e.read[k] += s.mux(bits, h.VirtualChannels)
			muxInputs += h.FIFOs[k]
		}
		static.buffers += s.voltage * s.bufferLeak * w * float64(h.FIFOs[k]*h.Depth[k])
	}
	if h.Crossbar {
		e.crossbar = s.crossbar(h.Ports, bits, 1)
		static.crossbar = s.voltage * s.muxLeak * w * float64(h.Ports*(h.Ports-1))
	}

	count, requesters := arbiters(h, h.Ports)
	for stage := range count {
		if count[stage] == 0 {
			continue
		}
		a := s.arbiterCost(requesters[stage])
		e.grant[stage] = a.grant
		static.arbiters += float64(count[stage]) * a.leak
	}

	// DSENT has no allocator of virtual channels: it is made of the same matrices as the switch's.
	first, second := s.arbiterCost(h.ChannelChoices), s.arbiterCost((h.Ports-1)*h.ChannelRivals)
	e.allocation = first.grant + second.grant
	static.arbiters += float64(h.FIFOs[noc.VirtualChannel]) * (first.leak + second.leak)

	if h.FIFOs[noc.RingSegment] > 0 {
		e.segmentMux, e.ringWire = s.mux(bits, 2), s.ringWire(bits, c.RingMM)
		e.dual = s.mux(bits, 1) + e.ringWire
		e.inputDemux = s.mux(bits, 1)
	}
	if h.FIFOs[noc.OutputStage] > 0 {
		e.outputMux = s.mux(bits, 2)
	}
	muxInputs += h.FIFOs[noc.InputStage] + 2*h.FIFOs[noc.RingSegment] + 2*h.FIFOs[noc.OutputStage]
	static.multiplexers = s.voltage * s.muxLeak * w * float64(muxInputs)

	e.headerTest, e.headerWrite = s.headerTest(), s.headerWrite()
	static.registers = s.voltage * s.registerLeak * w * float64(registerRanks(h))
	if h.Ports > 0 {
		r.clock = s.clockTree(h.Ports, bits) / r.period
	}
}
