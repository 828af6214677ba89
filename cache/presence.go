package cache

import "math"

// PresenceFilter answers, for all caches of a chip, which blocks a cache surely does not hold: a
// Bloom filter with one word per set and cache. The words of one set stand side by side for all
// caches, because a broadcast asks one cache after the other about the same block.
type PresenceFilter struct {
	words  []uint64 // per set and cache
	beside []uint64 // per cache: of the blocks beside its arrays, one bit of 64 each
	mask   uint32
	caches int32
}

// NewPresenceFilter returns the filter of a number of empty caches of up to two arrays each, whose
// sets are chosen by the lowest bits of a block's number.
func NewPresenceFilter(c Config, caches int) *PresenceFilter {
	return &PresenceFilter{words: make([]uint64, c.Sets*caches), beside: make([]uint64, caches), mask: uint32(c.Sets - 1), caches: int32(caches)}
}

// hashBit returns the bit of a block in its set's word: one of 32 for each array of a cache.
func hashBit(block uint32) uint64 { return 1 << (block * 0x9e3779b1 >> (32 - 5)) }

func (p *PresenceFilter) word(set, member int32) *uint64 { return &p.words[set*p.caches+member] }

// MayHold reports whether an array of a cache may hold a block. False is certain; true needs a look
// with Find.
func (p *PresenceFilter) MayHold(member int, block uint32) bool {
	return *p.word(int32(block&p.mask), int32(member))&(hashBit(block)|hashBit(block)<<32)|p.beside[member]&besideBit(block) != 0
}

// besideBit returns the bit of a block that a cache holds beside its arrays.
func besideBit(block uint32) uint64 { return 1 << (block * 0x9e3779b1 >> (32 - 6)) }

// Add notes a block that a cache holds beside its arrays, Clear that it holds none there.
func (p *PresenceFilter) Add(member int, block uint32) { p.beside[member] |= besideBit(block) }

// Clear notes that a cache holds no blocks beside its arrays.
func (p *PresenceFilter) Clear(member int) { p.beside[member] = 0 }

// Track keeps a filter up to date with an array, as array 0 or 1 of a cache. The array must be
// empty, and its sets be chosen by the lowest bits of a block's number.
func (a *Array) Track(p *PresenceFilter, member, array int) {
	a.filter, a.member, a.half = p, int32(member), uint8(32*array)
}

// refilter recomputes the filter's word of a set.
func (a *Array) refilter(set int32) {
	if a.filter == nil {
		return
	}
	held := uint64(0)
	for _, b := range a.blocks[set*a.ways : (set+1)*a.ways] {
		if b != vacant {
			held |= hashBit(b) << a.half
		}
	}
	word := a.filter.word(set, a.member)
	*word = *word&^(math.MaxUint32<<a.half) | held
}
