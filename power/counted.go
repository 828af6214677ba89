package power

import "github.com/carousel-sim/carousel/noc"

// counted is the price list of a router whose flipped bits have been counted. Every price is
// affine in the part of its bits that flip, Alpha: what is left of it at 0 is paid for the event,
// and the slope for each flipped bit. So a count of Alpha times all bits costs what Alpha does.
type counted struct {
	still events // J per event in which no bit flips
	flip  flips
	// shared tells that one RAM holds all virtual channels of a port: its input is the port's,
	// its output the crossbar's.
	shared bool
}

// flips holds J per flipped bit.
type flips struct {
	write, read             [noc.BufferKinds]float64
	channelMux              float64 // from the virtual channels of a port to its crossbar input
	crossbarIn, crossbarOut float64
	segmentMux, ringWire    float64
	dual                    float64
	outputMux, inputDemux   float64
}

// newCounted takes the prices at no activity and at full activity apart. usual are those at the
// configured Alpha, of which what follows no counted wire is kept: comparing and rewriting
// headers.
func newCounted(h noc.Hardware, c Config, usual events) *counted {
	at := func(alpha float64) events {
		c.Alpha = alpha
		return newRouter(h, c).events
	}
	still, full := at(0), at(1)
	still.headerTest, still.headerWrite = usual.headerTest, usual.headerWrite
	per := func(still, full float64) float64 { return (full - still) / float64(h.PhitBits) }
	f := flips{
		segmentMux: per(still.segmentMux, full.segmentMux), ringWire: per(still.ringWire, full.ringWire),
		dual: per(still.dual, full.dual), outputMux: per(still.outputMux, full.outputMux),
		inputDemux: per(still.inputDemux, full.inputDemux),
	}
	for k := range f.write {
		f.write[k], f.read[k] = per(still.write[k], full.write[k]), per(still.read[k], full.read[k])
	}
	if h.Crossbar {
		f.crossbarIn = crossbarInFlip(h, c)
		f.crossbarOut = per(still.crossbar, full.crossbar) - f.crossbarIn
	}
	several := h.VirtualChannels > 1 && h.FIFOs[noc.VirtualChannel] > 0
	if several && c.FIFO == FIFOBanked { // the price of a read includes it
		c.Alpha = 1
		s := newCells(c)
		f.channelMux = s.mux(h.PhitBits, h.VirtualChannels) / float64(h.PhitBits)
		f.read[noc.VirtualChannel] -= f.channelMux
	}
	return &counted{still: still, flip: f, shared: several && c.FIFO == FIFOSingleRAM}
}

// crossbarInFlip returns a flipped bit on an input of the crossbar, in J.
func crossbarInFlip(h noc.Hardware, c Config) float64 {
	c.Alpha = 1
	if c.Profile.templates() {
		o := newOrion(c)
		input, _, _ := o.crossbarCap(h.Ports, h.PhitBits)
		return input * o.square / 2
	}
	s := newCells(c)
	return s.square * s.spinePort * float64(h.Ports) * s.activity
}

// price is the energy of flipped bits in a router without its links.
func (c *counted) price(t noc.Toggles) (b Breakdown) {
	f := &c.flip
	if c.shared {
		t.BufferWrites[noc.VirtualChannel], t.BufferReads[noc.VirtualChannel] = t.Arrived, t.CrossbarIn
	}
	for k := range t.BufferWrites {
		b.BufferWrite += float64(t.BufferWrites[k]) * f.write[k]
		b.BufferRead += float64(t.BufferReads[k]) * f.read[k]
	}
	b.BufferRead += float64(t.CrossbarIn) * f.channelMux
	b.Crossbar = float64(t.CrossbarIn)*f.crossbarIn + float64(t.CrossbarOut)*f.crossbarOut
	b.Ring = float64(t.BufferWrites[noc.RingSegment])*f.segmentMux +
		float64(t.InputDemux+t.RingHop)*f.ringWire +
		float64(t.RingDual)*f.dual +
		float64(t.Link+t.Eject)*f.outputMux +
		float64(t.InputDemux)*f.inputDemux
	return b
}

// list names the prices of flipped bits in pJ.
func (c *counted) list(add func(name string, joules float64)) {
	f := &c.flip
	for k := range noc.BufferKinds {
		add("flipped_bit.buffer_write."+k.String(), f.write[k])
		add("flipped_bit.buffer_read."+k.String(), f.read[k])
	}
	add("flipped_bit.channel_mux", f.channelMux)
	add("flipped_bit.crossbar_in", f.crossbarIn)
	add("flipped_bit.crossbar_out", f.crossbarOut)
	add("flipped_bit.input_demux", f.inputDemux)
	add("flipped_bit.segment_mux", f.segmentMux)
	add("flipped_bit.ring_wire", f.ringWire)
	add("flipped_bit.ring_dual", f.dual)
	add("flipped_bit.output_mux", f.outputMux)
}
