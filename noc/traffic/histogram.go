package traffic

import "github.com/carousel-sim/carousel/noc/leaf/buckets"

// Cast tells how many nodes a message was sent to.
type Cast uint8

// The casts.
const (
	Unicast Cast = iota
	Multicast
	Broadcast // to all other nodes
	Casts
)

// String returns the cast's name as used in the result tables.
func (c Cast) String() string { return [...]string{"unicast", "multicast", "broadcast"}[c] }

// A latency below 2*fine cycles has a bucket of its own; above, each power of two is cut into
// fine buckets of equal width, so a bucket is never wider than 1/fine of its values.
const (
	fineBits = 5
	fine     = 1 << fineBits
	most     = (maxOctaves - fineBits + 1) * fine
	// maxOctaves bounds latencies at 2^40 cycles; longer ones share the last bucket.
	maxOctaves = 40
)

// Bucket is one bucket of a histogram.
type Bucket struct {
	Low, High  uint64 // smallest and largest latency that it holds, in cycles
	Count, Sum uint64
}

// Histogram counts latencies in cycles.
type Histogram struct {
	counts, sums [most]uint64
}

// Add counts a latency.
func (h *Histogram) Add(latency uint64) {
	b := min(buckets.Of(latency, fineBits), most-1)
	h.counts[b]++
	h.sums[b] += latency
}

// merge adds another histogram's counts.
func (h *Histogram) merge(o *Histogram) {
	for b := range o.counts {
		h.counts[b] += o.counts[b]
		h.sums[b] += o.sums[b]
	}
}

// Total is the number of latencies and their sum.
func (h *Histogram) Total() (count, sum uint64) {
	for b := range h.counts {
		count += h.counts[b]
		sum += h.sums[b]
	}
	return count, sum
}

// Percentile is the mean of the bucket that holds the value of rank ceil(p/100*n), counted from
// 1: exact below 64 cycles, and within 1/32 of the value above. False when the histogram is
// empty.
func (h *Histogram) Percentile(p int) (float64, bool) {
	n, _ := h.Total()
	rank := max((uint64(p)*n+99)/100, 1)
	for b, count := range h.counts {
		if rank <= count {
			return float64(h.sums[b]) / float64(count), true
		}
		rank -= count
	}
	return 0, false
}

// Buckets lists the buckets that are not empty, joined to the resolution of the table of latencies:
// single cycles below 16, and eighths of powers of two above.
func (h *Histogram) Buckets() []Bucket {
	var list []Bucket
	for b, count := range h.counts {
		if count == 0 {
			continue
		}
		first, _ := buckets.Edges(b, fineBits)
		low, high := buckets.Edges(buckets.Of(first, buckets.Latency), buckets.Latency)
		if last := len(list) - 1; last < 0 || list[last].Low != low {
			list = append(list, Bucket{Low: low, High: high})
		}
		last := &list[len(list)-1]
		last.Count += count
		last.Sum += h.sums[b]
	}
	return list
}

// Latencies are histograms over delivered copies, from generation to arrival, by class and cast.
type Latencies [][Casts]Histogram

// All joins the histograms of the casts that are wanted.
func (l Latencies) All(casts ...Cast) *Histogram {
	all := new(Histogram)
	for class := range l {
		for _, cast := range casts {
			all.merge(&l[class][cast])
		}
	}
	return all
}
