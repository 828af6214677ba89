package power

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
)

// Link is the price list of one unidirectional link.
type Link struct {
	phit   float64 // J
	leak   float64 // W
	period float64 // s
}

// NewLink prices a link of the given width in bits.
func NewLink(phitBits int, c Config) (Link, error) {
	if err := c.Validate(); err != nil {
		return Link{}, err
	}
	if err := positiveWidth(phitBits); err != nil {
		return Link{}, err
	}
	c = c.Effective()
	l := Link{period: 1e-9 / c.ClockGHz}
	if c.Profile == ProfileO {
		o := newOrion(c)
		l.phit, l.leak = o.link(phitBits, c.LinkMM, c.WireSpacing)
	} else {
		s := newCells(c)
		l.phit, l.leak = s.link(phitBits, c.LinkMM, c.WireSpacing)
	}
	l.leak *= c.StaticScale
	return l, nil
}

// Price is the energy of a link that carried a number of phits in a number of cycles.
func (l Link) Price(phits uint64, cycles noc.Cycle) Breakdown {
	return Breakdown{
		Link:        float64(phits) * l.phit,
		LinkLeakage: l.leak * float64(cycles) * l.period,
	}
}

// link has repeaters for the shortest delay, so many and so large that below 65 nm they outweigh the
// wire (section 3.5). It returns J per phit and W.
func (o *orion) link(bits int, mm float64, spacing int) (phit, leak float64) {
	geometry := o.orionTechnology.link.spaced(spacing)
	ground, coupling := geometry.capacitance()
	length := mm * 1e-3
	cg, cc, r := 2*ground*length, 2*coupling*length, geometry.resistance()*length
	rd, cd := o.repeaterResistance, o.repeaterCapacitance
	count := math.Floor(math.Sqrt((0.4*r*cg + 1.51*r*cc) / (0.7 * rd * cd)))
	var repeaters float64 // in units of the smallest
	if count > 0 {
		repeaters = count * math.Sqrt((0.7*rd*cg+1.4*2.2*rd*cc)/(0.7*r*cd))
	}
	w := float64(bits)
	phit = o.alpha * w * (cg + cc + repeaters*cd) * o.square / 2
	leak = w * o.voltage * (o.repeaterLeak.n + o.repeaterLeak.p) * repeaters / 2
	return phit, leak
}

// ringWire is a phit over the wire between two segments of a ring, in J: too short for repeaters.
func (o *orion) ringWire(bits int, mm float64) float64 {
	return o.alpha * float64(bits) * o.orionTechnology.link.total() * mm * 1e-3 * o.square / 2
}
