package power

import "math"

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
