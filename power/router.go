package power

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/counts"
)

// Router is the price list of one router: J per event and W that do not depend on activity.
type Router struct {
	period  float64 // s per cycle
	clock   float64 // W
	leakage leakage
	events  events
}

// events holds J per event. An event that the router has no hardware for costs nothing.
type events struct {
	write, read    [noc.BufferKinds]float64
	request, grant [noc.ArbiterStages]float64
	crossbar       float64
	// A phit that enters a ring segment passes its multiplexer and the wire before it.
	segmentMux, ringWire float64
	// dual is the second branch of a read that feeds the next segment and an output at once.
	dual                  float64
	outputMux, inputDemux float64
	headerTest            float64 // per destination bit
	headerWrite           float64
	// allocation of a virtual channel to a header: one for each route.
	allocation float64
	register   float64 // a rank of registers clocked for one phit, with clock gating only
}

// leakage holds W by part.
type leakage struct {
	buffers, crossbar, multiplexers, arbiters, registers float64
}

func (l leakage) total() float64 {
	return l.buffers + l.crossbar + l.multiplexers + l.arbiters + l.registers
}

func (l leakage) scaled(by float64) leakage {
	return leakage{l.buffers * by, l.crossbar * by, l.multiplexers * by, l.arbiters * by, l.registers * by}
}

// NewRouter prices the router that h describes.
func NewRouter(h noc.Hardware, c Config) (Router, error) {
	if err := c.Validate(); err != nil {
		return Router{}, err
	}
	if err := validate(h); err != nil {
		return Router{}, err
	}
	c = c.Effective()
	r := Router{period: 1e-9 / c.ClockGHz}
	if c.Profile.templates() {
		r.priceOrion(newOrion(c), h, c)
	} else {
		r.priceCells(newCells(c), h, c)
	}
	if h.Crossbar {
		// The routing table of BASE is a few bits per packet, and the paper leaves the
		// destination-set memory of BASE-MC out of its energy (section 5.2): both are free.
		r.events.headerTest = 0
	}
	r.clock /= float64(max(1, h.ClockDivider))
	r.leakage = r.leakage.scaled(c.StaticScale)
	return r, nil
}

// Price returns the energy of a router that did a in a number of cycles; its links are priced
// apart.
//
// The counters hold the requests and grants of arbiters, not in which cycles they fell, so a
// refused request of a matrix arbiter is charged its share of the carry chain, as if another had
// been granted.
func (r *Router) Price(a noc.Activity, cycles noc.Cycle) Breakdown {
	e := &r.events
	var b Breakdown
	accesses := a.Crossbar
	for k := range a.BufferWrites {
		b.BufferWrite += float64(a.BufferWrites[k]) * e.write[k]
		b.BufferRead += float64(a.BufferReads[k]) * e.read[k]
		accesses += a.BufferReads[k]
	}
	for s := range a.ArbRequests {
		b.Arbiter += float64(a.ArbRequests[s])*e.request[s] + float64(a.ArbGrants[s])*e.grant[s]
	}
	b.Arbiter += float64(a.RouteLookups) * e.allocation
	b.Crossbar += float64(a.Crossbar) * e.crossbar
	b.Ring += float64(a.RingInject+a.RingHop)*(e.segmentMux+e.ringWire) +
		float64(a.RingDual)*e.dual +
		float64(a.OutputMux)*e.outputMux +
		float64(a.InputDemux)*e.inputDemux
	b.Header = float64(a.HeaderTests)*e.headerTest + float64(a.HeaderWrites)*e.headerWrite

	// The ranks of registers stand behind the links, the FIFOs and the crossbar.
	accesses += a.BufferWrites[noc.VirtualChannel] + a.BufferWrites[noc.InputStage]
	seconds := float64(cycles) * r.period
	b.Clock = r.clock*seconds + float64(accesses)*e.register
	b.Leakage = r.leakage.total() * seconds
	return b
}

// validate reports whether a router can be built at all.
func validate(h noc.Hardware) error {
	if h.PhitBits < 1 {
		return fmt.Errorf("hardware has phits of %d bits; at least 1 is needed", h.PhitBits)
	}
	if h.Ports < 0 || h.VirtualChannels < 0 || h.DestinationBits < 0 || h.TableBits < 0 {
		return fmt.Errorf("hardware has %d ports, %d virtual channels, %d destination bits and %d bits of tables; none may be negative",
			h.Ports, h.VirtualChannels, h.DestinationBits, h.TableBits)
	}
	if h.ChannelChoices < 0 || h.ChannelRivals < 0 {
		return fmt.Errorf("hardware has %d virtual channels to choose from and %d rivals for each; none may be negative",
			h.ChannelChoices, h.ChannelRivals)
	}
	for k := range h.FIFOs {
		if h.FIFOs[k] < 0 || h.Depth[k] < 0 || h.FIFOs[k] > 0 && h.Depth[k] == 0 {
			return fmt.Errorf("hardware has %d FIFOs of kind %s with %d phits each; each needs at least 1 phit",
				h.FIFOs[k], noc.BufferKind(k), h.Depth[k])
		}
	}
	return nil
}

// arbiters is the number of arbiters of each stage in a router and of the requesters at each. A
// crossbar output has outputRequesters, which the profiles count differently; rings and output
// stages have two.
func arbiters(h noc.Hardware, outputRequesters int) (count, requesters [noc.ArbiterStages]int) {
	if h.Crossbar {
		count[noc.SwitchInput], requesters[noc.SwitchInput] = h.Ports, h.VirtualChannels
		count[noc.SwitchOutput], requesters[noc.SwitchOutput] = h.Ports, outputRequesters
	}
	count[noc.RingEntry], requesters[noc.RingEntry] = h.FIFOs[noc.RingSegment], 2
	count[noc.OutputLane], requesters[noc.OutputLane] = h.FIFOs[noc.OutputStage], 2
	return count, requesters
}

// registerRanks returns the number of phit-wide registers in a router: behind each link, behind
// each FIFO (the virtual channels of a port share one) and behind each output of the crossbar.
// Three per port in a router with input buffers, and one more for output FIFOs, as which ring
// segments count (rule 6).
func registerRanks(h noc.Hardware) int {
	ranks := h.Ports + h.FIFOs[noc.InputStage] + h.FIFOs[noc.RingSegment] + h.FIFOs[noc.OutputStage]
	if h.FIFOs[noc.VirtualChannel] > 0 {
		ranks += h.Ports
	}
	if h.Crossbar {
		ranks += h.Ports
	}
	return ranks
}

// Breakdown is energy by part, in J.
type Breakdown struct {
	BufferWrite float64 `col:"energy_buffer_write_j" unit:"J" doc:"energy of writing into buffers"`
	BufferRead  float64 `col:"energy_buffer_read_j" unit:"J" doc:"energy of reading from buffers"`
	Crossbar    float64 `col:"energy_crossbar_j" unit:"J" doc:"energy of the crossbar"`
	Arbiter     float64 `col:"energy_arbiter_j" unit:"J" doc:"energy of the arbiters"`
	Ring        float64 `col:"energy_ring_j" unit:"J" doc:"energy of a rotary router's multiplexers, demultiplexers and wires"`
	Header      float64 `col:"energy_header_j" unit:"J" doc:"energy of comparing and rewriting destination sets"`
	Clock       float64 `col:"energy_clock_j" unit:"J" doc:"energy of the clock: registers, arbiters and clock tree"`
	Leakage     float64 `col:"energy_leakage_j" unit:"J" doc:"energy that the router leaks"`
	Link        float64 `col:"energy_link_j" unit:"J" doc:"energy of phits on the links that leave the router"`
	LinkLeakage float64 `col:"energy_link_leakage_j" unit:"J" doc:"energy that those links leak"`
}

// Add returns the sum of two breakdowns, part by part.
func (b Breakdown) Add(c Breakdown) Breakdown {
	counts.Add(&b, &c)
	return b
}

// Dynamic returns the energy that follows from activity, in J.
func (b Breakdown) Dynamic() float64 {
	return b.BufferWrite + b.BufferRead + b.Crossbar + b.Arbiter + b.Ring + b.Header + b.Link
}

// Static returns the energy that follows from time, in J: clock and leakage. With clock gating
// its clock part follows from activity too.
func (b Breakdown) Static() float64 { return b.Clock + b.Leakage + b.LinkLeakage }

// Total returns all energy, in J.
func (b Breakdown) Total() float64 { return b.Dynamic() + b.Static() }

// priceOrion fills the price list from the circuit templates of profiles O and O1.
func (r *Router) priceOrion(o orion, h noc.Hardware, c Config) {
	bits, w := h.PhitBits, float64(h.PhitBits)
	e, static := &r.events, &r.leakage
	for k := range h.FIFOs {
		if h.FIFOs[k] == 0 {
			continue
		}
		shared := noc.BufferKind(k) == noc.VirtualChannel && h.VirtualChannels > 1
		f := o.fifo(c.FIFO, bits, h.Depth[k], shared)
		e.write[k], e.read[k] = f.write, f.read
		static.buffers += o.leakPower(float64(h.FIFOs[k]) * f.leak)
	}
	if h.Crossbar {
		e.crossbar = o.crossbar(h.Ports, bits)
		static.crossbar = o.leakPower(o.crossbarLeak(h.Ports, bits))
	}

	arbiterClock := r.arbitersOrion(o, h, c)
	first, second := o.channelAllocator(h.Ports, h.ChannelChoices, h.ChannelRivals)
	e.allocation = first.single() + second.single()
	static.arbiters += o.leakPower(float64(h.FIFOs[noc.VirtualChannel]) * (first.leak + second.leak))

	if h.FIFOs[noc.RingSegment] > 0 {
		e.segmentMux, e.ringWire = o.merge(bits), o.ringWire(bits, c.RingMM)
		e.dual = o.steer(bits) + e.ringWire
		e.inputDemux = o.steer(bits)
	}
	if h.FIFOs[noc.OutputStage] > 0 {
		e.outputMux = o.merge(bits)
	}
	// Multiplexers leak like the crossbar's tri-state drivers, of which each has two per bit.
	pairs := h.FIFOs[noc.InputStage] + h.FIFOs[noc.RingSegment] + h.FIFOs[noc.OutputStage]
	static.multiplexers = o.leakPower(float64(2*pairs) * w * o.triStateLeak())

	e.headerTest, e.headerWrite = o.headerTest(), o.headerWrite()
	ranks := float64(registerRanks(h))
	static.registers = o.voltage * ranks * o.registerLeak(bits)
	if c.ClockGating || o.Unclocked {
		e.register = o.registerTick(bits)
	} else {
		r.clock = (ranks*o.registerTick(bits) + arbiterClock) / o.period
	}
}

// arbitersOrion prices the arbiters, and gives what their clock takes in a cycle, in J.
func (r *Router) arbitersOrion(o orion, h noc.Hardware, c Config) (clock float64) {
	e := &r.events
	// A phit does not return to the port it came from.
	count, requesters := arbiters(h, h.Ports-1)
	for s := range count {
		if count[s] == 0 {
			continue
		}
		a := o.roundRobin(requesters[s])
		if noc.ArbiterStage(s) == noc.SwitchOutput {
			a = o.matrix(requesters[s], o.crossbarLine(h.Ports, h.PhitBits))
		}
		e.request[s], e.grant[s] = a.request, a.grant
		if c.ClockGating || o.Unclocked {
			e.grant[s] += a.clock
		}
		clock += float64(count[s]) * a.clock
		r.leakage.arbiters += o.leakPower(float64(count[s]) * a.leak)
	}
	return clock
}
