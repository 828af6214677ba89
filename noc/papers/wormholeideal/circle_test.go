package wormholeideal

import (
	"slices"
	"testing"
)

// TestCircle: a chain that ends at somebody free is no circle; one that runs into a circle is,
// without the chain.
func TestCircle(t *testing.T) {
	for _, c := range []struct {
		waits map[int32][]int32 // for any of these
		want  []int32
	}{
		{map[int32][]int32{}, nil},
		{map[int32][]int32{1: {2}, 2: {3}, 3: {9}}, nil},
		{map[int32][]int32{1: {2}, 2: {3}, 3: {4}, 4: {3}}, []int32{3, 4}},
		{map[int32][]int32{5: {5}}, []int32{5}},
		{map[int32][]int32{1: {2, 9}, 2: {1}}, nil},
		{map[int32][]int32{1: {2, 3}, 2: {1}, 3: {4}, 4: {9}, 6: {7}, 7: {6}}, []int32{6, 7}},
	} {
		got := circleOf(10, func(who int32, stuck map[int32]bool) int32 {
			last := none
			for _, other := range c.waits[who] {
				if !stuck[other] {
					return none
				}
				last = other
			}
			return last
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: circle %v, want %v", c.waits, got, c.want)
		}
	}
}
