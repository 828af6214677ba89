package metrics

import (
	"math"
	"math/bits"
)

// Histogram counts values in buckets of powers of two: bucket 0 holds 0, bucket i holds 2^(i-1) up to and
// including 2^i - 1. It keeps the sum of each bucket, so that means are exact and percentiles better than
// the width of a bucket. The zero value is empty.
type Histogram struct {
	counts, sums [65]uint64
}

// Add counts one value.
func (h *Histogram) Add(value uint64) {
	b := bits.Len64(value)
	h.counts[b]++
	h.sums[b] += value
}

// AddBucket counts a stored bucket: count values with the given sum, of which low is the smallest that the
// bucket may hold.
func (h *Histogram) AddBucket(low, count, sum uint64) {
	b := bits.Len64(low)
	h.counts[b] += count
	h.sums[b] += sum
}

// Count is the number of values.
func (h *Histogram) Count() uint64 {
	var n uint64
	for _, c := range h.counts {
		n += c
	}
	return n
}

// Mean is exact; false when the histogram is empty.
func (h *Histogram) Mean() (float64, bool) {
	n := h.Count()
	if n == 0 {
		return math.NaN(), false
	}
	var sum float64
	for _, s := range h.sums {
		sum += float64(s)
	}
	return sum / float64(n), true
}

// Percentile is the value of rank ceil(p/100 * n), counted from 1; p = 0 is the smallest. Within its bucket
// the values are taken to lie evenly around the bucket's mean, as far as its nearer edge: exact for a
// bucket with one value or with equal values at an edge, and never further off than the bucket is wide.
// False when the histogram is empty or p is not in 0 to 100.
func (h *Histogram) Percentile(p float64) (float64, bool) {
	n := h.Count()
	if n == 0 || !(p >= 0 && p <= 100) {
		return math.NaN(), false
	}
	rank := uint64(math.Ceil(p * float64(n) / 100))
	rank = min(max(rank, 1), n)
	for b, count := range h.counts {
		if rank <= count {
			low, high := edges(b)
			mean := float64(h.sums[b]) / float64(count)
			reach := math.Min(mean-low, high-mean)
			return mean + reach*(2*(float64(rank)-0.5)/float64(count)-1), true
		}
		rank -= count
	}
	panic("metrics: the ranks of a histogram exceed its count")
}

// edges are the smallest and the largest value of a bucket.
func edges(bucket int) (low, high float64) {
	if bucket == 0 {
		return 0, 0
	}
	low = math.Ldexp(1, bucket-1)
	return low, 2*low - 1
}
