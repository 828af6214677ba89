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
	// Run tells runs apart, where several windows may hold the same records: equal runs are one outcome of chance.
	Run string
	// Cores are what each core did in a window of a program whose barriers are rarer than its windows are long.
	Cores []Work
}

// Work is how long a core took for how many instructions, and how long of this it waited for other cores.
type Work struct{ Time, Instructions, Waited float64 }

// matched lists the samples of the pairs that both sides have, sorted by pair; none where a pair
// comes twice on one side.
func matched(over, under []Sample) (a, b []Sample) {
	partners := map[Pair]Sample{}
	for _, s := range under {
		partners[s.Pair] = s
	}
	sorted := byPair(over)
	for i, s := range sorted {
		if i > 0 && s.Pair == sorted[i-1].Pair || len(partners) < len(under) {
			return nil, nil
		}
		if partner, ok := partners[s.Pair]; ok {
			a, b = append(a, s), append(b, partner)
		}
	}
	return a, b
}

// byPair sorts samples by window, seed and batch.
func byPair(samples []Sample) []Sample {
	return slices.SortedStableFunc(slices.Values(samples), func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.Window, b.Window), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Batch, b.Batch))
	})
}

// PairedRatios divides each run by the baseline's run of the same pair; what has no partner is left
// out. Runs of one pair suffer the same disturbances, so much of the spread between them cancels in
// their ratio. There are none where a pair comes twice on one side, or where a value of the baseline is
// not above 0. They are sorted by window, seed and batch.
func PairedRatios(runs, baseline []Sample) (ratios []Sample) {
	over, under := matched(runs, baseline)
	for i := range over {
		if !positive(under[i].Value) {
			return nil
		}
		ratios = append(ratios, Sample{Pair: over[i].Pair, Value: over[i].Value / under[i].Value})
	}
	return ratios
}

// Ratio is TotalRatio of parts of a whole, and else MeanRatio.
func Ratio(runs, baseline []Sample, parts bool) Estimate {
	if parts {
		return TotalRatio(runs, baseline)
	}
	return MeanRatio(runs, baseline)
}

// MeanRatio is the mean of the ratios of PairedRatios, the plain mean as in the papers. Of several
// windows with several seeds each it is over windows, of the mean over the seeds of each: more
// seeds of one window say nothing about how windows differ.
func MeanRatio(runs, baseline []Sample) Estimate { return MeanValue(PairedRatios(runs, baseline)) }

// MeanValue is the mean of values: over windows of the mean over the seeds of each, or else over
// runs.
func MeanValue(runs []Sample) Estimate {
	sorted := byPair(runs)
	var windows []float64
	for _, g := range clusters(sorted) {
		sum := 0.0
		for _, s := range sorted[g.from:g.to] {
			sum += s.Value
		}
		windows = append(windows, sum/float64(g.to-g.from))
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
// time. Where barriers are rare, cores would wait at the next one for the slowest core, so the ratio is read a
// third time, with the times of slowest. The larger difference widens the interval. So does the bias of windows.
func TotalRatio(runs, baseline []Sample) Estimate {
	j := newJackknife(matched(runs, baseline))
	if !positive(j.all.values[1]) {
		return Estimate{}
	}
	ratios := []float64{j.all.values[0] / j.all.values[1]}
	if j.all.product {
		ratios = append(ratios, ratios[0], j.all.energies[0]/j.all.energies[1])
	}
	return j.estimate((*totals).ratio, ratios...)
}

// jackknife has the totals of matched samples, of all and without each independent part.
type jackknife struct {
	all     totals
	slowest [2]float64
	without []totals
	scale   float64 // of the standard deviation of the estimates without each part, to half an interval
	windows bool
}

func newJackknife(over, under []Sample) (j jackknife) {
	j.all, j.slowest, j.windows = sum(over, under), slowest(over, under), len(over) > 0 && over[0].Window != over[len(over)-1].Window
	groups := outcomes(over)
	if k := float64(len(groups)); k > 1 {
		j.scale = (k - 1) / math.Sqrt(k) * studentT95(k-1)
		for _, g := range groups {
			rest := j.all
			for _, c := range g {
				rest = rest.without(sum(over[c.from:c.to], under[c.from:c.to]))
			}
			j.without = append(j.without, rest)
		}
	}
	return j
}

// outcomes joins clusters whose runs are equal. Windows of a program that repeats itself may hold the same
// records. With the same seed their replays are equal too, so together they say no more of chance than one does.
func outcomes(sorted []Sample) (list [][]cluster) {
	known := map[string]int{}
	for _, c := range clusters(sorted) {
		run := sorted[c.from].Run
		if i, ok := known[run]; ok && run != "" && sorted[list[i][0].from].Window != sorted[c.from].Window {
			list[i] = append(list[i], c)
			continue
		}
		known[run] = len(list)
		list = append(list, []cluster{c})
	}
	return list
}

// estimate is a function of the totals and of the times, with its interval. factors are the ratios of totals of
// whose product it is a multiple.
func (j *jackknife) estimate(of func(t *totals, times [2]float64) float64, factors ...float64) Estimate {
	e := Value(of(&j.all, j.all.values))
	k := len(j.without)
	if k == 0 || !e.OK {
		return e
	}
	total, squares := 0.0, 0.0
	others := make([]float64, k)
	for i := range j.without {
		others[i] = of(&j.without[i], j.without[i].values)
		total += others[i]
	}
	for _, v := range others {
		squares += (v - total/float64(k)) * (v - total/float64(k))
	}
	half := j.scale * math.Sqrt(squares/float64(k-1))
	e.Low, e.High, e.N = e.Mean-half, e.Mean+half, k
	if !j.windows {
		return e
	}
	systematic := 0.0
	for _, times := range [][2]float64{j.all.busy, j.slowest} {
		if other := of(&j.all, times); positive(other) && math.Abs(other-e.Mean) > math.Abs(systematic) {
			systematic = other - e.Mean
		}
	}
	return e.OfWindows(systematic, factors...)
}

// windowBias is how far ratios of windows are from that of the whole execution, beyond the error of their
// ends: the standard deviation of the logarithm of a ratio whose logarithm is 1. The squares of the differences grow in
// proportion to the logarithm of the ratio. The number is the root mean square over a table of carousel
// help accuracy, with biasPrograms recordings, from which a test computes it.
const (
	windowBias   = 0.020
	biasPrograms = 12
)

// OfWindows widens the interval of a ratio that windows of a longer execution have given: by a systematic
// error, and by the bias that all windows share, such as that of their start, which the spread between
// them does not show. factors are the ratios of totals of whose product the ratio is a multiple; their biases
// have the same cause, so they add up.
//
// The deviation of the bias is known from few programs, and the ratios of one program are not independent.
// So Student's t with one degree of freedom for each program gives 95 %. Independent errors add as squares.
func (e Estimate) OfWindows(systematic float64, factors ...float64) Estimate {
	if e.N < 2 || slices.ContainsFunc(factors, func(f float64) bool { return !positive(f) }) {
		return e
	}
	deviation := 0.0
	for _, f := range factors {
		deviation += windowBias * math.Sqrt(math.Abs(math.Log(f)))
	}
	return e.widen(systematic, studentT95(biasPrograms)*deviation*e.Mean)
}

// totals are the sums of two sides, the baseline second: of values, or of times and energies where the
// value is an energy-delay-squared product; and of Busy, 0 where one of them is not known.
type totals struct {
	values, energies, busy [2]float64
	product                bool
}

// sum adds both sides up.
func sum(over, under []Sample) (t totals) {
	known := func(of func(Sample) float64) bool {
		lacks := func(s Sample) bool { return !positive(of(s)) }
		return !slices.ContainsFunc(over, lacks) && !slices.ContainsFunc(under, lacks)
	}
	t.product = known(func(s Sample) float64 { return s.Delay })
	for side, list := range [2][]Sample{over, under} {
		for _, s := range list {
			t.busy[side] += s.Busy
			if t.product {
				t.values[side], t.energies[side] = t.values[side]+s.Delay, t.energies[side]+s.Value/(s.Delay*s.Delay)
			} else {
				t.values[side] += s.Value
			}
		}
	}
	if !known(func(s Sample) float64 { return s.Busy }) {
		t.busy = [2]float64{}
	}
	return t
}

// slowest is the time per instruction, on both sides, of the core for which the others wait at the next barrier: the
// one that waits least in the windows of both sides. Its work between two barriers is the same on both sides, so the
// ratio of these times is that of the times between barriers. In windows it may do less on one side, as they end when
// all cores together have done their work. Of cores that wait equally long it is the sum; 0 where it is not known.
func slowest(over, under []Sample) (times [2]float64) {
	a, b := perCore(over), perCore(under)
	least := math.Inf(1)
	for i := range a {
		waited := math.Inf(1)
		if i < len(b) && a[i].Instructions > 0 && b[i].Instructions > 0 {
			waited = a[i].Waited + b[i].Waited
		}
		if waited < least {
			least, times = waited, [2]float64{}
		}
		if waited == least && !math.IsInf(waited, 1) {
			times[0], times[1] = times[0]+a[i].Time/a[i].Instructions, times[1]+b[i].Time/b[i].Instructions
		}
	}
	return times
}

// perCore adds up what each core did; nil where that is not known of all samples.
func perCore(samples []Sample) (cores []Work) {
	for i, s := range samples {
		if i == 0 {
			cores = make([]Work, len(s.Cores))
		}
		if len(s.Cores) != len(cores) {
			return nil
		}
		for c, w := range s.Cores {
			sum := &cores[c]
			sum.Time, sum.Instructions, sum.Waited = sum.Time+w.Time, sum.Instructions+w.Instructions, sum.Waited+w.Waited
		}
	}
	return cores
}

// ratio is that of the values, or of the products with these times.
func (t *totals) ratio(times [2]float64) float64 {
	r := times[0] / times[1]
	if t.product {
		return t.energies[0] / t.energies[1] * r * r
	}
	return r
}

func (t totals) without(o totals) totals {
	for side := range t.values {
		t.values[side] -= o.values[side]
		t.energies[side] -= o.energies[side]
	}
	return t
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

// Limited reports whether the parts that more observations do not change are as large as half a width.
func (e *Estimate) Limited(half float64) bool {
	fixed := math.Abs(e.Systematic) + e.Bias
	return fixed > 0 && fixed >= half
}

// observations returns the number of observations after which half an interval plus more standard
// errors is at most distance.
func (e *Estimate) observations(distance, more float64) (int, bool) {
	distance -= math.Abs(e.Systematic)
	if !e.OK || e.N < 2 || distance <= 0 {
		return 0, false
	}
	deviation := e.sampling() / studentT95(float64(e.N-1)) * math.Sqrt(float64(e.N))
	for n := 2; n <= mostNeeded; n += max(n/50, 1) {
		err := deviation / math.Sqrt(float64(n))
		if math.Hypot(studentT95(float64(n-1))*err, e.Bias)+more*err <= distance {
			return n, true
		}
	}
	return 0, false
}
