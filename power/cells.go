package power

import (
	_ "embed" // the tables
	"encoding/json"
	"fmt"
	"math"
	"sync"

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
	return s.square * float64(bits) * (s.WriteFixed + s.WriteEntry*float64(entries)) *
		(1 - writeDataShare + writeDataShare*s.activity)
}

// read returns a phit through the multiplexer among all rows of a RAM.
func (s *cells) read(bits, entries int) float64 {
	return s.square * float64(bits) * (s.ReadFixed + s.ReadEntry*float64(entries)*s.activity)
}

// crossbar returns a phit that crosses a multiplexer crossbar to some outputs at once.
func (s *cells) crossbar(ports, bits, outputs int) float64 {
	p := float64(ports)
	register := s.Register * (1 - registerDataShare + registerDataShare*s.activity)
	return s.square * float64(bits) * (s.SpineFixed + s.SpinePort*p*s.activity +
		float64(outputs)*(register+s.MuxInput*p*s.activity))
}

// mux returns a phit through a multiplexer of some inputs.
func (s *cells) mux(bits, inputs int) float64 {
	return s.square * float64(bits) * s.MuxInput * float64(inputs) * s.activity
}

// arbiter is a matrix among some requesters. Its requests cost nothing beside the grant.
func (s *cells) arbiterCost(requesters int) arbiterCost {
	if requesters < 2 {
		return arbiterCost{}
	}
	pairs := float64(requesters * (requesters - 1))
	return arbiterCost{grant: s.square * s.Arbiter * pairs, leak: s.voltage * s.ArbiterLeak * pairs}
}

// clockTree is its wires in one cycle; the clock pins of the registers are in the events.
func (s *cells) clockTree(ports, bits int) float64 {
	return s.square * (s.TreeFixed + s.TreeBit*float64(ports*bits))
}

// headerTest returns one destination bit compared with a port mask, an order of magnitude only.
func (s *cells) headerTest() float64 { return 4 * s.MuxInput * s.square * s.alpha }

// headerWrite returns one bit of a register.
func (s *cells) headerWrite() float64 {
	return s.square * s.Register * (1 - registerDataShare + registerDataShare*s.activity)
}

// repeaterSpan is the length of wire that one repeater drives at the least energy, in mm.
const repeaterSpan = 3

// link has as few repeaters as make the cycle. It returns J per phit and W.
func (s *cells) link(bits int, mm float64, spacing int) (phit, leak float64) {
	wire := s.LinkWire.spaced(spacing).total() * mm * 1e-3
	repeaters := math.Ceil(mm / repeaterSpan)
	w := float64(bits)
	phit = s.alpha * w * (wire + repeaters*s.Repeater) * s.square / 2
	return phit, s.voltage * w * s.RepeaterLeak * repeaters
}

// ringWire returns a phit over the wire between two segments of a ring.
func (s *cells) ringWire(bits int, mm float64) float64 {
	return s.alpha * float64(bits) * s.LinkWire.total() * mm * 1e-3 * s.square / 2
}

// cellTechnology holds the coefficients of profile S (rule 9): capacitances in F
// per bit, leakage in W per volt.
type cellTechnology struct {
	WriteFixed, WriteEntry float64 // w0, w1: per access, and per entry of the RAM
	ReadFixed, ReadEntry   float64 // r0, r1
	// A crossbar is an input spine of xa + xb P and, per output, a register xc and a multiplexer
	// xd P.
	SpineFixed, SpinePort    float64
	Register, MuxInput       float64
	Arbiter                  float64 // per ordered pair of requesters
	TreeFixed, TreeBit       float64 // clock tree, per cycle
	Repeater                 float64 // per bit of a link
	BufferLeak, RegisterLeak float64 // per bit
	MuxLeak                  float64 // per bit and input
	ArbiterLeak              float64 // per ordered pair of requesters
	RepeaterLeak             float64 // per bit
	LinkWire                 wireGeometry
}

// cellsAt returns the table of a technology. Above 45 nm the cells are those of 45 nm, larger by
// the ratio of published cell data; a global wire keeps its capacitance per length.
func cellsAt(nm int) cellTechnology {
	switch nm {
	case 90:
		return cellTables()[45].enlarged(2.4, 1.5)
	case 65:
		return cellTables()[45].enlarged(1.75, 1.5)
	case 45, 32, 22:
		return cellTables()[nm]
	}
	// Below 22 nm, energies are those of 22 nm times a factor (rule 9), each at its nominal supply.
	scale, volt := chip.ScaleOf(nm), nominalVoltage[22]/nominalVoltage[nm]
	t := cellTables()[22].enlarged(scale.Logic*volt*volt, scale.Leakage*volt)
	t.LinkWire.permittivity *= scale.Wire * volt * volt
	return t
}

// enlarged scales the capacitance and the leakage of cells, not the wires.
func (t cellTechnology) enlarged(capacitance, leakage float64) cellTechnology {
	for _, c := range []*float64{&t.WriteFixed, &t.WriteEntry, &t.ReadFixed, &t.ReadEntry, &t.SpineFixed,
		&t.SpinePort, &t.Register, &t.MuxInput, &t.Arbiter, &t.TreeFixed, &t.TreeBit, &t.Repeater} {
		*c *= capacitance
	}
	for _, l := range []*float64{&t.BufferLeak, &t.RegisterLeak, &t.MuxLeak, &t.ArbiterLeak, &t.RepeaterLeak} {
		*l *= leakage
	}
	return t
}

// cellsFile has the tables of profile S. The dielectric of wires improves at 22 nm.
//
//go:embed cells.json
var cellsFile []byte

var cellTables = sync.OnceValue(func() (list map[int]cellTechnology) {
	if err := json.Unmarshal(cellsFile, &list); err != nil {
		panic(fmt.Sprintf("power: cells.json: %v", err))
	}
	return list
})

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
		static.buffers += s.voltage * s.BufferLeak * w * float64(h.FIFOs[k]*h.Depth[k])
	}
	if h.Crossbar {
		e.crossbar = s.crossbar(h.Ports, bits, 1)
		static.crossbar = s.voltage * s.MuxLeak * w * float64(h.Ports*(h.Ports-1))
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
	static.multiplexers = s.voltage * s.MuxLeak * w * float64(muxInputs)

	e.headerTest, e.headerWrite = s.headerTest(), s.headerWrite()
	static.registers = s.voltage * s.RegisterLeak * w * float64(registerRanks(h))
	if h.Ports > 0 {
		r.clock = s.clockTree(h.Ports, bits) / r.period
	}
}
