package openloop

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
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
		load := metrics.Tidy(first + float64(i)*step)
		if load > metrics.Tidy(last) {
			return list, nil
		}
		list = append(list, load)
	}
}
