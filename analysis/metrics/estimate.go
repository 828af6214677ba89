package metrics

import (
	"encoding/json"
	"math"
	"strconv"
)

// Estimate is what measurements say of a quantity: nothing (the zero value), a value, or a value
// with the interval that holds the true one with a confidence of 95 %.
type Estimate struct {
	Mean, Low, High float64 // equal where there is no interval
	N               int     // independent observations behind it; fewer than two have no interval
	OK              bool    // false: absent
	// Systematic is by how much another reading of the same runs differs from Mean, see TotalRatio. The
	// interval is wider by its size to either side, and more observations make that no smaller.
	Systematic float64
	// Bias is half the width of the part for an error that all windows share, see OfWindows. More
	// observations make it no smaller.
	Bias float64
}

// Value is an estimate without an interval; absent where v is not finite.
func Value(v float64) Estimate {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Estimate{}
	}
	return Estimate{Mean: v, Low: v, High: v, N: 1, OK: true}
}

// HalfWidth is half the distance between the bounds: the number after the plus-minus sign.
func (e Estimate) HalfWidth() float64 { return (e.High - e.Low) / 2 }

// lopsided reports whether the plus-minus sign would misplace the bounds by more than a tenth of half the width.
// Intervals of geometric means and of quotients are symmetric on a logarithmic scale only.
func (e Estimate) lopsided() bool { return math.Abs(e.High+e.Low-2*e.Mean) > 0.2*e.HalfWidth() }

// sampling is the part of half the width that comes from which observations were made.
func (e Estimate) sampling() float64 {
	random := e.HalfWidth() - math.Abs(e.Systematic)
	return math.Sqrt(max(random*random-e.Bias*e.Bias, 0))
}

// widen adds a bias and a systematic error to the interval. The squares of independent parts add up,
// and a known error adds its size.
func (e Estimate) widen(systematic, bias float64) Estimate {
	by := math.Hypot(e.HalfWidth(), bias) - e.HalfWidth() + math.Abs(systematic)
	e.Low, e.High, e.Systematic, e.Bias = e.Low-by, e.High+by, systematic, bias
	return e
}

// Widened reports whether the systematic error is at least a third of the interval.
func (e Estimate) Widened() bool {
	return e.OK && e.N > 1 && e.Systematic != 0 && 3*math.Abs(e.Systematic) >= e.HalfWidth()
}

// Vague reports whether an interval says too little to print a number: it is wider than half the
// value to either side, or reaches below zero where the value does not.
func (e Estimate) Vague() bool {
	return e.OK && e.N > 1 && e.Mean > 0 && (e.HalfWidth() > e.Mean/2 || e.Low <= 0)
}

// Side returns on which side of a threshold an estimate is with 95 % confidence: -1 below, 1 above,
// 0 neither. An estimate without an interval is taken as exact.
func (e *Estimate) Side(threshold float64) int {
	switch {
	case e.High < threshold:
		return -1
	case e.Low > threshold:
		return 1
	}
	return 0
}

// Same reports whether two quantities whose ratio this is are equal in every run.
func (e *Estimate) Same() bool { return e.Mean == 1 && e.Low == 1 && e.High == 1 }

// Scale is the estimate of a multiple of the quantity.
func (e Estimate) Scale(by float64) Estimate {
	e.Mean, e.Low, e.High, e.Systematic, e.Bias = e.Mean*by, e.Low*by, e.High*by, e.Systematic*by, e.Bias*by
	return e
}

// The texts of estimates that are no numbers.
const (
	Absent  = "-"         // nothing was measured
	Unknown = "not known" // the interval says nothing, see Vague
)

// exactly is the part of a value below which half an interval is not worth printing.
const exactly = 1e-5

// Text is the only place that writes an estimate for people: "-" where it is absent, "not known"
// where its interval is vague, "1.034", "1.034 ± 0.021" or "1.82 (1.31 to 2.53)" otherwise. Half the interval has two
// significant digits but at most four decimals, and the value as many, but at least three below 10.
// Where half the interval would round to zero, it has one significant digit.
func (e Estimate) Text() string {
	half := e.HalfWidth()
	switch {
	case !e.OK:
		return Absent
	case e.Vague():
		return Unknown
	case e.N < 2 || half <= exactly*math.Abs(e.Mean):
		return exact(e.Mean)
	}
	if math.Abs(e.Mean) < 1e-3 {
		return strconv.FormatFloat(e.Mean, 'g', 4, 64) + " ± " + strconv.FormatFloat(half, 'g', 2, 64)
	}
	first, least := -int(math.Floor(math.Log10(half))), 0 // the decimal of the first significant digit
	if math.Abs(e.Mean) < 10 {
		least = 3
	}
	digits := min(max(first+1, least), 4)
	if half < 0.5e-4 {
		digits = first
	}
	return e.interval(e.Mean, e.Low, e.High, digits)
}

// interval writes a value and the bounds of its interval.
func (e Estimate) interval(value, low, high float64, digits int) string {
	text := func(v float64) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	if e.lopsided() {
		return text(value) + " (" + text(low) + " to " + text(high) + ")"
	}
	return text(value) + " ± " + text((high-low)/2)
}

// Change writes how far a ratio is from 1: "3.7 ± 2.6 %", or "3.7 %" where nothing is known about chance. It has
// at most two decimals: two significant digits of half the interval, or three of a change without one.
func (e Estimate) Change() string {
	change, half := 100*math.Abs(e.Mean-1), 100*e.HalfWidth()
	decimals := func(significant int, v float64) int {
		return min(max(significant-1-int(math.Floor(math.Log10(max(v, 1e-9)))), 0), 2)
	}
	if e.N < 2 || half <= 100*exactly*math.Abs(e.Mean) {
		digits := math.Pow10(decimals(3, change))
		return strconv.FormatFloat(math.Round(change*digits)/digits, 'f', -1, 64) + " %"
	}
	low, high := 100*(e.Low-1), 100*(e.High-1)
	if e.Mean < 1 {
		low, high = -high, -low
	}
	return e.interval(change, low, high, decimals(2, half)) + " %"
}

// exact writes a value without an interval: ratios with three decimals, other quantities as Number
// does.
func exact(v float64) string {
	if a := math.Abs(v); a < 0.1 || a >= 10 || v == math.Trunc(v) {
		return Number(v)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// Number writes a quantity with four significant digits; whole numbers and those from 1000 on have
// no fraction and no exponent.
func Number(v float64) string {
	if v < 1e15 && (v >= 1000 || v == float64(int64(v))) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Numbers returns the value and half the width of its interval; nil where there is none.
func (e Estimate) Numbers() (mean, half any) {
	switch {
	case !e.OK:
		return nil, nil
	case e.N < 2:
		return e.Mean, nil
	}
	return e.Mean, e.HalfWidth()
}

// MarshalJSON implements json.Marshaler: what is absent is null.
func (e Estimate) MarshalJSON() ([]byte, error) {
	mean, half := e.Numbers()
	return json.Marshal(struct {
		Mean       any     `json:"mean"`
		CI         any     `json:"ci95"`
		Systematic float64 `json:"systematic,omitempty"` // these two are parts of ci95, see Estimate
		Bias       float64 `json:"bias,omitempty"`
	}{mean, half, e.Systematic, e.Bias})
}
