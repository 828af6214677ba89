package claim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// consumable is the delivered load, in phits per node and cycle, from which on it ends at what
// nodes can consume, which is one.
const consumable = 0.99

// kneeOf is the multiple of the latency at the smallest load that makes a knee.
const kneeOf = 3

// curve is a series of a panel, in the cells that a part keeps.
func (p *Part) curve(d *chart.Data, panel, series string, keep func(*chart.Cell) bool) result.Curve {
	return chart.Curve(p.source.cells(d), panel, series, p.source.estimate, keep)
}

// panels lists those of the cells that a part keeps.
func (p *Part) panels(d *chart.Data) (list []string, keep func(*chart.Cell) bool) {
	cells := p.source.cells(d)
	keep = p.Where.keep(cells, p.series())
	for i := range cells {
		if name := cells[i].Panel; keep(&cells[i]) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, keep
}

// eachPanel judges a number of each panel's curve.
func (p *Part) eachPanel(d *chart.Data, what string, number func(result.Curve) (e metrics.Estimate, where string)) Finding {
	y := tally{part: p, what: what + " of " + p.names()}
	panels, keep := p.panels(d)
	for _, panel := range panels {
		for _, series := range p.Of {
			e, where := number(p.curve(d, panel, series, keep))
			y.add(e, strings.TrimPrefix(panel+where, ", "))
		}
	}
	return y.finding(metrics.Estimate{})
}

// spread judges the largest mean of a curve over its smallest.
func (p *Part) spread(d *chart.Data) Finding {
	return p.eachPanel(d, "largest over smallest value", func(c result.Curve) (e metrics.Estimate, where string) {
		if len(c) < 2 {
			return e, ""
		}
		by := func(a, b result.At) int { return cmp.Compare(a.Mean, b.Mean) }
		return metrics.Value(slices.MaxFunc(c, by).Mean / slices.MinFunc(c, by).Mean), ""
	})
}

// rise judges the last value of a curve over its first.
func (p *Part) rise(d *chart.Data) Finding {
	return p.eachPanel(d, "last over first value", func(c result.Curve) (e metrics.Estimate, where string) {
		if len(c) < 2 {
			return e, ""
		}
		last := c[len(c)-1]
		return result.Quotient(last.Estimate, c[0].Estimate), fmt.Sprintf(" from %g to %g", c[0].X, last.X)
	})
}

// straight judges how much steeper the upper half of a curve is than the lower one. A curve of less
// than five points cannot be told from a line.
func (p *Part) straight(d *chart.Data) Finding {
	return p.eachPanel(d, "upper over lower slope", func(c result.Curve) (e metrics.Estimate, where string) {
		c = slices.DeleteFunc(c, func(p result.At) bool { return p.Saturated })
		half := (len(c) + 1) / 2
		if len(c) < 5 {
			return e, ""
		}
		lower, upper := c[:half].Slope(), c[half-1:].Slope()
		if lower <= 0 {
			return metrics.Value(0), " which does not rise"
		}
		return metrics.Value(upper / lower), fmt.Sprintf(" around %g", c[half-1].X)
	})
}

// value judges the value of series in cells.
func (p *Part) value(d *chart.Data) Finding {
	y := tally{part: p, what: p.quantity() + " of " + p.names()}
	cells := p.source.cells(d)
	keep := p.Where.keep(cells, p.series())
	for i := range cells {
		for _, series := range p.Of {
			if in := &cells[i]; keep(in) && (len(in.Samples[series]) > 0 || p.Where.Load == "") {
				y.add(p.source.estimate(in, series), in.Where())
			}
		}
	}
	return y.finding(metrics.Estimate{})
}

// printed judges measured values over printed ones. The measured value is their geometric mean.
func (p *Part) printed(d *chart.Data) Finding {
	y := tally{part: p, what: "measured over printed"}
	cells := p.source.cells(d)
	keep := p.Where.keep(cells, p.series())
	var ratios []float64
	for _, series := range slices.Sorted(maps.Keys(p.Printed)) {
		for i, x := range p.At {
			at := slices.IndexFunc(cells, func(in chart.Cell) bool { return in.X == x && keep(&in) && len(in.Samples[series]) > 0 })
			if at < 0 {
				y.n.missing++
				continue
			}
			e, printed := p.source.estimate(&cells[at], series), p.Printed[series][i]
			e = e.Scale(1 / printed)
			ratios = append(ratios, e.Mean)
			y.add(e, fmt.Sprintf("%s at %g, printed %g", series, x, printed))
		}
	}
	mean := result.GeometricMean.Of(ratios)
	if !mean.OK {
		return y.finding(mean)
	}
	return y.finding(metrics.Value(mean.Mean))
}

// completes looks for points that a deadlock has ended: they have no completed load. An idle
// network proves nothing. The measured value is the least load completed at the largest offered.
func (p *Part) completes(d *chart.Data) Finding {
	cells, series := p.source.cells(d), chart.SeriesOf(d, &p.source.chart)
	least, stopped, saturated, points, last := metrics.Estimate{}, 0, 0, 0, 0.0
	for i := range cells {
		last = max(last, cells[i].X)
	}
	for i := range cells {
		for _, s := range series {
			points++
			e := p.source.estimate(&cells[i], s)
			if !e.OK || e.Mean == 0 {
				stopped++
				continue
			}
			saturated += min(cells[i].Saturated[s], 1)
			if cells[i].X == last && (!least.OK || e.Mean < least.Mean) {
				least = e
			}
		}
	}
	if points == 0 {
		return nothing("nothing was measured")
	}
	f := Finding{Verdict: tables.Confirmed, Detail: fmt.Sprintf("%d of %d points stopped, %d were saturated", stopped, points, saturated)}
	switch {
	case stopped > 0:
		f.Verdict, f.Reason = tables.NotConfirmed, f.Detail
	case saturated == 0:
		f.Verdict, f.Reason = tables.Open, f.Detail
	}
	f.setMeasured(least)
	return f
}

// steady judges what is left of the best value of a curve beyond its position, seed by seed.
func (p *Part) steady(d *chart.Data) Finding {
	y := tally{part: p, what: "the least beyond the best over the best"}
	panels, keep := p.panels(d)
	for _, panel := range panels {
		for _, series := range p.Of {
			share, _ := p.best(d, panel, series, keep)
			y.add(result.PlainMean.Of(share), strings.TrimPrefix(panel+", "+series, ", "))
		}
	}
	return y.finding(metrics.Estimate{})
}

// bySeeds are the curves of a series in a panel, for each seed.
func (s *source) bySeeds(d *chart.Data, panel, series string, keep func(*chart.Cell) bool) (curves []result.Curve) {
	of := map[metrics.Pair]int{}
	cells := s.cells(d)
	for i := range cells {
		if cells[i].Panel != panel || keep != nil && !keep(&cells[i]) {
			continue
		}
		for _, sample := range cells[i].Samples[series] {
			k, known := of[sample.Pair]
			if !known {
				k, of[sample.Pair] = len(curves), len(curves)
				curves = append(curves, nil)
			}
			curves[k] = append(curves[k], result.At{X: cells[i].X, Estimate: metrics.Value(sample.Value)})
		}
	}
	for k := range curves {
		curves[k] = result.NewCurve(curves[k])
	}
	return curves
}

// best are the largest values of a series, and the share of them that is left where it is least
// beyond, by seed.
func (p *Part) best(d *chart.Data, panel, series string, keep func(*chart.Cell) bool) (share, best []float64) {
	for _, one := range p.source.bySeeds(d, panel, series, keep) {
		most, left := one.Best()
		share, best = append(share, left), append(best, most)
	}
	return share, best
}

// knees are the loads at which the latency of a series is three times that at its lightest load,
// between two measured loads by a straight line, by seed. A series that never gets there has none.
func (s *source) knees(d *chart.Data, panel, series string) (loads []float64) {
	for _, c := range s.bySeeds(d, panel, series, nil) {
		x, ok := c.Knee(kneeOf)
		if !ok {
			return nil
		}
		loads = append(loads, x)
	}
	return loads
}
