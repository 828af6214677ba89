package traffic

import "math/bits"

// random is a reproducible generator: a counter through a mixing function, so that a copy of it repeats
// what follows.
type random uint64

// gamma is the step of the counter: 2^64 divided by the golden ratio, odd.
const gamma = 0x9e3779b97f4a7c15

// next is the next 64 random bits.
func (r *random) next() uint64 {
	*r += gamma
	return mix(uint64(*r))
}

// below is a random number from 0 to n-1.
func (r *random) below(n int) int {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int(high)
}

// mix is a bijection in which every bit of the argument reaches every bit of the result.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// The purposes of random streams.
const (
	contentPurpose     = "traffic.content"
	messagePurpose     = "traffic.messages"
	permutationPurpose = "traffic.permutation"
)

// stream is the random stream of a seed, a purpose and a node.
func stream(seed uint64, purpose string, node int) random {
	name := mix(seed + gamma)
	for i := range len(purpose) {
		name = mix(name + gamma ^ uint64(purpose[i]))
	}
	return random(mix(name + gamma*uint64(node+1)))
}

// probability is a chance as the number of 63-bit draws out of 2^63 that hit. The scaling is exact.
func probability(p float64) uint64 { return uint64(p * (1 << 63)) }

// hit draws a chance.
func (r *random) hit(chance uint64) bool { return r.next()>>1 < chance }
