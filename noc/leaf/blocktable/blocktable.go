// Package blocktable maps numbers, such as those of blocks, to values: a hash table that grows with
// the blocks in use and never shrinks but by Clear.
//
// There is one type, [Table]. Laws: the package imports only slices; a table visits its blocks in the
// order in which they were entered, so that results never depend on hashing; only Get allocates,
// and only for a block that is new. The loop is (*Table).slot, linear probing in an index that is
// at most half full.
package blocktable

import "slices"

// Table maps blocks of type Block to values.
type Table[Block ~uint32 | ~uint64, Value any] struct {
	initial Value // of every block
	blocks  []Block
	values  []Value // of blocks
	index   []int32 // 0 is empty, n stands for blocks[n-1]
	shift   uint    // 64 minus the log of len(index)
}

// New returns an empty table in which every block has the initial value.
func New[Block ~uint32 | ~uint64, Value any](initial Value) Table[Block, Value] {
	const bits = 6
	return Table[Block, Value]{initial: initial, index: make([]int32, 1<<bits), shift: 64 - bits}
}

// slot returns the place in the index where a block is, or is to be.
func (t *Table[Block, Value]) slot(b Block) uint32 {
	i := uint32(uint64(b) * 0x9e3779b97f4a7c15 >> (t.shift & 63))
	for t.index[i] != 0 && t.blocks[t.index[i]-1] != b {
		i = (i + 1) & uint32(len(t.index)-1)
	}
	return i
}

// Find returns the value of a block, or nil when Get was never called for it. The pointer is valid
// until the next call of Get.
func (t *Table[Block, Value]) Find(b Block) *Value {
	if n := t.index[t.slot(b)]; n != 0 {
		return &t.values[n-1]
	}
	return nil
}

// Get returns the value of a block, which it enters if it is new.
func (t *Table[Block, Value]) Get(b Block) *Value {
	i := t.slot(b)
	if n := t.index[i]; n != 0 {
		return &t.values[n-1]
	}
	if 2*(len(t.values)+1) > len(t.index) {
		t.grow()
		i = t.slot(b)
	}
	t.blocks, t.values = append(t.blocks, b), append(t.values, t.initial)
	t.index[i] = int32(len(t.values))
	return &t.values[len(t.values)-1]
}

// Len returns the number of blocks entered.
func (t *Table[Block, Value]) Len() int { return len(t.blocks) }

// Clear takes all blocks out, and keeps the memory.
func (t *Table[Block, Value]) Clear() {
	clear(t.index)
	t.blocks, t.values = t.blocks[:0], t.values[:0]
}

// Grow makes room for some more blocks.
func (t *Table[Block, Value]) Grow(more int) {
	t.blocks, t.values = slices.Grow(t.blocks, more), slices.Grow(t.values, more)
	for 2*(len(t.blocks)+more) > len(t.index) {
		t.grow()
	}
}

// grow doubles the index.
func (t *Table[Block, Value]) grow() {
	t.index = make([]int32, 2*len(t.index))
	t.shift--
	for n, b := range t.blocks {
		t.index[t.slot(b)] = int32(n + 1)
	}
}

// Visit calls f for every block entered, oldest first.
func (t *Table[Block, Value]) Visit(f func(b Block, v *Value)) {
	for i, b := range t.blocks {
		f(b, &t.values[i])
	}
}
