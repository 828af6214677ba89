package power

import "fmt"

// prediction is what a profile expects in a column of a reference row, in the column's unit.
type prediction struct {
	component component
	column    string
	value     float64
}

// phitColumns hold the parts of the energy of a phit that crosses a router alone.
var phitColumns = [...]string{
	"e_buf_write_pj", "e_buf_read_pj", "e_xbar_m1_pj", "e_arb_local_pj", "e_arb_global_pj",
}

// config is the configuration under which the row was made.
func (r *reference) config(p Profile) (Config, error) {
	c := Default()
	c.Profile, c.TechNM, c.VoltageV, c.ClockGHz = p, r.count("tech_nm"), r.number("vdd_v"), r.number("freq_ghz")
	switch r.text("buffer_model") {
	case "SRAM":
		c.FIFO = FIFOSRAM
	case "REGISTER":
		c.FIFO = FIFORegister
	case "DFF-RAM":
		c.FIFO = FIFOSingleRAM
	}
	if r.text("kind") == "link" {
		c.LinkMM, c.WireSpacing = r.number("link_mm"), r.count("wire_spacing_mult")
	}
	if err := c.Validate(); r.wrong == nil && err != nil {
		r.wrong = fmt.Errorf("line %d: %w", r.line, err)
	}
	return c, r.wrong
}

// predict is what the profile of c expects in the row, from its configuration alone.
func (r *reference) predict(c Config) []prediction {
	bits := r.count("flit_bits")
	if r.text("kind") == "link" {
		return predictLink(bits, c)
	}
	ports, channels, depth := r.count("ports"), r.count("vcs"), r.count("depth_flits")
	switch {
	case r.wrong != nil: // a wrong size could be one for which a circuit has no end
		return nil
	case c.Profile == ProfileO:
		return predictOrion(newOrion(c), c.FIFO, ports, bits, channels, depth)
	}
	return predictCells(newCells(c), ports, bits, channels, depth)
}

func predictLink(bits int, c Config) []prediction {
	phit, leakage := linkPrice(bits, c)
	list := []prediction{{linkEnergy, "e_link_pj", phit * 1e12}}
	if c.Profile == ProfileO || c.ClockGHz == 1 { // how the repeaters of cells leak at other clocks is not modelled
		list = append(list, prediction{linkLeak, "leak_link_mw", leakage * 1e3})
	}
	return list
}

// predictOrion knows one message class: every header may take every channel.
func predictOrion(o orion, circuit FIFO, ports, bits, channels, depth int) []prediction {
	f := o.fifo(circuit, bits, depth, channels > 1)
	local, global := o.roundRobin(channels), o.matrix(ports-1, o.crossbarLine(ports, bits))
	var channelLocal, channelGlobal arbiterCost
	if channels > 1 {
		channelLocal, channelGlobal = o.channelAllocator(ports, channels, channels)
	}
	fifos, p := float64(ports*channels), float64(ports)
	buffers := o.leakPower(fifos * f.leak)
	matrix := o.leakPower(o.crossbarLeak(ports, bits))
	allocator := o.leakPower(p * (local.leak + global.leak))
	channelAllocator := o.leakPower(fifos * (channelLocal.leak + channelGlobal.leak))
	ranks := 3 * p
	registers := o.voltage * ranks * o.registerLeak(bits)
	return []prediction{
		{bufferWrite, "e_buf_write_pj", f.write * 1e12},
		{bufferRead, "e_buf_read_pj", f.read * 1e12},
		{crossbar, "e_xbar_m1_pj", o.crossbar(ports, bits) * 1e12},
		{arbiter, "e_arb_local_pj", local.single() * 1e12},
		{arbiter, "e_arb_global_pj", global.single() * 1e12},
		{arbiter, "e_vca_local_pj", channelLocal.single() * 1e12},
		{arbiter, "e_vca_global_pj", channelGlobal.single() * 1e12},
		{clock, "e_clock_per_cycle_pj", ranks * o.registerTick(bits) * 1e12},
		{leak, "leak_buf_mw", buffers * 1e3},
		{leak, "leak_xbar_mw", matrix * 1e3},
		{leak, "leak_sa_mw", allocator * 1e3},
		{leak, "leak_va_mw", channelAllocator * 1e3},
		{leak, "leak_clock_mw", registers * 1e3},
		{leak, "leak_total_mw", (buffers + matrix + allocator + channelAllocator + registers) * 1e3},
	}
}

func predictCells(s cells, ports, bits, channels, depth int) []prediction {
	entries, p, w := channels*depth, float64(ports), float64(bits)
	local, global := s.arbiterCost(channels), s.arbiterCost(ports)
	total := s.voltage*(s.bufferLeak*p*w*float64(entries)+3*s.registerLeak*p*w+s.muxLeak*w*p*(p-1)) +
		p*(local.leak+global.leak)
	list := []prediction{
		{bufferWrite, "e_buf_write_pj", s.write(bits, entries) * 1e12},
		{bufferRead, "e_buf_read_pj", s.read(bits, entries) * 1e12},
		{arbiter, "e_arb_local_pj", local.single() * 1e12},
		{arbiter, "e_arb_global_pj", global.single() * 1e12},
		{clock, "e_clock_per_cycle_pj", s.clockTree(ports, bits) * 1e12},
		{leak, "leak_total_mw", total * 1e3},
	}
	for m, column := range [...]string{
		"e_xbar_m1_pj", "e_xbar_m2_pj", "e_xbar_m3_pj", "e_xbar_m4_pj", "e_xbar_m5_pj",
	} {
		list = append(list, prediction{crossbar, column, s.crossbar(ports, bits, m+1) * 1e12})
	}
	return list
}
