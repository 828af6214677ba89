package metrics

import "math"

// Ratio is the ratio of the means of two independent samples, from their intervals. What each adds
// to the uncertainty of the logarithm of the ratio is its own relative half-width, and independent
// errors add as squares (the delta method), so the interval is narrower than from one's lowest to
// the other's highest value. False unless both means are finite and above 0.
func Ratio(over, under Interval) (Interval, bool) {
	n := min(over.N, under.N)
	if !positive(over.Mean) || !positive(under.Mean) {
		return Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), N: n}, false
	}
	ratio, spread := over.Mean/under.Mean, math.Hypot(over.HalfWidth()/over.Mean, under.HalfWidth()/under.Mean)
	return Interval{Mean: ratio, Low: ratio * math.Exp(-spread), High: ratio * math.Exp(spread), N: n}, true
}
