package timestamps

import "math/bits"

// stack is the sets of a cache with some number of sets, each up to the limit's ways deep: its
// blocks in the order of their last touch, the latest first. A place is 0 where a block has been
// removed and one more than the number of the block elsewhere.
type stack struct {
	places []uint32
	times  []uint64 // of the last touches, by place; nil if they are not needed
	ways   int
	mask   uint32
}

func newStack(sets, ways int) stack {
	return stack{places: make([]uint32, sets*ways), ways: ways, mask: uint32(sets - 1)}
}

// stacksUpTo returns a stack for each power of two of sets up to a number of them. The last has
// times.
func stacksUpTo(sets, ways int) []stack {
	list := make([]stack, bits.Len(uint(sets)))
	for i := range list {
		list[i] = newStack(1<<i, ways)
	}
	list[len(list)-1].times = make([]uint64, sets*ways)
	return list
}

// set returns the places of a block's set.
func (s *stack) set(block uint32) []uint32 {
	first := int(block&s.mask) * s.ways
	return s.places[first : first+s.ways]
}

// touch puts a block first in its set and returns how deep it was, the number of ways when it was
// not there. What stood before it moves down by one place, up to the first hole.
func (s *stack) touch(block uint32, now uint64) (depth int) {
	set, key := s.set(block), block+1
	if set[0] == key {
		if s.times != nil {
			s.times[int(block&s.mask)*s.ways] = now
		}
		return 0
	}
	hole := -1
	depth = len(set)
	for i, k := range set {
		if k == key {
			depth = i
			break
		}
		if k == 0 && hole < 0 {
			hole = i
		}
	}
	last := min(depth, len(set)-1)
	if hole >= 0 {
		if depth < len(set) {
			set[depth] = 0
		}
		last = hole
	}
	copy(set[1:last+1], set[:last])
	set[0] = key
	if s.times != nil {
		times := s.times[int(block&s.mask)*s.ways:]
		copy(times[1:last+1], times[:last])
		times[0] = now
	}
	return depth
}

// remove leaves a hole where a block was.
func (s *stack) remove(block uint32) {
	set, key := s.set(block), block+1
	for i, k := range set {
		if k == key {
			set[i] = 0
			return
		}
	}
}

// depth returns how deep a block is, the number of ways when it is not there.
func (s *stack) depth(block uint32) int {
	set, key := s.set(block), block+1
	for i, k := range set {
		if k == key {
			return i
		}
	}
	return len(set)
}
