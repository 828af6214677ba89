package mrr

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Fig9 returns the entry of figure 9: accepted load over offered load, 10 % broadcasts, 8x8 torus.
func Fig9() claim.Entry {
	curve := chart.Chart{Name: "mrr.fig9", Title: "Accepted load over offered load, 10 % broadcasts, 8x8 torus",
		Measure: "accepted", Quantity: "accepted load", Unit: "phits/node/cycle", Series: "router", Panel: "pattern",
		X: "offered", XLabel: "offered load [phits/node/cycle]"}
	return claim.Entry{
		ID: "mrr.fig9", Paper: MRR, Figure: "figure 9", Title: "Throughput over the applied load, 10 % broadcasts", Plan: "mrr.loads.yaml",
		Charts: []chart.Chart{curve},
		Claims: []claim.Claim{{
			ID: "S2-21", Text: "With bit-reversal unicasts the throughput of BASE-MC falls after saturation; with uniform ones it gains a little over BASE; RR and MRR never fall.",
			Conditions: "8x8 torus, 10 % broadcasts, loads up to 1", Printed: "falls; slightly better; never",
			Criterion: "accepted load at offered load 1 over the largest at any load: below 0.98 for BASE-MC with bit-reversal, not below 0.98 for RR and MRR in both patterns; " +
				"largest of BASE-MC over largest of BASE above 1 with uniform; measured value: that of BASE-MC with bit-reversal",
			Judge: func(d *chart.Data) claim.Finding { return stability(d, &curve) },
		}},
	}
}

// kept is the share of a router's best throughput that is left at the largest load, by seed.
func kept(d *chart.Data, c *chart.Chart, panel, series string) (share, best []float64) {
	cells, err := d.Cells(c)
	if err != nil {
		return nil, nil
	}
	most, last, end := map[uint64]float64{}, map[uint64]float64{}, 0.0
	var seeds []uint64
	for i := range cells {
		if cells[i].Panel != panel {
			continue
		}
		for _, s := range cells[i].Samples[series] {
			if _, ok := most[s.Seed]; !ok {
				seeds = append(seeds, s.Seed)
			}
			most[s.Seed] = max(most[s.Seed], s.Value)
			if cells[i].X >= end {
				end, last[s.Seed] = cells[i].X, s.Value
			}
		}
	}
	for _, seed := range seeds {
		share, best = append(share, last[seed]/most[seed]), append(best, most[seed])
	}
	return share, best
}

// steady is the share of the best throughput above which a router is not said to fall: less is the noise
// of the largest of many measurements.
const steady = 0.98

func stability(d *chart.Data, c *chart.Chart) claim.Finding {
	var f claim.Finding
	var all claim.Sides
	var details []string
	for i, q := range []struct {
		panel, series string
		side          int
	}{
		{"bit-reversal", "base-mc", claim.Below}, {"bit-reversal", "rr", claim.Above}, {"bit-reversal", "mrr", claim.Above},
		{"uniform", "rr", claim.Above}, {"uniform", "mrr", claim.Above},
	} {
		share, _ := kept(d, c, q.panel, q.series)
		e := chart.EstimateOf(share)
		if !e.OK {
			return claim.Nothing("not every router and pattern was measured")
		}
		if i == 0 {
			f.Some(e)
		}
		all = all.Add(claim.One(&e, q.side, steady))
		details = append(details, fmt.Sprintf("%s, %s: %s of its best is left", q.panel, q.series, e.Text()))
	}
	_, base := kept(d, c, "uniform", "base")
	_, tree := kept(d, c, "uniform", "base-mc")
	var ratios []float64
	for i := range min(len(base), len(tree)) {
		ratios = append(ratios, tree[i]/base[i])
	}
	e := chart.EstimateOf(ratios)
	if !e.OK {
		return claim.Nothing("not every router and pattern was measured")
	}
	all = all.Add(claim.One(&e, claim.Above, 1))
	details = append(details, fmt.Sprintf("uniform, largest of base-mc over largest of base: %s", e.Text()))
	f.Verdict, f.Detail = all.Verdict(), strings.Join(details, "; ")
	return f
}

// verdictAt is the verdict on a single estimate.
func verdictAt(e *chart.Estimate, side int, threshold float64) string {
	if !e.OK {
		return tables.Open
	}
	return claim.One(e, side, threshold).Verdict()
}
