package metrics

import (
	"errors"
	"slices"
	"testing"
)

func TestBisect(t *testing.T) {
	for _, c := range []struct {
		threshold    float64 // the property holds from here on
		below, above float64
		found        bool
		probes       int
	}{
		{0.57, 0.56, 0.57, true, 8}, {0.005, 0, 0.01, true, 7}, {1, 0.99, 1, true, 8}, {2, 1, 0, false, 1}, {0.3, 0.29, 0.3, true, 8},
	} {
		got, err := Bisect(1, 0.01, func(at float64) (bool, error) { return at >= c.threshold, nil })
		if err != nil || got.Below != c.below || got.Above != c.above || got.Found != c.found || len(got.Probes) > c.probes {
			t.Errorf("threshold %g: %+v, %v", c.threshold, got, err)
		}
		for i, p := range got.Probes {
			if p.Exceeded != (p.At >= c.threshold) || slices.ContainsFunc(got.Probes[:i], func(q Probe) bool { return q.At == p.At }) {
				t.Errorf("threshold %g: probe %+v of %+v", c.threshold, p, got.Probes)
			}
		}
	}
}

func TestBisectErrors(t *testing.T) {
	stop := errors.New("stop")
	got, err := Bisect(1, 0.25, func(at float64) (bool, error) {
		if at < 1 {
			return false, stop
		}
		return true, nil
	})
	if !errors.Is(err, stop) || len(got.Probes) != 1 || got.Above != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range [][2]float64{{1, 0}, {1, -1}, {0.1, 1}} {
		if _, err := Bisect(c[0], c[1], nil); err == nil {
			t.Errorf("a search up to %g in steps of %g", c[0], c[1])
		}
	}
}
