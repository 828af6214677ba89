package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// schedule is what takes effect in cycles to come, less than its length away.
type schedule struct {
	slots [horizon]slot  // by cycle & mask
	moves [horizon]moves // by the cycle of the grant & mask
	mask  uint           // of no more cycles than are needed: what was written lately is near
	busy  uint64         // bit c&mask: something is due in cycle c
}

// horizon is above all delays that a configuration may have.
const horizon = 32

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
// Whoever is concerned with the one does not read the other.
type moves struct{ from, to []uint32 }

// init makes room for delays up to the longest, and for some moves in a cycle.
func (s *schedule) init(longest, most int) {
	s.mask = 1<<bits.Len(uint(longest)) - 1
	for i := range s.mask + 1 {
		s.moves[i] = moves{make([]uint32, 0, most), make([]uint32, 0, most)}
	}
}

// next returns the first cycle from now on in which something is due, or noc.Never.
func (s *schedule) next(now noc.Cycle) noc.Cycle {
	if s.busy == 0 {
		return noc.Never
	}
	i := uint(now) & s.mask
	return now + noc.Cycle(bits.TrailingZeros64(s.busy>>i|s.busy<<(s.mask+1-i)))
}

// at returns the slot of a cycle, to which something is added.
func (s *schedule) at(c noc.Cycle) *slot {
	i := uint(c) & s.mask & (horizon - 1)
	s.busy |= 1 << i
	return &s.slots[i]
}

// due returns what is due in cycle t, once, or nil.
func (s *schedule) due(t noc.Cycle) *slot {
	i := uint(t) & s.mask & (horizon - 1)
	if s.busy>>i&1 == 0 {
		return nil
	}
	s.busy &^= 1 << i
	return &s.slots[i]
}

// movesAt returns the flits granted in a cycle, as long as it matters.
func (s *schedule) movesAt(t noc.Cycle) *moves { return &s.moves[uint(t)&s.mask&(horizon-1)] }
