package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %.9g, want %.9g", name, got, want)
	}
}

func absent(t *testing.T, name string, value float64, ok bool) {
	t.Helper()
	if ok || !math.IsNaN(value) {
		t.Errorf("%s is %g, %t; want it absent", name, value, ok)
	}
}

func TestEnergyDelay(t *testing.T) {
	near(t, "ED of 2 J in 3 s", ED(2, 3), 6, 0)
	near(t, "ED2P of 2 J in 3 s", ED2P(2, 3), 18, 0)
	v, ok := WindowED2P(2, 0.5)
	if !ok {
		t.Error("a window with throughput has no ED2P")
	}
	near(t, "ED2P of 2 J at 0.5 phits/cycle/node", v, 8, 0)
	v, ok = PhitED2P(2, 4, 0.5)
	if !ok {
		t.Error("delivered phits have no ED2P")
	}
	near(t, "ED2P per phit", v, 2, 0)

	v, ok = WindowED2P(2, 0)
	absent(t, "ED2P without throughput", v, ok)
	v, ok = WindowED2P(2, math.NaN())
	absent(t, "ED2P of an unknown throughput", v, ok)
	v, ok = PhitED2P(2, 0, 0.5)
	absent(t, "ED2P of no phits", v, ok)

	// Twice the work with twice the energy at twice the throughput: the literal reading halves, the
	// energy per phit stays and the delay halves.
	a, _ := WindowED2P(1, 0.25)
	b, _ := WindowED2P(2, 0.5)
	near(t, "literal reading", b/a, 0.5, 1e-12)
	a, _ = PhitED2P(1, 100, 0.25)
	b, _ = PhitED2P(2, 200, 0.5)
	near(t, "per phit", b/a, 0.25, 1e-12)
}

func TestMeans(t *testing.T) {
	m, ok := Mean([]float64{1, 2, 6})
	if !ok {
		t.Error("three values have no mean")
	}
	near(t, "mean", m, 3, 1e-12)
	g, ok := GeometricMean([]float64{1, 10, 100})
	if !ok {
		t.Error("three values have no geometric mean")
	}
	near(t, "geometric mean", g, 10, 1e-12)
	m, ok = Mean(nil)
	absent(t, "mean of nothing", m, ok)
	m, ok = Mean([]float64{1, math.NaN()})
	absent(t, "mean with an unknown", m, ok)
	for _, values := range [][]float64{nil, {1, 0}, {1, -1}, {1, math.Inf(1)}, {math.NaN()}} {
		g, ok = GeometricMean(values)
		absent(t, "geometric mean", g, ok)
	}
}

// TestStudentQuantiles: t(0.975, n-1) as printed in every table of the distribution.
func TestStudentQuantiles(t *testing.T) {
	for _, c := range []struct {
		n int
		t float64
	}{{2, 12.7062}, {3, 4.30265}, {5, 2.77645}, {10, 2.26216}, {30, 2.04523}, {121, 1.97993}} {
		// Values -1 and 1 in turn, and a 0 where n is odd.
		values := make([]float64, c.n)
		for i := range c.n - c.n%2 {
			values[i] = float64(1 - 2*(i%2))
		}
		i, ok := Confidence95(values)
		if !ok || i.N != c.n || math.Abs(i.Mean) > 1e-12 {
			t.Fatalf("%d values: %+v, %t", c.n, i, ok)
		}
		n := float64(c.n)
		deviation := math.Sqrt((n - float64(c.n%2)) / (n - 1))
		near(t, "quantile", i.HalfWidth()*math.Sqrt(n)/deviation, c.t, 2e-6)
	}
	i, _ := Confidence95([]float64{1, 2, 3, 4, 5})
	near(t, "low", i.Low, 3-1.963243, 1e-6)
	near(t, "high", i.High, 3+1.963243, 1e-6)
}

func TestOneRunHasNoInterval(t *testing.T) {
	for _, values := range [][]float64{nil, {3}, {1, math.NaN()}} {
		i, ok := Confidence95(values)
		absent(t, "interval", i.HalfWidth(), ok)
		i, ok = GeometricConfidence95(values)
		absent(t, "geometric interval", i.HalfWidth(), ok)
	}
	i, ok := GeometricConfidence95([]float64{1, -2})
	absent(t, "geometric interval of a negative value", i.HalfWidth(), ok)
	i, ok = Confidence95([]float64{3, 3, 3})
	if !ok || i.HalfWidth() != 0 {
		t.Errorf("equal runs have the interval %+v, want one without width", i)
	}
}

// TestIntervalsHoldTheTrueMean draws samples of known distributions: about 95 % of the intervals
// must hold the mean they estimate.
func TestIntervalsHoldTheTrueMean(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	held, geometric := 0, 0
	values, powers := make([]float64, 5), make([]float64, 5)
	for range trials {
		for i := range values {
			values[i] = 10 + 3*random.NormFloat64()
			powers[i] = math.Exp(0.7 + 0.2*random.NormFloat64())
		}
		if i, _ := Confidence95(values); i.Low <= 10 && 10 <= i.High {
			held++
		}
		if i, _ := GeometricConfidence95(powers); i.Low <= math.Exp(0.7) && math.Exp(0.7) <= i.High {
			geometric++
		}
	}
	// The standard deviation of the share is 0.0034.
	for _, n := range []int{held, geometric} {
		if share := float64(n) / trials; share < 0.936 || share > 0.964 {
			t.Errorf("%.4f of the intervals hold the mean, want 0.95", share)
		}
	}
}

func TestPairedRatios(t *testing.T) {
	runs := []Sample{{Seed: 3, Value: 30}, {Seed: 1, Value: 5}, {Seed: 2, Value: 12}, {Seed: 9, Value: 1}}
	baseline := []Sample{{Seed: 1, Value: 10}, {Seed: 2, Value: 20}, {Seed: 3, Value: 40}, {Seed: 7, Value: 1}, {Seed: 8, Value: 1}}
	p, err := PairedRatios(runs, baseline)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Seeds, []uint64{1, 2, 3}) || !slices.Equal(p.Ratios, []float64{0.5, 0.6, 0.75}) || p.Unpaired != 3 {
		t.Errorf("pairs are %+v", p)
	}
	for _, c := range []struct {
		runs, baseline []Sample
		want           string
	}{
		{[]Sample{{Seed: 1, Value: 1}, {Seed: 1, Value: 2}}, baseline, "seed 1 comes twice among the runs"},
		{runs, []Sample{{Seed: 2, Value: 1}, {Seed: 2, Value: 2}}, "seed 2 comes twice among the baseline"},
		{runs, []Sample{{Seed: 1, Value: 0}}, "seed 1 measured 0"},
		{runs, []Sample{{Seed: 4, Value: 1}}, "4 runs and 1 baseline runs have no seed in common"},
		{nil, nil, "no seed in common"},
	} {
		if _, err := PairedRatios(c.runs, c.baseline); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want one with %q", err, c.want)
		}
	}
}

// TestPairedTotals: by hand, and for windows drawn at random from a long execution in which one
// router is faster the longer a window takes: about 95 % of the intervals hold the ratio of the
// whole, of its time and of its energy-delay-squared product.
func TestPairedTotals(t *testing.T) {
	base := []Sample{{Seed: 1, Value: 1000}, {Seed: 2, Value: 3000}, {Seed: 3, Value: 2000}}
	got, err := PairedTotals([]Sample{{Seed: 3, Value: 1500}, {Seed: 1, Value: 900}, {Seed: 2, Value: 2400}}, base)
	if err != nil {
		t.Fatal(err)
	}
	// The ratio is 0.8; without each pair 0.78, 0.8 and 0.825, 0.065, 0.005 and 0.07 thirds from their
	// mean, and that counts twice; t(0.975, 2) is 4.3027.
	near(t, "ratio", got.Mean, 0.8, 1e-12)
	near(t, "half width", got.HalfWidth(), 4.302652730*math.Sqrt((0.13*0.13+0.01*0.01+0.14*0.14)/9/2/3), 1e-9)
	if one, err := PairedTotals(base[:1], base); err != nil || one.Low != 1 || one.High != 1 {
		t.Errorf("a single pair: %+v, %v", one, err)
	}
	if _, err := PairedTotals(base[:1], base[1:]); err == nil {
		t.Error("no pair at all is accepted")
	}
	r := rand.New(rand.NewPCG(4, 4))
	const windows, draws = 400, 2000
	var over, under []Sample
	for range windows {
		base, power := 1000+500*r.Float64(), 1+0.2*r.Float64()
		own := base * (1.2 - base/4000 + 0.1*r.Float64())
		over, under = append(over, Sample{Value: base * power * own * own, Delay: own}), append(under, Sample{Value: base * base * base, Delay: base})
	}
	delay, energy := func(s Sample) float64 { return s.Delay }, func(s Sample) float64 { return s.Value / s.Delay / s.Delay }
	times := total(delay)(over) / total(delay)(under)
	products := times * times * total(energy)(over) / total(energy)(under)
	delays := func(list []Sample) (times []Sample) {
		for _, s := range list {
			times = append(times, Sample{Seed: s.Seed, Value: s.Delay})
		}
		return times
	}
	held, heldProducts := 0, 0
	for range draws {
		var a, b []Sample
		for k, i := range r.Perm(windows)[:16] {
			a, b = append(a, over[i]), append(b, under[i])
			a[k].Seed, b[k].Seed = uint64(k), uint64(k)
		}
		if v, err := PairedTotals(delays(a), delays(b)); err == nil && v.Low <= times && times <= v.High {
			held++
		}
		if v, err := PairedTotals(a, b); err == nil && v.Low <= products && products <= v.High {
			heldProducts++
		}
	}
	for name, n := range map[string]int{"times": held, "products": heldProducts} {
		if share := float64(n) / draws; share < 0.93 || share > 0.98 {
			t.Errorf("%.3f of the intervals hold the ratio of %s", share, name)
		}
	}
}

// TestProductsOfWindows: two windows, of which the long one has a tenth of the time and half of the
// energy of the baseline's, and the short one as much of both. The execution takes 20 of 110 cycles
// and 60 of 110 J.
func TestProductsOfWindows(t *testing.T) {
	under := []Sample{{Seed: 1, Value: 10 * 10 * 10, Delay: 10}, {Seed: 2, Value: 100 * 100 * 100, Delay: 100}}
	over := []Sample{{Seed: 1, Value: 10 * 10 * 10, Delay: 10}, {Seed: 2, Value: 50 * 10 * 10, Delay: 10}}
	got, err := PairedTotals(over, under)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ratio", got.Mean, 60./110*(20./110)*(20./110), 1e-12)
}

// TestReadingsOfWindows: where the ends of windows, or those of one core, are longer on one of two
// routers, the interval holds those of the ratios with and without them, and no more; where they are
// not, it is as if nothing was known but the sums.
func TestReadingsOfWindows(t *testing.T) {
	ratio := func(change func(over, under *Sample), sumsOnly bool) Interval {
		var over, under []Sample
		for i := range 16 {
			v := float64(1000 + 70*i%300)
			w := v * (0.7 + 0.01*float64(i%3))
			a := Sample{Seed: uint64(i), Value: w, Middle: 0.75 * w, Cores: []float64{0.9 * w, w}}
			b := Sample{Seed: uint64(i), Value: v, Middle: 0.75 * v, Cores: []float64{0.9 * v, v}}
			change(&a, &b)
			if sumsOnly {
				a, b = Sample{Seed: a.Seed, Value: a.Value}, Sample{Seed: b.Seed, Value: b.Value}
			}
			over, under = append(over, a), append(under, b)
		}
		i, err := PairedTotals(over, under)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	plain := ratio(func(_, _ *Sample) {}, true)
	even := ratio(func(_, _ *Sample) {}, false)
	near(t, "even, low", even.Low, plain.Low, 1e-12)
	near(t, "even, high", even.High, plain.High, 1e-12)

	ends := func(_, under *Sample) { under.Value += 200 }
	long := func(_, under *Sample) { under.Cores[1] += 200 }
	sums := func(_, under *Sample) { under.Value = under.Cores[1] + 200 }
	for name, change := range map[string]func(_, _ *Sample){"ends": ends, "a core": long} {
		got, low := ratio(change, false), ratio(sums, true)
		near(t, name+", low", got.Low, low.Low, 1e-12)
		near(t, name+", high", got.High, plain.High, 1e-12)
		near(t, name+", mean", got.Mean, (low.Low+plain.High)/2, 1e-12)
	}
}

// TestLongestCore: in each of two windows another core is the last, and the first of them has more
// to do in both together.
func TestLongestCore(t *testing.T) {
	over := []Sample{{Seed: 1, Value: 30, Cores: []float64{30, 10}}, {Seed: 2, Value: 20, Cores: []float64{16, 20}}}
	under := []Sample{{Seed: 1, Value: 20, Cores: []float64{0, 20}}, {Seed: 2, Value: 20, Cores: []float64{20, 20}}}
	p, err := TotalRatios(over, under)
	if err != nil || len(p.Readings) != 1 {
		t.Fatal(p, err)
	}
	near(t, "whole windows", mean(p.Ratios), 50./40, 1e-12)
	near(t, "longest core", mean(p.Readings[0]), 46./40, 1e-12)
}

// TestPairingCancelsCommonDisturbance: pairs with a constant ratio have an interval without width,
// however far apart the seeds are.
func TestPairingCancelsCommonDisturbance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "runs")
		var runs, baseline []Sample
		for seed := range n {
			v := rapid.Float64Range(1, 1000).Draw(t, "time")
			runs = append(runs, Sample{Seed: uint64(seed), Value: 0.75 * v})
			baseline = append([]Sample{{Seed: uint64(seed), Value: v}}, baseline...)
		}
		p, err := PairedRatios(runs, baseline)
		if err != nil {
			t.Fatal(err)
		}
		i, ok := Confidence95(p.Ratios)
		if !ok || i.HalfWidth() > 1e-12 || math.Abs(i.Mean-0.75) > 1e-12 {
			t.Fatalf("interval %+v", i)
		}
	})
}

func BenchmarkConfidence95(b *testing.B) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for b.Loop() {
		if _, ok := Confidence95(values); !ok {
			b.Fatal("no interval")
		}
	}
}
