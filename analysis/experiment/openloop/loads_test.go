package openloop

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLoadsOfASweep(t *testing.T) {
	for text, want := range map[string][]float64{
		"0.1:0.3:0.1": {0.1, 0.2, 0.3}, "0.05:0.2:0.1": {0.05, 0.15}, "0.5:0.5:1": {0.5}, "0.1:0.7:0.3": {0.1, 0.4, 0.7},
		"0.1": {0.1}, "0.25, 0.1": {0.1, 0.25},
	} {
		if got, err := ParseLoads(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0.1,", "0.1,0.1", "0,0.1", "Inf", "NaN,0.1", "0.1,0.2:0.3", "0.1:0.2", "0.1:0.2:0", "0:1:0.1", "0.2:0.1:0.1", "0.1:0.2:0.1:1", "NaN:1:1", "0.1:Inf:0.1", "1e-300:1e-300:1e-300"} {
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

// TestBisect: a search probes no load twice, at most as many as halving takes, and ends with those on
// both sides of the threshold.
func TestBisect(t *testing.T) {
	for _, c := range []struct {
		threshold, below, above float64 // the property holds from the threshold on
		probes                  int
	}{{0.57, 0.56, 0.57, 8}, {0.005, 0, 0.01, 7}, {1, 0.99, 1, 8}, {2, 1, 0, 1}, {0.3, 0.29, 0.3, 8}} {
		below, above, seen := 0.0, 0.0, map[float64]bool{}
		err := bisect(1, 0.01, func(at float64) (bool, error) {
			if seen[at] {
				t.Errorf("threshold %g: %g is probed twice", c.threshold, at)
			}
			seen[at] = true
			if at < c.threshold {
				below = max(below, at)
				return false, nil
			}
			if above == 0 || at < above {
				above = at
			}
			return true, nil
		})
		if err != nil || below != c.below || above != c.above || len(seen) > c.probes {
			t.Errorf("threshold %g: between %g and %g after %d probes, %v", c.threshold, below, above, len(seen), err)
		}
	}
	stop, probes := errors.New("stop"), 0
	if err := bisect(1, 0.25, func(at float64) (bool, error) { probes++; return at == 1, map[bool]error{false: stop}[at == 1] }); err != stop || probes != 2 {
		t.Errorf("%d probes, %v", probes, err)
	}
	for _, c := range [][2]float64{{1, 0}, {1, -1}, {0.1, 1}} {
		if err := bisect(c[0], c[1], nil); err == nil {
			t.Errorf("a search up to %g in steps of %g", c[0], c[1])
		}
	}
}
