package cache

import "math/bits"

// None is the frame or slot of a block that has none.
const None = -1

// vacant stands in empty frames, so that Find need not ask which are.
const vacant = ^uint32(0)

// Array is one set-associative array. Frame f is way f%ways of set f/ways. Blocks are numbered by their
// address divided by the block size; the set of a block is the low bits of its number after skipping
// those that chose the array itself, if there are several (banks). The largest number is no block's.
type Array struct {
	blocks []uint32 // vacant in empty frames
	marks  []uint64 // per set: bits of its blocks, for MayHold
	latest []Use    // per set: the frame last touched; empty in a bank's array
	follow func(set int32, u Use)
	valid  []uint64 // per set: ways that hold a block
	rank   []uint8  // LRU, per frame: 0 for the latest used way of the set, ways-1 for the next victim
	tree   []uint64 // TreePLRU, per set: node i has the children 2i+1 and 2i+2; its bit is set when the victim is to the right
	away   []turn   // TreePLRU, per way
	mask   uint32
	skip   uint8
	ways   int32
}

// Use is the frame of a set that was touched last, with its block, so that one look finds both. Block is no block's
// number when the frame has been emptied since, or none was ever touched. Nothing more need be touched when it is used
// again.
type Use struct {
	Block uint32
	Frame int32
}

// turn is what a touch of one way does to the tree: the nodes on the path, and those of them that shall
// point right.
type turn struct{ path, right uint64 }

// NewArray makes an empty array; skip is the number of low block number bits that take no part in
// choosing the set.
func NewArray(c Config, skip int) Array {
	a := Array{
		blocks: make([]uint32, c.Sets*c.Ways), valid: make([]uint64, c.Sets), marks: make([]uint64, c.Sets),
		mask: uint32(c.Sets - 1), skip: uint8(skip), ways: int32(c.Ways),
	}
	for f := range a.blocks {
		a.blocks[f] = vacant
	}
	if skip == 0 {
		a.latest = make([]Use, c.Sets)
		for s := range a.latest {
			a.latest[s].Block = vacant
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

// Frames is the number of frames.
func (a *Array) Frames() int { return len(a.blocks) }

func (a *Array) set(block uint32) int32 { return int32(block >> (a.skip & 31) & a.mask) }

// mark is the bit of a block among those of its set.
func mark(block uint32) uint64 { return 1 << (block * 0x9e3779b1 >> (32 - 6)) }

// MayHold is false only when no frame holds a block, and mostly then, at less cost than Find.
func (a *Array) MayHold(block uint32) bool { return a.marks[a.set(block)]&mark(block) != 0 }

// MayHold is the same of two arrays with as many sets, of which neither is one of several.
func MayHold(a, b *Array, block uint32) bool {
	set := block & a.mask
	return (a.marks[set]|b.marks[set])&mark(block) != 0
}

// Find is the frame that holds a block, or None.
func (a *Array) Find(block uint32) int32 {
	set := a.set(block)
	if int(set) < len(a.latest) && a.latest[set].Block == block { // as mostly
		return a.latest[set].Frame
	}
	first := int(set * a.ways)
	for w, b := range a.blocks[first : first+int(a.ways)] {
		if b == block {
			return int32(first + w)
		}
	}
	return None
}

// Latest are the frames touched last, per set. It is for arrays whose sets are chosen by the lowest bits of a block's
// number.
func (a *Array) Latest() []Use { return a.latest }

// Follow calls f whenever the frame touched last in a set changes, and now for every set.
func (a *Array) Follow(f func(set int32, u Use)) {
	a.follow = f
	for s, u := range a.latest {
		f(int32(s), u)
	}
}

// last notes which frame was touched last in a set.
func (a *Array) last(set int32, u Use) {
	if a.latest[set] == u {
		return
	}
	a.latest[set] = u
	if a.follow != nil {
		a.follow(set, u)
	}
}

// Block is the block that a frame holds.
func (a *Array) Block(frame int32) uint32 { return a.blocks[frame] }

// Holds tells whether a frame holds a block.
func (a *Array) Holds(frame int32) bool { return a.valid[frame/a.ways]>>(frame%a.ways)&1 != 0 }

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

func (a *Array) touch(frame int32) {
	if a.latest != nil {
		a.last(frame/a.ways, Use{a.blocks[frame], frame})
	}
	if a.tree != nil {
		t := a.away[frame%a.ways]
		tree := &a.tree[frame/a.ways]
		*tree = *tree&^t.path | t.right
		return
	}
	old := a.rank[frame]
	base := frame / a.ways * a.ways
	ranks := a.rank[base : base+a.ways]
	for w, r := range ranks {
		if r < old {
			ranks[w] = r + 1
		}
	}
	a.rank[frame] = 0
}

// Victim chooses the frame for a block that is not here: the first empty way, or the one that the policy
// gives up. Ways with their bit in busy may not be taken: LRU then takes the least recently used of the
// others, TreePLRU the first allowed one counting up from its choice. It is None when all are busy.
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
	a.valid[frame/a.ways] |= 1 << (frame % a.ways)
	a.marks[frame/a.ways] |= mark(block)
	a.touch(frame)
}

// Release empties a frame.
func (a *Array) Release(frame int32) {
	a.blocks[frame] = vacant
	if a.latest != nil && a.latest[frame/a.ways].Frame == frame {
		a.last(frame/a.ways, Use{vacant, frame})
	}
	a.valid[frame/a.ways] &^= 1 << (frame % a.ways)
	a.remark(frame / a.ways)
}

// remark finds the marks of the blocks in a set.
func (a *Array) remark(set int32) {
	marks := uint64(0)
	for _, b := range a.blocks[set*a.ways : (set+1)*a.ways] {
		if b != vacant {
			marks |= mark(b)
		}
	}
	a.marks[set] = marks
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
