package buckets

import (
	"math"
	"testing"
)

// TestBuckets: buckets follow one another without gaps, hold their edges, and are narrow.
func TestBuckets(t *testing.T) {
	for b := range 7 {
		next := uint64(0)
		for bucket := 0; ; bucket++ {
			low, high := Edges(bucket, b)
			if low != next || high < low || Of(low, b) != bucket || Of(high, b) != bucket {
				t.Fatalf("%d bits: bucket %d holds %d to %d, which fall into %d and %d; want it from %d on", b, bucket, low, high, Of(low, b), Of(high, b), next)
			}
			if float64(high-low) > float64(low)/float64(uint64(1)<<b) {
				t.Fatalf("%d bits: the bucket of %d to %d is too wide", b, low, high)
			}
			if high == math.MaxUint64 {
				break
			}
			next = high + 1
		}
	}
}
