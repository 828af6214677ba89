package mrr

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// kneeLoad is the load at which the latency of a series is three times that at its lightest load,
// between two measured loads by a straight line, for each seed. A series that never gets there has
// none.
func kneeLoad(d *chart.Data, latency *chart.Chart, panel, series string) (loads []float64) {
	for _, c := range curvesOf(d, latency, panel, series) {
		most := kneeOf * c[0].value
		at := slices.IndexFunc(c, func(p point) bool { return p.value > most })
		if at < 1 {
			return nil
		}
		a, b := c[at-1], c[at]
		loads = append(loads, a.load+(b.load-a.load)*(most-a.value)/(b.value-a.value))
	}
	return loads
}

// point is a value at a load.
type point struct{ load, value float64 }

// curvesOf are the values of a series over its load, by seed.
func curvesOf(d *chart.Data, c *chart.Chart, panel, series string) (curves [][]point) {
	cells, err := d.Cells(c)
	if err != nil {
		return nil
	}
	of := map[uint64]int{}
	for i := range cells {
		if cells[i].Panel != panel {
			continue
		}
		for _, s := range cells[i].Samples[series] {
			k, known := of[s.Seed]
			if !known {
				k, of[s.Seed] = len(curves), len(curves)
				curves = append(curves, nil)
			}
			curves[k] = append(curves[k], point{cells[i].X, s.Value})
		}
	}
	for _, one := range curves {
		slices.SortFunc(one, func(a, b point) int { return cmp.Compare(a.load, b.load) })
	}
	return curves
}

// kept is the share of a router's best throughput that is left where it is least, beyond the load
// of the best, by seed.
func kept(d *chart.Data, c *chart.Chart, panel, series string) (share, best []float64) {
	for _, one := range curvesOf(d, c, panel, series) {
		most, least := 0.0, 0.0
		for _, p := range one {
			if p.value > most {
				most, least = p.value, p.value
			}
			least = min(least, p.value)
		}
		share, best = append(share, least/most), append(best, most)
	}
	return share, best
}

// ratioOf divides values seed by seed.
func ratioOf(a, b []float64) chart.Estimate {
	var ratios []float64
	for i := range min(len(a), len(b)) {
		ratios = append(ratios, a[i]/b[i])
	}
	return metrics.MeanOf(ratios)
}

const (
	// tie is the largest difference that is none.
	tie = 0.005
	// consumable is the delivered load, in phits per node and cycle, from which on it ends at what
	// nodes can consume, which is one.
	consumable = 0.99
)

// tieRule is how claims about an order take a small difference, for their criteria.
const tieRule = "a difference below 0.5 % is a tie and does not confirm"

// throughputRule is how claims about the larger throughput are judged, for their criteria.
const throughputRule = "largest delivered load, or, where both end at what nodes consume (0.99 phits per node and cycle or more), " +
	"load at the knee (latency three times that at the smallest load); " + tieRule

// carriesMore judges whether one router carries more than another: by the largest delivered loads,
// and where these end at what nodes consume, by the loads at the knee.
func carriesMore(d *chart.Data, what string, delivered, latency *chart.Chart, series, baseline string) claim.Finding {
	_, a := kept(d, delivered, "", series)
	_, b := kept(d, delivered, "", baseline)
	most, knee := ratioOf(a, b), ratioOf(kneeLoad(d, latency, "", series), kneeLoad(d, latency, "", baseline))
	decides, beside, names := most, knee, [2]string{"largest delivered load", "load at the knee"}
	if one, other := metrics.MeanOf(a), metrics.MeanOf(b); one.Mean >= consumable && other.Mean >= consumable {
		decides, beside, names = knee, most, [2]string{names[1], names[0]}
	}
	f := part(what+": "+names[0], decides, claim.Above, 1)
	if tied(decides) {
		f.Verdict = tables.NotConfirmed
		f.Detail += ", a tie"
	}
	if beside.OK {
		f.Detail += fmt.Sprintf(", %s %s", names[1], beside.Text())
	}
	return f
}

// tied reports whether a ratio is 1 within the largest difference that is none.
func tied(e chart.Estimate) bool {
	return e.OK && math.Min(e.Low, e.Mean) > 1-tie && math.Max(e.High, e.Mean) < 1+tie
}
