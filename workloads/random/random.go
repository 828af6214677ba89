// Package random gives synthetic workloads their random numbers: named streams, the same on every machine.
//
// There is one type, a [Stream]. The step is the golden ratio in 64 bits, the mixing that of splitmix64
// (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
package random

import "math/bits"

// Stream is a stream of random numbers.
type Stream uint64

// New gives the stream of a seed and a core, or of any other number.
func New(seed uint64, core int) Stream {
	r := Stream(seed)
	r = Stream(r.Next()) + Stream(core)<<32
	return Stream(r.Next())
}

// Next is the next number.
func (r *Stream) Next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Below is a number from 0 to n-1.
func (r *Stream) Below(n uint64) uint64 { return r.Next() % n }

// Scaled turns a random number into one from 0 to n-1 without a division.
func Scaled(number uint64, n int) int {
	high, _ := bits.Mul64(number, uint64(n))
	return int(high)
}
