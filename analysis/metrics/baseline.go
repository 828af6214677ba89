package metrics

import (
	"errors"
	"math"
)

// ErrBaseline is wrapped by every error about a baseline that cannot be divided by.
var ErrBaseline = errors.New("no usable baseline")

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
