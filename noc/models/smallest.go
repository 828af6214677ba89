package models

import "github.com/carousel-sim/carousel/noc/topology"

// SmallestOptions is every network with the smallest buffers that it works with, for tests that want
// packets to be in each other's way: rotary segments that just take an injected packet, stages of one packet
// per lane, virtual channels of two, and sources that queue one packet per class.
func SmallestOptions(grid topology.Grid) Options {
	o := DefaultOptions()
	o.Grid = grid
	r := &o.Rotary
	r.InputStagePhits, r.SegmentPhits, r.OutputStagePhits = r.SlotPhits, r.InjectSlots*r.SlotPhits, 2*r.SlotPhits
	r.SourceQueue = 1
	o.Buffered.ChannelPhits, o.Buffered.SourceQueue = 2*o.Buffered.SlotPhits, 1
	o.Ideal.SourceQueue = 1
	return o
}

// FiniteSinks tells that the network delivers a packet whose sink has room although the sinks of lower classes
// stay full: every class has buffers of its own, or none (base, ideal), or what lower classes may hold of
// shared buffers is bounded (rr, mrr). A chip whose interfaces are of finite size needs that. In the others,
// packets that wait for a full sink may fill all buffers.
func (m Model) FiniteSinks() bool {
	switch m.Name {
	case "base", "base-mc", "rr", "mrr", "ideal":
		return true
	}
	return false
}
