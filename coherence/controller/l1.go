package controller

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// L1 is the frames of a core's two arrays and its open misses, with accesses of type Target that wait for them.
type L1[Target any] struct {
	Frames
	Misses cache.MSHRs[Target]

	Refused bool // an access was refused for lack of something that a miss or an eviction gives back
	Cramped bool // an access was refused for lack of room in a queue
}

// NewL1 makes the L1 of a core, of two arrays of a shape and some MSHRs. marks are those of all cores' L1s.
func NewL1[Target any](shape cache.Config, mshrs int, marks *cache.Marks, core int) L1[Target] {
	if mshrs > coherence.MaxMisses {
		panic(fmt.Sprintf("controller: %d MSHRs; at most %d are allowed", mshrs, coherence.MaxMisses))
	}
	return L1[Target]{Frames: newFrames(shape, marks, core), Misses: cache.NewMSHRs[Target](mshrs)}
}

// Victim is the frame that a block is to take in one of the arrays, or None when all are busy, which bits by position
// in the set tell.
func (c *L1[Target]) Victim(array int, b coherence.Block, busy uint64) int32 {
	f := c.Arrays[array].Victim(uint32(b), busy)
	if f == cache.None {
		c.Refused = true
		return None
	}
	return int32(array)*c.Split + f
}

// Open is the number of open misses.
func (c *L1[Target]) Open() int { return c.Misses.Used() }

// MayMiss reports whether a miss can be opened, whose request is of a class, and remembers when not.
func (c *L1[Target]) MayMiss(out *coherence.Effects, request noc.Class) bool {
	if c.Misses.Full() {
		c.Refused = true
		return false
	}
	if out.Room[request] < 1 {
		c.Cramped = true
		return false
	}
	return true
}

// Again lets the core repeat what was refused.
func (c *L1[Target]) Again(out *coherence.Effects) {
	if c.Refused {
		c.Refused = false
		out.Retry = true
	}
}
