package cache

import (
	"math"
	"math/bits"
)

// None is the frame or slot of a block that has none.
const None = -1

// vacant stands in empty frames, so that Find need not ask which are.
const vacant = ^uint32(0)

// Array is one set-associative array. Frame f is way f%ways of set f/ways. Blocks are numbered by
// their address divided by the block size; the set of a block is the low bits of its number after
// skipping those that chose the array itself, if there are several (banks). The largest number is
// no block's.
type Array struct {
	blocks []uint32        // vacant in empty frames
	recent []uint8         // per set: the way last touched, or untouched; empty in a bank's array
	valid  []uint64        // per set: ways that hold a block
	filter *PresenceFilter // told of every block; nil without one
	member int32           // which of the filter's caches this is an array of
	half   uint8           // the first bit of this array's half of a word
	rank   []uint8         // LRU, per frame: 0 for the latest used way of the set, ways-1 for the next victim
	// tree is TreePLRU, per set: node i has the children 2i+1 and 2i+2; its bit is set when the
	// victim is to the right.
	tree []uint64
	away []turn // TreePLRU, per way
	mask uint32
	skip uint8
	ways int32
}

// untouched is the way last touched of a set in which none was. It leads to a frame of another set,
// if to any, which does not hold a block of this one.
const untouched = ^uint8(0)

// turn is what a touch of one way does to the tree: the nodes on the path, and those of them that
// shall point right.
type turn struct{ path, right uint64 }

// NewArray returns an empty array; skip is the number of low block number bits that take no part in
// choosing the set.
func NewArray(c Config, skip int) Array {
	a := Array{
		blocks: make([]uint32, c.Sets*c.Ways), valid: make([]uint64, c.Sets),
		mask: uint32(c.Sets - 1), skip: uint8(skip), ways: int32(c.Ways),
	}
	for f := range a.blocks {
		a.blocks[f] = vacant
	}
	if skip == 0 {
		a.recent = make([]uint8, c.Sets)
		for s := range a.recent {
			a.recent[s] = untouched
		}
	}
	if c.Policy == LRU {
		a.rank = make([]uint8, c.Sets*c.Ways)
		for f := range a.rank {
			a.rank[f] = uint8(f % c.Ways)
		}
		return a
	}
	a.tree = make([]uint64, c.Sets)
	a.away = make([]turn, c.Ways)
	for w := range a.away {
		for node := w + c.Ways - 1; node > 0; {
			parent := (node - 1) / 2
			a.away[w].path |= 1 << parent
			if node == 2*parent+1 {
				a.away[w].right |= 1 << parent
			}
			node = parent
		}
	}
	return a
}

// Frames returns the number of frames.
func (a *Array) Frames() int { return len(a.blocks) }

func (a *Array) set(block uint32) int32 { return int32(block >> (a.skip & 31) & a.mask) }

// Find returns the frame that holds a block, or None.
func (a *Array) Find(block uint32) int32 {
	first := int(a.set(block) * a.ways)
	for w, b := range a.blocks[first : first+int(a.ways)] {
		if b == block {
			return int32(first + w)
		}
	}
	return None
}

// MostRecent returns the way of each set that was touched last; the slice stays current. Using such
// a frame again changes no replacement state. Where nothing was ever touched the way lies outside
// the set, and the frame may have been emptied since. It is for arrays whose sets are chosen by the
// lowest bits of a block's number.
func (a *Array) MostRecent() []uint8 { return a.recent }

// Ways returns the number of frames of a set.
func (a *Array) Ways() int { return int(a.ways) }

// Block returns the block that a frame holds.
func (a *Array) Block(frame int32) uint32 { return a.blocks[frame] }

// Holds reports whether a frame holds a block.
func (a *Array) Holds(frame int32) bool {
	set, way := a.split(frame)
	return a.valid[set]>>way&1 != 0
}

// SetOf lists the frames among which a block may sit: first up to, but not including, end.
func (a *Array) SetOf(block uint32) (first, end int32) {
	first = a.set(block) * a.ways
	return first, first + a.ways
}

// Touch makes a frame the latest used of its set. Under LRU it mostly is already.
func (a *Array) Touch(frame int32) {
	if int(frame) >= len(a.rank) || a.rank[frame] != 0 {
		a.touch(frame)
	}
}

// split returns the set and the way of a frame, with one division.
func (a *Array) split(frame int32) (set, way int32) {
	set = frame / a.ways
	return set, frame - set*a.ways
}

func (a *Array) touch(frame int32) {
	set, way := a.split(frame)
	if a.recent != nil {
		a.recent[set] = uint8(way)
	}
	if a.tree != nil {
		t := a.away[way]
		tree := &a.tree[set]
		*tree = *tree&^t.path | t.right
		return
	}
	old := a.rank[frame]
	ranks := a.rank[set*a.ways : (set+1)*a.ways]
	for w, r := range ranks {
		if r < old {
			ranks[w] = r + 1
		}
	}
	a.rank[frame] = 0
}

// Victim chooses the frame for a block that is not here: the first empty way, or the one that the
// policy gives up. Ways with their bit in busy may not be taken: LRU then takes the least recently
// used of the others, TreePLRU the first allowed one counting up from its choice. It is None when
// all are busy.
func (a *Array) Victim(block uint32, busy uint64) int32 {
	s := a.set(block)
	base := s * a.ways
	every := ^uint64(0) >> (64 - a.ways)
	if empty := every &^ a.valid[s] &^ busy; empty != 0 {
		return base + int32(bits.TrailingZeros64(empty))
	}
	allowed := every &^ busy
	if allowed == 0 {
		return None
	}
	if a.tree != nil {
		node := int32(0)
		for node < a.ways-1 {
			node = 2*node + 1 + int32(a.tree[s]>>node&1)
		}
		w := node - (a.ways - 1)
		if up := allowed >> w << w; up != 0 {
			allowed = up
		}
		return base + int32(bits.TrailingZeros64(allowed))
	}
	victim := int32(None)
	for w, r := range a.rank[base : base+a.ways] {
		if allowed>>w&1 != 0 && (victim == None || r > a.rank[victim]) {
			victim = base + int32(w)
		}
	}
	return victim
}

// Fill puts a block into an empty frame of its set and touches it.
func (a *Array) Fill(frame int32, block uint32) {
	a.blocks[frame] = block
	set, way := a.split(frame)
	a.valid[set] |= 1 << way
	if a.filter != nil {
		*a.filter.word(set, a.member) |= hashBit(block) << a.half
	}
	a.touch(frame)
}

// Release empties a frame.
func (a *Array) Release(frame int32) {
	a.blocks[frame] = vacant
	set, way := a.split(frame)
	a.valid[set] &^= 1 << way
	a.refilter(set)
}

// Visit calls f for every frame that holds a block, in order.
func (a *Array) Visit(f func(frame int32, block uint32)) {
	for s, w := range a.valid {
		for ; w != 0; w &= w - 1 {
			frame := int32(s)*a.ways + int32(bits.TrailingZeros64(w))
			f(frame, a.blocks[frame])
		}
	}
}

// AppendState appends which block is in which frame, and which one is evicted next, for an explorer
// that compares states. Blocks and ways must be few: each takes a byte.
func (a *Array) AppendState(to []byte) []byte {
	for s := range a.valid {
		to = append(to, byte(a.valid[s]))
		if a.tree != nil {
			to = append(to, byte(a.tree[s]))
		}
		for f := s * int(a.ways); f < (s+1)*int(a.ways); f++ {
			if a.Holds(int32(f)) {
				to = append(to, byte(a.blocks[f]))
			}
			if a.rank != nil && a.ways > 1 {
				to = append(to, a.rank[f])
			}
		}
	}
	return to
}

// SetState restores what AppendState has written and returns what follows it.
func (a *Array) SetState(from []byte) []byte {
	next := func() byte {
		b := from[0]
		from = from[1:]
		return b
	}
	for s := range a.valid {
		if a.recent != nil {
			a.recent[s] = untouched
		}
		a.valid[s] = uint64(next())
		if a.tree != nil {
			a.tree[s] = uint64(next())
		}
		for f := s * int(a.ways); f < (s+1)*int(a.ways); f++ {
			a.blocks[f] = vacant
			if a.Holds(int32(f)) {
				a.blocks[f] = uint32(next())
			}
			if a.rank != nil && a.ways > 1 {
				a.rank[f] = next()
			}
		}
		a.refilter(int32(s))
	}
	return from
}

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
