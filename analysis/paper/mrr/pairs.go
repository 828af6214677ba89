package mrr

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// byShare and bySize choose the pairs of cells of a trend: those that differ in the share of
// multicasts alone, the smallest and the largest, and those that differ in the number of
// destinations alone.
func byShare(first, last string) func(a, b *chart.Cell) bool {
	return func(a, b *chart.Cell) bool {
		return first != last && a.Panel == b.Panel && a.Group == b.Group && a.Label == first && b.Label == last
	}
}

func bySize(a, b *chart.Cell) bool {
	return a.Group == b.Group && a.Label == b.Label && multicasts(a) && broadcasts(b)
}

// trend judges that the ratio of two series falls, or rises with side Above, from the smallest to
// the largest share of multicasts and from few destinations to broadcasts.
func trend(d *chart.Data, c *chart.Chart, series, baseline string, side int) claim.Finding {
	cells, _ := d.Cells(c)
	if len(cells) == 0 {
		return claim.Nothing("nothing was measured")
	}
	share := byShare(cells[0].Label, cells[len(cells)-1].Label)
	return pairsOf(d, c, series, baseline, side, func(a, b *chart.Cell) bool { return share(a, b) || bySize(a, b) })
}

// pairsOf judges that the ratio of two series is lower, or higher with side Above, in the second
// cell of every pair. The measured value is the share of pairs in which it is.
func pairsOf(d *chart.Data, c *chart.Chart, series, baseline string, side int, pair func(a, b *chart.Cell) bool) claim.Finding {
	n, exceptions := inPairs(d, c, series, baseline, side, pair)
	measured := n.Hold + n.Contradict + n.Undecided
	if measured == 0 {
		return claim.Nothing("nothing was measured")
	}
	way := "rises"
	if side == claim.Below {
		way = "falls"
	}
	return claim.Finding{Verdict: n.Verdict(), Measured: tables.Some(float64(n.Hold) / float64(measured)),
		Detail: fmt.Sprintf("%s/%s %s in %d of %d pairs of cells", series, baseline, way, n.Hold, measured) + rest(n, exceptions)}
}

// inPairs counts in how many pairs of cells the ratio of two series is lower, or higher with side
// Above, in the second cell, and names the others.
func inPairs(d *chart.Data, c *chart.Chart, series, baseline string, side int, pair func(a, b *chart.Cell) bool) (n claim.Sides, exceptions []string) {
	cells, _ := d.Cells(c)
	for i := range cells {
		for k := range cells {
			a, b := &cells[i], &cells[k]
			if !pair(a, b) {
				continue
			}
			e := across(b, a, series, baseline).Estimate
			m := sideOf(&e, side)
			if n = n.Add(m); m.Contradict+m.Undecided > 0 {
				exceptions = append(exceptions, fmt.Sprintf("%s over %s: %s", b.Where(), a.Where(), e.Text()))
			}
		}
	}
	return n, exceptions
}

// across divides the ratio of two series in one cell by that in another: seed by seed where both
// have the same seeds, and otherwise by their intervals.
func across(over, under *chart.Cell, series, baseline string) claim.Comparison {
	own, other := bySeed(over, series, baseline), bySeed(under, series, baseline)
	if pairs := metrics.PairedRatios(own, other); pairs.Whole && len(pairs.Values) > 0 {
		return claim.Comparison{Cell: over, Ratios: pairs.Values, Estimate: metrics.MeanRatio(own, other)}
	}
	_, a := over.Ratios(series, baseline)
	_, b := under.Ratios(series, baseline)
	return claim.Comparison{Cell: over, Estimate: claim.Quotient(&a, &b)}
}

// bySeed are the ratios of two series of a cell; none where they are those of sums over windows.
func bySeed(in *chart.Cell, series, baseline string) (list []metrics.Sample) {
	if in.Totals {
		return nil
	}
	pairs := metrics.PairedRatios(in.Samples[series], in.Samples[baseline])
	for i, pair := range pairs.Pairs {
		list = append(list, metrics.Sample{Pair: pair, Value: pairs.Values[i]})
	}
	return list
}

// sideOf counts a ratio that must be on a side of 1, where a tie is on neither.
func sideOf(e *chart.Estimate, side int) claim.Sides {
	switch {
	case !e.OK:
		return claim.Sides{Missing: 1}
	case tied(*e):
		return claim.Sides{Contradict: 1}
	}
	return claim.One(e, side, 1)
}

// rest says how many comparisons do not hold, and which.
func rest(n claim.Sides, exceptions []string) (text string) {
	if n.Contradict+n.Undecided > 0 {
		text = fmt.Sprintf(", the contrary or a tie in %d, undecided in %d (%s)", n.Contradict, n.Undecided, claim.ShortList(exceptions))
	}
	if n.Missing > 0 {
		text += fmt.Sprintf(", %d not measured", n.Missing)
	}
	return text
}
