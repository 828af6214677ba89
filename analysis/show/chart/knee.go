package chart

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// curve is what records at several loads have in common: their place in a chart, and what they are
// compared with.
type curve struct {
	panel, group, label, series string
	metrics.Pair
}

// atKnee keeps one record of each curve: that with the largest load below the knee. A load at which
// nothing arrives is beyond it.
func (c *Chart) atKnee(list []tables.Record) (kept []tables.Record) {
	var order []curve
	curves := map[curve][]tables.Record{}
	for i := range list {
		r := &list[i]
		if !c.keeps(r) {
			continue
		}
		k := curve{c.name(r, inPanel, c.Panel), c.name(r, inGroup, c.Group), c.name(r, inLabel, c.Label), c.name(r, inSeries, c.Series), metrics.Pair{Seed: r.Seed, Batch: r.Batch, Window: r.Window}}
		if curves[k] == nil {
			order = append(order, k)
		}
		curves[k] = append(curves[k], *r)
	}
	for _, k := range order {
		loads := curves[k]
		slices.SortStableFunc(loads, func(a, b tables.Record) int { return cmp.Compare(a.Numbers["offered"], b.Numbers["offered"]) })
		light, known := loads[0].Numbers["latency_mean"]
		if !known {
			continue
		}
		below := 0
		for below+1 < len(loads) {
			latency, known := loads[below+1].Numbers["latency_mean"]
			if !known || latency > c.Knee*light {
				break
			}
			below++
		}
		kept = append(kept, loads[below])
	}
	return kept
}
