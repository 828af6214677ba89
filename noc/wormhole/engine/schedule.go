package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// schedule lists what takes effect in later cycles, by the cycle in which it does; flits are listed
// by the cycle of their grant.
type schedule struct {
	fabric.Wheel[slot]
	moves [fabric.Horizon]moves // by the cycle of the grant & mask
	mask  uint                  // of no more cycles than are needed: what was written lately is near
}

// slot is what takes effect in a cycle.
type slot struct {
	arrivals []arrival // headers that reach a channel with their flit, or its front
	routed   []uint32  // channels whose header has its route
	ports    []uint32  // channels of nodes that can take the next packet
}

// arrival is a header that reaches a channel.
type arrival struct {
	channel uint32
	worm    int32
}

// moves are the flits that the switches have let pass in a cycle: the channel that each has left,
// which has a place again after the delay of credits, and the one in which it is after traversal.
// Credits read from, arrivals read to.
type moves struct{ from, to []uint32 }

// init makes room for delays up to the longest, and for some moves in a cycle.
func (s *schedule) init(longest, most int) {
	s.Wheel = fabric.NewWheel[slot](longest)
	s.mask = 1<<bits.Len(uint(longest)) - 1
	for i := range s.mask + 1 {
		s.moves[i] = moves{make([]uint32, 0, most), make([]uint32, 0, most)}
	}
}

// movesAt returns the flits granted in a cycle, as long as it matters.
func (s *schedule) movesAt(t noc.Cycle) *moves { return &s.moves[uint(t)&s.mask&(fabric.Horizon-1)] }
