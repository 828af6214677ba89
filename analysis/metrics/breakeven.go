package metrics

import "math"

// BreakEven returns up to which power of the rest of a chip, in W, a slower router B has the lower product of
// energy and the n-th power of time than a faster router A. The energies are those of the networks, in J; the
// times are in s. With r = tB/tA, and the rest of the chip spending X that does not depend on time and P that
// does, B has the lower product exactly if
//
//	X (r^n - 1) + P tA (r^(n+1) - 1) < E_A - r^n E_B
//
// fixed is the limit of X/tA without P, and static that of P without X. Any mixture lies between them. Where
// they are negative, A has the lower product whatever the chip spends. They are not finite where both take
// the same time.
func BreakEven(energyA, timeA, energyB, timeB float64, n int) (fixed, static float64) {
	r := timeB / timeA
	delay := math.Pow(r, float64(n))
	gain := energyA - delay*energyB
	return gain / (timeA * (delay - 1)), gain / (timeA * (delay*r - 1))
}

// BreakEvenTotals is BreakEven of the totals of two routers over the pairs that both have, with the interval of
// TotalRatio. Samples have the energy as value and the time in s as delay. Absent where B is not slower.
func BreakEvenTotals(a, b []Sample, n int) (fixed, static Estimate) {
	faster, slower := matched(a, b)
	all := sumEnergies(faster, slower)
	if len(faster) == 0 || !(all[1].delay > all[0].delay) {
		return Estimate{}, Estimate{}
	}
	groups := clusters(faster)
	limits := func(t [2]energyTime) (float64, float64) {
		return BreakEven(t[0].energy, t[0].delay, t[1].energy, t[1].delay, n)
	}
	x, p := limits(all)
	if len(groups) == 1 {
		return Value(x), Value(p)
	}
	var withoutX, withoutP []float64
	for _, g := range groups {
		part, rest := sumEnergies(faster[g.from:g.to], slower[g.from:g.to]), all
		for side := range rest {
			rest[side].energy -= part[side].energy
			rest[side].delay -= part[side].delay
		}
		one, other := limits(rest)
		withoutX, withoutP = append(withoutX, one), append(withoutP, other)
	}
	jackknife := func(mean float64, without []float64) Estimate {
		half := float64(len(groups)-1) * MeanOf(without).HalfWidth()
		return Estimate{Mean: mean, Low: mean - half, High: mean + half, N: len(groups), OK: !math.IsNaN(half) && !math.IsInf(half, 0)}
	}
	return jackknife(x, withoutX), jackknife(p, withoutP)
}

// energyTime is an energy and a time.
type energyTime struct{ energy, delay float64 }

// sumEnergies adds up both sides.
func sumEnergies(a, b []Sample) (t [2]energyTime) {
	for side, list := range [2][]Sample{a, b} {
		for _, s := range list {
			t[side].energy += s.Value
			t[side].delay += s.Delay
		}
	}
	return t
}
