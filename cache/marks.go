package cache

import "math"

// Marks tell of the caches of a chip, with as many sets each, which blocks they surely do not hold. The marks of one set
// stand side by side for all caches, because a broadcast asks one cache after the other about the same block: a few lines
// of the host's cache serve all of them.
type Marks struct {
	words []uint64 // per set and cache
	mask  uint32
	many  int32 // caches
}

// NewMarks makes the marks of a number of empty caches of up to two arrays each.
func NewMarks(c Config, caches int) *Marks {
	return &Marks{words: make([]uint64, c.Sets*caches), mask: uint32(c.Sets - 1), many: int32(caches)}
}

// mark is the bit of a block among those of its set: one of 32 for each array of a cache.
func mark(block uint32) uint64 { return 1 << (block * 0x9e3779b1 >> (32 - 5)) }

func (m *Marks) of(set, member int32) *uint64 { return &m.words[set*m.many+member] }

// MayHold is false only when no array of a cache holds a block, and mostly then, at less cost than Find.
func (m *Marks) MayHold(member int, block uint32) bool {
	return *m.of(int32(block&m.mask), int32(member))&(mark(block)|mark(block)<<32) != 0
}

// Mark lets an array without blocks, whose sets are chosen by the lowest bits of a block's number, mark what it holds as
// array 0 or 1 of a cache.
func (a *Array) Mark(m *Marks, member, array int) {
	a.marks, a.member, a.half = m, int32(member), uint8(32*array)
}

// remark finds the marks of the blocks in a set.
func (a *Array) remark(set int32) {
	if a.marks == nil {
		return
	}
	marks := uint64(0)
	for _, b := range a.blocks[set*a.ways : (set+1)*a.ways] {
		if b != vacant {
			marks |= mark(b) << a.half
		}
	}
	word := a.marks.of(set, a.member)
	*word = *word&^(math.MaxUint32<<a.half) | marks
}
