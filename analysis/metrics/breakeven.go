package metrics

import (
	"math"
	"slices"
)

// BreakEven returns up to which power of the rest of a chip, in W, a slower router B has the lower
// product of energy and the n-th power of time than a faster router A. The energies are those of
// the networks, in J; the times are in s. With r = tB/tA, and the rest of the chip spending X that
// does not depend on time and P that does, B has the lower product exactly if
//
//	X (r^n - 1) + P tA (r^(n+1) - 1) < E_A - r^n E_B
//
// fixed is the limit of X/tA without P, and static that of P without X. Any mixture lies between
// them. Where they are negative, A has the lower product whatever the chip spends. They are not
// finite where both take the same time.
func BreakEven(energyA, timeA, energyB, timeB float64, n int) (fixed, static float64) {
	r := timeB / timeA
	delay := math.Pow(r, float64(n))
	gain := energyA - delay*energyB
	return gain / (timeA * (delay - 1)), gain / (timeA * (delay*r - 1))
}

// BreakEvenTotals is BreakEven of the totals of two routers over the pairs that both have. Samples
// are those of energy-delay-squared products, with times in s. Absent where B is not slower.
//
// The interval holds the powers at which the products of the chips cannot be told apart: those for
// which the interval of TotalRatio of these products contains 1. It starts at 0 W where B has the
// lower product of the networks alone without certainty, and has no upper end where the times
// cannot be told apart.
func BreakEvenTotals(a, b []Sample, n int) (fixed, static Estimate) {
	j := newJackknife(matched(b, a))
	if t := &j.all; !t.product || !(t.values[0] > t.values[1]) {
		return Estimate{}, Estimate{}
	}
	x, p := BreakEven(j.all.energies[1], j.all.values[1], j.all.energies[0], j.all.values[0], n)
	return j.breakEven(x, n, true), j.breakEven(p, n, false)
}

// breakEven is an estimate of a break-even power. same tells that the rest of the chip spends as
// much with B as with A.
func (j *jackknife) breakEven(mean float64, n int, same bool) Estimate {
	e := Value(mean)
	if len(j.without) == 0 || !e.OK {
		return e
	}
	at := func(power float64) Estimate {
		energies := func(t *totals) float64 {
			rest := t.values
			if same {
				rest[0] = rest[1]
			}
			return (t.energies[0] + power*rest[0]) / (t.energies[1] + power*rest[1])
		}
		factors := append(slices.Repeat([]float64{j.all.values[0] / j.all.values[1]}, n), energies(&j.all))
		return j.estimate(func(t *totals, times [2]float64) float64 {
			return energies(t) * math.Pow(times[0]/times[1], float64(n))
		}, factors...)
	}
	e.N = len(j.without)
	e.Low = turn(func(power float64) bool { return at(power).High < 1 })
	e.High = turn(func(power float64) bool { return at(power).Low <= 1 })
	return e
}

// turn is the power up to which a condition holds: 0 for never, infinite for ever.
func turn(holds func(power float64) bool) float64 {
	const most, steps = 1e9, 50 // W
	low, high := 0.0, 1.0
	if !holds(low) {
		return 0
	}
	for holds(high) {
		if low, high = high, high*10; high > most {
			return math.Inf(1)
		}
	}
	for range steps {
		if middle := (low + high) / 2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
