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
}

// Pairs holds ratios of runs to the baseline run of the same seed.
type Pairs struct {
	Seeds  []uint64  // ascending
	Ratios []float64 // of the run to its baseline, by seed
	// Unpaired counts runs of either side whose seed the other side does not have. They are left
	// out.
	Unpaired int
	// Apart is by how much the two ratios of windows, see TotalRatios, are on either side of the
	// mean.
	Apart float64
}

// PairedRatios divides each run by the baseline's run of the same seed. Runs of one seed suffer the
// same disturbances, so much of the spread between seeds cancels in their ratio. Summarise the
// ratios with Confidence95 (the plain mean of ratios, as in the papers) or GeometricConfidence95;
// neither is the ratio of the two means, which would weigh long runs more. An error tells of a seed
// that comes twice on one side, of a baseline that is not finite and above 0, or that the sides
// have no seed in common.
func PairedRatios(runs, baseline []Sample) (Pairs, error) {
	numerators, err := bySeed(runs, "runs")
	if err != nil {
		return Pairs{}, err
	}
	denominators, err := bySeed(baseline, "baseline")
	if err != nil {
		return Pairs{}, err
	}
	var p Pairs
	for len(numerators) > 0 && len(denominators) > 0 {
		n, d := numerators[0], denominators[0]
		switch {
		case n.Seed < d.Seed:
			numerators = numerators[1:]
			p.Unpaired++
		case n.Seed > d.Seed:
			denominators = denominators[1:]
			p.Unpaired++
		default:
			if !positive(d.Value) {
				return Pairs{}, fmt.Errorf("%w: the run of seed %d measured %g; it must be finite and above 0",
					ErrBaseline, d.Seed, d.Value)
			}
			p.Seeds = append(p.Seeds, n.Seed)
			p.Ratios = append(p.Ratios, n.Value/d.Value)
			numerators, denominators = numerators[1:], denominators[1:]
		}
	}
	p.Unpaired += len(numerators) + len(denominators)
	if len(p.Ratios) == 0 {
		return Pairs{}, fmt.Errorf("%w: %d runs and %d baseline runs have no seed in common; run both with the same seeds",
			ErrBaseline, len(runs), len(baseline))
	}
	return p, nil
}

// PairedTotals is the ratio of the sums of runs to those of the baseline's runs of the same seeds,
// with an interval: what windows say of the execution that they are drawn from, where long ones
// weigh more. The interval is that of 95 % confidence over windows, and wider by how far the two
// ratios of TotalRatios are from their mean. The error is that of PairedRatios; of a single pair
// there is no confidence.
func PairedTotals(runs, baseline []Sample) (Interval, error) {
	p, err := TotalRatios(runs, baseline)
	if err != nil {
		return Interval{}, err
	}
	return p.Interval(), nil
}

// Interval is that of the mean of the ratios, wider by what they are apart.
func (p *Pairs) Interval() Interval {
	i, ok := Confidence95(p.Ratios)
	if !ok {
		m := mean(p.Ratios)
		i = Interval{Mean: m, Low: m, High: m, N: len(p.Ratios)}
	}
	i.Low, i.High = i.Low-p.Apart, i.High+p.Apart
	return i
}

// TotalRatios is PairedRatios with values whose mean is the ratio of the sums, and whose interval
// is that of the ratio estimator: each differs from the ratio by what its run differs from the
// ratio times its baseline, over the mean baseline (Cochran, Sampling Techniques, section 6.3).
//
// Where all runs know their middle, there are two ratios, and the values are the means of both. In
// the time until the last core of a window ends, all cores wait for it as if at a barrier; the
// middle has no such wait. The execution has those at its barriers only, so its ratio lies between
// the two, as far as the ends of windows decide.
//
// The ratio of energy-delay-squared products is that of the energies times the square of that of
// the times, each of the sums, as the product of an execution is not the sum of those of its parts.
func TotalRatios(runs, baseline []Sample) (Pairs, error) {
	all := slices.Concat(runs, baseline)
	if len(all) > 0 && !slices.ContainsFunc(all, func(s Sample) bool { return !positive(s.Delay) }) {
		return productRatios(runs, baseline)
	}
	whole, err := sumRatios(runs, baseline)
	if err != nil || slices.ContainsFunc(all, func(s Sample) bool { return !positive(s.Middle) }) {
		return whole, err
	}
	middle, err := sumRatios(middles(runs), middles(baseline))
	if err != nil {
		return middle, err
	}
	whole.Apart = math.Abs(mean(whole.Ratios)-mean(middle.Ratios)) / 2
	for i := range whole.Ratios {
		whole.Ratios[i] = (whole.Ratios[i] + middle.Ratios[i]) / 2
	}
	return whole, nil
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
	e, t := mean(energy.Ratios), mean(product.Ratios)
	product.Apart *= 2 * e * t
	for i, ratio := range product.Ratios {
		product.Ratios[i] = t*t*energy.Ratios[i] + 2*e*t*(ratio-t)
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
		list = append(list, Sample{Seed: s.Seed, Value: s.Delay, Middle: s.Middle})
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

// sumRatios is TotalRatios of the values alone.
func sumRatios(runs, baseline []Sample) (Pairs, error) {
	p, err := PairedRatios(runs, baseline)
	if err != nil {
		return p, err
	}
	under := map[uint64]float64{}
	for _, s := range baseline {
		under[s.Seed] = s.Value
	}
	over, sum := 0.0, 0.0
	for i, seed := range p.Seeds {
		over += p.Ratios[i] * under[seed]
		sum += under[seed]
	}
	ratio, n := over/sum, float64(len(p.Seeds))
	for i, seed := range p.Seeds {
		p.Ratios[i] = ratio + (p.Ratios[i]-ratio)*under[seed]*n/sum
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
