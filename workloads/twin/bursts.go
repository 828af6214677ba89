package twin

import "math/bits"

// bursts remembers which of a core's last accesses were to lines that a cache is unlikely to have. Misses of loads
// overlap when they come together, and stores wait for one another; so how dense they are is part of contexts.
type bursts uint16 // the latest access is the lowest bit

// densities are numbers of misses among the last 16 accesses: none, 1, 2 or 3, 4 to 7, and more.
const densities = 5

// add notes an access of a class.
func (b *bursts) add(class int) {
	*b <<= 1
	if missing(class) {
		*b |= 1
	}
}

// density is how many misses there were of late, in powers of two.
func (b bursts) density() int { return min(bits.Len(uint(bits.OnesCount16(uint16(b)))), densities-1) }
