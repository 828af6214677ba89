// Package set holds sets of small numbers, a bit for each. The type of a set names its members, so
// that a set of ports and a set of classes are not taken for each other. A set is an unsigned
// integer: 0 is the empty set, and |, & and &^ join, intersect and subtract sets. The methods are
// inlined, and a loop over All costs no more than one over the bits.
package set

import (
	"iter"
	"math/bits"
)

// Number is what a member of a set can be.
type Number interface {
	~int | ~uint | ~uint8 | ~int32 | ~uint32
}

// Sets of numbers below 8, 16, 32 and 64. A larger number stands for its low bits.
type (
	Of8[N Number]  uint8
	Of16[N Number] uint16
	Of32[N Number] uint32
	Of64[N Number] uint64
)

// Has reports whether n is a member.
func (s Of8[N]) Has(n N) bool  { return uint(s)>>(uint(n)&7)&1 != 0 }
func (s Of16[N]) Has(n N) bool { return uint(s)>>(uint(n)&15)&1 != 0 }
func (s Of32[N]) Has(n N) bool { return uint(s)>>(uint(n)&31)&1 != 0 }
func (s Of64[N]) Has(n N) bool { return uint(s)>>(uint(n)&63)&1 != 0 }

// Bit returns 1 if n is a member, else 0.
func (s Of8[N]) Bit(n N) uint  { return uint(s) >> (uint(n) & 7) & 1 }
func (s Of16[N]) Bit(n N) uint { return uint(s) >> (uint(n) & 15) & 1 }

// Add makes n a member.
func (s *Of8[N]) Add(n N)  { *s |= 1 << (uint(n) & 7) }
func (s *Of16[N]) Add(n N) { *s |= 1 << (uint(n) & 15) }
func (s *Of32[N]) Add(n N) { *s |= 1 << (uint(n) & 31) }
func (s *Of64[N]) Add(n N) { *s |= 1 << (uint(n) & 63) }

// Remove makes n no member.
func (s *Of8[N]) Remove(n N)  { *s &^= 1 << (uint(n) & 7) }
func (s *Of16[N]) Remove(n N) { *s &^= 1 << (uint(n) & 15) }
func (s *Of32[N]) Remove(n N) { *s &^= 1 << (uint(n) & 31) }
func (s *Of64[N]) Remove(n N) { *s &^= 1 << (uint(n) & 63) }

// Put makes n a member if bit is 1, and no member if it is 0.
func (s *Of8[N]) Put(n N, bit uint)  { *s = Of8[N](uint(*s)&^(1<<(uint(n)&7)) | bit&1<<(uint(n)&7)) }
func (s *Of16[N]) Put(n N, bit uint) { *s = Of16[N](uint(*s)&^(1<<(uint(n)&15)) | bit&1<<(uint(n)&15)) }

// First returns the lowest member of a set that is not empty.
func (s Of8[N]) First() N  { return N(bits.TrailingZeros8(uint8(s)) & 7) }
func (s Of16[N]) First() N { return N(bits.TrailingZeros16(uint16(s)) & 15) }
func (s Of32[N]) First() N { return N(bits.TrailingZeros32(uint32(s)) & 31) }
func (s Of64[N]) First() N { return N(bits.TrailingZeros64(uint64(s)) & 63) }

// Many reports whether there are two members or more.
func (s Of8[N]) Many() bool  { return s&(s-1) != 0 }
func (s Of16[N]) Many() bool { return s&(s-1) != 0 }
func (s Of32[N]) Many() bool { return s&(s-1) != 0 }
func (s Of64[N]) Many() bool { return s&(s-1) != 0 }

// Count returns the number of members.
func (s Of16[N]) Count() int { return bits.OnesCount16(uint16(s)) }
func (s Of32[N]) Count() int { return bits.OnesCount32(uint32(s)) }
func (s Of64[N]) Count() int { return bits.OnesCount64(uint64(s)) }

// All iterates over the members of the set as it is now, from the lowest to the highest.
func (s Of8[N]) All() iter.Seq[N] {
	return func(yield func(N) bool) {
		for m := s; m != 0 && yield(m.First()); m &= m - 1 {
		}
	}
}

func (s Of16[N]) All() iter.Seq[N] {
	return func(yield func(N) bool) {
		for m := s; m != 0 && yield(m.First()); m &= m - 1 {
		}
	}
}

func (s Of32[N]) All() iter.Seq[N] {
	return func(yield func(N) bool) {
		for m := s; m != 0 && yield(m.First()); m &= m - 1 {
		}
	}
}

func (s Of64[N]) All() iter.Seq[N] {
	return func(yield func(N) bool) {
		for m := s; m != 0 && yield(m.First()); m &= m - 1 {
		}
	}
}
