package metrics

import (
	"errors"
	"fmt"
	"math"
)

// ErrBaseline is wrapped by every error about a baseline that cannot be divided by.
var ErrBaseline = errors.New("no usable baseline")

// Named is a value and what it belongs to, such as a router.
type Named struct {
	Name  string
	Value float64
}

// Normalize divides values by the one of the baseline, which becomes 1; order and names stay. The
// baseline must be there once, finite and above 0.
func Normalize(values []Named, baseline string) ([]Named, error) {
	var base float64
	found := 0
	for _, v := range values {
		if v.Name == baseline {
			base = v.Value
			found++
		}
	}
	if found != 1 {
		return nil, fmt.Errorf("%w: %q is among %d values %d times; name one that was measured once",
			ErrBaseline, baseline, len(values), found)
	}
	if !positive(base) {
		return nil, fmt.Errorf("%w: %q measured %g; it must be finite and above 0", ErrBaseline, baseline, base)
	}
	normalized := make([]Named, len(values))
	for i, v := range values {
		normalized[i] = Named{v.Name, v.Value / base}
	}
	return normalized, nil
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
