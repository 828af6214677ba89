package twin

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc/random"
)

// Spread is a distribution of small numbers: exact below 16, then in powers of two of which the mean is kept.
type Spread struct {
	Counts []uint64 `json:"counts"`
	Sums   []uint64 `json:"sums,omitempty"` // of the buckets from exactBuckets on
}

const (
	exactBuckets  = 16
	spreadBuckets = exactBuckets + 29 // 32-bit numbers
)

// spreadCounts is a Spread that is being filled.
type spreadCounts struct {
	counts [spreadBuckets]uint64
	sums   [spreadBuckets - exactBuckets]uint64
}

func (s *spreadCounts) add(v uint32) {
	b := spreadBucket(v)
	s.counts[b]++
	if b >= exactBuckets {
		s.sums[b-exactBuckets] += uint64(v)
	}
}

// spreadBucket is the bucket of a number.
func spreadBucket(v uint32) int {
	if v < exactBuckets {
		return int(v)
	}
	return exactBuckets + bits.Len32(v) - bits.Len32(exactBuckets)
}

func (s *spreadCounts) plus(o *spreadCounts) {
	for i := range s.counts {
		s.counts[i] += o.counts[i]
	}
	for i := range s.sums {
		s.sums[i] += o.sums[i]
	}
}

func (s *spreadCounts) spread() Spread {
	return Spread{Counts: trimmed(s.counts[:]), Sums: trimmed(s.sums[:])}
}

// trimmed copies a list without the zeros at its end.
func trimmed(list []uint64) []uint64 {
	n := len(list)
	for n > 0 && list[n-1] == 0 {
		n--
	}
	return append(make([]uint64, 0, n), list[:n]...)
}

// drawer draws from a Spread. Numbers of a bucket are replaced by the bucket's mean, rounded up or down at
// random so that the mean of what is drawn is exact.
type drawer struct {
	bucket sampler
	means  []uint64 // in units of 2^-16
}

func newDrawer(s Spread) drawer {
	d := drawer{bucket: newSampler(s.Counts), means: make([]uint64, len(s.Counts))}
	for b := range d.means {
		d.means[b] = uint64(b) << 16
		if b >= exactBuckets && b-exactBuckets < len(s.Sums) && s.Counts[b] > 0 {
			d.means[b] = s.Sums[b-exactBuckets] / s.Counts[b] << 16
			d.means[b] += s.Sums[b-exactBuckets] % s.Counts[b] << 16 / s.Counts[b]
		}
	}
	return d
}

// draw needs two independent numbers of 64 and 16 bits.
func (d *drawer) draw(r *random.Stream) uint32 {
	if len(d.means) == 0 {
		return 0
	}
	number := r.Uint64()
	b := d.bucket.draw(number)
	if b < exactBuckets {
		return uint32(b)
	}
	return uint32((d.means[b] + r.Uint64()>>48) >> 16)
}

// sampler draws an index with the probability that its weight has in the sum: Walker's alias method
// (Electronics Letters 10, 1974) with whole numbers.
type sampler struct {
	limit []uint32 // below it the index itself, else its alias
	alias []uint8
}

// newSampler takes weights, of which the largest keep 31 bits. The sampler of weights that are all zero, or
// of none, draws 0.
func newSampler(weights []uint64) sampler {
	n := len(weights)
	total := uint64(0)
	for _, w := range weights {
		total += w
	}
	s := sampler{make([]uint32, max(n, 1)), make([]uint8, max(n, 1))}
	if total == 0 {
		return s
	}
	// A column holds one n-th of the total, here 2^32.
	left := make([]uint64, n)
	var small, large []int
	for i, w := range weights {
		high, low := bits.Mul64(w, uint64(n)<<32)
		left[i], _ = bits.Div64(high, low, total)
		if left[i] < 1<<32 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		i, j := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		s.limit[i], s.alias[i] = uint32(left[i]), uint8(j)
		if left[j] -= 1<<32 - left[i]; left[j] < 1<<32 {
			large = large[:len(large)-1]
			small = append(small, j)
		}
	}
	// What remains is full up to rounding.
	for _, i := range append(small, large...) {
		s.limit[i], s.alias[i] = 1<<32-1, uint8(i)
	}
	return s
}

// draw turns a random number into an index.
func (s *sampler) draw(number uint64) int {
	i := random.Scale(number, len(s.limit))
	// The column took the number's high bits; the low ones are as random.
	if uint32(number) < s.limit[i] {
		return i
	}
	return int(s.alias[i])
}
