package controller

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// L1 is the frames of a core's two arrays and its open misses, with accesses of type Target that
// wait for them.
type L1[Target any] struct {
	Frames
	Misses cache.MSHRs[Target]
	hits   *coherence.HitTable

	Refused bool // an access was refused for lack of something that a miss or an eviction gives back
	Cramped bool // an access was refused for lack of room in a queue
	Leaving bool // a block of the victim buffer waits for room to be given up
}

// NewL1 returns the L1 of a core. It panics when the chip has more MSHRs than a line can name.
func NewL1[Target any](c *Chip, core int) L1[Target] {
	if c.MSHRs > coherence.MaxMisses {
		panic(fmt.Sprintf("controller: %d MSHRs; at most %d are allowed", c.MSHRs, coherence.MaxMisses))
	}
	return L1[Target]{Frames: newFrames(c.L1, c.Victims, c.Presence, core), Misses: cache.NewMSHRs[Target](c.MSHRs), hits: &c.HitTable}
}

// HitPath returns the core's own way to the data array.
func (c *L1[Target]) HitPath() coherence.HitPath {
	return coherence.NewHitPath(&c.Arrays[0], c.hits, c.Lines)
}

// Victim returns the frame that a block is to take in one of the arrays, or None when all wait for
// misses.
func (c *L1[Target]) Victim(array int, b coherence.Block) int32 {
	first, end := c.Arrays[array].SetOf(uint32(b))
	base := int32(array) * c.Split
	var busy uint64
	for f := first; f < end; f++ {
		if c.Lines[base+f].Miss != 0 {
			busy |= 1 << (f - first)
		}
	}
	f := c.Arrays[array].Victim(uint32(b), busy)
	if f == cache.None {
		c.Refused = true
		return None
	}
	return base + f
}

// Allocate opens a miss for the line in a frame and returns its slot.
func (c *L1[Target]) Allocate(f int32) int {
	slot := c.Misses.Allocate(uint32(c.Lines[f].Block))
	c.Lines[f].Miss = uint8(slot + 1)
	return slot
}

// Close ends the miss of the line in a frame.
func (c *L1[Target]) Close(f int32, out *coherence.Effects) {
	c.Misses.Release(int(c.Lines[f].Miss) - 1)
	c.Lines[f].Miss = 0
	c.Again(out)
}

// Open returns the number of open misses.
func (c *L1[Target]) Open() int { return c.Misses.Used() }

// MayMiss reports whether a miss can be opened, whose request is of a class, and remembers when
// not.
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

// Again makes the core repeat a refused access.
func (c *L1[Target]) Again(out *coherence.Effects) {
	if c.Refused {
		c.Refused = false
		out.Retry = true
	}
}

// Recall moves a block of the victim buffer to an empty frame of an array. The frame has been filled
// with the block.
func (c *L1[Target]) Recall(from, to int32) {
	c.Lines[to] = c.Lines[from]
	c.Release(from)
}

// Keep moves a block that the array gives up into the victim buffer and returns its frame there, or
// None where no speculative load has read the block or the buffer is full.
func (c *L1[Target]) Keep(f int32, out *coherence.Effects) int32 {
	b, buffer := c.Block(f), &c.Arrays[victims]
	if buffer.Frames() == 0 || !out.Speculative(b) {
		return None
	}
	to := buffer.Victim(uint32(b), 0)
	if buffer.Holds(to) {
		return None
	}
	to += 2 * c.Split
	c.Fill(to, b)
	c.Lines[to] = c.Lines[f]
	c.Release(f)
	out.Kept = true
	return to
}

// Settle gives up the blocks of the victim buffer that no speculative load has read any more, by
// giveUp, which returns false when there is no room; it is called again then. Settle reports
// whether the buffer still holds any.
func (c *L1[Target]) Settle(out *coherence.Effects, giveUp func(f int32, out *coherence.Effects) bool) bool {
	c.Leaving = false
	for f := 2 * c.Split; c.kept > 0 && int(f) < len(c.Lines); f++ {
		if !c.Holds(f) || out.Speculative(c.Block(f)) {
			continue
		}
		if !giveUp(f, out) {
			c.Leaving = true
			break
		}
	}
	return c.kept > 0
}
