package power

import "github.com/carousel-sim/carousel/noc"

// Entry is one line of a price list.
type Entry struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// EventsPJ lists what each event of the router costs, in pJ: per phit for buffers, crossbar,
// rings and registers, per request or grant for arbiters, per header for the allocation of
// virtual channels, per bit for headers. Events that cost nothing are left out.
func (r *Router) EventsPJ() []Entry {
	e := &r.events
	var list []Entry
	add := func(name string, joules float64) {
		if joules != 0 {
			list = append(list, Entry{name, joules * 1e12})
		}
	}
	for k := range noc.BufferKinds {
		add("buffer_write."+k.String(), e.write[k])
		add("buffer_read."+k.String(), e.read[k])
	}
	add("crossbar", e.crossbar)
	for s := range noc.ArbiterStages {
		add("arbiter_request."+s.String(), e.request[s])
		add("arbiter_grant."+s.String(), e.grant[s])
	}
	add("channel_allocation", e.allocation)
	add("input_demux", e.inputDemux)
	add("segment_mux", e.segmentMux)
	add("ring_wire", e.ringWire)
	add("ring_dual", e.dual)
	add("output_mux", e.outputMux)
	add("header_test_bit", e.headerTest)
	add("header_write_bit", e.headerWrite)
	add("register_clock", e.register)
	return list
}

// StaticMW lists what the router draws without any activity, in mW.
func (r *Router) StaticMW() []Entry {
	return []Entry{
		{"clock", r.clock * 1e3},
		{"leakage.buffers", r.leakage.buffers * 1e3},
		{"leakage.crossbar", r.leakage.crossbar * 1e3},
		{"leakage.multiplexers", r.leakage.multiplexers * 1e3},
		{"leakage.arbiters", r.leakage.arbiters * 1e3},
		{"leakage.registers", r.leakage.registers * 1e3},
	}
}

// EventsPJ lists what a phit on the link costs, in pJ.
func (l *Link) EventsPJ() []Entry {
	return []Entry{{"link_phit", l.phit * 1e12}}
}

// StaticMW lists what the link draws without any activity, in mW.
func (l *Link) StaticMW() []Entry { return []Entry{{"link_leakage", l.leak * 1e3}} }
