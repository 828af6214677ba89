package mrr

import (
	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)
import "fmt"

// synthetic is what the figures over patterns and shares of multicasts have in common (table 3 of the paper).
func synthetic(c chart.Chart) chart.Chart {
	c.Series, c.Baseline = "router", "base"
	c.Panel, c.Group, c.Label = "multicast_destinations", "pattern", "multicast_fraction"
	c.Names = map[string]string{
		"multicast_destinations=8": "multicasts to 8 nodes", "multicast_destinations=63": "broadcasts",
		"multicast_fraction=0.01": "1 %", "multicast_fraction=0.05": "5 %", "multicast_fraction=0.1": "10 %", "multicast_fraction=0.15": "15 %",
	}
	return c
}

// broadcasts and multicasts choose the panels of those figures.
func broadcasts(in *chart.Cell) bool { return in.Panel == "broadcasts" }
func multicasts(in *chart.Cell) bool { return in.Panel == "multicasts to 8 nodes" }

// Fig7 returns the entry of figure 7: latency at a load of 0.01 phits per node and cycle, 8x8
// torus.
func Fig7() claim.Entry {
	latency := synthetic(chart.Chart{Name: "mrr.fig7", Title: "Latency at a load of 0.01 phits per node and cycle, 8x8 torus",
		Measure: "latency_mean", Quantity: "latency"})
	return claim.Entry{
		ID: "mrr.fig7", Paper: MRR, Figure: "figure 7", Title: "Low-load latency, normalised to BASE", Plan: "mrr.lowload.yaml",
		Charts: []chart.Chart{latency},
		Claims: []claim.Claim{
			{
				ID: "S2-14", Text: "Multicast support in the routers clearly lowers latency at low load, and the more so the more destinations or multicasts there are.",
				Conditions: "8x8 torus, 5-phit messages, 5 patterns, 1 to 15 % multicasts to 8 nodes or all, load 0.01",
				Printed:    "clearly lower",
				Criterion: "latency of BASE-MC over BASE and of MRR over RR below 1 in every cell, and lower at 15 % than at 1 % and for broadcasts than for 8 destinations; " +
					"measured value: geometric mean of BASE-MC / BASE",
				Judge: func(d *chart.Data) claim.Finding {
					lower := claim.Everywhere(d, &latency, nil, claim.Lower("base-mc", "base"), claim.Lower("mrr", "rr"))
					return claim.Join(lower, trend(d, &latency, "base-mc", "base"), trend(d, &latency, "mrr", "rr"))
				},
			},
			{
				ID: "S2-15", Text: "At low load RR has a lower latency than BASE, and MRR a lower one than BASE-MC.",
				Conditions: "as S2-14", Printed: "lower",
				Criterion: "both ratios below 1 in every cell; measured value: geometric mean of RR / BASE",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Everywhere(d, &latency, nil, claim.Lower("rr", "base"), claim.Lower("mrr", "base-mc"))
				},
			},
		},
	}
}

// trend judges that the ratio of two series falls from the smallest to the largest share of multicasts and
// from few destinations to broadcasts.
func trend(d *chart.Data, c *chart.Chart, series, baseline string) claim.Finding {
	list, _ := claim.Compare(d, c, series, baseline, nil)
	holds, cases := 0, 0
	for i := range list {
		for k := range list {
			a, b := &list[i], &list[k]
			share := a.Cell.Panel == b.Cell.Panel && a.Cell.Group == b.Cell.Group && a.Cell.Label == "1 %" && b.Cell.Label == "15 %"
			size := a.Cell.Group == b.Cell.Group && a.Cell.Label == b.Cell.Label && multicasts(a.Cell) && broadcasts(b.Cell)
			if share || size {
				cases++
				if b.Mean < a.Mean {
					holds++
				}
			}
		}
	}
	if cases == 0 {
		return claim.Nothing("nothing was measured")
	}
	return claim.Fact(holds == cases, float64(holds), fmt.Sprintf("%s/%s falls with share and destinations in %d of %d pairs of cells", series, baseline, holds, cases))
}
