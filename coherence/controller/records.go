package controller

import "github.com/carousel-sim/carousel/coherence"

// Records is a hash table of what a memory controller knows of blocks that have left their default state at some time. It
// grows with the footprint and never shrinks.
type Records[Record any] struct {
	initial Record // of every block
	blocks  []coherence.Block
	all     []Record // of blocks
	index   []int32  // open addressing; 0 is empty, n stands for blocks[n-1]
	shift   uint     // 32 minus the log of len(index)
}

// NewRecords makes an empty table of blocks in their default state.
func NewRecords[Record any](initial Record) Records[Record] {
	const bits = 6
	return Records[Record]{initial: initial, index: make([]int32, 1<<bits), shift: 32 - bits}
}

func (r *Records[Record]) slot(b coherence.Block) uint32 {
	i := uint32(b) * 0x9e3779b1 >> (r.shift & 31)
	for r.index[i] != 0 && r.blocks[r.index[i]-1] != b {
		i = (i + 1) & uint32(len(r.index)-1)
	}
	return i
}

// Find is the record of a block, or nil when it never left the default state. The pointer is valid until the next call
// of Get.
func (r *Records[Record]) Find(b coherence.Block) *Record {
	if n := r.index[r.slot(b)]; n != 0 {
		return &r.all[n-1]
	}
	return nil
}

// Get is the record of a block, made if needed.
func (r *Records[Record]) Get(b coherence.Block) *Record {
	i := r.slot(b)
	if n := r.index[i]; n != 0 {
		return &r.all[n-1]
	}
	if 2*(len(r.all)+1) > len(r.index) {
		r.grow()
		i = r.slot(b)
	}
	r.blocks, r.all = append(r.blocks, b), append(r.all, r.initial)
	r.index[i] = int32(len(r.all))
	return &r.all[len(r.all)-1]
}

// grow doubles the index.
func (r *Records[Record]) grow() {
	r.index = make([]int32, 2*len(r.index))
	r.shift--
	for n, b := range r.blocks {
		r.index[r.slot(b)] = int32(n + 1)
	}
}

// Visit calls f for every record, in the order in which they were made.
func (r *Records[Record]) Visit(f func(b coherence.Block, record *Record)) {
	for i, b := range r.blocks {
		f(b, &r.all[i])
	}
}
