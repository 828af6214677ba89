package power

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
)

// pair holds a value for the n and one for the p transistor.
type pair struct{ n, p float64 }

// UnmarshalJSON reads both from a list.
func (p *pair) UnmarshalJSON(text []byte) error {
	var v [2]float64
	err := json.Unmarshal(text, &v)
	*p = pair{v[0], v[1]}
	return err
}

// polarity selects a transistor of a pair.
type polarity uint8

const (
	nType polarity = iota
	pType
)

// orionTechnology holds the parameters of profile O: widths and lengths in um, capacitances in F,
// F/um or F/um^2, currents in A or A/um (rule 7).
type orionTechnology struct {
	TransistorScale, LeakageScale float64
	Length, LengthScale           float64 // of the channel
	Gate, Poly                    float64 // F/um^2, F/um
	Area, Side, Overlap           pair    // of a drain: F/um^2, F/um, F/um
	DriverResistance, Widest      float64 // of a PMOS driver: ohm um, um
	Nor, Inverter                 pair
	FlipFlop                      float64 // leaking width
	Access, Read, Write, Sense    float64 // widths in an SRAM cell and its sense amplifier
	CellRatio                     float64 // p to n in an SRAM cell
	Selector, Nand, TriNor, Out   pair    // widths of the parts of a tri-state driver
	CellHeight, CellWidth         float64
	BitPitch, BitWidth            float64
	Crosspoint                    float64 // side of a crossbar cell
	WideWire, Wire                float64 // F/um at triple and at usual spacing
	RegisterClock                 float64 // F per register bit
	Leak                          pair    // A/um
	LeakNand, LeakNor             [4]float64
	LeakFlipFlop                  float64
	Gates                         gateAreas // of ORION 2.0, times TransistorScale
	LinkWire                      wireGeometry
	RepeaterResistance            float64 // ohm, smallest repeater
	RepeaterCapacitance           float64 // F
	RepeaterLeak                  pair    // A
	Bus                           busWire // of links, instead of linkWire and repeaters
	Unclocked                     bool    // no pipeline registers, and reads without sense amplifiers (rule 15)
}

// sizeScale is the geometry of 22 nm in terms of 32 nm.
const sizeScale = 0.69

// orionFile has what technologies set. Those of 45 and 32 nm keep the transistor widths of 65 nm;
// their capacitance and leakage are scaled instead. Names that end in hvt are of the currents of
// HVT transistors.
//
//go:embed orion.json
var orionFile []byte

// orionTables has the tables of both kinds of transistors by technology.
var orionTables = sync.OnceValue(func() map[Transistor]map[int]orionTechnology {
	var file map[string]json.RawMessage
	read := func(text []byte, into any) {
		if err := json.Unmarshal(text, into); err != nil {
			panic(fmt.Sprintf("power: orion.json: %v", err))
		}
	}
	read(orionFile, &file)
	list := map[Transistor]map[int]orionTechnology{NVT: {}, HVT: {}}
	for _, nm := range technologies[:len(technologies)-1] {
		names := []string{strconv.Itoa(nm)}
		if nm < 65 {
			names = []string{"65", names[0]}
		}
		var t orionTechnology
		for _, name := range names {
			read(file[name], &t)
		}
		list[NVT][nm] = t
		for _, name := range names {
			read(file[name+" hvt"], &t)
		}
		list[HVT][nm] = t
	}
	return list
})

// orionAt returns the table of a technology. 22 nm is scaled from 32 nm (rule 7): what has no
// factor (leakage per width, register clock, repeaters) stays as it is at 32 nm.
func orionAt(nm int, kind Transistor) orionTechnology {
	switch {
	case nm == firstNM:
		return firstOrion()
	case nm >= 32:
		return orionTables()[kind][nm]
	}
	t := orionTables()[kind][32]
	t.TransistorScale = 0.50
	for _, length := range []*float64{&t.CellHeight, &t.CellWidth, &t.BitPitch, &t.Crosspoint, &t.Wire,
		&t.LinkWire.width, &t.LinkWire.spacing, &t.LinkWire.thickness, &t.LinkWire.height, &t.LinkWire.barrier} {
		*length *= sizeScale
	}
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
		TransistorScale: transistors, LeakageScale: 1.4088071075,
		Length: um(0.8), LengthScale: feature,
		Gate: 1.95e-15 / transistors, Poly: 0.25e-15 * 84.2172 * feature,
		Area: pair{1.37e-16, 3.43e-16}, Side: pair{2.75e-16, 2.75e-16}, Overlap: pair{1.38e-16 + 2.63e-16, 1.38e-16 + 3.38e-16},
		DriverResistance: 22400 * feature, Widest: um(100),
		Nor: both(5.4, 30.5), Inverter: both(5, 10),
		Access: um(2.4), Read: um(4), Write: um(2.1), Sense: um(4), CellRatio: 2,
		Selector: both(12, 20), Nand: both(24, 10), TriNor: both(6, 40), Out: both(48, 80),
		CellHeight: um(cell), CellWidth: um(8), BitPitch: um(6), BitWidth: um(16), Crosspoint: um(6),
		WideWire: 1.5 * perUM, Wire: perUM,
		Leak:     pair{227e-9, 180e-9},
		LeakNand: [4]float64{12e-9, 226e-9, 114e-9, 359e-9},
		LeakNor:  [4]float64{451e-9, 115e-9, 179e-9, 18e-9},
		Bus:      busWire{close: 5.2277 * perUM, apart: 3 * perUM, repeater: pair{um(4), um(8)}},

		Unclocked: true,
	}
}

// busWire is a wire of a link with two repeaters, of which the second is larger.
type busWire struct {
	close, apart float64 // F/um at the smallest spacing and at twice that
	repeater     pair    // um
}

// secondRepeater is the size of a wire's second repeater in terms of the first.
const secondRepeater = 2.5

// busPhit returns a phit on a link in J.
func (o *orion) busPhit(bits int, mm float64, spacing int) float64 {
	wire := []float64{o.Bus.close, o.Bus.apart}[spacing-1] * mm * 1e3
	for _, size := range []float64{1, secondRepeater} {
		w := pair{size * o.Bus.repeater.n, size * o.Bus.repeater.p}
		wire += o.gatesCap(w, 0) + o.drainsCap(w)
	}
	return o.alpha * float64(bits) * wire * o.square / 2
}
