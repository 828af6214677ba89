package power

// firstOrion returns the table of Orion 1 as the public release of its simulator sets it: the
// parameters of 0.8 um, scaled to 100 nm, and transistors, wires and leakage once more by the
// release's own factors towards 70 nm (rule 15). It scales the drains of transistors and the poly
// before gates, but not the gates, which the division by the scale undoes.
func firstOrion() orionTechnology {
	const (
		feature     = 0.125                       // of 0.8 um
		transistors = 0.5489156157                // factors of the release
		wires       = 0.6566502462                //
		metal       = 84.2172 * feature * feature // of a wire along a cell, of 0.8 um
		cell        = 16.0                        // um, the height of a cell of 0.8 um
		perUM       = 4.4e-15 / cell * metal * wires
	)
	um := func(width float64) float64 { return width * feature }
	both := func(n, p float64) pair { return pair{um(n), um(p)} }
	return orionTechnology{
		transistorScale: transistors, leakageScale: 1.4088071075,
		length: um(0.8), lengthScale: feature,
		gate: 1.95e-15 / transistors, poly: 0.25e-15 * 84.2172 * feature,
		area: pair{1.37e-16, 3.43e-16}, side: pair{2.75e-16, 2.75e-16}, overlap: pair{1.38e-16 + 2.63e-16, 1.38e-16 + 3.38e-16},
		driverResistance: 22400 * feature, widest: um(100),
		nor: both(5.4, 30.5), inverter: both(5, 10),
		access: um(2.4), read: um(4), write: um(2.1), sense: um(4), cellRatio: 2,
		selector: both(12, 20), nand: both(24, 10), triNor: both(6, 40), out: both(48, 80),
		cellHeight: um(cell), cellWidth: um(8), bitPitch: um(6), bitWidth: um(16), crosspoint: um(6),
		wideWire: 1.5 * perUM, wire: perUM,
		leak:     pair{227e-9, 180e-9},
		leakNand: [4]float64{12e-9, 226e-9, 114e-9, 359e-9},
		leakNor:  [4]float64{451e-9, 115e-9, 179e-9, 18e-9},
		bus:      busWire{close: 5.2277 * perUM, apart: 3 * perUM, repeater: pair{um(4), um(8)}},

		unclocked: true,
	}
}

// busWire is a wire of a link with two repeaters, of which the second is larger.
type busWire struct {
	close, apart float64 // F/um at the smallest spacing and at twice that
	repeater     pair    // um
}

// spaced returns the capacitance of a wire in F per um.
func (b busWire) spaced(multiple int) float64 {
	if multiple == 1 {
		return b.close
	}
	return b.apart
}

// secondRepeater is the size of a wire's second repeater in terms of the first.
const secondRepeater = 2.5

// busPhit returns a phit on a link in J.
func (o *orion) busPhit(bits int, mm float64, spacing int) float64 {
	wire := o.bus.spaced(spacing) * mm * 1e3
	for _, size := range []float64{1, secondRepeater} {
		w := pair{size * o.bus.repeater.n, size * o.bus.repeater.p}
		wire += o.gatesCap(w, 0) + o.drainsCap(w)
	}
	return o.alpha * float64(bits) * wire * o.square / 2
}
