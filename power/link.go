package power

import (
	"encoding/json"
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Link is the price list of one unidirectional link.
type Link struct {
	phit   float64 // J
	leak   float64 // W
	period float64 // s
}

// NewLink prices a link of the given width in bits, between routers that NewRouter prices.
func NewLink(phitBits int, c Config) Link {
	c = c.Effective()
	l := Link{period: 1e-9 / c.ClockGHz}
	l.phit, l.leak = linkPrice(phitBits, c)
	l.leak *= c.StaticScale
	return l
}

// NewLinkLike prices a link of its own width, length and class; a value of 0 is that of NewLink. Its leakage
// is that of as many wires as it has. At any width a phit switches as many wires, one part after the other.
func NewLinkLike(phitBits int, l topology.Link, c Config) Link {
	if l.MM > 0 {
		c.LinkMM = l.MM
	}
	whole := NewLink(phitBits, c)
	if l.Class == topology.DieToDie && c.D2DPJPerBit > 0 {
		whole.phit, whole.leak = float64(phitBits)*c.D2DPJPerBit*1e-12, 0
	} else if l.Bits > 0 {
		whole.leak = NewLink(l.Bits, c).leak
	}
	return whole
}

// linkPrice is J per phit and W. Nothing of a link but its data switches.
func linkPrice(phitBits int, c Config) (phit, leak float64) {
	if c.Profile.templates() {
		o := newOrion(c)
		return o.link(phitBits, c.LinkMM, c.WireSpacing)
	}
	s := newCells(c)
	return s.link(phitBits, c.LinkMM, c.WireSpacing)
}

// Price returns the energy of a link that carried a number of phits in a number of cycles.
func (l Link) Price(phits uint64, cycles noc.Cycle) Breakdown {
	return Breakdown{
		Link:        float64(phits) * l.phit,
		LinkLeakage: l.leak * float64(cycles) * l.period,
	}
}

// repeated is the repeaters along a wire, count of them, each size times the smallest. They are
// chosen for the shortest delay, so that below 65 nm they outweigh the wire (section 3.5). The
// count is truncated: it is 0 for short wires.
func (o *orion) repeated(ground, coupling, resistance float64) (count, size float64) {
	rd, cd := o.RepeaterResistance, o.RepeaterCapacitance
	count = math.Floor(math.Sqrt((0.4*resistance*ground + 1.51*resistance*coupling) / (0.7 * rd * cd)))
	if count == 0 {
		return 0, 0
	}
	return count, math.Sqrt((0.7*rd*ground + 1.4*2.2*rd*coupling) / (0.7 * resistance * cd))
}

// link is J per phit and W.
func (o *orion) link(bits int, mm float64, spacing int) (phit, leak float64) {
	if o.Bus != (busWire{}) {
		return o.busPhit(bits, mm, spacing), 0
	}
	wire := o.LinkWire.spaced(spacing)
	ground, coupling := wire.capacitance()
	length := mm * 1e-3
	cg, cc := 2*ground*length, 2*coupling*length
	count, size := o.repeated(cg, cc, wire.resistance()*length)
	w := float64(bits)
	phit = o.alpha * w * (cg + cc + count*size*o.RepeaterCapacitance) * o.square / 2
	leak = w * o.voltage * (o.RepeaterLeak.n + o.RepeaterLeak.p) * size * count / 2
	return phit, leak
}

// ringWire returns a phit over the wire between two segments of a ring, in J: too short for
// repeaters. Orion 1 has no geometry of wires; inside a router it spaces them as in a crossbar.
func (o *orion) ringWire(bits int, mm float64) float64 {
	metre := o.LinkWire.total()
	if o.Bus != (busWire{}) {
		metre = o.WideWire * 1e6
	}
	return o.alpha * float64(bits) * metre * mm * 1e-3 * o.square / 2
}

// wireGeometry is the cross section of a global wire, in metres.
type wireGeometry struct {
	width, spacing    float64
	thickness, height float64 // of the metal, and of the dielectric below it
	permittivity      float64 // relative
	barrier           float64 // lining that does not conduct
}

// UnmarshalJSON reads the fields from a list in their order.
func (w *wireGeometry) UnmarshalJSON(text []byte) error {
	var v [6]float64
	err := json.Unmarshal(text, &v)
	*w = wireGeometry{v[0], v[1], v[2], v[3], v[4], v[5]}
	return err
}

// spaced returns the same wire with its neighbours further away.
func (w wireGeometry) spaced(multiple int) wireGeometry {
	w.spacing *= float64(multiple)
	return w
}

// capacitance is what one side of a wire has to the planes and to a neighbour, in F per metre; a
// wire has two of each (rule 5).
func (w wireGeometry) capacitance() (ground, coupling float64) {
	e := w.permittivity * 8.85e-12
	width, s, t, h := w.width, w.spacing, w.thickness, w.height
	ground = e * (width/h + 2.04*math.Pow(s/(s+0.54*h), 1.77)*math.Pow(t/(t+4.53*h), 0.07))
	coupling = e * (1.14*(t/s)*math.Exp(-4*s/(s+8.01*h)) +
		2.37*math.Pow(width/(width+0.31*s), 0.28)*math.Pow(h/(h+8.96*s), 0.76)*math.Exp(-2*s/(s+6*h)))
	return ground, coupling
}

// total returns the whole capacitance of a wire in F per metre.
func (w wireGeometry) total() float64 {
	ground, coupling := w.capacitance()
	return 2 * (ground + coupling)
}

// resistance is in ohm per metre; copper conducts worse in narrow wires.
func (w wireGeometry) resistance() float64 {
	conductor := w.width - 2*w.barrier
	return (2.202e-8 + 1.03e-15/conductor) / (conductor * (w.thickness - w.barrier))
}
