package metrics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/carousel-sim/carousel/analysis/metrics"
)

// TestRatio: by hand, and for what has no ratio.
func TestRatio(t *testing.T) {
	r, ok := metrics.Ratio(metrics.Interval{Mean: 6, Low: 5.82, High: 6.18, N: 6}, metrics.Interval{Mean: 3, Low: 2.88, High: 3.12, N: 4})
	if !ok || r.Mean != 2 || r.N != 4 || math.Abs(r.Low-2*math.Exp(-0.05)) > 1e-12 || math.Abs(r.High-2*math.Exp(0.05)) > 1e-12 {
		t.Errorf("%+v, %t; relative half-widths of 3 %% and 4 %% make 5 %%", r, ok)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if r, ok := metrics.Ratio(metrics.Interval{Mean: 1, Low: 1, High: 1}, metrics.Interval{Mean: bad}); ok || !math.IsNaN(r.Mean) {
			t.Errorf("over %g: %+v, %t", bad, r, ok)
		}
	}
}

// TestRatioHoldsTheTruth: of samples of normal distributions about 95 % of the intervals hold the
// ratio of the means, and far more of those from one's lowest to the other's highest value.
func TestRatioHoldsTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sample := func(mean, deviation float64, n int) metrics.Interval {
		values := make([]float64, n)
		for i := range values {
			values[i] = mean + deviation*random.NormFloat64()
		}
		i, _ := metrics.Confidence95(values)
		return i
	}
	const times = 20000
	held, wide := 0, 0
	for range times {
		a, b := sample(8, 0.4, 6), sample(2, 0.1, 6)
		r, ok := metrics.Ratio(a, b)
		if ok && r.Low <= 4 && 4 <= r.High {
			held++
		}
		if a.Low/b.High <= 4 && 4 <= a.High/b.Low {
			wide++
		}
	}
	if share := float64(held) / times; share < 0.95 || share > 0.975 {
		t.Errorf("%.4f of the intervals hold the ratio", share)
	}
	if share := float64(wide) / times; share < 0.99 {
		t.Errorf("%.4f of the wide intervals hold it", share)
	}
}
