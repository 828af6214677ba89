package power

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
	default:
		return cells22
	}
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
