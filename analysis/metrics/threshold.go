package metrics

import (
	"fmt"
	"math"
)

// Probe is one measurement on the way to a threshold.
type Probe struct {
	At       float64
	Exceeded bool
}

// Threshold is where a yes-or-no property of a quantity turns from no to yes, such as the load at
// which a network saturates.
type Threshold struct {
	// Below is the largest value probed at which the property does not hold, 0 if it held at all;
	// Above is the smallest at which it holds, one resolution further. Found is false when it holds
	// nowhere up to the limit; Above is absent then.
	Below, Above float64
	Found        bool
	Probes       []Probe // in the order in which they were made
}

// Bisect looks for a threshold among the multiples of the resolution up to limit: at the limit
// first, and then in the middle of what is left. The property is taken to hold for every value
// above one at which it holds; where it does not, the result is one of its turning points, and the
// probes show what was seen. An error of a probe ends the search; the threshold then holds the
// probes made before.
func Bisect(limit, resolution float64, exceeded func(at float64) (bool, error)) (Threshold, error) {
	steps := int(math.Floor(limit/resolution + 1e-9))
	if steps < 1 || !(resolution > 0) || math.IsInf(limit, 0) {
		return Threshold{}, fmt.Errorf("a search up to %g in steps of %g has no values; use a limit of at least one step", limit, resolution)
	}
	var t Threshold
	below, above := 0, steps+1
	for next := steps; above-below > 1; next = (below + above) / 2 {
		at := Tidy(float64(next) * resolution)
		yes, err := exceeded(at)
		if err != nil {
			return t, err
		}
		t.Probes = append(t.Probes, Probe{at, yes})
		if yes {
			above, t.Above, t.Found = next, at, true
		} else {
			below, t.Below = next, at
		}
	}
	return t, nil
}

// Tidy takes the traces of binary arithmetic off a decimal number: 0.1+0.2 becomes 0.3.
func Tidy(v float64) float64 { return math.Round(v*1e9) / 1e9 }
