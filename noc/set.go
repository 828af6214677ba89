package noc

import (
	"math/bits"
	"slices"
)

// NodeSet is a set of nodes, sized to its network: nodes 0 to 63 are bits of Low and cost nothing
// more; node n >= 64 is bit n%64 of More[n/64-1]. The zero value is the empty set.
type NodeSet struct {
	Low  uint64
	More []uint64
}

// SetWords returns the number of 64-bit words that sets over the given number of nodes need.
func SetWords(nodes int) int { return (nodes + 63) / 64 }

// NewNodeSet makes an empty set with room for the given number of nodes.
func NewNodeSet(nodes int) NodeSet {
	if w := SetWords(nodes); w > 1 {
		return NodeSet{More: make([]uint64, w-1)}
	}
	return NodeSet{}
}

// One returns the set of a single node; it allocates only for nodes above 63.
func One(n NodeID) NodeSet {
	s := NewNodeSet(int(n) + 1)
	s.Add(n)
	return s
}

// SetOf makes a set of the listed nodes for a network of the given size.
func SetOf(nodes int, members ...NodeID) NodeSet {
	s := NewNodeSet(nodes)
	for _, n := range members {
		s.Add(n)
	}
	return s
}

// Add puts n into the set. The set must have room for it (NewNodeSet).
func (s *NodeSet) Add(n NodeID) {
	if n < 64 {
		s.Low |= 1 << n
		return
	}
	s.More[n/64-1] |= 1 << (n % 64)
}

// Remove takes n out of the set.
func (s *NodeSet) Remove(n NodeID) {
	if n < 64 {
		s.Low &^= 1 << n
	} else if w := int(n/64) - 1; w < len(s.More) {
		s.More[w] &^= 1 << (n % 64)
	}
}

// Clear takes all nodes out of the set.
func (s *NodeSet) Clear() {
	s.Low = 0
	clear(s.More)
}

// Assign gives the set the members of another one, for which it must have room.
func (s *NodeSet) Assign(from NodeSet) {
	s.Low = from.Low
	clear(s.More[copy(s.More, from.More):])
}

// AddAll puts the members of another set, for which the set must have room, into it.
func (s *NodeSet) AddAll(from NodeSet) {
	s.Low |= from.Low
	for i, w := range from.More {
		s.More[i] |= w
	}
}

// Equal reports whether two sets for as many nodes have the same members.
func (s NodeSet) Equal(other NodeSet) bool {
	return s.Low == other.Low && slices.Equal(s.More, other.More)
}

// Has reports whether n is in the set.
func (s NodeSet) Has(n NodeID) bool {
	if n < 64 {
		return s.Low>>n&1 != 0
	}
	w := int(n/64) - 1
	return w < len(s.More) && s.More[w]>>(n%64)&1 != 0
}

// Count returns the number of nodes in the set.
func (s NodeSet) Count() int {
	n := bits.OnesCount64(s.Low)
	for _, w := range s.More {
		n += bits.OnesCount64(w)
	}
	return n
}

// Empty reports whether the set has no nodes.
func (s NodeSet) Empty() bool {
	if s.Low != 0 {
		return false
	}
	for _, w := range s.More {
		if w != 0 {
			return false
		}
	}
	return true
}

// Word returns the i-th group of 64 nodes as bits; 0 beyond the set's size.
func (s NodeSet) Word(i int) uint64 {
	if i == 0 {
		return s.Low
	}
	if i <= len(s.More) {
		return s.More[i-1]
	}
	return 0
}

// Next is the smallest member >= from, or false when there is none. It walks a set:
//
//	for n, ok := s.Next(0); ok; n, ok = s.Next(n + 1) { ... }
func (s NodeSet) Next(from NodeID) (NodeID, bool) {
	i := int(from / 64)
	w := s.Word(i) >> (from % 64) << (from % 64)
	for {
		if w != 0 {
			return NodeID(64*i + bits.TrailingZeros64(w)), true
		}
		i++
		if i > len(s.More) {
			return 0, false
		}
		w = s.Word(i)
	}
}

// FromWords makes a set of raw words (word i holds nodes 64i to 64i+63); it shares their storage.
func FromWords(words []uint64) NodeSet { return NodeSet{Low: words[0], More: words[1:]} }
