// Package arbiter has the arbiters of routers: of the requests of a cycle they pick one, or one
// in each of several groups.
//
// All of them but [Highest8] are round robins with one law, which [Next] states plainly: the
// winner is the first request after the one that was granted last, wrapping round. The others are
// the same function for sets of other sizes and for several sets at once, without branches, since
// a winner cannot be predicted. Two ways of remembering the last grant occur: its number, and the
// set of what comes after it.
//
//	Next                one set, by number; says when nobody asks
//	Next8, Next16, ...  one set that is not empty, by number
//	After               one set, by what comes after
//	Octets              the eight bytes of a word, by what comes after
//	Fields              the fields of a word, of any equal width, by what comes after
//
// To add an arbiter, write it beside the others and let the test hold it to Next.
package arbiter

import "math/bits"

// Next returns the first request after the one granted last, wrapping round; -1 when there is
// none. last is -1 before the first grant.
func Next(requests uint64, last int) int {
	if requests == 0 {
		return -1
	}
	if above := requests &^ (2<<uint(last) - 1); last >= 0 && above != 0 {
		return bits.TrailingZeros64(above)
	}
	return bits.TrailingZeros64(requests)
}

// Next8 is Next for a set of eight that is not empty.
func Next8(requests uint8, last int8) uint {
	from := uint(last+1) & 7
	return (from + uint(bits.TrailingZeros8(bits.RotateLeft8(requests, -int(from))))) & 7
}

// Next16 is Next for a set of sixteen that is not empty.
func Next16(requests uint16, last int8) uint {
	from := uint(last+1) & 15
	return (from + uint(bits.TrailingZeros16(bits.RotateLeft16(requests, -int(from))))) & 15
}

// Next32 is Next for a set of thirty-two that is not empty.
func Next32(requests uint32, last int8) uint {
	from := uint(last+1) & 31
	return (from + uint(bits.TrailingZeros32(bits.RotateLeft32(requests, -int(from))))) & 31
}

// After returns the lowest request that comes after the last grant, or else the lowest, as a set
// of one; it is empty when nobody asks. after holds what comes after the last grant.
func After[Set ~uint8 | ~uint16 | ~uint32 | ~uint64](requests, after Set) Set {
	if later := requests & after; later != 0 {
		requests = later
	}
	return requests & -requests
}
