package power

// pair holds a value for the n and one for the p transistor.
type pair struct{ n, p float64 }

// polarity selects a transistor of a pair.
type polarity uint8

const (
	nType polarity = iota
	pType
)

// orionTechnology holds the parameters of profile O: widths and lengths in um, capacitances in F,
// F/um or F/um^2, currents in A or A/um (rule 7).
type orionTechnology struct {
	transistorScale, leakageScale float64
	length, lengthScale           float64 // of the channel
	gate, poly                    float64 // F/um^2, F/um
	area, side, overlap           pair    // of a drain: F/um^2, F/um, F/um
	driverResistance, widest      float64 // of a PMOS driver: ohm um, um
	nor, inverter                 pair
	flipFlop                      float64 // leaking width
	access, read, write, sense    float64 // widths in an SRAM cell and its sense amplifier
	cellRatio                     float64 // p to n in an SRAM cell
	selector, nand, triNor, out   pair    // widths of the parts of a tri-state driver
	cellHeight, cellWidth         float64
	bitPitch, bitWidth            float64
	crosspoint                    float64 // side of a crossbar cell
	wideWire, wire                float64 // F/um at triple and at usual spacing
	registerClock                 float64 // F per register bit
	leak                          pair    // A/um
	leakNand, leakNor             [4]float64
	leakFlipFlop                  float64
	linkWire                      wireGeometry
	repeaterResistance            float64 // ohm, smallest repeater
	repeaterCapacitance           float64 // F
	repeaterLeak                  pair    // A
	bus                           busWire // of links, instead of linkWire and repeaters
	unclocked                     bool    // no pipeline registers, and reads without sense amplifiers (rule 15)
}

// sizeScale is the geometry of 22 nm in terms of 32 nm.
const sizeScale = 0.69

// orionAt returns the table of a technology. 22 nm is scaled from 32 nm (rule 7): what has no
// factor (leakage per width, register clock, repeaters) stays as it is at 32 nm.
func orionAt(nm int) orionTechnology {
	switch nm {
	case firstNM:
		return firstOrion()
	case 90:
		return orion90
	case 65:
		return orion65
	case 45:
		return orion45()
	case 32:
		return orion32()
	}
	t := orion32()
	t.transistorScale = 0.50
	t.cellHeight *= sizeScale
	t.cellWidth *= sizeScale
	t.bitPitch *= sizeScale
	t.crosspoint *= sizeScale
	t.wire *= sizeScale
	t.linkWire.width *= sizeScale
	t.linkWire.spacing *= sizeScale
	t.linkWire.thickness *= sizeScale
	t.linkWire.height *= sizeScale
	t.linkWire.barrier *= sizeScale
	return t
}

// highThreshold takes the leakage currents of HVT transistors (rule 7). 22 nm has those of 32 nm.
func (t *orionTechnology) highThreshold(nm int) {
	if nm == 90 {
		t.leak, t.leakFlipFlop = pair{12.2e-9, 9.3e-9}, 194.7e-9
		t.leakNand = [4]float64{1.8e-9, 12.4e-9, 8.9e-9, 19.3e-9}
		t.leakNor = [4]float64{29.5e-9, 8.3e-9, 11.1e-9, 0.9e-9}
		t.repeaterLeak = pair{10.1e-9, 19.2e-9}
		return
	}
	t.leak, t.leakFlipFlop = pair{18.4e-9, 35.2e-9}, 231.3e-9
	t.leakNand = [4]float64{19.7e-9, 51.3e-9, 63.0e-9, 87.6e-9}
	t.leakNor = [4]float64{23.4e-9, 37.6e-9, 67.9e-9, 12.3e-9}
	switch nm {
	case 65:
		t.repeaterLeak = pair{18.4e-9, 35.2e-9}
	case 45:
		t.leakageScale, t.repeaterLeak = 2.036842, pair{39.1e-9, 76.4e-9}
	default:
		t.leakageScale, t.repeaterLeak = 3.294737, pair{66.4e-9, 129.9e-9}
	}
}

var orion90 = orionTechnology{
	transistorScale: 1, leakageScale: 1,
	length: 0.1, lengthScale: 0.125,
	gate: 3.9664e-14, poly: 2.6317875e-15,
	area: pair{2.9535e-15, 3.3306e-15}, side: pair{2.55e-16, 1.2994e-15}, overlap: pair{1.27e-16, 1.21e-16},
	driverResistance: 10464, widest: 11.57,
	nor: pair{0.28, 1.38}, inverter: pair{0.58, 1.15}, flipFlop: 6.57,
	access: 0.33, read: 0.46, write: 0.24, sense: 0.49, cellRatio: 2,
	selector: pair{1.40, 2.21}, nand: pair{2.89, 1.15}, triNor: pair{0.69, 4.75}, out: pair{5.58, 9.05},
	cellHeight: 2.8, cellWidth: 1.9, bitPitch: 1.1, bitWidth: 2.0, crosspoint: 2.94,
	wideWire: 0.11059e-15, wire: 0.242e-15,
	registerClock: 10.0e-15,
	leak:          pair{15.6e-9, 11.3e-9},
	leakNand:      [4]float64{2.8e-9, 19.6e-9, 10.4e-9, 29.3e-9},
	leakNor:       [4]float64{41.5e-9, 13.1e-9, 14.5e-9, 1.4e-9},
	leakFlipFlop:  194.7e-9,
	linkWire: wireGeometry{width: 410e-9, spacing: 410e-9, thickness: 861e-9, height: 779e-9,
		permittivity: 3.3, barrier: 10e-9},
	repeaterResistance: 5125.94, repeaterCapacitance: 4.7e-15, repeaterLeak: pair{31.1e-9, 67.6e-9},
}

var orion65 = orionTechnology{
	transistorScale: 1, leakageScale: 1,
	length: 0.0696, lengthScale: 0.087,
	gate: 3.9664e-14, poly: 1.832e-15,
	area: pair{2.9535e-15, 3.3306e-15}, side: pair{2.55e-16, 1.2994e-15}, overlap: pair{1.27e-16, 1.21e-16},
	driverResistance: 5791, widest: 9.225,
	nor: pair{1.20, 2.62}, inverter: pair{1.46, 3.93}, flipFlop: 4.6,
	access: 0.221, read: 0.369, write: 0.194, sense: 0.369, cellRatio: 1.87,
	selector: pair{1.105, 1.842}, nand: pair{2.214, 0.923}, triNor: pair{0.554, 3.69}, out: pair{4.428, 7.38},
	cellHeight: 2.1, cellWidth: 1.4, bitPitch: 0.8, bitWidth: 1.4, crosspoint: 2.06,
	wideWire: 0.08689e-15, wire: 0.204375e-15,
	registerClock: 15.6e-15,
	leak:          pair{115.1e-9, 304.8e-9},
	leakNand:      [4]float64{111.4e-9, 187.2e-9, 230.7e-9, 306.9e-9},
	leakNor:       [4]float64{289.7e-9, 165.7e-9, 236.9e-9, 141.4e-9},
	leakFlipFlop:  400.3e-9,
	linkWire: wireGeometry{width: 400e-9, spacing: 400e-9, thickness: 400e-9, height: 790e-9,
		permittivity: 2.9, barrier: 5.2e-9},
	repeaterResistance: 6771.82, repeaterCapacitance: 2.6e-15, repeaterLeak: pair{67.3e-9, 113.1e-9},
}

// orion45 keeps the transistor widths of 65 nm; their capacitance and leakage are scaled instead.
func orion45() orionTechnology {
	t := orion65
	t.transistorScale, t.leakageScale = 0.8233582, 2.1860558
	t.cellHeight, t.cellWidth, t.bitPitch, t.crosspoint = 1.848, 0.714, 0.584, 1.442
	t.wire, t.registerClock = 0.131660e-15, 15.0e-15
	t.linkWire = wireGeometry{width: 67.5e-9, spacing: 67.5e-9, thickness: 155.25e-9, height: 141.75e-9,
		permittivity: 2.0, barrier: 3.3e-9}
	t.repeaterResistance, t.repeaterCapacitance = 7322.8, 2.5e-15
	t.repeaterLeak = pair{195.5e-9, 382.3e-9}
	return t
}

// orion32 keeps the transistor widths of 65 nm; their capacitance and leakage are scaled instead.
func orion32() orionTechnology {
	t := orion65
	t.transistorScale, t.leakageScale = 0.6352095, 3.1319851
	t.cellHeight, t.cellWidth, t.bitPitch, t.crosspoint = 1.617, 0.364, 0.424, 1.0094
	t.wire, t.registerClock = 0.099391e-15, 14.4e-15
	t.linkWire = wireGeometry{width: 48e-9, spacing: 48e-9, thickness: 120e-9, height: 110.4e-9,
		permittivity: 1.9, barrier: 2.4e-9}
	t.repeaterResistance, t.repeaterCapacitance = 10461.1, 2.4e-15
	t.repeaterLeak = pair{405.1e-9, 792.4e-9}
	return t
}

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
