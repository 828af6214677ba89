package power

import "math"

// orion evaluates the circuit templates of profiles O and O1 for one configuration. Widths are in
// um, capacitances in F, energies in J, currents in A. The names of rule 1 stand in the comments.
type orion struct {
	orionTechnology
	voltage float64 // V
	period  float64 // s
	alpha   float64
	square  float64 // V^2
}

func newOrion(c Config) orion {
	c = c.Effective()
	return orion{
		orionTechnology: orionAt(c.TechNM, c.Transistor),
		voltage:         c.VoltageV,
		period:          1e-9 / c.ClockGHz,
		alpha:           c.Alpha,
		square:          c.VoltageV * c.VoltageV,
	}
}

// gateCap returns a gate of width w behind l um of poly wire (CG).
func (o *orion) gateCap(w, l float64) float64 {
	return o.TransistorScale * o.Length * (w*o.Gate + l*o.Poly)
}

func (o *orion) gatesCap(w pair, l float64) float64 { return o.gateCap(w.n, l) + o.gateCap(w.p, l) }

// drainCap returns the drain of stacked transistors of width w (CD); wide ones are folded.
func (o *orion) drainCap(w float64, t polarity, stacked int) float64 {
	area, side, overlap := o.Area.n, o.Side.n, o.Overlap.n
	if t == pType {
		area, side, overlap = o.Area.p, o.Side.p, o.Overlap.p
	}
	l, more := o.Length, float64(stacked-1)
	if w < 10 {
		return o.TransistorScale * (3*l*w*area + (6*l+w)*side + w*overlap +
			more*(l*w*area+2*l*side+2*w*overlap))
	}
	return o.TransistorScale * (1.5*l*w*area + 6*l*side + w*overlap +
		more*(l*w*area+4*l*side+2*w*overlap))
}

func (o *orion) drainsCap(w pair) float64 {
	return o.drainCap(w.n, nType, 1) + o.drainCap(w.p, pType, 1)
}

// driver returns the width of the PMOS that drives c within t seconds (drv).
func (o *orion) driver(c, t float64) float64 {
	width := o.DriverResistance * c * math.Log(1/0.456) / t
	return math.Max(4*o.LengthScale, math.Min(width, o.Widest))
}

// widths returns a driver with this PMOS; its NMOS has the ratio of the inverter (rho).
func (o *orion) widths(p float64) pair { return pair{p * o.Inverter.n / o.Inverter.p, p} }

// norGate returns the input of a NOR gate (G).
func (o *orion) norGate() float64 { return o.gatesCap(o.Nor, 0) }

// norDrain returns the output of a two-input NOR gate without load.
func (o *orion) norDrain() float64 {
	return 2*o.drainCap(o.Nor.n, nType, 1) + o.drainCap(o.Nor.p, pType, 2)
}

// node returns the output of a NOR gate with the given fan-in and fan-out.
func (o *orion) node(in, out int) float64 {
	return float64(in)*o.drainCap(o.Nor.n, nType, 1) + o.drainCap(o.Nor.p, pType, in) +
		float64(out)*o.norGate()
}

// inverterCap returns an inverter, both sides (inv).
func (o *orion) inverterCap() float64 { return o.drainsCap(o.Inverter) + o.gatesCap(o.Inverter, 0) }

// triIn and triOut are the sides of a tri-state driver.
func (o *orion) triIn() float64  { return o.gatesCap(o.Nand, 0) + o.gatesCap(o.TriNor, 0) }
func (o *orion) triOut() float64 { return o.drainsCap(o.Out) }

// The flip-flop is made of six NOR gates.

// flip returns a change of state with load on the output (E_ff_switch).
func (o *orion) flip(load float64) float64 {
	return (3*o.node(2, 1) + 2*o.node(2, 3) + o.node(3, 2) + load) * o.square / 2
}

// keepZero and keepOne are clock edges without a change; tick is paid in every clocked cycle
// (E_ff_clk).
func (o *orion) keepZero() float64 { return o.node(2, 3) * o.square }
func (o *orion) keepOne() float64  { return o.node(3, 2) * o.square }
func (o *orion) tick() float64     { return 2 * o.norGate() * o.square }

// Leakage currents, scaled to the technology only where they are turned into power.

func (o *orion) norLeak() float64 {
	r := o.LeakNor
	return (o.Nor.p*r[0] + o.Nor.n*(r[1]+r[2]+r[3])) / 4
}

func (o *orion) pairLeak(w pair) float64 { return w.n*o.Leak.n + w.p*o.Leak.p }

// triStateLeak returns one bit of a tri-state driver.
func (o *orion) triStateLeak() float64 {
	d, r := o.LeakNand, o.LeakNor
	return (o.Nand.p*(d[0]+d[1]+d[2])+o.Nand.n*d[3])/4 +
		(o.TriNor.p*r[0]+o.TriNor.n*(r[1]+r[2]+r[3]))/4 + o.pairLeak(o.Out)
}

// leakPower turns a leakage current into W.
func (o *orion) leakPower(current float64) float64 { return o.voltage * o.LeakageScale * current }
