package power

import (
	"cmp"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// PriceList is what the events and the hardware of one router and of one of its links cost.
type PriceList struct {
	Profile      Profile `json:"profile"`
	TechNM       int     `json:"tech_nm"`
	VoltageV     float64 `json:"voltage_v"`
	ClockGHz     float64 `json:"clock_ghz"`
	FIFO         FIFO    `json:"fifo"`
	Extrapolated bool    `json:"extrapolated"`
	ClockTested  bool    `json:"clock_tested"`
	// StoragePhits is the buffer capacity of the router. The paper gives 300 phits for all routers; its
	// rotary routers reach that without their input stages, which hold 50 more.
	StoragePhits   int `json:"storage_phits"`
	StorageNoInput int `json:"storage_phits_without_input_stages"`
	StorageBytes   int `json:"storage_bytes"` // of all phits, rounded up
	// HopPJ is the energy of a phit that crosses an idle router (HopOf), and HopPJPerBit that of each
	// of its bits; LinkPJPerBitMM that of a bit over a millimetre of link, 0 for links without length.
	HopPJ          float64 `json:"hop_pj"`
	HopPJPerBit    float64 `json:"hop_pj_per_bit"`
	LinkPJPerBitMM float64 `json:"link_pj_per_bit_mm"`
	// StaticShare is the part of clock and leakage in a router's power when it moves 0.3 phits per
	// cycle and port, 0 to 1.
	StaticShare float64 `json:"static_share_at_load_0_3"`
	// Doubts lists what lies outside the range of measured chips, for people to read; nothing for a
	// network that has no routers to speak of.
	Doubts           []string `json:"doubts"`
	EventsPJ         []Entry  `json:"events_pj"`
	StaticMilliwatts []Entry  `json:"static_mw"`
	// AreaMM2 is the area of a router by part and in total; empty where nothing public says how large it is.
	AreaMM2 []Entry `json:"area_mm2"`
}

// Entry is one line of a price list.
type Entry struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	unit  string  // "" is pJ/phit
}

// usualLoad is the load in phits per cycle and port at which StaticShare is taken.
const usualLoad = 0.3

// PriceListOf prices the hardware of a network's routers without running it.
func PriceListOf(h noc.Hardware, c Config) (PriceList, error) {
	router, err := NewRouter(h, c)
	if err != nil {
		return PriceList{}, err
	}
	link := NewLink(h.PhitBits, c)
	area, _ := AreaOf(h, c)
	whole, storage, bits := c.Effective(), h.StoragePhits(), float64(h.PhitBits)
	moved, waited := router.Price(HopOf(h), 0).Total(), router.Price(noc.Activity{}, 1).Static()
	l := PriceList{Profile: whole.Profile, TechNM: whole.TechNM, VoltageV: whole.VoltageV, ClockGHz: whole.ClockGHz, FIFO: whole.FIFO,
		Extrapolated: whole.Extrapolated(), ClockTested: whole.ClockTested(),
		StoragePhits: storage, StorageNoInput: storage - h.FIFOs[noc.InputStage]*h.Depth[noc.InputStage], StorageBytes: (storage*h.PhitBits + 7) / 8,
		HopPJ: moved * 1e12, HopPJPerBit: moved * 1e12 / bits,
		EventsPJ:         append(router.eventsPJ(), Entry{Name: "link_phit", Value: link.phit * 1e12}),
		StaticMilliwatts: append(router.staticMW(), Entry{Name: "link_leakage", Value: link.leak * 1e3}), AreaMM2: area.entries()}
	if c.LinkMM > 0 {
		l.LinkPJPerBitMM = link.phit * 1e12 / bits / c.LinkMM
	}
	if power := waited + usualLoad*float64(h.Ports)*moved; power > 0 {
		l.StaticShare = waited / power
	}
	l.doubt(c.LinkMM > 0)
	return l, nil
}

// silicon lists what measured chips leave room for (rule 14): pJ per bit and hop.
// There is no range for 90 and 22 nm, and the one for links is that of these technologies.
var silicon = map[int][2]float64{65: {0.1, 2}, 45: {0.05, 1}, 32: {0.03, 0.7}}

// doubt fills in the doubts. The links of the network may have no length.
func (l *PriceList) doubt(links bool) {
	if l.HopPJ == 0 {
		return
	}
	outside := func(value float64, low, high float64, what string) {
		if value < low || value > high {
			l.Doubts = append(l.Doubts, fmt.Sprintf("%s is %.3g, outside the %g to %g of measured chips", what, value, low, high))
		}
	}
	if r, known := silicon[l.TechNM]; known {
		outside(l.HopPJPerBit, r[0], r[1], "energy per bit and hop in pJ")
		if links {
			outside(l.LinkPJPerBitMM, 0.03, 0.25, "energy per bit and mm of link in pJ")
		}
	}
	outside(l.StaticShare, 0.05, 0.9, "share of clock and leakage at 0.3 phits per cycle and port")
}

// HopOf is what one phit does that crosses an idle router of the given hardware alone and leaves
// on a link: through one FIFO and the crossbar, or through an input stage, one ring segment and
// an output stage. The header's part is left out, and so is the link. How many segments a phit
// visits is measured, not assumed: one is the least.
func HopOf(h noc.Hardware) (a noc.Activity) {
	access := func(k noc.BufferKind) {
		if h.FIFOs[k] > 0 {
			a.BufferWrites[k], a.BufferReads[k] = 1, 1
		}
	}
	grant := func(s noc.ArbiterStage) { a.ArbRequests[s], a.ArbGrants[s] = 1, 1 }
	access(noc.VirtualChannel)
	if h.Crossbar {
		a.Crossbar = 1
		grant(noc.SwitchInput)
		grant(noc.SwitchOutput)
	}
	if h.FIFOs[noc.RingSegment] > 0 {
		for _, k := range []noc.BufferKind{noc.InputStage, noc.RingSegment, noc.OutputStage} {
			access(k)
		}
		a.InputDemux, a.RingInject, a.RingEject, a.OutputMux = 1, 1, 1, 1
		grant(noc.RingEntry)
		grant(noc.OutputLane)
	}
	return a
}

// eventsPJ lists what each event of the router costs, in pJ: per phit for buffers, crossbar,
// rings and registers, per request or grant for arbiters, per header for the allocation of
// virtual channels, per bit for headers. Events that cost nothing are left out.
func (r *Router) eventsPJ() []Entry {
	e := &r.events
	var list []Entry
	addUnit := func(unit, name string, joules float64) {
		if joules != 0 {
			list = append(list, Entry{name, joules * 1e12, unit})
		}
	}
	add := func(name string, joules float64) { addUnit("", name, joules) }
	for k := range noc.BufferKinds {
		add("buffer_write."+k.String(), e.write[k])
		add("buffer_read."+k.String(), e.read[k])
	}
	add("crossbar", e.crossbar)
	for s := range noc.ArbiterStages {
		addUnit("pJ/request", "arbiter_request."+s.String(), e.request[s])
		addUnit("pJ/grant", "arbiter_grant."+s.String(), e.grant[s])
	}
	addUnit("pJ/header", "channel_allocation", e.allocation)
	add("input_demux", e.inputDemux)
	add("segment_mux", e.segmentMux)
	add("ring_wire", e.ringWire)
	add("ring_dual", e.dual)
	add("output_mux", e.outputMux)
	addUnit("pJ/bit", "header_test_bit", e.headerTest)
	addUnit("pJ/bit", "header_write_bit", e.headerWrite)
	add("register_clock", e.register)
	return list
}

// staticMW lists what the router draws without any activity, in mW.
func (r *Router) staticMW() []Entry {
	l := &r.leakage
	return []Entry{{Name: "clock", Value: r.clock * 1e3}, {Name: "leakage.buffers", Value: l.buffers * 1e3},
		{Name: "leakage.crossbar", Value: l.crossbar * 1e3}, {Name: "leakage.multiplexers", Value: l.multiplexers * 1e3},
		{Name: "leakage.arbiters", Value: l.arbiters * 1e3}, {Name: "leakage.registers", Value: l.registers * 1e3}}
}

// Unit returns what an event of a price list is counted by, as "pJ/phit".
func (e Entry) Unit() string { return cmp.Or(e.unit, "pJ/phit") }

// Circumstances returns the configuration under which prices hold, for people.
func (c Config) Circumstances() string {
	c = c.Effective()
	text := fmt.Sprintf("profile %s, %d nm, %g V, %g GHz, %s FIFOs, links of %g mm, switching activity %g, leakage x %g", c.Profile, c.TechNM, c.VoltageV,
		c.ClockGHz, c.FIFO, c.LinkMM, c.Alpha, c.StaticScale)
	if c.Profile == ProfileO {
		text += ", " + string(c.Transistor) + " transistors"
		if !c.ClockGating {
			text += ", clocks not gated"
		}
	}
	text += "; " + c.Temperature()
	if c.Extrapolated() {
		text += "; extrapolated: no public tool covers this technology"
	}
	if !c.ClockTested() {
		text += "; the models were checked against other tools at 1 to 3 GHz only"
	}
	return text
}
