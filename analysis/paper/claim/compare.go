package claim

import (
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
)

// comparison is how one series relates to another in a cell.
type comparison struct {
	cell *chart.Cell
	result.Matched
}

// compare divides one series by another in the cells of a part. A cell without one of them has an
// estimate that is not OK.
func (p *Part) compare(d *chart.Data, series, baseline string) (list []comparison) {
	cells := p.source.cells(d)
	keep := p.Where.keep(cells, p.series())
	for i := range cells {
		if in := &cells[i]; keep(in) {
			list = append(list, comparison{in, in.Ratio(series, baseline)})
		}
	}
	return list
}

// measured leaves out the cells that were not measured.
func measured(list []comparison) []comparison {
	return slices.DeleteFunc(slices.Clone(list), func(c comparison) bool { return !c.OK })
}

// meanOf is the mean of the ratios of all comparisons, arithmetic, as in the papers' text, or else
// geometric.
func meanOf(kind string, list []comparison) metrics.Estimate {
	mean, ratios := result.GeometricMean, make([]result.Matched, len(list))
	if kind == "arithmetic" {
		mean = result.PlainMean
	}
	for i := range list {
		ratios[i] = list[i].Matched
	}
	return mean.OfMatched(ratios)
}
