package traffic

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestBuckets(t *testing.T) {
	next := uint64(0)
	for b := range buckets {
		low, high := edgesOf(b)
		if low != next || high < low || bucketOf(low) != b || bucketOf(high) != b {
			t.Fatalf("bucket %d holds %d to %d, which fall into %d and %d; want it from %d on", b, low, high, bucketOf(low), bucketOf(high), next)
		}
		if float64(high-low) > Resolution*float64(low) {
			t.Fatalf("bucket %d to %d is too wide", low, high)
		}
		next = high + 1
	}
	if next != 1<<maxOctaves || bucketOf(math.MaxUint64) != buckets-1 {
		t.Errorf("the buckets end at %d", next)
	}
}

// TestHistogram compares with the sorted values.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Uint64Range(0, 1<<rapid.IntRange(3, 30).Draw(t, "bits")), 1, 300).Draw(t, "latencies")
		h, other := new(Histogram), new(Histogram)
		var sum uint64
		for i, v := range values {
			sum += v
			if i%3 == 0 {
				other.Add(v)
			} else {
				h.Add(v)
			}
		}
		h.merge(other)
		slices.Sort(values)
		if n, s := h.Total(); n != uint64(len(values)) || s != sum {
			t.Fatalf("%d values with sum %d; want %d and %d", n, s, len(values), sum)
		}
		for _, p := range []int{1, 50, 95, 99, 100} {
			want := float64(values[max((p*len(values)+99)/100, 1)-1])
			got, ok := h.Percentile(p)
			if !ok || math.Abs(got-want) > Resolution*want || want < 2*fine && got != want {
				t.Fatalf("percentile %d is %g, want %g", p, got, want)
			}
		}
		var octaves uint64
		for _, o := range h.Octaves() {
			var count, total uint64
			for _, v := range values {
				if o.Low <= v && v <= o.High {
					count, total = count+1, total+v
				}
			}
			if count != o.Count || total != o.Sum || o.Low&(o.Low-1) != 0 || o.High != max(2*o.Low, 1)-1 && o.Low > 1 {
				t.Fatalf("octave %+v has %d values with sum %d", o, count, total)
			}
			octaves += count
		}
		if octaves != uint64(len(values)) {
			t.Fatalf("the octaves hold %d of %d values", octaves, len(values))
		}
	})
	if _, ok := new(Histogram).Percentile(50); ok {
		t.Error("an empty histogram has a median")
	}
}
