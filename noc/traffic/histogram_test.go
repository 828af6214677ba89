package traffic

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLongestLatencies: latencies that no bucket is made for share the last one.
func TestLongestLatencies(t *testing.T) {
	h := new(Histogram)
	h.Add(1<<maxOctaves - 1)
	h.Add(math.MaxUint64)
	if h.counts[most-1] != 2 {
		t.Errorf("the last bucket has %d of two latencies", h.counts[most-1])
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
			if !ok || math.Abs(got-want) > want/fine || want < 2*fine && got != want {
				t.Fatalf("percentile %d is %g, want %g", p, got, want)
			}
		}
		var joined uint64
		for _, o := range h.Buckets() {
			var count, total uint64
			for _, v := range values {
				if o.Low <= v && v <= o.High {
					count, total = count+1, total+v
				}
			}
			if count != o.Count || total != o.Sum || (o.High-o.Low)*8 > o.Low {
				t.Fatalf("bucket %+v has %d values with sum %d", o, count, total)
			}
			joined += count
		}
		if joined != uint64(len(values)) {
			t.Fatalf("the buckets hold %d of %d values", joined, len(values))
		}
	})
	if _, ok := new(Histogram).Percentile(50); ok {
		t.Error("an empty histogram has a median")
	}
}
