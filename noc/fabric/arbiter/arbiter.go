// Package arbiter holds the arbiters of routers. An arbiter grants one of the requests of a cycle,
// or one in each of several groups.
//
// All of them are round robins with one law, which [Next] states plainly: the
// winner is the first request after the one that was granted last, wrapping round. The others are
// the same function for sets of other sizes and for several sets at once, without branches, since
// a winner cannot be predicted.
//
//	Next    one set, by number; reports an empty set
//	Next8   one set that is not empty, by number
//	Octets  the eight bytes of a word, by what comes after
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

// Distance returns how far request i of n is from its turn: the first after the one granted last
// has 0. last is -1 before the first grant.
func Distance(last, i, n int) int {
	if i <= last {
		i += n
	}
	return i - last - 1
}

// Next8 is Next for a set of eight that is not empty.
func Next8(requests uint8, last int8) uint {
	from := uint(last+1) & 7
	return (from + uint(bits.TrailingZeros8(bits.RotateLeft8(requests, -int(from))))) & 7
}

// The lowest, the highest, and all but the highest bits of the eight bytes of a word.
const (
	lowBits   = 0x0101010101010101
	highBits  = 0x8080808080808080
	lowerBits = highBits - lowBits
)

// Octets picks a winner in each byte of a word with requests. after holds, in each byte, what comes
// after its last grant; next is that from then on.
func Octets(requests, after uint64) (winners, next uint64) {
	first := requests & after
	later := (first&lowerBits + lowerBits | first) & highBits // of bytes with a request after the last grant
	first |= requests &^ (later<<1 - later>>7)
	asked := (requests&lowerBits + lowerBits | requests) & highBits
	winners = first &^ (first - asked>>7)
	upTo := winners | (winners - asked>>7)
	granted := asked<<1 - asked>>7
	return winners, after&^granted | granted&^upTo
}
