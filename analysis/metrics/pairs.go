package metrics

import (
	"cmp"
	"math"
	"slices"
)

// Pair says what a run shares with the runs that it is compared with: seed, batch of a long run,
// and window of a trace.
type Pair struct{ Seed, Batch, Window uint64 }

// Sample is what one run measured.
type Sample struct {
	Pair
	Value float64
	// Delay is the time of a run whose Value is its energy-delay-squared product; 0 for all other
	// values.
	Delay float64
	// Busy is the mean over cores of the time until a core has ended, where Value or Delay is that of
	// the last core; 0 where it is not known.
	Busy float64
}

// matched lists the samples of the pairs that both sides have, sorted by pair; none where a pair
// comes twice on one side.
func matched(over, under []Sample) (a, b []Sample) {
	over, under = byPair(over), byPair(under)
	for len(over) > 0 && len(under) > 0 {
		switch order := compare(over[0].Pair, under[0].Pair); {
		case order < 0:
			over = over[1:]
		case order > 0:
			under = under[1:]
		default:
			a, b, over, under = append(a, over[0]), append(b, under[0]), over[1:], under[1:]
		}
	}
	return a, b
}

// compare orders pairs by window, seed and batch.
func compare(a, b Pair) int {
	return cmp.Or(cmp.Compare(a.Window, b.Window), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Batch, b.Batch))
}

// byPair is a sorted copy; nil where a pair comes twice.
func byPair(samples []Sample) []Sample {
	sorted := slices.SortedFunc(slices.Values(samples), func(a, b Sample) int { return compare(a.Pair, b.Pair) })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Pair == sorted[i-1].Pair {
			return nil
		}
	}
	return sorted
}

// Ratios holds ratios of runs to those of a baseline with the same seed, batch and window.
type Ratios struct {
	Pairs  []Pair // by window, seed and batch
	Values []float64
	// Whole reports that no run of either side is without a partner.
	Whole bool
}

// PairedRatios divides each run by the baseline's run of the same pair. Runs of one pair suffer the
// same disturbances, so much of the spread between them cancels in their ratio. There are none
// where a pair comes twice on one side, or where a value of the baseline is not above 0.
func PairedRatios(runs, baseline []Sample) (r Ratios) {
	over, under := matched(runs, baseline)
	for i := range over {
		if !positive(under[i].Value) {
			return Ratios{}
		}
		r.Pairs, r.Values = append(r.Pairs, over[i].Pair), append(r.Values, over[i].Value/under[i].Value)
	}
	r.Whole = len(over) == len(runs) && len(over) == len(baseline)
	return r
}

// MeanRatio is the mean of the ratios of PairedRatios, the plain mean as in the papers. Of several
// windows with several seeds each it is over windows, of the mean over the seeds of each: more
// seeds of one window say nothing about how windows differ.
func MeanRatio(runs, baseline []Sample) Estimate {
	var windows []float64
	over, under := matched(runs, baseline)
	groups := clusters(over)
	for _, g := range groups {
		r := PairedRatios(over[g.from:g.to], under[g.from:g.to])
		m, ok := Mean(r.Values)
		if !ok {
			return Estimate{}
		}
		windows = append(windows, m)
	}
	return MeanOf(windows)
}

// MeanValue is the mean of values: over windows of the mean over the seeds of each, or else over
// runs.
func MeanValue(runs []Sample) Estimate {
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b Sample) int { return compare(a.Pair, b.Pair) })
	var windows []float64
	for _, g := range clusters(sorted) {
		windows = append(windows, total(sorted[g.from:g.to], value)/float64(g.to-g.from))
	}
	return MeanOf(windows)
}

// cluster is a range of samples that are not independent of each other.
type cluster struct{ from, to int }

// clusters divides sorted samples into what was drawn independently: windows where there are
// several, and otherwise runs.
func clusters(sorted []Sample) (list []cluster) {
	several := len(sorted) > 0 && sorted[0].Window != sorted[len(sorted)-1].Window
	for i := range sorted {
		if several && i > 0 && sorted[i].Window == sorted[i-1].Window {
			list[len(list)-1].to++
			continue
		}
		list = append(list, cluster{i, i + 1})
	}
	return list
}

// TotalRatio is the ratio of the total of runs to that of the baseline's runs, over the pairs that
// both have: what windows or seeds say of the execution that they are drawn from, where long ones
// weigh more. The ratio of energy-delay-squared products is that of the total energies times the
// square of that of the total times, as the product of an execution is not the sum of those of its
// parts.
//
// The interval is that of the jackknife: the estimate is made again without each window (without
// each seed, where there is one window), and the spread of these, times one less than their number,
// is that of independent values (Miller, The jackknife: a review, Biometrika 61, 1974); Student's t
// allows for few of them. Matched pairs cancel what both sides share. Absent where nothing is in
// common, a pair comes twice on one side, or the total of the baseline is not above 0.
//
// The time of a window includes what cores that end early wait for the last one, and in the whole
// execution they would go on. So of windows the ratio is read a second time, with Busy in place of the
// time, and the difference widens the interval.
func TotalRatio(runs, baseline []Sample) Estimate {
	over, under := matched(runs, baseline)
	all, windows := sum(over, under), len(over) > 0 && over[0].Window != over[len(over)-1].Window
	if v := all.ratio(); !positive(all.under) || math.IsNaN(v) || math.IsInf(v, 0) {
		return Estimate{}
	}
	groups := clusters(over)
	if len(groups) == 1 {
		return Value(all.ratio())
	}
	values := make([]float64, len(groups))
	for i, g := range groups {
		values[i] = all.without(sum(over[g.from:g.to], under[g.from:g.to])).ratio()
	}
	half := float64(len(groups)-1) * MeanOf(values).HalfWidth()
	e := Estimate{Mean: all.ratio(), Low: all.ratio() - half, High: all.ratio() + half, N: len(groups), OK: true}
	if other := all.busy(); windows && positive(other) {
		return e.widen(other - e.Mean)
	}
	return e
}

// totals are the sums of two sides: of values, or of times and energies where the value is an
// energy-delay-squared product; and of Busy.
type totals struct {
	over, under, overEnergy, underEnergy, overBusy, underBusy float64
	product                                                   bool
}

func (t totals) ratio() float64 {
	if r := t.over / t.under; t.product {
		return t.overEnergy / t.underEnergy * r * r
	}
	return t.over / t.under
}

// busy is the ratio with the other reading of time; not a number where that is not known.
func (t totals) busy() float64 {
	t.over, t.under = t.overBusy, t.underBusy
	return t.ratio()
}

func (t totals) without(o totals) totals {
	return totals{over: t.over - o.over, under: t.under - o.under, overEnergy: t.overEnergy - o.overEnergy, underEnergy: t.underEnergy - o.underEnergy, product: t.product}
}

// sum adds both sides up.
func sum(over, under []Sample) (t totals) {
	known := func(of func(Sample) float64) bool {
		lacks := func(s Sample) bool { return !positive(of(s)) }
		return !slices.ContainsFunc(over, lacks) && !slices.ContainsFunc(under, lacks)
	}
	t = totals{over: total(over, value), under: total(under, value), product: known(delay)}
	if t.product {
		t.over, t.under, t.overEnergy, t.underEnergy = total(over, delay), total(under, delay), total(over, energy), total(under, energy)
	}
	if known(busy) {
		t.overBusy, t.underBusy = total(over, busy), total(under, busy)
	}
	return t
}

func busy(s Sample) float64   { return s.Busy }
func value(s Sample) float64  { return s.Value }
func delay(s Sample) float64  { return s.Delay }
func energy(s Sample) float64 { return s.Value / (s.Delay * s.Delay) }

// total adds something up over samples.
func total(list []Sample, of func(s Sample) float64) (sum float64) {
	for _, s := range list {
		sum += of(s)
	}
	return sum
}

const (
	power      = 0.84    // what the standard normal distribution exceeds with a probability of 20 %
	mostNeeded = 100_000 // observations that Needed looks for
)

// Needed is about how many observations of the same spread would place the estimate on a side of a
// threshold, in four cases of five; false where that cannot be said, or where 100,000 are too few. The
// systematic error stays.
func (e *Estimate) Needed(threshold float64) (int, bool) {
	return e.observations(math.Abs(e.Mean-threshold), power)
}

// NeededFor is about how many observations of the same spread would have an interval of a half width;
// false as in Needed.
func (e *Estimate) NeededFor(half float64) (int, bool) { return e.observations(half, 0) }

// observations returns the number of observations after which half an interval plus more standard
// errors is at most distance.
func (e *Estimate) observations(distance, more float64) (int, bool) {
	distance -= math.Abs(e.Systematic)
	if !e.OK || e.N < 2 || distance <= 0 {
		return 0, false
	}
	deviation := e.sampling() / studentT95(float64(e.N-1)) * math.Sqrt(float64(e.N))
	for n := 2; n <= mostNeeded; n += max(n/50, 1) {
		if (studentT95(float64(n-1))+more)*deviation <= distance*math.Sqrt(float64(n)) {
			return n, true
		}
	}
	return 0, false
}
