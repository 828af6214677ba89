package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Sample is what one run measured.
type Sample struct {
	Seed  uint64
	Value float64
	// Delay is the time of a run whose Value is its energy-delay-squared product; 0 for all other
	// values.
	Delay float64
	// Middle is the part of a window's time that has neither its begin nor its end; 0 where that is
	// not known.
	Middle float64
	// Cores has the times in which the cores did their parts of a window; none where that is not
	// known.
	Cores []float64
}

// MeanSample has the means of what samples measured. It knows the times of cores if all know those
// of as many.
func MeanSample(seed uint64, list []Sample) Sample {
	m, n := Sample{Seed: seed}, float64(len(list))
	for i, s := range list {
		m.Value, m.Delay, m.Middle = m.Value+s.Value/n, m.Delay+s.Delay/n, m.Middle+s.Middle/n
		if i == 0 {
			m.Cores = make([]float64, len(s.Cores))
		}
		if len(s.Cores) != len(m.Cores) {
			m.Cores = nil
		}
		for c := range m.Cores {
			m.Cores[c] += s.Cores[c] / n
		}
	}
	return m
}

// Pairs holds ratios of runs to the baseline run of the same seed.
type Pairs struct {
	Seeds  []uint64  // ascending
	Ratios []float64 // of the run to its baseline, by seed
	// Unpaired counts runs of either side whose seed the other side does not have. They are left
	// out.
	Unpaired int
	// Readings are the ratios once more, by the other readings of windows, see TotalRatios.
	Readings [][]float64
}

// PairedRatios divides each run by the baseline's run of the same seed. Runs of one seed suffer the
// same disturbances, so much of the spread between seeds cancels in their ratio. Summarise the
// ratios with Confidence95 (the plain mean of ratios, as in the papers) or GeometricConfidence95;
// neither is the ratio of the two means, which would weigh long runs more. An error tells of a seed
// that comes twice on one side, of a baseline that is not finite and above 0, or that the sides
// have no seed in common.
func PairedRatios(runs, baseline []Sample) (Pairs, error) {
	p, over, under, err := paired(runs, baseline)
	if err != nil {
		return Pairs{}, err
	}
	for i, s := range under {
		if !positive(s.Value) {
			return Pairs{}, fmt.Errorf("%w: the run of seed %d measured %g; it must be finite and above 0", ErrBaseline, s.Seed, s.Value)
		}
		p.Ratios = append(p.Ratios, over[i].Value/s.Value)
	}
	return p, nil
}

// paired lists the samples of the seeds that both sides have, without ratios.
func paired(runs, baseline []Sample) (p Pairs, over, under []Sample, err error) {
	a, err := bySeed(runs, "runs")
	if err != nil {
		return p, nil, nil, err
	}
	b, err := bySeed(baseline, "baseline")
	if err != nil {
		return p, nil, nil, err
	}
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Seed < b[0].Seed:
			a = a[1:]
			p.Unpaired++
		case a[0].Seed > b[0].Seed:
			b = b[1:]
			p.Unpaired++
		default:
			p.Seeds, over, under = append(p.Seeds, a[0].Seed), append(over, a[0]), append(under, b[0])
			a, b = a[1:], b[1:]
		}
	}
	p.Unpaired += len(a) + len(b)
	if len(p.Seeds) == 0 {
		return p, nil, nil, fmt.Errorf("%w: %d runs and %d baseline runs have no seed in common; run both with the same seeds",
			ErrBaseline, len(runs), len(baseline))
	}
	return p, over, under, nil
}

// PairedTotals is the ratio of the sums of runs to those of the baseline's runs of the same seeds,
// with an interval: what windows say of the execution that they are drawn from, where long ones
// weigh more. The interval holds those of 95 % confidence over windows of all readings of
// TotalRatios. The error is that of TotalRatios; of a single pair there is no confidence.
func PairedTotals(runs, baseline []Sample) (Interval, error) {
	p, err := TotalRatios(runs, baseline)
	if err != nil {
		return Interval{}, err
	}
	return p.Interval(), nil
}

// Interval is that of the mean of the ratios. With several readings it is the least that holds the
// intervals of all, and the mean is its middle.
func (p *Pairs) Interval() Interval {
	i := intervalOf(p.Ratios)
	for _, ratios := range p.Readings {
		other := intervalOf(ratios)
		i.Low, i.High = min(i.Low, other.Low), max(i.High, other.High)
		i.Mean = (i.Low + i.High) / 2
	}
	return i
}

// intervalOf is that of 95 % confidence, or the mean alone of a single value.
func intervalOf(values []float64) Interval {
	if i, ok := Confidence95(values); ok {
		return i
	}
	m := mean(values)
	return Interval{Mean: m, Low: m, High: m, N: len(values)}
}

// TotalRatios is PairedRatios with values whose mean is the ratio of the sums, and whose interval
// is that of the jackknife: each differs from the ratio by how much the ratio without its pair does,
// times the number of other pairs (Miller, The jackknife: a review, Biometrika 61, 1974). A baseline
// may be 0, but not the sum of all.
//
// In an execution cores wait for each other at its barriers and at its end. How often that is,
// windows do not tell, so ratios of times have up to three readings. By whole windows, which end
// with their last core, all cores wait at each window's end. By the middle of windows, none ever
// waits. By the longest core, the one whose parts of all windows take longest, all wait once, at the
// end: what a network costs some cores more than others adds up until then. The ratios returned are
// those by whole windows, the others are the readings, where all samples know what they need.
//
// The ratio of energy-delay-squared products is that of the energies times the square of that of
// the times, each of the sums, as the product of an execution is not the sum of those of its parts.
func TotalRatios(runs, baseline []Sample) (Pairs, error) {
	p, over, under, err := paired(runs, baseline)
	if err != nil {
		return p, err
	}
	all := slices.Concat(over, under)
	known := func(lacks func(s Sample) bool) bool { return !slices.ContainsFunc(all, lacks) }
	totals := []func(list []Sample) float64{total(func(s Sample) float64 { return s.Value })}
	energy := func([]Sample) float64 { return 1 }
	power := 1.0
	if known(func(s Sample) bool { return !positive(s.Delay) }) {
		energy, power = total(func(s Sample) float64 { return s.Value / (s.Delay * s.Delay) }), 2
		totals[0] = total(func(s Sample) float64 { return s.Delay })
	}
	if known(func(s Sample) bool { return !positive(s.Middle) }) {
		totals = append(totals, total(func(s Sample) float64 { return s.Middle }))
	}
	if known(func(s Sample) bool { return len(s.Cores) == 0 || len(s.Cores) != len(all[0].Cores) }) {
		totals = append(totals, ofLongestCore)
	}
	for _, t := range totals {
		if n := t(under) * energy(under); !positive(n) {
			return p, fmt.Errorf("%w: its runs measured %g together; that must be finite and above 0", ErrBaseline, n)
		}
		p.Readings = append(p.Readings, jackknife(over, under, func(over, under []Sample) float64 {
			return energy(over) / energy(under) * math.Pow(t(over)/t(under), power)
		}))
	}
	p.Ratios, p.Readings = p.Readings[0], p.Readings[1:]
	return p, nil
}

// total returns the function that adds something up over samples.
func total(of func(s Sample) float64) func(list []Sample) float64 {
	return func(list []Sample) (sum float64) {
		for _, s := range list {
			sum += of(s)
		}
		return sum
	}
}

// ofLongestCore is the largest sum of the times of a core.
func ofLongestCore(list []Sample) (longest float64) {
	for c := range list[0].Cores {
		longest = max(longest, total(func(s Sample) float64 { return s.Cores[c] })(list))
	}
	return longest
}

// jackknife lists what an estimate is by each of the pairs, around what it is by all.
func jackknife(over, under []Sample, estimate func(over, under []Sample) float64) (list []float64) {
	n, all := len(over), estimate(over, under)
	for i := range over {
		list = append(list, all)
		if n > 1 {
			without := func(samples []Sample) []Sample { return slices.Delete(slices.Clone(samples), i, i+1) }
			list[i] -= float64(n-1) * estimate(without(over), without(under))
		}
	}
	shift := all - mean(list)
	for i := range list {
		list[i] += shift
	}
	return list
}

// bySeed is a sorted copy.
func bySeed(samples []Sample, side string) ([]Sample, error) {
	sorted := slices.Clone(samples)
	slices.SortFunc(sorted, func(a, b Sample) int { return cmp.Compare(a.Seed, b.Seed) })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Seed == sorted[i-1].Seed {
			return nil, fmt.Errorf("seed %d comes twice among the %s; each run needs a seed of its own", sorted[i].Seed, side)
		}
	}
	return sorted, nil
}
