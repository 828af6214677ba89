package mrr

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Fig9 returns the entry of figure 9: throughput over offered load, 10 % broadcasts, 8x8 torus.
func Fig9() claim.Entry {
	curve := func(name, measure string) chart.Chart {
		return chart.Chart{Name: name, Title: "Throughput over offered load, 10 % broadcasts, 8x8 torus: " + measure + " load",
			Measure: measure, Quantity: measure + " load", Unit: "phits/node/cycle", Series: "router", Panel: "pattern",
			X: "offered", XLabel: "offered load [phits/node/cycle]"}
	}
	accepted, delivered := curve("mrr.fig9", "accepted"), curve("mrr.fig9-delivered", "delivered")
	const conditions = "8x8 torus, 10 % broadcasts, loads up to 1"
	return claim.Entry{
		ID: "mrr.fig9", Paper: MRR, Figure: "figure 9", Title: "Throughput over the applied load, 10 % broadcasts", Plan: "mrr.loads.yaml",
		Charts: []chart.Chart{accepted, delivered},
		Claims: []claim.Claim{
			{
				ID: "S2-21", Text: "With bit-reversal unicasts the throughput of BASE-MC falls after saturation; with uniform ones it gains a little over BASE.",
				Conditions: conditions, Printed: "falls; slightly better",
				Criterion: "least delivered load beyond the load with the largest, over the largest: below 0.98 for BASE-MC with bit-reversal; " +
					"largest of BASE-MC over largest of BASE above 1 with uniform; measured value: that of BASE-MC with bit-reversal",
				Judge: func(d *chart.Data) claim.Finding {
					return beside(d, &accepted, claim.Join(
						stays(d, &delivered, "bit-reversal", "base-mc", claim.Below), gains(d, &delivered, "uniform")), [][2]string{{"bit-reversal", "base-mc"}})
				},
			},
			{
				ID: "S2-21 rotary", Text: "The throughput of RR and MRR never falls after saturation.", Conditions: conditions, Printed: "never",
				Criterion: "least delivered load beyond the load with the largest, over the largest: not below 0.98 for RR and MRR in both patterns; measured value: that of RR with bit-reversal",
				Judge: func(d *chart.Data) claim.Finding {
					cases := [][2]string{{"bit-reversal", "rr"}, {"bit-reversal", "mrr"}, {"uniform", "rr"}, {"uniform", "mrr"}}
					var parts []claim.Finding
					for _, c := range cases {
						parts = append(parts, stays(d, &delivered, c[0], c[1], claim.Above))
					}
					return beside(d, &accepted, claim.Join(parts...), cases)
				},
			},
		},
	}
}

// kept is the share of a router's best throughput that is left where it is least, beyond the load of
// the best, by seed.
func kept(d *chart.Data, c *chart.Chart, panel, series string) (share, best []float64) {
	cells, err := d.Cells(c)
	if err != nil {
		return nil, nil
	}
	type point struct{ load, value float64 }
	curves := map[uint64][]point{}
	var seeds []uint64
	for i := range cells {
		if cells[i].Panel != panel {
			continue
		}
		for _, s := range cells[i].Samples[series] {
			if curves[s.Seed] == nil {
				seeds = append(seeds, s.Seed)
			}
			curves[s.Seed] = append(curves[s.Seed], point{cells[i].X, s.Value})
		}
	}
	for _, seed := range seeds {
		curve := curves[seed]
		slices.SortFunc(curve, func(a, b point) int { return cmp.Compare(a.load, b.load) })
		most, least := 0.0, 0.0
		for _, p := range curve {
			if p.value > most {
				most, least = p.value, p.value
			}
			least = min(least, p.value)
		}
		share, best = append(share, least/most), append(best, most)
	}
	return share, best
}

// steady is the share of the best throughput above which a router is not said to fall: less is the noise
// of the largest of many measurements.
const steady = 0.98

// stays judges what is left of a router's best throughput beyond saturation.
func stays(d *chart.Data, c *chart.Chart, panel, series string, side int) claim.Finding {
	share, _ := kept(d, c, panel, series)
	return part(fmt.Sprintf("%s, %s: the least beyond its best, over its best,", panel, series), chart.EstimateOf(share), side, steady)
}

// gains compares the best throughput of BASE-MC with that of BASE.
func gains(d *chart.Data, c *chart.Chart, panel string) claim.Finding {
	_, base := kept(d, c, panel, "base")
	_, tree := kept(d, c, panel, "base-mc")
	var ratios []float64
	for i := range min(len(base), len(tree)) {
		ratios = append(ratios, tree[i]/base[i])
	}
	return part(panel+", largest of base-mc over largest of base", chart.EstimateOf(ratios), claim.Above, 1)
}

// beside adds what accepted load says to a finding about delivered load.
func beside(d *chart.Data, accepted *chart.Chart, f claim.Finding, cases [][2]string) claim.Finding {
	for _, c := range cases {
		share, _ := kept(d, accepted, c[0], c[1])
		if e := chart.EstimateOf(share); e.OK {
			f.Detail += fmt.Sprintf("; by accepted load, %s, %s: %s", c[0], c[1], e.Text())
		}
	}
	return f
}

// verdictAt is the verdict on a single estimate.
func verdictAt(e *chart.Estimate, side int, threshold float64) string {
	if !e.OK {
		return tables.Open
	}
	return claim.One(e, side, threshold).Verdict()
}
