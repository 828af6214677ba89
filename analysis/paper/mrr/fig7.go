package mrr

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// synthetic is what the figures over patterns and shares of multicasts have in common (table 3 of
// the paper).
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

// latencyOf makes the chart of figure 7 under a setting.
func latencyOf(s *setting) chart.Chart {
	return s.apply(synthetic(chart.Chart{Name: s.entry, Title: "Latency at a load of 0.01 phits per node and cycle, 8x8 torus",
		Measure: "latency_mean", Quantity: "latency"}))
}

// Fig7 returns the entry of figure 7: latency at a load of 0.01 phits per node and cycle, 8x8
// torus.
func Fig7() claim.Entry {
	s := setting{entry: "mrr.fig7", rules: usual}
	latency := latencyOf(&s)
	return claim.Entry{
		ID: s.entry, Paper: MRR, Figure: "figure 7", Title: "Low-load latency, normalised to BASE", Plan: "mrr.lowload.yaml",
		Charts: []chart.Chart{latency}, Claims: lowLoadClaims(&s, &latency),
	}
}

// lowLoad are the conditions of those claims.
const lowLoad = "8x8 torus, 5-phit messages, 5 patterns, 1 to 15 % multicasts to 8 nodes or all, load 0.01"

// lowLoadClaims are the claims of figure 7.
func lowLoadClaims(s *setting, latency *chart.Chart) []claim.Claim {
	return underRules(s.rules, []claim.Claim{
		{
			ID: "S2-14" + s.id, Text: "Multicast support in the routers clearly lowers latency at low load, and the more so the more destinations or multicasts there are.",
			Conditions: lowLoad, Printed: "clearly lower",
			Criterion: "latency of BASE-MC over BASE and of MRR over RR below 1 in every cell, and lower at 15 % than at 1 % and for broadcasts than for 8 destinations, where " + tieRule +
				"; measured value: geometric mean of BASE-MC / BASE",
			Judge: func(d *chart.Data) claim.Finding {
				lower := claim.Everywhere(d, latency, nil, claim.Lower("base-mc", "base"), claim.Lower("mrr", "rr"))
				return claim.Join(lower, trend(d, latency, "base-mc", "base", claim.Below), trend(d, latency, "mrr", "rr", claim.Below))
			},
		},
		{
			ID: "S2-15" + s.id, Text: "At low load RR has a lower latency than BASE, and MRR a lower one than BASE-MC.",
			Conditions: lowLoad, Printed: "lower",
			Criterion: "both ratios below 1 in every cell; measured value: geometric mean of RR / BASE",
			Judge: func(d *chart.Data) claim.Finding {
				return claim.Everywhere(d, latency, nil, claim.Lower("rr", "base"), claim.Lower("mrr", "base-mc"))
			},
		},
		{
			ID: "S2-28" + s.id, Text: "The gap between RR and BASE at low load grows with the number of destinations.",
			Conditions: lowLoad, Printed: "higher differences",
			Criterion: "RR / BASE lower for broadcasts than for 8 destinations, in every pattern and at every share, where " + tieRule + "; measured value: share of such pairs of cells",
			Judge: func(d *chart.Data) claim.Finding {
				return pairsOf(d, latency, "rr", "base", claim.Below, bySize)
			},
		},
	})
}

// agree judges that the rule sets of the rotary routers are one below saturation.
func agree(d *chart.Data, charts []chart.Chart) claim.Finding {
	const least = 0.01
	cells, worst, where := 0, 0.0, ""
	first, _ := d.Cells(&charts[0])
	for k := range charts[1:] {
		other, _ := d.Cells(&charts[1+k])
		for i := range min(len(first), len(other)) {
			for _, router := range []string{"rr", "mrr"} {
				a, b := metrics.MeanOf(charts[0].Values(&first[i], router)), metrics.MeanOf(charts[1+k].Values(&other[i], router))
				if !a.OK || !b.OK {
					continue
				}
				cells++
				if differ := math.Abs(b.Mean/a.Mean - 1); differ >= worst {
					worst, where = differ, strings.TrimSpace(router+" "+first[i].Where())
				}
			}
		}
	}
	if cells == 0 {
		return claim.Nothing("nothing was measured")
	}
	return claim.Fact(worst < least, worst, fmt.Sprintf("the largest of %d differences is %.2f %%, %s", cells, 100*worst, where))
}
