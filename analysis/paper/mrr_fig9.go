package paper

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/tables"
)

func mrrFig9() Entry {
	curve := Chart{Name: "mrr.fig9", Title: "Accepted load over offered load, 10 % broadcasts, 8x8 torus",
		Measure: "accepted", Quantity: "accepted load", Unit: "phits/node/cycle", Series: "router", Panel: "pattern",
		X: "offered", XLabel: "offered load [phits/node/cycle]"}
	return Entry{
		ID: "mrr.fig9", Paper: MRR, Figure: "figure 9", Title: "Throughput over the applied load, 10 % broadcasts", Plan: "mrr.loads.yaml",
		Charts: []Chart{curve},
		Claims: []Claim{{
			ID: "S2-21", Text: "With bit-reversal unicasts the throughput of BASE-MC falls after saturation; with uniform ones it gains a little over BASE; RR and MRR never fall.",
			Conditions: "8x8 torus, 10 % broadcasts, loads up to 1", Printed: "falls; slightly better; never",
			Criterion: "accepted load at offered load 1 over the largest at any load: below 0.98 for BASE-MC with bit-reversal, not below 0.98 for RR and MRR in both patterns; " +
				"largest of BASE-MC over largest of BASE above 1 with uniform; measured value: that of BASE-MC with bit-reversal",
			Judge: func(d *Data) Finding { return stability(d, &curve) },
		}},
	}
}

// kept is the share of a router's best throughput that is left at the largest load, by seed.
func kept(d *Data, c *Chart, panel, series string) (share, best []float64) {
	cells, err := d.cells(c)
	if err != nil {
		return nil, nil
	}
	most, last, end := map[uint64]float64{}, map[uint64]float64{}, 0.0
	var seeds []uint64
	for i := range cells {
		if cells[i].panel != panel {
			continue
		}
		for _, s := range cells[i].samples[series] {
			if _, ok := most[s.Seed]; !ok {
				seeds = append(seeds, s.Seed)
			}
			most[s.Seed] = max(most[s.Seed], s.Value)
			if cells[i].x >= end {
				end, last[s.Seed] = cells[i].x, s.Value
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

func stability(d *Data, c *Chart) Finding {
	var f Finding
	var all count
	var details []string
	for i, q := range []struct {
		panel, series string
		side          int
	}{
		{"bit-reversal", "base-mc", below}, {"bit-reversal", "rr", above}, {"bit-reversal", "mrr", above},
		{"uniform", "rr", above}, {"uniform", "mrr", above},
	} {
		share, _ := kept(d, c, q.panel, q.series)
		e := estimateOf(share)
		if !e.ok {
			return nothing("not every router and pattern was measured")
		}
		if i == 0 {
			f.some(e)
		}
		all = all.add(one(&e, q.side, steady))
		details = append(details, fmt.Sprintf("%s, %s: %s of its best is left", q.panel, q.series, e.text()))
	}
	_, base := kept(d, c, "uniform", "base")
	_, tree := kept(d, c, "uniform", "base-mc")
	var ratios []float64
	for i := range min(len(base), len(tree)) {
		ratios = append(ratios, tree[i]/base[i])
	}
	e := estimateOf(ratios)
	if !e.ok {
		return nothing("not every router and pattern was measured")
	}
	all = all.add(one(&e, above, 1))
	details = append(details, fmt.Sprintf("uniform, largest of base-mc over largest of base: %s", e.text()))
	f.Verdict, f.Detail = all.verdict(), strings.Join(details, "; ")
	return f
}

// one counts a single estimate.
func one(e *estimate, side int, threshold float64) count {
	switch e.side(threshold) {
	case side:
		return count{hold: 1}
	case 0:
		return count{undecided: 1}
	}
	return count{contradict: 1}
}

// verdictAt is the verdict on a single estimate.
func verdictAt(e *estimate, side int, threshold float64) string {
	if !e.ok {
		return tables.Open
	}
	return one(e, side, threshold).verdict()
}
