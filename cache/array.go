package cache

import (
	"encoding/binary"
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
	blocks []uint32 // vacant in empty frames
	recent []uint8  // per set: the way last touched, or untouched
	valid  []uint64 // per set: ways that hold a block
	policy replacement
	mask   uint32
	skip   uint8
	ways   int32
}

// untouched is the way last touched of a set in which none was. It leads to a frame of another set,
// if to any, which does not hold a block of this one.
const untouched = ^uint8(0)

// NewArray returns an empty array; skip is the number of low block number bits that take no part in
// choosing the set.
func NewArray(c Config, skip int) Array {
	a := Array{
		blocks: make([]uint32, c.Sets*c.Ways), recent: make([]uint8, c.Sets), valid: make([]uint64, c.Sets),
		policy: policies[c.Policy].new(c.Sets, c.Ways), mask: uint32(c.Sets - 1), skip: uint8(skip), ways: int32(c.Ways),
	}
	for f := range a.blocks {
		a.blocks[f] = vacant
	}
	for s := range a.recent {
		a.recent[s] = untouched
	}
	return a
}

// CopyFrom fills the array like another one of its shape.
func (a *Array) CopyFrom(b *Array) {
	copy(a.blocks, b.blocks)
	copy(a.recent, b.recent)
	copy(a.valid, b.valid)
	a.policy.copyFrom(b.policy)
}

// Frames returns the number of frames.
func (a *Array) Frames() int { return len(a.blocks) }

// Sets returns the number of sets.
func (a *Array) Sets() int { return len(a.valid) }

// Ways returns the number of frames of a set.
func (a *Array) Ways() int { return int(a.ways) }

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
// the set, and the frame may have been emptied since.
func (a *Array) MostRecent() []uint8 { return a.recent }

// Block returns the block that a frame holds.
func (a *Array) Block(frame int32) uint32 { return a.blocks[frame] }

// Holds reports whether a frame holds a block.
func (a *Array) Holds(frame int32) bool { return a.blocks[frame] != vacant }

// SetOf lists the frames among which a block may sit: first up to, but not including, end.
func (a *Array) SetOf(block uint32) (first, end int32) {
	first = a.set(block) * a.ways
	return first, first + a.ways
}

// Touch notes that the block in a frame has been used.
func (a *Array) Touch(frame int32) {
	set := a.set(a.blocks[frame])
	if way := frame - set*a.ways; a.recent[set] != uint8(way) {
		a.recent[set] = uint8(way)
		a.policy.touch(set, way)
	}
}

// Victim chooses the frame for a block that is not here: the first empty way, or the one that the
// policy gives up. Ways with their bit in busy may not be taken; it is None when all are busy.
func (a *Array) Victim(block uint32, busy uint64) int32 {
	set := a.set(block)
	allowed := ^uint64(0) >> (64 - a.ways) &^ busy
	switch empty := allowed &^ a.valid[set]; {
	case empty != 0:
		return set*a.ways + int32(bits.TrailingZeros64(empty))
	case allowed == 0:
		return None
	}
	return set*a.ways + a.policy.victim(set, allowed)
}

// Fill puts a block into an empty frame of its set.
func (a *Array) Fill(frame int32, block uint32) {
	set := a.set(block)
	way := frame - set*a.ways
	a.blocks[frame] = block
	a.valid[set] |= 1 << way
	a.recent[set] = uint8(way)
	a.policy.fill(set, way)
}

// Release empties a frame, which holds a block.
func (a *Array) Release(frame int32) {
	set := a.set(a.blocks[frame])
	a.blocks[frame] = vacant
	a.valid[set] &^= 1 << (frame - set*a.ways)
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

// AppendState appends which block is in which frame, and the state of the policy, for an explorer
// that compares states. Numbers below 128 take a byte each.
func (a *Array) AppendState(to []byte) []byte {
	for s, valid := range a.valid {
		to = binary.AppendUvarint(to, valid)
		for ; valid != 0; valid &= valid - 1 {
			to = binary.AppendUvarint(to, uint64(a.blocks[s*int(a.ways)+bits.TrailingZeros64(valid)]))
		}
		to = a.policy.appendState(to, s)
	}
	return to
}

// SetState restores what AppendState has written and returns what follows it.
func (a *Array) SetState(from []byte) []byte {
	next := func() uint64 {
		x, n := binary.Uvarint(from)
		from = from[n:]
		return x
	}
	for s := range a.valid {
		a.recent[s] = untouched
		a.valid[s] = next()
		for w := range int(a.ways) {
			block := vacant
			if a.valid[s]>>w&1 != 0 {
				block = uint32(next())
			}
			a.blocks[s*int(a.ways)+w] = block
		}
		from = a.policy.setState(from, s)
	}
	return from
}
