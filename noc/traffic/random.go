package traffic

import "github.com/carousel-sim/carousel/noc/leaf/random"

// The purposes of random streams.
const (
	messagePurpose     = "traffic.messages"
	permutationPurpose = "traffic.permutation"
)

// probability returns a chance as the number of 63-bit draws out of 2^63 that hit. The scaling is
// exact.
func probability(p float64) uint64 { return uint64(p * (1 << 63)) }

// hit reports whether a draw hits a chance.
func hit(s *random.Stream, chance uint64) bool { return s.Uint64()>>1 < chance }
