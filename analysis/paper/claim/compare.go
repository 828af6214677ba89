package claim

import (
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/chart"
)

// comparison is how one series relates to another in a cell.
type comparison struct {
	cell   *chart.Cell
	ratios []metrics.Sample // by seed
	metrics.Estimate
}

// compare divides one series by another in the cells of a part. A cell without one of them has an
// estimate that is not OK.
func (p *Part) compare(d *chart.Data, series, baseline string) (list []comparison) {
	cells := p.source.cells(d)
	keep := p.Where.keep(cells, p.series())
	for i := range cells {
		if in := &cells[i]; keep(in) {
			ratios, e := in.Ratios(series, baseline)
			list = append(list, comparison{in, ratios, e})
		}
	}
	return list
}

// measured leaves out the cells that were not measured.
func measured(list []comparison) []comparison {
	return slices.DeleteFunc(slices.Clone(list), func(c comparison) bool { return !c.OK })
}

// meanOf is the mean of the ratios of all comparisons, arithmetic, as in the papers' text, or else
// geometric: for each seed over the comparisons, and then over seeds. Where one is over windows it is that
// of their estimates: windows of a recording are not those of another with the same number.
func meanOf(kind string, list []comparison) metrics.Estimate {
	mean, meanOfEach := metrics.GeometricMeanOf, metrics.GeometricMeanOfEach
	if kind == "arithmetic" {
		mean, meanOfEach = metrics.MeanOf, metrics.MeanOfEach
	}
	if !slices.ContainsFunc(list, func(c comparison) bool { return c.cell.Totals }) {
		return mean(bySeed(list, mean))
	}
	var each []metrics.Estimate
	for i := range list {
		each = append(each, list[i].Estimate)
	}
	return meanOfEach(each)
}

// bySeed are the means over comparisons, for each seed that all of them have.
func bySeed(list []comparison, mean func([]float64) metrics.Estimate) (seeds []float64) {
	for k := 0; len(list) > 0; k++ {
		var values []float64
		for i := range list {
			if k >= len(list[i].ratios) {
				return seeds
			}
			values = append(values, list[i].ratios[k].Value)
		}
		if e := mean(values); e.OK {
			seeds = append(seeds, e.Mean)
		}
	}
	return seeds
}

// across divides what a part says of one cell by what it says of another: the ratio of two series,
// or the value of one. It does so seed by seed where both cells have the same seeds, and otherwise
// by their intervals.
func across(over, under *chart.Cell, series, baseline string) metrics.Estimate {
	own, other := samples(over, series, baseline), samples(under, series, baseline)
	if pairs := metrics.PairedRatios(own, other); len(pairs) > 0 && len(pairs) == len(own) && len(pairs) == len(other) {
		return metrics.MeanRatio(own, other)
	}
	if baseline == "" {
		return metrics.Quotient(metrics.MeanValue(own), metrics.MeanValue(other))
	}
	_, a := over.Ratios(series, baseline)
	_, b := under.Ratios(series, baseline)
	return metrics.Quotient(a, b)
}

// samples are the values of a cell by seed; none where ratios are those of sums over windows.
func samples(in *chart.Cell, series, baseline string) []metrics.Sample {
	if baseline == "" {
		return in.Samples[series]
	}
	ratios, _ := in.Ratios(series, baseline)
	return ratios
}
