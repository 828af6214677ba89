package chart

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// atKnee keeps one record of each curve, which is what has a place, a series and a pair in common:
// that with the largest load below the knee. A load at which nothing arrives is beyond it.
func (c *Chart) atKnee(list []tables.Record) (kept []tables.Record) {
	type curve struct {
		Place
		series string
		metrics.Pair
	}
	list = slices.DeleteFunc(slices.Clone(list), func(r tables.Record) bool { return !c.keeps(&r) })
	for _, g := range GroupBy(list, func(r *tables.Record) curve {
		return curve{c.place(r), c.series(r), metrics.Pair{Seed: r.Seed, Batch: r.Batch, Window: r.Window}}
	}) {
		loads := g.Records
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
