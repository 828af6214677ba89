package cache

import "math"

// PresenceFilter answers, for all caches of a chip, which blocks a cache surely does not hold: a
// Bloom filter with one word per set and cache. The words of one set stand side by side for all
// caches, because a broadcast asks one cache after the other about the same block.
type PresenceFilter struct {
	words  []uint64 // per set and cache
	beside []uint64 // per cache: of the blocks beside its arrays, one bit of 64 each
	mask   uint32
	caches int
}

// NewPresenceFilter returns the filter of a number of empty caches of up to two arrays each, whose
// sets are chosen by the lowest bits of a block's number.
func NewPresenceFilter(c Config, caches int) *PresenceFilter {
	return &PresenceFilter{make([]uint64, c.Sets*caches), make([]uint64, caches), uint32(c.Sets - 1), caches}
}

// hashBit returns the bit of a block in its set's word: one of 32 for each array of a cache.
func hashBit(block uint32) uint64 { return 1 << (block * 0x9e3779b1 >> (32 - 5)) }

// besideBit returns the bit of a block that a cache holds beside its arrays.
func besideBit(block uint32) uint64 { return 1 << (block * 0x9e3779b1 >> (32 - 6)) }

// word returns the word of a block's set and a cache.
func (p *PresenceFilter) word(block uint32, member int) *uint64 {
	return &p.words[int(block&p.mask)*p.caches+member]
}

// MayHold reports whether a cache may hold a block. False is certain; true needs a look with Find.
func (p *PresenceFilter) MayHold(member int, block uint32) bool {
	return *p.word(block, member)&(hashBit(block)|hashBit(block)<<32)|p.beside[member]&besideBit(block) != 0
}

// Filled notes that array 0 or 1 of a cache holds a block now.
func (p *PresenceFilter) Filled(member, array int, block uint32) {
	*p.word(block, member) |= hashBit(block) << (32 * array)
}

// Changed notes that array 0 or 1 of a cache may have lost blocks of the set of a block.
func (p *PresenceFilter) Changed(member, array int, a *Array, block uint32) {
	held := uint64(0)
	first, end := a.SetOf(block)
	for _, b := range a.blocks[first:end] {
		if b != vacant {
			held |= hashBit(b)
		}
	}
	word := p.word(block, member)
	*word = *word&^(math.MaxUint32<<(32*array)) | held<<(32*array)
}

// Add notes a block that a cache holds beside its arrays.
func (p *PresenceFilter) Add(member int, block uint32) { p.beside[member] |= besideBit(block) }

// Clear notes that a cache holds no blocks beside its arrays.
func (p *PresenceFilter) Clear(member int) { p.beside[member] = 0 }
