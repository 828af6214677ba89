package openloop

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxLoads bounds the points of a sweep, leastStep their distance.
const (
	maxLoads  = 10_000
	leastStep = 1e-6
)

// ParseLoads reads FIRST:LAST:STEP. The last load is part of the sweep when a step meets it.
func ParseLoads(text string) ([]float64, error) {
	parts := strings.Split(text, ":")
	var v [3]float64
	if len(parts) != 3 {
		return nil, fmt.Errorf("write FIRST:LAST:STEP, such as 0.1:0.9:0.1")
	}
	for i, part := range parts {
		var err error
		if v[i], err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil {
			return nil, fmt.Errorf("%q is not a number; write FIRST:LAST:STEP, such as 0.1:0.9:0.1", part)
		}
	}
	first, last, step := v[0], v[1], v[2]
	if !(step >= leastStep) || !(first >= leastStep) || !(last >= first) {
		return nil, fmt.Errorf("the first load and the step must be %g or more and the last not below the first, such as 0.1:0.9:0.1", leastStep)
	}
	if (last-first)/step >= maxLoads {
		return nil, fmt.Errorf("these are more than %d loads; use a larger step", maxLoads)
	}
	var list []float64
	for i := 0; ; i++ {
		load := tidy(first + float64(i)*step)
		if load > tidy(last) {
			return list, nil
		}
		list = append(list, load)
	}
}

// bisect probes multiples of the resolution up to limit for where a property begins to hold, such as
// saturation: the limit first, and then the middle of what is left. The property is taken to hold
// for every value above one at which it holds; where it does not, the search ends at one of its
// turning points. An error of a probe ends the search.
func bisect(limit, resolution float64, holds func(at float64) (bool, error)) error {
	steps := int(math.Floor(limit/resolution + 1e-9))
	if steps < 1 || !(resolution > 0) || math.IsInf(limit, 0) {
		return fmt.Errorf("a search up to %g in steps of %g has no values; use a limit of at least one step", limit, resolution)
	}
	below, above := 0, steps+1
	for next := steps; above-below > 1; next = (below + above) / 2 {
		yes, err := holds(tidy(float64(next) * resolution))
		if err != nil {
			return err
		}
		if yes {
			above = next
		} else {
			below = next
		}
	}
	return nil
}

// tidy removes the error of binary arithmetic from a decimal number: 0.1+0.2 becomes 0.3.
func tidy(v float64) float64 { return math.Round(v*1e9) / 1e9 }
