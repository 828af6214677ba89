package power

// senseCurrent flows in a sense amplifier, in A, over an eighth of the supply during the whole
// cycle.
const senseCurrent = 0.5e-3

// treeDegree is the number of inputs of one level of a multiplexer tree.
const treeDegree = 4

type fifoCost struct {
	write, read float64 // J per phit
	leak        float64 // A
}

// fifo returns a FIFO of the given circuit; shared tells that it drives a crossbar input together
// with others.
func (o *orion) fifo(circuit FIFO, bits, entries int, shared bool) fifoCost {
	switch circuit {
	case FIFORegister:
		return o.registerFIFO(bits, entries)
	case FIFORegisterPointer:
		return o.pointerFIFO(bits, entries)
	default:
		return o.sramFIFO(bits, entries, shared)
	}
}

// registerFIFO shifts: a read moves a quarter of the entries on average (section 3.1).
func (o *orion) registerFIFO(bits, entries int) fifoCost {
	w, n := float64(bits), float64(entries)
	f := fifoCost{
		write: w*o.alpha*o.flip(0) + w*o.tick(),
		read:  w * o.tick() / 2,
		leak:  6 * o.norLeak() * w * n,
	}
	if entries > 1 {
		f.read += n / 4 * f.write
	}
	return f
}

// pointerFIFO leaves entries where they are and reads them through a tree of multiplexers.
func (o *orion) pointerFIFO(bits, entries int) fifoCost {
	f := o.registerFIFO(bits, entries)
	w := float64(bits)
	f.read = w * o.tick() / 2
	for inputs := entries; inputs > 1; inputs = (inputs + treeDegree - 1) / treeDegree {
		f.read += w*o.alpha*(treeDegree*o.triOut()+o.triIn())*o.square/2 + o.node(2, 1)*o.square
		f.leak += float64(inputs) * w * o.triStateLeak()
	}
	return f
}

// sramFIFO has one read and one write port and differential sensing; its pointer is one-hot, so
// there is no decoder (section 3.2).
func (o *orion) sramFIFO(bits, entries int, shared bool) fifoCost {
	w, n, t := float64(bits), float64(entries), o.period
	bitLine := n * (o.CellHeight + 2*o.BitPitch) * o.WideWire
	wordLine := w * (o.CellWidth + 4*o.BitPitch) * o.WideWire

	readLine := n*o.drainCap(o.Read, nType, 1) + bitLine // Z
	precharge := o.widths(o.driver(readLine, t/8))
	width := precharge.n + precharge.p // q
	f := fifoCost{
		read: o.wordLine(wordLine, bits, o.Read) + w*(3*o.gateCap(width, 10)*o.square+
			o.drainCap(width, pType, 1)*o.square+(readLine+2*o.gateCap(o.Sense, 10))*o.square/2),
	}
	switch {
	case o.Unclocked:
		f.read *= o.alpha
	case shared:
		f.read += w*o.voltage/8*t*senseCurrent + o.outputDriver(bits)
	default:
		f.read += w * o.voltage / 8 * t * senseCurrent
	}

	writeLine := n*o.drainCap(o.Write, nType, 1) + bitLine // U
	driver := o.widths(o.driver(writeLine, t/8))
	cell := o.drainCap(o.Read, nType, 1) + o.drainCap(o.Write, nType, 1) +
		o.drainCap(o.Access, nType, 1) + o.drainCap(o.CellRatio*o.Access, pType, 1) +
		o.gateCap(o.Access, 1) + o.gateCap(o.CellRatio*o.Access, 1)
	f.write = o.wordLine(wordLine, bits, o.Write) +
		w*o.alpha*(writeLine+o.drainsCap(driver)+o.gateCap(driver.n+driver.p, 1))*o.square +
		w*o.alpha*cell*o.square

	cellLeak := 2*o.Access*(o.Leak.n+o.CellRatio*o.Leak.p) + 2*o.Read*o.Leak.n + 2*o.Write*o.Leak.n
	f.leak = 2*o.pairLeak(o.Inverter)*w + n*w*cellLeak + 3*width*o.Leak.p*w + 2*n*o.pairLeak(o.Out)
	return f
}

// wordLine returns a pulse on a line that gates pass transistors of width x (E_wl).
func (o *orion) wordLine(wire float64, bits int, x float64) float64 {
	line := 2*float64(bits)*o.gateCap(x, o.BitWidth/2-x) + wire
	driver := o.widths(o.driver(line, o.period/16))
	return (line + o.drainsCap(driver) + o.gateCap(driver.n+driver.p, 20)) * o.square
}

// outputDriver puts the word of one of several FIFOs on their common crossbar input (E_outdrv).
func (o *orion) outputDriver(bits int) float64 {
	w := float64(bits)
	enable := o.gatesCap(o.Selector, 1) + o.drainsCap(o.Selector) +
		w*(o.gatesCap(o.Nand, 1)+o.gatesCap(o.TriNor, 1))
	data := o.drainCap(o.Nand.n, nType, 2) + 2*o.drainCap(o.Nand.p, pType, 1) + o.gateCap(o.Out.p, 1) +
		2*o.drainCap(o.TriNor.n, nType, 1) + o.drainCap(o.TriNor.p, pType, 2) + o.gateCap(o.Out.n, 1)
	return enable*o.square + w/2*data*o.square
}
