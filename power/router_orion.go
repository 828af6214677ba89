package power

import "github.com/carousel-sim/carousel/noc"

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
	if c.ClockGating || o.unclocked {
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
		if c.ClockGating || o.unclocked {
			e.grant[s] += a.clock
		}
		clock += float64(count[s]) * a.clock
		r.leakage.arbiters += o.leakPower(float64(count[s]) * a.leak)
	}
	return clock
}
