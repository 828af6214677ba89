package openloop

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLoadsOfASweep(t *testing.T) {
	for text, want := range map[string][]float64{
		"0.1:0.3:0.1": {0.1, 0.2, 0.3}, "0.05:0.2:0.1": {0.05, 0.15}, "0.5:0.5:1": {0.5}, "0.1:0.7:0.3": {0.1, 0.4, 0.7},
	} {
		if got, err := ParseLoads(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0.1", "0.1:0.2", "0.1:0.2:0", "0:1:0.1", "0.2:0.1:0.1", "0.1:0.2:0.1:1", "NaN:1:1", "0.1:Inf:0.1", "1e-300:1e-300:1e-300"} {
		if got, err := ParseLoads(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestAnySweep: a sweep is short, above 0, ascending and within its ends, or an error.
func TestAnySweep(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1e-300, 1e-9, 1e-6, 0.1, 5}))
	rapid.Check(t, func(t *rapid.T) {
		first, last, step := number.Draw(t, "first"), number.Draw(t, "last"), number.Draw(t, "step")
		list, err := ParseLoads(fmt.Sprintf("%g:%g:%g", first, last, step))
		if err != nil {
			return
		}
		if len(list) == 0 || len(list) > maxLoads || list[0] <= 0 || list[len(list)-1] > last+1e-9 {
			t.Fatalf("%d loads: %v", len(list), list)
		}
		for i := range list[1:] {
			if !(list[i+1] > list[i]) {
				t.Fatalf("%g before %g", list[i], list[i+1])
			}
		}
	})
}
