// Package buckets divides whole numbers into the buckets of a histogram whose resolution is relative.
//
// With b bits, each number below 2<<b has a bucket of its own. Above, each power of two is cut into 1<<b
// buckets of equal width, so that no bucket is wider than 1/(1<<b) of its numbers.
package buckets

import "math/bits"

// Latency is the resolution, in bits, of the tables of latencies: single cycles below 16, and eighths of
// powers of two above.
const Latency = 3

// Of returns the bucket of a number.
func Of(v uint64, b int) int {
	if v < 2<<b {
		return int(v)
	}
	octave := bits.Len64(v) - 1 - b
	return octave<<b + int(v>>octave)
}

// Edges returns the smallest and the largest number of a bucket.
func Edges(bucket, b int) (low, high uint64) {
	if bucket < 2<<b {
		return uint64(bucket), uint64(bucket)
	}
	octave := bucket>>b - 1
	low = uint64(bucket-octave<<b) << octave
	return low, low + (1<<octave - 1)
}
