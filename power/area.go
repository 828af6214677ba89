package power

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
)

// Area is the area of a router by part, in mm^2 (rules 16 to 19).
type Area struct {
	Buffers, Crossbar, Multiplexers, Arbiters, Registers, Tables, Headers float64
}

// Total returns the whole area, in mm^2.
func (a Area) Total() float64 {
	return a.Buffers + a.Crossbar + a.Multiplexers + a.Arbiters + a.Registers + a.Tables + a.Headers
}

// entries lists the parts that a router has, the whole last; nothing if its area is not known.
func (a Area) entries() (list []Entry) {
	for _, part := range []Entry{{Name: "buffers", Value: a.Buffers}, {Name: "crossbar", Value: a.Crossbar}, {Name: "multiplexers", Value: a.Multiplexers},
		{Name: "arbiters", Value: a.Arbiters}, {Name: "registers", Value: a.Registers}, {Name: "routing_tables", Value: a.Tables},
		{Name: "header_logic", Value: a.Headers}, {Name: "total", Value: a.Total()}} {
		if part.Value > 0 {
			list = append(list, part)
		}
	}
	return list
}

// gateAreas holds the areas of gates, in um^2.
type gateAreas struct{ Nor, Inverter, And, FlipFlop, Mux2 float64 }

func (g gateAreas) scaled(by float64) gateAreas {
	return gateAreas{g.Nor * by, g.Inverter * by, g.And * by, g.FlipFlop * by, g.Mux2 * by}
}

// The space between gates, in terms of their area: of an arbiter, and of multiplexers.
const (
	arbiterSpacing = 1.3
	muxSpacing     = 1.5
)

// roundRobin returns the area of a ring of R cells; matrix that of an arbiter with a bit for each
// pair.
func (g gateAreas) roundRobin(requesters int) float64 {
	if requesters < 2 {
		return 0
	}
	return arbiterSpacing * float64(requesters) * (6*g.Nor + 2*g.Inverter + g.FlipFlop)
}

func (g gateAreas) matrix(requesters int) float64 {
	if requesters < 2 {
		return 0
	}
	r := float64(requesters)
	return arbiterSpacing * r * (2*(r-1)*g.Nor + g.Inverter + (r-1)/2*g.FlipFlop)
}

// headers returns the area of what compares the heads of a rotary router with the masks of its
// outputs (rule 19).
func (g gateAreas) headers(h noc.Hardware) float64 {
	segments := float64(h.FIFOs[noc.RingSegment])
	if segments == 0 {
		return 0
	}
	const lanes = 2
	if h.DestinationBits == 0 { // one bit of a mask is chosen
		return segments * lanes * math.Max(0, float64(h.TableBits/max(1, h.Ports)-1)) * g.Mux2
	}
	n := float64(h.DestinationBits)
	return segments * (lanes*(2*n*g.And+2*(n-1)*g.Nor) + n*g.Mux2)
}

// floorPlan is what the profiles estimate in their own ways, in um^2.
type floorPlan struct {
	gates    gateAreas
	register float64 // of a bit of a pipeline register
	buffer   func(bits, entries int) float64
	crossbar func(ports, bits int) float64
	output   func(requesters int) float64 // arbiter of an output, whose requesters the profile counts
	input    func(requesters int) float64
	rivals   int // requesters at an output of a crossbar that are left out
}

// AreaOf returns the area of a router that NewRouter prices. ok is false where nothing public says
// how large it is: with profile O1, with profile S below 22 nm, and for networks without routers
// to speak of.
func AreaOf(h noc.Hardware, c Config) (a Area, ok bool) {
	c = c.Effective()
	var f floorPlan
	switch {
	case c.Profile == ProfileO1 || c.TechNM < 22 || h.StoragePhits() == 0 && !h.Crossbar:
		return a, false
	case c.Profile == ProfileO:
		o := newOrion(c)
		f = o.floorPlan(c.FIFO)
	default:
		f = cellPlan(c.TechNM)
	}
	w := float64(h.PhitBits)
	for k := range h.FIFOs {
		a.Buffers += float64(h.FIFOs[k]) * f.buffer(h.PhitBits, h.Depth[k])
	}
	if h.Crossbar {
		a.Crossbar = f.crossbar(h.Ports, h.PhitBits)
	}
	count, requesters := arbiters(h, h.Ports-f.rivals)
	for s := range count {
		of := f.input
		if noc.ArbiterStage(s) == noc.SwitchOutput {
			of = f.output
		}
		a.Arbiters += float64(count[s]) * of(requesters[s])
	}
	a.Arbiters += float64(h.FIFOs[noc.VirtualChannel]) * (f.input(h.ChannelChoices) + f.output((h.Ports-1)*h.ChannelRivals))
	// A demultiplexer behind each input stage, and a multiplexer of two before each segment and
	// output stage.
	a.Multiplexers = muxSpacing * w * f.gates.Mux2 * float64(h.FIFOs[noc.InputStage]+h.FIFOs[noc.RingSegment]+h.FIFOs[noc.OutputStage])
	a.Registers = w * f.register * float64(registerRanks(h))
	a.Tables, a.Headers = float64(h.TableBits)*f.gates.FlipFlop, f.gates.headers(h)
	const perMM2 = 1e-6
	for _, part := range []*float64{&a.Buffers, &a.Crossbar, &a.Multiplexers, &a.Arbiters, &a.Registers, &a.Tables, &a.Headers} {
		*part *= perMM2
	}
	return a, true
}

// floorPlan returns the areas of profile O (rule 16).
func (o *orion) floorPlan(circuit FIFO) floorPlan {
	g := o.Gates.scaled(o.TransistorScale)
	return floorPlan{gates: g, register: g.FlipFlop, input: g.roundRobin, output: g.matrix, rivals: 1,
		crossbar: func(ports, bits int) float64 { return math.Pow(o.crossbarLine(ports, bits), 2) },
		buffer: func(bits, entries int) float64 {
			w, n := float64(bits), float64(entries)
			switch circuit {
			case FIFORegister:
				return w * n * g.FlipFlop
			case FIFORegisterPointer:
				return w * (n*g.FlipFlop + (n-1)*g.Mux2)
			}
			return n * (o.CellHeight + 2*o.BitPitch) * w * (o.CellWidth + 4*o.BitPitch)
		}}
}

// cellArea holds what profile S was fitted to at 45 and 32 nm (rule 17), in um^2 per bit: an
// entry of a buffer, and a register.
var cellArea = map[int][2]float64{45: {7.83, 6.19}, 32: {4.27, 3.44}}

// cellCrossbar is a pair of ports of the crossbar, in um^2 per bit: wires, which are the same at
// 45 and 32 nm.
const cellCrossbar = 6.19

// cellPlan returns the areas of profile S. Above 45 and below 32 nm cells follow the square of
// the feature size.
func cellPlan(nm int) floorPlan {
	from := 45
	if nm < 45 {
		from = 32
	}
	scale := math.Pow(float64(nm)/float64(from), 2)
	entry, register := cellArea[from][0]*scale, cellArea[from][1]*scale
	gates := orionTables()[NVT][65].Gates
	g := gates.scaled(register / gates.FlipFlop)
	return floorPlan{gates: g, register: register, input: g.matrix, output: g.matrix,
		crossbar: func(ports, bits int) float64 { return cellCrossbar * float64(bits*ports*ports) },
		buffer:   func(bits, entries int) float64 { return entry * float64(bits*entries) }}
}
