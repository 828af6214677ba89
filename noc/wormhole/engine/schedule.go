package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// slot is what takes effect in a cycle.
type slot struct {
	landing  []uint32  // channels in which flits are now
	freed    []uint32  // channels that flits have left, which have a place again
	arrivals []arrival // headers that reach a channel with their flit, or its front
	routed   []uint32  // channels whose header has its route
	ports    []uint32  // channels of nodes that can take the next packet
}

// arrival is a header that reaches a channel.
type arrival struct {
	channel uint32
	worm    int32
}

// newSchedule makes room for delays up to the longest, and for some flits in a cycle.
func newSchedule(longest noc.Cycle, most int) fabric.Wheel[slot] {
	s := fabric.NewWheel[slot](int(longest))
	for t := range 2 * longest { // all slots, as their number is a power of two
		*s.At(t) = slot{landing: make([]uint32, 0, most), freed: make([]uint32, 0, most)}
	}
	return s
}
