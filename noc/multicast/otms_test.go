package multicast

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPruneKeepsTheUnbeaten: what prune keeps is what a comparison of all pairs keeps.
func TestPruneKeepsTheUnbeaten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p, n := rapid.IntRange(1, 3).Draw(r, "ports"), rapid.IntRange(0, 25).Draw(r, "stars")
		var l layer
		for i := range n {
			l.stars = append(l.stars, partial{parent: int32(i), at: int32(i * p)})
			l.ends = append(l.ends, rapid.SliceOfN(rapid.Int32Range(0, 1), p, p).Draw(r, "ends")...)
			l.lengths = append(l.lengths, rapid.SliceOfN(rapid.Int32Range(0, 6), p, p).Draw(r, "lengths")...)
		}
		beats := func(i, k int) bool { // with the same ends, nowhere longer, and before it when equal
			for port := range p {
				if l.ends[i*p+port] != l.ends[k*p+port] || l.lengths[i*p+port] > l.lengths[k*p+port] {
					return false
				}
			}
			return i < k || !slices.Equal(l.lengths[i*p:i*p+p], l.lengths[k*p:k*p+p])
		}
		var want []int32
		for k := range n {
			if !slices.ContainsFunc(l.stars, func(s partial) bool { return int(s.parent) != k && beats(int(s.parent), k) }) {
				want = append(want, int32(k))
			}
		}
		l.prune(p)
		var got []int32
		for _, s := range l.stars {
			got = append(got, s.parent)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			r.Fatalf("kept %v, want %v: ends %v, lengths %v", got, want, l.ends, l.lengths)
		}
	})
}
