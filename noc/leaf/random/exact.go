package random

import (
	"math/bits"
	"math/rand/v2"
)

// Exponential draws from the exponential distribution of a mean, in the mean's unit, by comparisons alone
// (von Neumann): a number is accepted as the fraction with chance exp(-number), and every rejection adds
// one mean.
func Exponential(source rand.Source, mean uint64) uint64 {
	for means := uint64(0); ; means++ {
		if first := source.Uint64(); fallsEvenly(source, first) {
			fraction, _ := bits.Mul64(first, mean)
			return means*mean + fraction
		}
	}
}

// Normal draws from the normal distribution by comparisons alone (Karney, Sampling exactly from the
// normal distribution, algorithm N): a whole number with chance exp(-k/2), which is kept with
// chance exp(-k(k-1)/2), and a fraction in 2^-64, kept with chance exp(-x(2k+x)/2).
func Normal(source rand.Source) (whole int, fraction uint64, negative bool) {
next:
	for {
		k := 0
		for fallsEvenly(source, 1<<63) {
			k++
		}
		for range k * (k - 1) {
			if !fallsEvenly(source, 1<<63) {
				continue next
			}
		}
		x := source.Uint64()
		for range k + 1 {
			if !falls(source, k, x) {
				continue next
			}
		}
		return k, x, source.Uint64()&1 != 0
	}
}

// fallsEvenly reports whether a sequence that begins with a number and goes on with drawn ones falls an
// even number of times: it does with chance exp(-first), in 2^-64, which is exp(-1/2) from 1<<63 on.
func fallsEvenly(source rand.Source, first uint64) bool {
	even := true
	for last := first; ; even = !even {
		next := source.Uint64()
		if next >= last {
			return even
		}
		last = next
	}
}

// falls is true with chance exp(-x(2k+x)/(2k+2)): as fallsEvenly from x on, where each number is also
// kept with chance (2k+x)/(2k+2) only.
func falls(source rand.Source, k int, x uint64) bool {
	even := true
	for last := x; ; even = !even {
		next := source.Uint64()
		if next >= last {
			return even
		}
		whole, fraction := bits.Mul64(source.Uint64(), uint64(2*k+2))
		if whole > uint64(2*k) || whole == uint64(2*k) && fraction >= x {
			return even
		}
		last = next
	}
}
