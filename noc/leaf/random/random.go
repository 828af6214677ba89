// Package random has the reproducible random streams of the whole module. They give the same
// numbers on every machine and in every version, which is what keeps the digests of simulations
// comparable.
//
// There is one type, a [Stream]. [Named] and [Numbered] derive independent streams from one seed.
// [Mix] alone turns any key into random bits. [Exponential] and [Normal] draw from these distributions
// without floating-point operations.
//
// The generator is splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014): a counter through a mixing function. A copy of a stream repeats what
// follows, and a test holds the numbers.
//
// The package imports the standard library only, so every package of the module may use it.
package random

import "math/bits"

// Gamma is the step of a stream's counter: 2^64 divided by the golden ratio, made odd.
const Gamma = 0x9e3779b97f4a7c15

// Stream is a stream of random numbers; the value is its state. Any value is a valid state.
type Stream uint64

// Uint64 returns the next 64 random bits. It makes a Stream a source of math/rand/v2.
func (s *Stream) Uint64() uint64 {
	*s += Gamma
	return Mix(uint64(*s))
}

// Below returns a random number from 0 to n-1, without a division.
func (s *Stream) Below(n int) int { return Scale(s.Uint64(), n) }

// Remainder returns a random number from 0 to n-1: what 53 random bits leave when divided by n.
func (s *Stream) Remainder(n int) int { return int(s.Uint64() >> 11 % uint64(n)) }

// Float64 returns a random number from 0 up to, but not including, 1.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) / (1 << 53) }

// Mix is a bijection in which every bit of the argument reaches every bit of the result.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Scale maps 64 random bits to a number from 0 to n-1, without a division.
func Scale(number uint64, n int) int {
	high, _ := bits.Mul64(number, uint64(n))
	return int(high)
}

// Numbered returns the stream of a seed and a number, such as that of a core.
func Numbered(seed uint64, number int) Stream {
	s := Stream(seed)
	s = Stream(s.Uint64()) + Stream(number)<<32
	return Stream(s.Uint64())
}

// Named returns the stream of a seed, a purpose and a node.
func Named(seed uint64, purpose string, node int) Stream {
	name := Mix(seed + Gamma)
	for i := range len(purpose) {
		name = Mix(name + Gamma ^ uint64(purpose[i]))
	}
	return Stream(Mix(name + Gamma*uint64(node+1)))
}
