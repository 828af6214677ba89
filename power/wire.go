package power

import "math"

// wireGeometry is the cross section of a global wire, in metres.
type wireGeometry struct {
	width, spacing    float64
	thickness, height float64 // of the metal, and of the dielectric below it
	permittivity      float64 // relative
	barrier           float64 // lining that does not conduct
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
