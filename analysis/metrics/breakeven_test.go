package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestBreakEven: the product of the whole chip changes sides exactly at the break-even power,
// whatever part of the rest follows from time.
func TestBreakEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		energyA, timeA := draw("energyA", 0.1, 10), draw("timeA", 0.1, 10)
		energyB, timeB := energyA*draw("saved", 0.1, 1.2), timeA*draw("slower", 1.001, 3)
		n := rapid.IntRange(1, 2).Draw(t, "n")
		fixed, static := BreakEven(energyA, timeA, energyB, timeB, n)
		for name, rest := range map[string]func(share, time float64) float64{
			"fixed":  func(share, time float64) float64 { return share * fixed * timeA },
			"static": func(share, time float64) float64 { return share * static * time },
			"half":   func(share, time float64) float64 { return share * (fixed*timeA + static*time) / 2 },
		} {
			product := func(energy, time, share float64) float64 {
				return (energy + rest(share, time)) * math.Pow(time, float64(n))
			}
			at := func(share float64) float64 {
				return product(energyB, timeB, share) / product(energyA, timeA, share)
			}
			if fixed < 0 { // the rest of a chip does not generate energy
				if product(energyB, timeB, 0) <= product(energyA, timeA, 0) {
					t.Fatal("B wins although the break-even power is negative")
				}
				continue
			}
			if below, equal, above := at(0.99), at(1), at(1.01); !(below < 1 && math.Abs(equal-1) < 1e-9 && above > 1) {
				t.Fatalf("%s: the ratio is %g below, %g at and %g above the break-even power", name, below, equal, above)
			}
		}
	})
}

// TestBreakEvenTotals: runs add up, and their interval is that of the jackknife.
func TestBreakEvenTotals(t *testing.T) {
	sample := func(seed uint64, energy, time float64) Sample {
		return Sample{Pair: Pair{Seed: seed}, Value: energy * time * time, Delay: time}
	}
	a := []Sample{sample(0, 3, 1), sample(1, 6, 2), sample(2, 9, 3)}
	b := []Sample{sample(0, 2, 1.1), sample(1, 4, 2.2), sample(2, 6, 3.3), sample(3, 100, 100)}
	fixed, static := BreakEvenTotals(a, b, 2)
	wantFixed, wantStatic := BreakEven(18, 6, 12, 6.6, 2)
	if math.Abs(fixed.Mean-wantFixed) > 1e-9 || math.Abs(static.Mean-wantStatic) > 1e-9 || fixed.N != 3 {
		t.Errorf("the totals give %+v and %+v; want %g and %g", fixed, static, wantFixed, wantStatic)
	}
	if fixed.HalfWidth() > 1e-9 {
		t.Error("equal runs have an interval")
	}
	b[0] = sample(0, 2.5, 1.1)
	if fixed, _ = BreakEvenTotals(a, b, 2); !(fixed.HalfWidth() > 1) {
		t.Errorf("different runs have the interval %g", fixed.HalfWidth())
	}
	if fixed, _ = BreakEvenTotals(b[:3], a, 2); fixed.OK {
		t.Error("a faster router has a break-even power")
	}
	if fixed, _ = BreakEvenTotals(a[:1], b[:1], 2); fixed.N != 1 || !fixed.OK {
		t.Errorf("one run gives %+v", fixed)
	}
}

// TestBreakEvenInterval: the ends of the interval are the powers at which the products of whole
// chips are just told apart, with what cores wait at the ends of windows.
func TestBreakEvenInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, "") }
		var a, b []Sample
		for window := range uint64(rapid.IntRange(2, 6).Draw(t, "windows")) {
			for side, list := range []*[]Sample{&a, &b} {
				time := draw(1, 1.2) * (1 + 0.1*float64(side))
				*list = append(*list, Sample{Pair: Pair{Window: window}, Value: draw(1, 1.1) * (1 - 0.4*float64(side)) * time * time, Delay: time,
					Busy: time * draw(0.9, 1)})
			}
		}
		_, static := BreakEvenTotals(a, b, 2)
		if !static.OK { // B is not slower
			return
		}
		at := func(power float64) Estimate {
			chip := func(runs []Sample) (list []Sample) {
				for _, s := range runs {
					s.Value += power * s.Delay * s.Delay * s.Delay
					list = append(list, s)
				}
				return list
			}
			return TotalRatio(chip(b), chip(a))
		}
		const near = 1e-6
		if low := static.Low; low > 0 && !(at(low*(1-near)).High < 1 && at(low*(1+near)).High >= 1) || low == 0 && at(0).High < 1 {
			t.Fatalf("from %g W on the products should not be told apart: %+v there", low, at(low))
		}
		switch high := static.High; {
		case math.IsInf(high, 1):
			if at(1e8).Low > 1 {
				t.Fatalf("A surely has the lower product at 1e8 W: %+v", at(1e8))
			}
		case high == 0:
			if at(0).Low <= 1 {
				t.Fatalf("A does not surely have the lower product at 0 W: %+v", at(0))
			}
		case !(at(high*(1-near)).Low <= 1 && at(high*(1+near)).Low > 1):
			t.Fatalf("up to %g W the products should not be told apart: %+v there", high, at(high))
		}
	})
}
