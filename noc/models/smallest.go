package models

import "github.com/carousel-sim/carousel/noc/topology"

// SmallestOptions is every network with the smallest buffers that it works with, for tests that
// want packets to be in each other's way: rotary segments that just take an injected packet,
// stages of one packet per lane, virtual channels of two, and sources that queue one packet per
// class.
func SmallestOptions(grid topology.Grid) Options {
	o := DefaultOptions()
	o.Grid = grid
	r := &o.Rotary
	r.InputStagePhits, r.SegmentPhits, r.OutputStagePhits = r.SlotPhits, r.InjectSlots*r.SlotPhits, 2*r.SlotPhits
	r.SourceQueue = 1
	o.Buffered.ChannelPhits, o.Buffered.SourceQueue = 2*o.Buffered.SlotPhits, 1
	return o
}
