package fabric

import "math/bits"

// RoundRobin picks the first set bit of requests after last, wrapping round; -1 when there is none.
// Bits at and above 64 do not exist; last is -1 before the first grant.
func RoundRobin(requests uint64, last int) int {
	if requests == 0 {
		return -1
	}
	if above := requests &^ (2<<uint(last) - 1); last >= 0 && above != 0 {
		return bits.TrailingZeros64(above)
	}
	return bits.TrailingZeros64(requests)
}
