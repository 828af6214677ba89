package metrics

import (
	"fmt"
	"math"
	"testing"
)

// TestSystematic: by hand. Windows take 100 cycles on both routers, but on one of them the mean core
// ends after 80: in the whole execution that may take 0.8 of the time, and intervals say so, of times,
// of products and of means. Whole replays are as they are.
func TestSystematic(t *testing.T) {
	sides := func(pair func(i uint64) Pair, energy float64) (over, under []Sample) {
		for i, more := range []float64{-1, 1, 0, 0} {
			s := Sample{Pair: pair(uint64(i)), Value: 100 + more, Busy: 80 + more}
			o := Sample{Pair: pair(uint64(i)), Value: 100 - more, Busy: 100 - more}
			if energy > 0 {
				s.Delay, s.Value, o.Delay, o.Value = s.Value, energy*s.Value*s.Value, o.Value, energy*o.Value*o.Value
			}
			over, under = append(over, s), append(under, o)
		}
		return over, under
	}
	windows := func(i uint64) Pair { return Pair{Window: i} }
	over, under := sides(windows, 0)
	e, sure := TotalRatio(over, under), TotalRatio(sides(func(i uint64) Pair { return Pair{Seed: i} }, 0))
	near(t, "mean", e.Mean, 1, 1e-12)
	near(t, "systematic error", e.Systematic, -0.2, 1e-12)
	near(t, "half width", e.HalfWidth(), math.Hypot(sure.HalfWidth(), e.Bias)+0.2, 1e-12)
	if sure.Systematic != 0 || sure.Widened() || !e.Widened() || e.Side(0.81) != 0 {
		t.Errorf("windows %+v, whole replays %+v", e, sure)
	}
	if n, ok := e.NeededFor(0.1); ok {
		t.Errorf("%d windows make up for a systematic error", n)
	}
	if n, ok := e.NeededFor(0.2 + math.Hypot(sure.HalfWidth()/2, e.Bias)); !ok || n < 8 || n > 16 {
		t.Errorf("half the sampling error takes %d of 4 windows, %t", n, ok)
	}
	near(t, "systematic error of a product", TotalRatio(sides(windows, 3)).Systematic, 0.8*0.8-1, 1e-12)
	inverse := TotalRatio(under, over)
	for name, mean := range map[string]Estimate{"plain": MeanOfEach([]Estimate{e, inverse}), "geometric": GeometricMeanOfEach([]Estimate{e, inverse})} {
		if math.Abs(mean.Systematic) > 0.03 || mean.HalfWidth() > 0.1 {
			t.Errorf("the %s mean of opposite errors is %+v", name, mean)
		}
	}
	near(t, "systematic error of a mean of equal ones", GeometricMeanOfEach([]Estimate{e, e}).Systematic, -0.2, 1e-9)
	for i := range over {
		over[i].Busy = 0
	}
	if e := TotalRatio(over, under); e.Systematic != 0 {
		t.Errorf("what is known of one side only is used: %+v", e)
	}
}

// TestEqualWindows: windows whose runs are equal count as one outcome, so the interval is that of the windows that differ.
// Seeds whose runs are equal are outcomes of their own.
func TestEqualWindows(t *testing.T) {
	sides := func(windows bool, runs ...string) (over, under []Sample) {
		for i, run := range runs {
			p := Pair{Seed: uint64(i)}
			if windows {
				p = Pair{Window: uint64(i)}
			}
			over = append(over, Sample{Pair: p, Run: run, Value: 100 + 10*float64(run[0]-'a')})
			under = append(under, Sample{Pair: p, Run: "of another router " + run, Value: 100})
		}
		return over, under
	}
	for _, c := range []struct {
		windows  bool
		runs     []string
		n        int
		outcomes []float64 // estimates without each of them
	}{
		{true, []string{"a", "b", "c"}, 3, []float64{1.15, 1.1, 1.05}},
		{true, []string{"a", "b", "a", "a"}, 2, []float64{1.1, 1}},
		{true, []string{"a", "a", "a"}, 1, nil},
		{false, []string{"a", "b", "a"}, 3, []float64{1.05, 1, 1.05}},
	} {
		e := TotalRatio(sides(c.windows, c.runs...))
		j := newJackknife(sides(c.windows, c.runs...))
		if e.N != c.n || len(j.without) != len(c.outcomes) {
			t.Errorf("%v: %+v", c.runs, e)
		}
		for i, want := range c.outcomes {
			near(t, fmt.Sprint(c.runs, " without ", i), j.without[i].values[0]/j.without[i].values[1], want, 1e-12)
		}
	}
}

// TestRareBarriers: by hand. Core 1 waits least. For as many instructions it takes 3 times as long on one side as on the
// other, and windows take twice as long. If both cores wait equally long, their times per instruction are added
// up. Whole replays, and windows of which one is not known, are as they are.
func TestRareBarriers(t *testing.T) {
	sides := func(seeds bool, waited float64) (over, under []Sample) {
		for i := range uint64(4) {
			p := Pair{Window: i}
			if seeds {
				p = Pair{Seed: i}
			}
			over = append(over, Sample{Pair: p, Value: 200, Busy: 200, Cores: []Work{{200, 100, waited}, {200, 100, 10}}})
			under = append(under, Sample{Pair: p, Value: 100, Busy: 100, Cores: []Work{{100, 100, waited}, {100, 150, 0}}})
		}
		return over, under
	}
	over, under := sides(false, 20)
	e, inverse := TotalRatio(over, under), TotalRatio(under, over)
	near(t, "mean", e.Mean, 2, 1e-12)
	near(t, "systematic error", e.Systematic, 1, 1e-12)
	near(t, "systematic error of the inverse", inverse.Systematic, 1./3-1./2, 1e-12)
	near(t, "systematic error of cores that wait equally long", TotalRatio(sides(false, 5)).Systematic, 4/(1+2./3)-2, 1e-12)
	for i := range over {
		over[i].Busy = 350
	}
	near(t, "the larger systematic error", TotalRatio(over, under).Systematic, 1.5, 1e-12)
	if e := TotalRatio(sides(true, 20)); e.Systematic != 0 {
		t.Errorf("whole replays are %+v", e)
	}
	over, under = sides(false, 20)
	over[2].Cores = nil
	if e := TotalRatio(over, under); e.Systematic != 0 {
		t.Errorf("windows of which one is not known are %+v", e)
	}
}
