package result

import (
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
)

// Cell is the runs that are compared with each other, such as those of a workload: what each series
// measured, by its name.
type Cell struct {
	Samples   map[string][]metrics.Sample
	Saturated map[string]int // runs of a series that were saturated
	Windows   int            // of a trace that the samples are of
	Totals    bool           // ratios are those of totals, see Total
}

// Value is the mean of a series, divided by that of a baseline if it is not "".
func (c *Cell) Value(series, baseline string) metrics.Estimate {
	if baseline != "" {
		return metrics.Ratio(c.Samples[series], c.Samples[baseline], c.Totals)
	}
	return metrics.MeanValue(c.Samples[series])
}

// Ratio is that of two series.
func (c *Cell) Ratio(series, baseline string) Matched {
	over, under := c.Samples[series], c.Samples[baseline]
	m := Matched{Estimate: metrics.Ratio(over, under, c.Totals), totals: c.Totals}
	if !c.Totals {
		m.each = metrics.PairedRatios(over, under)
	}
	return m
}

// Matched is a ratio of runs that are matched by seed, batch and window.
type Matched struct {
	metrics.Estimate
	totals bool             // it is one of totals over windows and seeds
	each   []metrics.Sample // else: the ratio of each pair
}

// DividedBy divides each ratio by that of the same pair, which both sides have.
func (m Matched) DividedBy(other Matched) Matched {
	if !m.OK || !other.OK || len(other.each) != len(m.each) {
		m.OK = false
		return m
	}
	var values []float64
	m.each = slices.Clone(m.each)
	for k := range m.each {
		m.each[k].Value /= other.each[k].Value
		values = append(values, m.each[k].Value)
	}
	m.Estimate = metrics.MeanOf(values)
	return m
}

// Mean is a kind of mean of values that are not matched, such as those of applications.
type Mean struct {
	// Of is the mean of values that were measured independently of each other.
	Of func(values []float64) metrics.Estimate
	// OfEach is the mean of estimates of such values; what one of them lacks has no mean.
	OfEach func(list []metrics.Estimate) metrics.Estimate
}

// The means. Papers have plain ones; that of ratios is the geometric one.
var (
	PlainMean     = &Mean{metrics.MeanOf, metrics.MeanOfEach}
	GeometricMean = &Mean{metrics.GeometricMeanOf, metrics.GeometricMeanOfEach}
)

// Quotient is that of values that were measured independently of each other.
func Quotient(a, b metrics.Estimate) metrics.Estimate { return metrics.Quotient(a, b) }

// OfMatched is the mean of ratios: for each seed over all of them, and then over seeds. Where one is over
// windows it is that of their estimates: windows of a recording are not those of another with the same
// number.
func (m *Mean) OfMatched(list []Matched) metrics.Estimate {
	var each []metrics.Estimate
	totals := false
	for i := range list {
		each, totals = append(each, list[i].Estimate), totals || list[i].totals
	}
	if totals {
		return m.OfEach(each)
	}
	return m.Of(m.bySeed(list))
}

// bySeed are the means over ratios, for each seed that all of them have.
func (m *Mean) bySeed(list []Matched) (seeds []float64) {
	for k := 0; len(list) > 0; k++ {
		var values []float64
		for i := range list {
			if k >= len(list[i].each) {
				return seeds
			}
			values = append(values, list[i].each[k].Value)
		}
		if e := m.Of(values); e.OK {
			seeds = append(seeds, e.Mean)
		}
	}
	return seeds
}

// Over divides the ratio of two series in one cell by that in another, or the value of a series where
// baseline is "". It does so seed by seed where both cells have the same seeds, and otherwise by their
// intervals.
func (c *Cell) Over(under *Cell, series, baseline string) metrics.Estimate {
	own, other := c.Samples[series], under.Samples[series]
	if baseline != "" {
		own, other = c.Ratio(series, baseline).each, under.Ratio(series, baseline).each
	}
	if pairs := metrics.PairedRatios(own, other); len(pairs) > 0 && len(pairs) == len(own) && len(pairs) == len(other) {
		return metrics.MeanRatio(own, other)
	}
	if baseline == "" {
		return metrics.Quotient(metrics.MeanValue(own), metrics.MeanValue(other))
	}
	return metrics.Quotient(c.Ratio(series, baseline).Estimate, under.Ratio(series, baseline).Estimate)
}
