package metrics

import (
	"cmp"
	"fmt"
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
	for i, v := range under {
		if !positive(v) {
			return Pairs{}, fmt.Errorf("%w: the run of seed %d measured %g; it must be finite and above 0", ErrBaseline, p.Seeds[i], v)
		}
		p.Ratios = append(p.Ratios, over[i]/v)
	}
	return p, nil
}

// paired lists the values of the seeds that both sides have, without ratios.
func paired(runs, baseline []Sample) (p Pairs, over, under []float64, err error) {
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
			p.Seeds, over, under = append(p.Seeds, a[0].Seed), append(over, a[0].Value), append(under, b[0].Value)
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
// is that of the ratio estimator: each differs from the ratio by what its run differs from the
// ratio times its baseline, over the mean baseline (Cochran, Sampling Techniques, section 6.3). A
// baseline may be 0, but not all of them.
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
	all := slices.Concat(runs, baseline)
	known := func(lacks func(s Sample) bool) bool { return len(all) > 0 && !slices.ContainsFunc(all, lacks) }
	if known(func(s Sample) bool { return !positive(s.Delay) }) {
		return productRatios(runs, baseline)
	}
	p, err := sumRatios(runs, baseline)
	if err != nil {
		return p, err
	}
	var readings []func(samples []Sample) []Sample
	if known(func(s Sample) bool { return !positive(s.Middle) }) {
		readings = append(readings, middles)
	}
	if known(func(s Sample) bool { return len(s.Cores) == 0 || len(s.Cores) != len(all[0].Cores) }) {
		readings = append(readings, ofLongestCore)
	}
	for _, read := range readings {
		other, err := sumRatios(read(runs), read(baseline))
		if err != nil {
			return p, err
		}
		p.Readings = append(p.Readings, other.Ratios)
	}
	return p, nil
}

// productRatios is TotalRatios of energy-delay-squared products. An error of a factor is to first
// order one of the product, and twice one of the squared factor.
func productRatios(runs, baseline []Sample) (Pairs, error) {
	energy, err := sumRatios(energies(runs), energies(baseline))
	if err != nil {
		return energy, err
	}
	product, err := TotalRatios(delays(runs), delays(baseline))
	if err != nil {
		return product, err
	}
	e := mean(energy.Ratios)
	for _, times := range append(product.Readings, product.Ratios) {
		t := mean(times)
		for i, ratio := range times {
			times[i] = t*t*energy.Ratios[i] + 2*e*t*(ratio-t)
		}
	}
	return product, nil
}

// energies has the energy of each sample as its value, and delays the time.
func energies(samples []Sample) (list []Sample) {
	for _, s := range samples {
		list = append(list, Sample{Seed: s.Seed, Value: s.Value / (s.Delay * s.Delay)})
	}
	return list
}

func delays(samples []Sample) (list []Sample) {
	for _, s := range samples {
		list = append(list, Sample{Seed: s.Seed, Value: s.Delay, Middle: s.Middle, Cores: s.Cores})
	}
	return list
}

// middles has the middle of each sample as its value.
func middles(samples []Sample) []Sample {
	list := slices.Clone(samples)
	for i := range list {
		list[i].Value = list[i].Middle
	}
	return list
}

// ofLongestCore has as values the times of the core with the largest sum of them.
func ofLongestCore(samples []Sample) []Sample {
	sums := make([]float64, len(samples[0].Cores))
	for _, s := range samples {
		for c, time := range s.Cores {
			sums[c] += time
		}
	}
	longest, list := slices.Index(sums, slices.Max(sums)), slices.Clone(samples)
	for i := range list {
		list[i].Value = list[i].Cores[longest]
	}
	return list
}

// sumRatios is TotalRatios of the values alone.
func sumRatios(runs, baseline []Sample) (Pairs, error) {
	p, over, under, err := paired(runs, baseline)
	if err != nil {
		return p, err
	}
	total := mean(under)
	if !positive(total) {
		return p, fmt.Errorf("%w: its runs measured %g on average; that must be finite and above 0", ErrBaseline, total)
	}
	ratio := mean(over) / total
	for i, v := range over {
		p.Ratios = append(p.Ratios, ratio+(v-ratio*under[i])/total)
	}
	return p, nil
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
