package metrics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Mean is the arithmetic mean; false when there are no values or one of them is not finite.
func Mean(values []float64) (float64, bool) {
	if len(values) == 0 || !finite(values) {
		return math.NaN(), false
	}
	return mean(values), true
}

// GeometricMean is exp(mean(ln x)), the mean to use for ratios: that of inverse ratios is its
// inverse. False when there are no values or one of them is not finite and above 0.
func GeometricMean(values []float64) (float64, bool) {
	logs, ok := logarithms(values)
	if !ok {
		return math.NaN(), false
	}
	return math.Exp(mean(logs)), true
}

// Interval is a mean and the bounds that hold the true mean with a probability of 95 %.
type Interval struct {
	Mean, Low, High float64
	N               int // values behind it
}

// HalfWidth is half the distance between the bounds: the number after the plus-minus sign.
// Geometric intervals are not symmetric; theirs is an average.
func (i Interval) HalfWidth() float64 { return (i.High - i.Low) / 2 }

// Confidence95 is the interval mean -+ t(0.975, n-1) * s / sqrt(n) of independent values, Student's
// t with the sample's own standard deviation s. False for fewer than two values, which tell nothing
// about their spread, and for values that are not finite.
func Confidence95(values []float64) (Interval, bool) {
	if len(values) < 2 || !finite(values) {
		return Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), N: len(values)}, false
	}
	centre, n := mean(values), float64(len(values))
	squares := 0.0
	for _, v := range values {
		squares += (v - centre) * (v - centre)
	}
	half := studentT95(n-1) * math.Sqrt(squares/(n-1)/n)
	return Interval{Mean: centre, Low: centre - half, High: centre + half, N: len(values)}, true
}

// MeanOfIntervals is the plain mean of several means that were measured independently of each
// other, such as those of applications: the squares of their half widths add up. False when there
// are none.
func MeanOfIntervals(list []Interval) (Interval, bool) {
	n := float64(len(list))
	if n == 0 {
		return Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}, false
	}
	sum, squares, values := 0.0, 0.0, 0
	for _, i := range list {
		sum += i.Mean
		squares += i.HalfWidth() * i.HalfWidth()
		values += i.N
	}
	half := math.Sqrt(squares) / n
	return Interval{Mean: sum / n, Low: sum/n - half, High: sum/n + half, N: values}, true
}

// studentT95 is the t that Student's distribution with the given degrees of freedom exceeds in
// absolute value with a probability of 5 %: P(|T| > t) is the regularized incomplete beta function
// of v/(v+t^2) with parameters v/2 and 1/2. (Asking gonum's stat package for it would link its
// linear algebra.)
func studentT95(freedom float64) float64 {
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 0.05)
	return math.Sqrt(freedom * (1 - x) / x)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// GeometricConfidence95 is the interval of the geometric mean: that of the logarithms, taken back.
// False for fewer than two values and for values that are not finite and above 0.
func GeometricConfidence95(values []float64) (Interval, bool) {
	logs, ok := logarithms(values)
	if !ok {
		return Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), N: len(values)}, false
	}
	i, ok := Confidence95(logs)
	return Interval{Mean: math.Exp(i.Mean), Low: math.Exp(i.Low), High: math.Exp(i.High), N: i.N}, ok
}

func finite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func logarithms(values []float64) ([]float64, bool) {
	if len(values) == 0 {
		return nil, false
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		if !positive(v) {
			return nil, false
		}
		logs[i] = math.Log(v)
	}
	return logs, true
}
