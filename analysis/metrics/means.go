package metrics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// MeanOf is the mean of independent values with the interval -+ t(0.975, n-1) * s / sqrt(n),
// Student's t with the sample's own standard deviation s. A single value has no interval. No values, and
// values that are not finite, have no mean.
func MeanOf(values []float64) Estimate {
	sum, squares, n := 0.0, 0.0, float64(len(values))
	for _, v := range values {
		sum += v
	}
	m := sum / n
	if len(values) < 2 || math.IsNaN(m) || math.IsInf(m, 0) {
		return Value(m)
	}
	for _, v := range values {
		squares += (v - m) * (v - m)
	}
	return around(m, math.Sqrt(squares/(n-1)/n), n-1, len(values))
}

// around is an estimate of n observations with a standard error of so many degrees of freedom.
func around(mean, err, freedom float64, n int) Estimate {
	half := studentT95(freedom) * err
	return Estimate{Mean: mean, Low: mean - half, High: mean + half, N: n, OK: true}
}

// GeometricMeanOf is the geometric mean of values, the exponential of the mean of their logarithms: the
// mean to use for ratios, as that of inverse ratios is its inverse. Absent unless all are above 0.
func GeometricMeanOf(values []float64) Estimate {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	return MeanOf(logs).exp()
}

// MeanOfEach is the plain mean of estimates that were made independently of each other, such as
// those of applications; absent if one of them is. It has no interval where one of them has none.
//
// The squares of the standard errors add up. The degrees of freedom of the sum are those of Welch
// and Satterthwaite (Satterthwaite, Biometrics Bulletin 2, 1946). Systematic errors keep their signs:
// that of the mean is what the other reading of all makes of it. The biases of windows of different
// programs are independent.
func MeanOfEach(list []Estimate) Estimate {
	sum, systematic, bias, variance, weighted, n, sure := 0.0, 0.0, 0.0, 0.0, 0.0, 0, true
	for _, e := range list {
		if !e.OK {
			return Estimate{}
		}
		sum += e.Mean
		if sure = sure && e.N > 1; !sure {
			continue
		}
		freedom := float64(e.N - 1)
		square := math.Pow(e.sampling()/studentT95(freedom), 2)
		variance, weighted, n = variance+square, weighted+square*square/freedom, n+e.N
		systematic, bias = systematic+e.Systematic, math.Hypot(bias, e.Bias)
	}
	k := float64(len(list))
	mean := Value(sum / k)
	switch {
	case !sure || !mean.OK:
		return mean
	case variance > 0:
		mean = around(sum/k, math.Sqrt(variance)/k, variance*variance/weighted, n)
	}
	mean.N = n
	return mean.widen(systematic/k, bias/k)
}

// GeometricMeanOfEach is the geometric mean of such estimates of ratios: the mean of their
// logarithms, whose errors are to first order the relative ones.
func GeometricMeanOfEach(list []Estimate) Estimate {
	logs := make([]Estimate, len(list))
	for i, e := range list {
		at, half := math.Log(e.Mean), e.HalfWidth()/e.Mean
		logs[i] = Estimate{at, at - half, at + half, e.N, e.OK && positive(e.Mean), e.Systematic / e.Mean, e.Bias / e.Mean}
	}
	return MeanOfEach(logs).exp()
}

// exp takes an estimate of a logarithm back.
func (e Estimate) exp() Estimate {
	if e.OK {
		e.Mean, e.Low, e.High = math.Exp(e.Mean), math.Exp(e.Low), math.Exp(e.High)
		e.Systematic, e.Bias = e.Systematic*e.Mean, e.Bias*e.Mean
	}
	return e
}

// Quotient is the ratio of two estimates that were made independently of each other. What each adds
// to the uncertainty of the logarithm of the ratio is its own relative half-width, and independent
// errors add as squares (the delta method), so the interval is narrower than from one's lowest to
// the other's highest value. Absent unless both are above 0.
func Quotient(over, under Estimate) Estimate {
	if !over.OK || !under.OK || !positive(over.Mean) || !positive(under.Mean) {
		return Estimate{}
	}
	ratio, spread := over.Mean/under.Mean, math.Hypot(over.HalfWidth()/over.Mean, under.HalfWidth()/under.Mean)
	return Estimate{Mean: ratio, Low: ratio * math.Exp(-spread), High: ratio * math.Exp(spread), N: min(over.N, under.N), OK: true}
}

// studentT95 is the t that Student's distribution with the given degrees of freedom exceeds in
// absolute value with a probability of 5 %: P(|T| > t) is the regularized incomplete beta function
// of v/(v+t^2) with parameters v/2 and 1/2. (Asking gonum's stat package for it would link its
// linear algebra.)
func studentT95(freedom float64) float64 {
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 0.05)
	return math.Sqrt(freedom * (1 - x) / x)
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
