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
		var stars []*partial
		for i := range n {
			row := slices.Concat(rapid.SliceOfN(rapid.Int32Range(0, 1), p, p).Draw(r, "ends"), rapid.SliceOfN(rapid.Int32Range(0, 6), p, p).Draw(r, "lengths"))
			stars = append(stars, &partial{port: i, row: row})
		}
		beats := func(s, o *partial) bool { // with the same ends, nowhere longer, and before it when equal
			return s != o && slices.Equal(s.row[:p], o.row[:p]) && s.beats(o, p) && (s.port < o.port || !slices.Equal(s.row, o.row))
		}
		var want []int
		for k, o := range stars {
			if !slices.ContainsFunc(stars, func(s *partial) bool { return beats(s, o) }) {
				want = append(want, k)
			}
		}
		var got []int
		for _, s := range prune(slices.Clone(stars), p) {
			got = append(got, s.port)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			r.Fatalf("kept %v, want %v", got, want)
		}
	})
}
