package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %.9g, want %.9g", name, got, want)
	}
}

func TestMeans(t *testing.T) {
	near(t, "mean", MeanOf([]float64{1, 2, 6}).Mean, 3, 1e-12)
	near(t, "geometric mean", GeometricMeanOf([]float64{1, 10, 100}).Mean, 10, 1e-12)
	for _, values := range [][]float64{nil, {1, math.NaN()}, {1, math.Inf(1)}, {1, math.Inf(1), math.Inf(-1)}} {
		if e := MeanOf(values); e != (Estimate{}) {
			t.Errorf("the mean of %v is %+v", values, e)
		}
	}
	for _, values := range [][]float64{nil, {0}, {1, 0}, {1, -1}, {1, math.Inf(1)}, {math.NaN()}} {
		if e := GeometricMeanOf(values); e != (Estimate{}) {
			t.Errorf("the geometric mean of %v is %+v", values, e)
		}
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
		e := MeanOf(values)
		if !e.OK || e.N != c.n || math.Abs(e.Mean) > 1e-12 {
			t.Fatalf("%d values: %+v", c.n, e)
		}
		n := float64(c.n)
		deviation := math.Sqrt((n - float64(c.n%2)) / (n - 1))
		near(t, "quantile", e.HalfWidth()*math.Sqrt(n)/deviation, c.t, 2e-6)
	}
	e := MeanOf([]float64{1, 2, 3, 4, 5})
	near(t, "low", e.Low, 3-1.963243, 1e-6)
	near(t, "high", e.High, 3+1.963243, 1e-6)
}

// TestAbsent: what cannot be estimated is absent, and a single run has no interval.
func TestAbsent(t *testing.T) {
	for name, e := range map[string]Estimate{"mean of estimates with an absent one": MeanOfEach([]Estimate{Value(1), {}}),
		"mean of no estimates": MeanOfEach(nil), "quotient of an absent one": Quotient(Value(1), Estimate{}), "quotient by zero": Quotient(Value(1), Value(0)),
		"infinite value": Value(math.Inf(1))} {
		if e != (Estimate{}) || e.Text() != "-" {
			t.Errorf("the %s is %+v", name, e)
		}
	}
	if e := MeanOf([]float64{3}); e != Value(3) || e.N != 1 {
		t.Errorf("a single run is %+v", e)
	}
	if e := MeanOf([]float64{3, 3, 3}); e.HalfWidth() != 0 || e.Text() != "3" {
		t.Errorf("equal runs are %+v", e)
	}
}

// TestText: the one place that writes estimates.
func TestText(t *testing.T) {
	interval := func(mean, half float64) Estimate {
		return Estimate{Mean: mean, Low: mean - half, High: mean + half, N: 4, OK: true}
	}
	for want, e := range map[string]Estimate{
		"-": {}, "0.836": Value(0.83634), "5.21e-13": Value(5.21e-13), "0.500": Value(0.5), "1": interval(1, 0), "0.986 ± 0.023": interval(0.98631, 0.02311), "0.9512 ± 0.0003": interval(0.951234, 0.0003), "0.951": interval(0.951234, 1e-6), "1.00623 ± 0.00003": interval(1.006234, 3e-5), "1.0062 ± 0.0001": interval(1.006234, 5.1e-5), "0.002000 ± 0.000001": interval(0.002, 1e-6), "5.21e-13 ± 9.1e-14": interval(5.21e-13, 0.91e-13),
		"12503 ± 196": interval(12503, 196), "47.33 ± 0.58": interval(47.332, 0.58), "41.25": interval(41.25, 2e-14),
		"not known": interval(3.476, 6.997), "1.300 ± 0.500": interval(1.3, 0.5), "-0.020 ± 0.040": interval(-0.02, 0.04)} {
		if got := e.Text(); got != want {
			t.Errorf("%+v is %q, want %q", e, got, want)
		}
	}
	geometric := func(mean, log float64) Estimate {
		return Estimate{Mean: mean, Low: mean * math.Exp(-log), High: mean * math.Exp(log), N: 4, OK: true}
	}
	for want, e := range map[string]Estimate{"1.100 ± 0.044": geometric(1.1, 0.04), "1.820 ± 0.348": geometric(1.82, 0.19), "1.820 (1.309 to 2.530)": geometric(1.82, 0.3294)} {
		if got := e.Text(); got != want {
			t.Errorf("%+v is %q, want %q", e, got, want)
		}
	}
	if e := interval(0.861, 0.81); !e.Vague() || e.Text() != Unknown || e.Side(1) != 0 {
		t.Errorf("%+v is %q", e, e.Text())
	}
}

// TestIntervalsHoldTheTrueMean draws samples of known distributions: about 95 % of the intervals
// must hold what they estimate. The mean of several estimates, of few values each, is as sure.
func TestIntervalsHoldTheTrueMean(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	held, geometric, each, ratio := 0, 0, 0, 0
	holds := func(e Estimate, v float64) int {
		if e.Low <= v && v <= e.High {
			return 1
		}
		return 0
	}
	normal := func(n int, mean, deviation float64) (values []float64) {
		for range n {
			values = append(values, mean+deviation*random.NormFloat64())
		}
		return values
	}
	for range trials {
		held += holds(MeanOf(normal(5, 10, 3)), 10)
		powers := normal(5, 0.7, 0.2)
		for i, v := range powers {
			powers[i] = math.Exp(v)
		}
		geometric += holds(GeometricMeanOf(powers), math.Exp(0.7))
		var list []Estimate
		for i := range 12 {
			list = append(list, MeanOf(normal(4+i%3, 1+0.1*float64(i), 0.02+0.01*float64(i))))
		}
		each += holds(MeanOfEach(list), 1.55)
		ratio += holds(Quotient(MeanOf(normal(6, 8, 0.4)), MeanOf(normal(6, 2, 0.1))), 4)
	}
	// The standard deviation of the share is 0.0034.
	for name, n := range map[string]int{"mean": held, "geometric mean": geometric, "mean of estimates": each} {
		if share := float64(n) / trials; share < 0.936 || share > 0.964 {
			t.Errorf("%.4f of the intervals hold the %s, want 0.95", share, name)
		}
	}
	if share := float64(ratio) / trials; share < 0.945 || share > 0.98 {
		t.Errorf("%.4f of the intervals hold the quotient", share)
	}
}

// sampled are samples with seeds from 1 on.
func sampled(values ...float64) (list []Sample) {
	for i, v := range values {
		list = append(list, Sample{Pair: Pair{Seed: uint64(i + 1)}, Value: v})
	}
	return list
}

func TestPairedRatios(t *testing.T) {
	at := func(seed uint64, value float64) Sample { return Sample{Pair: Pair{Seed: seed}, Value: value} }
	runs := []Sample{at(3, 30), at(1, 5), at(2, 12), at(9, 1)}
	baseline := []Sample{at(1, 10), at(2, 20), at(3, 40), at(7, 1), at(8, 1)}
	if p := PairedRatios(runs, baseline); !reflect.DeepEqual(p, []Sample{at(1, 0.5), at(2, 0.6), at(3, 0.75)}) {
		t.Errorf("the ratios are %+v", p)
	}
	for name, c := range map[string][2][]Sample{"twice": {{at(1, 1), at(1, 2)}, baseline}, "twice below": {runs, {at(2, 1), at(2, 2)}},
		"zero": {runs, {at(1, 0)}}, "none in common": {runs, {at(4, 1)}}, "nothing": {}} {
		if p := PairedRatios(c[0], c[1]); p != nil || MeanRatio(c[0], c[1]).OK || TotalRatio(c[0], c[1]).OK {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestTotalRatio: by hand, and for windows drawn at random from a long execution in which one
// router is faster the longer a window takes: about 95 % of the intervals hold the ratio of the
// whole, of its time and of its energy-delay-squared product. These windows have no bias, and its part of the
// interval is left out.
func TestTotalRatio(t *testing.T) {
	base := sampled(1000, 3000, 2000)
	got := TotalRatio([]Sample{{Pair: Pair{Seed: 3}, Value: 1500}, {Pair: Pair{Seed: 1}, Value: 900}, {Pair: Pair{Seed: 2}, Value: 2400}}, base)
	// The ratio is 0.8; without each pair 0.78, 0.8 and 0.825, 0.065, 0.005 and 0.07 thirds from their
	// mean, and that counts twice; t(0.975, 2) is 4.3027.
	near(t, "ratio", got.Mean, 0.8, 1e-12)
	near(t, "half width", got.HalfWidth(), 4.302652730*math.Sqrt((0.13*0.13+0.01*0.01+0.14*0.14)/9/2/3), 1e-9)
	if one := TotalRatio(base[:1], base); one != Value(1) {
		t.Errorf("a single pair: %+v", one)
	}
	// What pairs have in common cancels.
	for _, e := range []Estimate{TotalRatio(sampled(750, 2250, 1500), base), MeanRatio(sampled(750, 2250, 1500), base)} {
		if !e.OK || e.HalfWidth() > 1e-12 || math.Abs(e.Mean-0.75) > 1e-12 {
			t.Errorf("of a constant ratio: %+v", e)
		}
	}
	r := rand.New(rand.NewPCG(4, 4))
	const windows, draws = 400, 2000
	var over, under []Sample
	for range windows {
		base, power := 1000+500*r.Float64(), 1+0.2*r.Float64()
		own := base * (1.2 - base/4000 + 0.1*r.Float64())
		over, under = append(over, Sample{Value: base * power * own * own, Delay: own}), append(under, Sample{Value: base * base * base, Delay: base})
	}
	whole := sum(over, under)
	times, products := whole.values[0]/whole.values[1], whole.ratio(whole.values)
	held, heldProducts := 0, 0
	for range draws {
		var a, b, c, d []Sample
		for k, i := range r.Perm(windows)[:16] {
			pair := Pair{Window: uint64(k)}
			a, b = append(a, Sample{Pair: pair, Value: over[i].Value, Delay: over[i].Delay}), append(b, Sample{Pair: pair, Value: under[i].Value, Delay: under[i].Delay})
			c, d = append(c, Sample{Pair: pair, Value: over[i].Delay}), append(d, Sample{Pair: pair, Value: under[i].Delay})
		}
		if v := TotalRatio(c, d); math.Abs(times-v.Mean) <= v.sampling() {
			held++
		}
		if v := TotalRatio(a, b); math.Abs(products-v.Mean) <= v.sampling() {
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
	under := []Sample{{Pair: Pair{Window: 1}, Value: 10 * 10 * 10, Delay: 10}, {Pair: Pair{Window: 2}, Value: 100 * 100 * 100, Delay: 100}}
	over := []Sample{{Pair: Pair{Window: 1}, Value: 10 * 10 * 10, Delay: 10}, {Pair: Pair{Window: 2}, Value: 50 * 10 * 10, Delay: 10}}
	near(t, "ratio", TotalRatio(over, under).Mean, 60./110*(20./110)*(20./110), 1e-12)
}

// TestBiasInManual: the bias of windows is that of the table in the manual: the root mean square of how far
// each difference exceeds the error of the ends, over the root of the logarithm of the ratio. What the manual
// says of the table follows from it.
func TestBiasInManual(t *testing.T) {
	text, err := os.ReadFile("../../cmd/carousel/manual/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n### The bias of windows\n")
	section, _, _ = strings.Cut(section, "\n### ")
	rows, ratios, held, squares, plain := 0, 0, 0, 0.0, 0.0
	for _, row := range regexp.MustCompile(`(?m)^\|.*\([\d.]+\) \|$`).FindAllString(section, -1) {
		rows++
		for _, cell := range regexp.MustCompile(`([\d.]+): ([-+][\d.]+) \(([\d.]+)\)`).FindAllStringSubmatch(row, -1) {
			var number [3]float64
			for i := range number {
				number[i], _ = strconv.ParseFloat(cell[i+1], 64)
			}
			beyond, log := max(math.Abs(number[1])-number[2], 0)/100, math.Abs(math.Log(number[0]))
			ratios, squares, plain = ratios+1, squares+beyond*beyond/log, plain+beyond*beyond
			if beyond <= studentT95(biasPrograms)*windowBias*math.Sqrt(log) {
				held++
			}
		}
	}
	if rows != biasPrograms || ratios != 6*rows {
		t.Fatalf("%d ratios of %d recordings", ratios, rows)
	}
	near(t, "bias of windows", windowBias, math.Round(1000*math.Sqrt(squares/float64(ratios)))/1000, 1e-12)
	section = strings.Join(strings.Fields(section), " ")
	for _, said := range []string{
		fmt.Sprintf("over all %d ratios is %.1f %%", ratios, 100*math.Sqrt(plain/float64(ratios))),
		fmt.Sprintf("root mean square of these quotients is %.1f %%", 100*windowBias),
		fmt.Sprintf("%.2f, of Student's t with %d degrees of freedom", studentT95(biasPrograms), biasPrograms),
		fmt.Sprintf("%.1f %% of the ratio times the square root", 100*windowBias*studentT95(biasPrograms)),
		fmt.Sprintf("%d of the %d differences", held, ratios),
	} {
		if !strings.Contains(section, said) {
			t.Errorf("the manual does not say %q", said)
		}
	}
}

// TestBiasOfWindows: by hand. Windows of a longer execution have the bias, in an energy-delay-squared product that of
// the energy and twice that of the time. Replays of one window with several seeds have none, and so have runs that
// do the same.
func TestBiasOfWindows(t *testing.T) {
	ratio := func(pair func(i uint64) Pair, time float64, product bool) Estimate {
		var over, under []Sample
		for i, more := range []float64{-3, 3, -3, 3} {
			s, o := Sample{Pair: pair(uint64(i)), Value: time + more}, Sample{Pair: pair(uint64(i)), Value: 100 + more}
			if product {
				s.Delay, s.Value, o.Delay, o.Value = s.Value, s.Value*s.Value, o.Value, o.Value*o.Value
			}
			over, under = append(over, s), append(under, o)
		}
		return TotalRatio(over, under)
	}
	windows := func(i uint64) Pair { return Pair{Window: i} }
	whole := ratio(func(i uint64) Pair { return Pair{Seed: i} }, 200, false)
	e, part := ratio(windows, 200, false), 2*2.178813*0.02*math.Sqrt(math.Ln2)
	near(t, "bias", e.Bias, part, 1e-6)
	near(t, "half width", e.HalfWidth(), math.Hypot(whole.HalfWidth(), part), 1e-6)
	near(t, "bias of the inverse", ratio(windows, 50, false).Bias, part/4, 1e-6)
	near(t, "bias of a product", ratio(windows, 200, true).Bias, 2*2*part, 1e-6) // of a ratio of 4
	energy := func(of float64) (list []Sample) {                                 // with equal times
		for i := range uint64(2) {
			list = append(list, Sample{Pair: windows(i), Value: of * 100, Delay: 10})
		}
		return list
	}
	near(t, "bias of a product of equal times", TotalRatio(energy(2), energy(1)).Bias, part, 1e-6)
	near(t, "bias of a multiple", e.Scale(2).Bias, 2*part, 1e-6)
	if same := ratio(windows, 100, false); whole.Bias != 0 || same != (Estimate{Mean: 1, Low: 1, High: 1, N: 4, OK: true}) {
		t.Errorf("whole replays %+v, windows without a difference %+v", whole, same)
	}
	var programs []Estimate
	for range 16 {
		programs = append(programs, e)
	}
	for name, mean := range map[string]Estimate{"plain": MeanOfEach(programs), "geometric": GeometricMeanOfEach(programs)} {
		near(t, name+" mean of 16 biases", mean.Bias, part/4, 1e-6)
	}
	if n, ok := e.NeededFor(0.99 * part); ok || !e.Limited(0.99*part) || e.Limited(1.01*part) {
		t.Errorf("%d windows make up for a bias", n)
	}
	if text, err := json.Marshal(e); err != nil || !strings.Contains(string(text), `"bias":0.0725`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestNeeded: so many windows decide in four of five experiments, and half as many do not.
func TestNeeded(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	decided := func(n int) float64 {
		const trials = 2000
		count := 0
		for range trials {
			var values []float64
			for range n {
				values = append(values, 1.02+0.05*random.NormFloat64())
			}
			if e := MeanOf(values); e.Side(1) > 0 {
				count++
			}
		}
		return float64(count) / trials
	}
	// Eight windows with exactly this spread: t(0.975, 7) is 2.3646.
	half := 2.3646 * 0.05 / math.Sqrt(8)
	e := Estimate{Mean: 1.02, Low: 1.02 - half, High: 1.02 + half, N: 8, OK: true}
	n, ok := e.Needed(1)
	if !ok || n < 40 || n > 70 {
		t.Fatalf("%d windows, %t", n, ok)
	}
	if share := decided(n); share < 0.76 || share > 0.86 {
		t.Errorf("%d windows decide in %.2f of the cases", n, share)
	}
	if share := decided(n / 2); share > 0.6 {
		t.Errorf("half as many decide in %.2f", share)
	}
	// As many as half the width needs have an interval of half the width, on average.
	n, ok = e.NeededFor(half / 2)
	if want := 2 * studentT95(float64(n-1)) * 0.05 / math.Sqrt(float64(n)); !ok || want > half || want < 0.95*half {
		t.Errorf("%d windows for ± %.4f, %t: theirs is %.4f", n, half/2, ok, want/2)
	}
	for _, e := range []Estimate{{}, Value(2), {Mean: 1, Low: 0.9, High: 1.1, N: 4, OK: true}} {
		if n, ok := e.Needed(1); ok {
			t.Errorf("%+v needs %d", e, n)
		}
	}
}

// TestChange: how far a ratio is from 1, with as many digits as its interval has.
func TestChange(t *testing.T) {
	for want, e := range map[string]Estimate{
		"3.7 ± 2.6 %":       {Mean: 1.037, Low: 1.011, High: 1.063, N: 6, OK: true},
		"23.0 ± 3.0 %":      {Mean: 0.77, Low: 0.74, High: 0.80, N: 6, OK: true},
		"99 ± 12 %":         {Mean: 1.99, Low: 1.87, High: 2.11, N: 2, OK: true},
		"100 (40 to 186) %": {Mean: 2, Low: 1.4, High: 2.86, N: 4, OK: true},
		"50 (30 to 64) %":   {Mean: 0.5, Low: 0.36, High: 0.7, N: 4, OK: true},
		"0.30 ± 0.02 %":     {Mean: 1.003, Low: 1.0028, High: 1.0032, N: 4, OK: true},
		"66.9 %":            Value(1.669), "0.37 %": Value(1.003702), "119 %": Value(2.189), "10.4 %": Value(1.1038), "0.84 %": Value(1.008374), "5 %": Value(1.05), "0 %": Value(1), "1235 %": Value(13.35),
	} {
		if got := e.Change(); got != want {
			t.Errorf("%+v changes %s, want %s", e, got, want)
		}
	}
}
