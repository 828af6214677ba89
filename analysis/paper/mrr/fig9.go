package mrr

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// overLoad makes the charts of figure 9 under a setting.
func overLoad(s *setting) throughput {
	curve := func(measure string) chart.Chart {
		return s.apply(chart.Chart{Name: s.entry + "-" + measure, Title: "Throughput over offered load, 10 % broadcasts, 8x8 torus: " + measure + " load",
			Measure: measure, Quantity: measure + " load", Unit: "phits/node/cycle", Series: "router", Panel: "pattern",
			X: "offered", XLabel: "offered load [phits/node/cycle]"})
	}
	return throughput{curve("delivered"), curve("accepted")}
}

// Fig9 returns the entry of figure 9: throughput over offered load, 10 % broadcasts, 8x8 torus.
func Fig9() claim.Entry {
	s := setting{entry: "mrr.fig9", rules: usual}
	l := overLoad(&s)
	const conditions = "8x8 torus, 10 % broadcasts, loads up to 1"
	slightly := func(id, pattern string) claim.Claim {
		return claim.Claim{
			ID: id, Text: "With " + pattern + " unicasts BASE-MC carries a little more than BASE at saturation.", Conditions: conditions, Printed: "slightly better",
			Criterion: "largest delivered load of BASE-MC over that of BASE above 1; measured value: that ratio; accepted load beside it",
			Judge: l.judge(func(d *chart.Data, c *chart.Chart) claim.Finding {
				_, base := kept(d, c, pattern, "base")
				_, tree := kept(d, c, pattern, "base-mc")
				return part(pattern+", largest of base-mc over largest of base", ratioOf(tree, base), claim.Above, 1)
			}),
		}
	}
	return claim.Entry{
		ID: s.entry, Paper: MRR, Figure: "figure 9", Title: "Throughput over the applied load, 10 % broadcasts", Plan: "mrr.loads.yaml",
		Charts: []chart.Chart{l.delivered, l.accepted},
		Claims: []claim.Claim{
			{
				ID: "S2-21", Text: "With bit-reversal unicasts the throughput of BASE-MC falls after saturation.", Conditions: conditions, Printed: "falls",
				Criterion: "least delivered load beyond the load with the largest, over the largest: below 0.98 for BASE-MC with bit-reversal; measured value: that share; accepted load beside it",
				Judge: l.judge(func(d *chart.Data, c *chart.Chart) claim.Finding {
					return stays(d, c, "bit-reversal", "base-mc", claim.Below)
				}),
			},
			slightly("S2-21 uniform", "uniform"), slightly("S2-21 best", "bit-reversal"),
			neverFalls(&s, &l),
		},
	}
}

// neverFalls is the claim of figure 9 about rotary routers.
func neverFalls(s *setting, l *throughput) claim.Claim {
	return claim.Claim{
		ID: "S2-21 rotary" + s.id, Text: "The throughput of RR and MRR never falls after saturation.", Conditions: "8x8 torus, 10 % broadcasts, loads up to 1", Printed: "never", Rules: s.rules,
		Criterion: "least delivered load beyond the load with the largest, over the largest: not below 0.98 for RR and MRR in both patterns; measured value: that of RR with bit-reversal; accepted load beside it",
		Judge: l.judge(func(d *chart.Data, c *chart.Chart) claim.Finding {
			var parts []claim.Finding
			for _, pattern := range []string{"bit-reversal", "uniform"} {
				for _, router := range []string{"rr", "mrr"} {
					parts = append(parts, stays(d, c, pattern, router, claim.Above))
				}
			}
			return claim.Join(parts...)
		}),
	}
}

// steady is the share of the best throughput above which a router is not said to fall: less is the
// noise of the largest of many measurements.
const steady = 0.98

// stays judges what is left of a router's best throughput beyond saturation.
func stays(d *chart.Data, c *chart.Chart, panel, series string, side int) claim.Finding {
	share, best := kept(d, c, panel, series)
	f := part(fmt.Sprintf("%s, %s: the least beyond its best, over its best,", panel, series), metrics.MeanOf(share), side, steady)
	if e := metrics.MeanOf(best); e.OK {
		f.Detail += fmt.Sprintf(", best %.3f", e.Mean)
	}
	return f
}
