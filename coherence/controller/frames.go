package controller

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
)

// Frames are those of an L1's two arrays. Frames of the instruction array are numbered after those of the data array;
// what their lines hold is the protocol's.
type Frames struct {
	Arrays [2]cache.Array // data, instructions
	Split  int32          // first frame of the instruction array
	marks  *cache.Marks   // of the L1s of all cores
	core   int
}

func newFrames(shape cache.Config, marks *cache.Marks, core int) Frames {
	x := Frames{Arrays: [2]cache.Array{cache.NewArray(shape, 0), cache.NewArray(shape, 0)}, marks: marks, core: core}
	for i := range x.Arrays {
		x.Arrays[i].Mark(marks, core, i)
	}
	x.Split = int32(x.Arrays[0].Frames())
	return x
}

// Find is the frame of a block, or None.
func (x *Frames) Find(b coherence.Block) int32 {
	if !x.marks.MayHold(x.core, uint32(b)) { // mostly, of the blocks that others ask for
		return None
	}
	if f := x.Arrays[0].Find(uint32(b)); f >= 0 {
		return f
	}
	if f := x.Arrays[1].Find(uint32(b)); f >= 0 {
		return f + x.Split
	}
	return None
}

// Place is the array of a frame and its number there.
func (x *Frames) Place(f int32) (*cache.Array, int32) {
	if f < x.Split {
		return &x.Arrays[0], f
	}
	return &x.Arrays[1], f - x.Split
}

// Block is the block in a frame.
func (x *Frames) Block(f int32) coherence.Block {
	a, local := x.Place(f)
	return coherence.Block(a.Block(local))
}

// Touch notes that a frame has been used.
func (x *Frames) Touch(f int32) {
	a, local := x.Place(f)
	a.Touch(local)
}

// Release empties a frame.
func (x *Frames) Release(f int32) {
	a, local := x.Place(f)
	a.Release(local)
}

// SetOf are the frames that a block may take in one of the arrays.
func (x *Frames) SetOf(array int, b coherence.Block) (first, end int32) {
	first, end = x.Arrays[array].SetOf(uint32(b))
	base := int32(array) * x.Split
	return base + first, base + end
}

// Visit calls f for every frame that holds a block.
func (x *Frames) Visit(f func(frame int32, b coherence.Block)) {
	for i := range x.Arrays {
		x.Arrays[i].Visit(func(frame int32, b uint32) { f(int32(i)*x.Split+frame, coherence.Block(b)) })
	}
}
