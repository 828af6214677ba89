package power

import "github.com/carousel-sim/carousel/noc"

// priceCells fills the price list from the closed forms of profile S.
func (r *Router) priceCells(s cells, h noc.Hardware, c Config) {
	bits, w := h.PhitBits, float64(h.PhitBits)
	e, static := &r.events, &r.leakage
	muxInputs := 0 // per bit, in multiplexers that are not part of a RAM or of the crossbar
	for k := range h.FIFOs {
		if h.FIFOs[k] == 0 {
			continue
		}
		entries := h.Depth[k]
		shared := noc.BufferKind(k) == noc.VirtualChannel && h.VirtualChannels > 1
		if shared && c.FIFO == FIFOSingleRAM {
			entries *= h.VirtualChannels
		}
		e.write[k], e.read[k] = s.write(bits, entries), s.read(bits, entries)
		if shared && c.FIFO == FIFOBanked {
			e.read[k] += s.mux(bits, h.VirtualChannels)
			muxInputs += h.FIFOs[k]
		}
		static.buffers += s.voltage * s.bufferLeak * w * float64(h.FIFOs[k]*h.Depth[k])
	}
	if h.Crossbar {
		e.crossbar = s.crossbar(h.Ports, bits, 1)
		static.crossbar = s.voltage * s.muxLeak * w * float64(h.Ports*(h.Ports-1))
	}

	count, requesters := arbiters(h, h.Ports)
	for stage := range count {
		if count[stage] == 0 {
			continue
		}
		a := s.arbiterCost(requesters[stage])
		e.grant[stage] = a.grant
		static.arbiters += float64(count[stage]) * a.leak
	}

	// DSENT has no allocator of virtual channels: it is made of the same matrices as the switch's.
	first, second := s.arbiterCost(h.ChannelChoices), s.arbiterCost((h.Ports-1)*h.ChannelRivals)
	e.allocation = first.grant + second.grant
	static.arbiters += float64(h.FIFOs[noc.VirtualChannel]) * (first.leak + second.leak)

	if h.FIFOs[noc.RingSegment] > 0 {
		e.segmentMux, e.ringWire = s.mux(bits, 2), s.ringWire(bits, c.RingMM)
		e.dual = s.mux(bits, 1) + e.ringWire
		e.inputDemux = s.mux(bits, 1)
	}
	if h.FIFOs[noc.OutputStage] > 0 {
		e.outputMux = s.mux(bits, 2)
	}
	muxInputs += h.FIFOs[noc.InputStage] + 2*h.FIFOs[noc.RingSegment] + 2*h.FIFOs[noc.OutputStage]
	static.multiplexers = s.voltage * s.muxLeak * w * float64(muxInputs)

	e.headerTest, e.headerWrite = s.headerTest(), s.headerWrite()
	static.registers = s.voltage * s.registerLeak * w * float64(registerRanks(h))
	if h.Ports > 0 {
		r.clock = s.clockTree(h.Ports, bits) / r.period
	}
}
