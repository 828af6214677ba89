package tables

import "github.com/carousel-sim/carousel/noc"

// toggleColumns are the flipped bits of a router: absent where nobody counted them.
func toggleColumns() []Column[Router] {
	var list []Column[Router]
	add := func(name, doc string, field func(*noc.Toggles) *uint64) {
		list = append(list, Column[Router]{"flipped_bits_" + name, "bits", doc + "; absent where nobody counted",
			func(r *Router) any { return flagged{field(&r.Toggles), &r.Toggles.Counted} }})
	}
	add("arrived", "bits that flipped on the wires into the input ports", func(t *noc.Toggles) *uint64 { return &t.Arrived })
	for k := range noc.BufferKinds {
		add("written_"+k.String(), "bits that flipped at the inputs of buffers of this kind", func(t *noc.Toggles) *uint64 { return &t.BufferWrites[k] })
		add("read_"+k.String(), "bits that flipped at the outputs of buffers of this kind", func(t *noc.Toggles) *uint64 { return &t.BufferReads[k] })
	}
	add("crossbar_in", "bits that flipped on inputs of the crossbar", func(t *noc.Toggles) *uint64 { return &t.CrossbarIn })
	add("crossbar_out", "bits that flipped on outputs of the crossbar", func(t *noc.Toggles) *uint64 { return &t.CrossbarOut })
	add("input_demux", "bits that flipped on the wires from the input stages to the rings", func(t *noc.Toggles) *uint64 { return &t.InputDemux })
	add("ring_hop", "bits that flipped on the wires from one ring segment to the next", func(t *noc.Toggles) *uint64 { return &t.RingHop })
	add("ring_dual", "bits of ring_hop that flipped by phits that also left in the same cycle", func(t *noc.Toggles) *uint64 { return &t.RingDual })
	add("link", "bits that flipped on the links that leave the router", func(t *noc.Toggles) *uint64 { return &t.Link })
	add("eject", "bits that flipped on the way to the node", func(t *noc.Toggles) *uint64 { return &t.Eject })
	return list
}
