package paper

import "fmt"

// synthetic is what the figures over patterns and shares of multicasts have in common (table 3 of the paper).
func synthetic(c Chart) Chart {
	c.Series, c.Baseline = "router", "base"
	c.Panel, c.Group, c.Label = "multicast_destinations", "pattern", "multicast_fraction"
	c.Names = map[string]string{
		"multicast_destinations=8": "multicasts to 8 nodes", "multicast_destinations=63": "broadcasts",
		"multicast_fraction=0.01": "1 %", "multicast_fraction=0.05": "5 %", "multicast_fraction=0.1": "10 %", "multicast_fraction=0.15": "15 %",
	}
	return c
}

// broadcasts and multicasts choose the panels of those figures.
func broadcasts(in *cell) bool { return in.panel == "broadcasts" }
func multicasts(in *cell) bool { return in.panel == "multicasts to 8 nodes" }

func mrrFig7() Entry {
	latency := synthetic(Chart{Name: "mrr.fig7", Title: "Latency at a load of 0.01 phits per node and cycle, 8x8 torus",
		Measure: "latency_mean", Quantity: "latency"})
	return Entry{
		ID: "mrr.fig7", Paper: MRR, Figure: "figure 7", Title: "Low-load latency, normalised to BASE", Plan: "mrr.lowload.yaml",
		Charts: []Chart{latency},
		Claims: []Claim{
			{
				ID: "S2-14", Text: "Multicast support in the routers clearly lowers latency at low load, and the more so the more destinations or multicasts there are.",
				Conditions: "8x8 torus, 5-phit messages, 5 patterns, 1 to 15 % multicasts to 8 nodes or all, load 0.01",
				Printed:    "clearly lower",
				Criterion: "latency of BASE-MC over BASE and of MRR over RR below 1 in every cell, and lower at 15 % than at 1 % and for broadcasts than for 8 destinations; " +
					"measured value: geometric mean of BASE-MC / BASE",
				Judge: func(d *Data) Finding {
					lower := d.everywhere(&latency, nil, pair{"base-mc", "base", below}, pair{"mrr", "rr", below})
					return join(lower, d.trend(&latency, "base-mc", "base"), d.trend(&latency, "mrr", "rr"))
				},
			},
			{
				ID: "S2-15", Text: "At low load RR has a lower latency than BASE, and MRR a lower one than BASE-MC.",
				Conditions: "as S2-14", Printed: "lower",
				Criterion: "both ratios below 1 in every cell; measured value: geometric mean of RR / BASE",
				Judge: func(d *Data) Finding {
					return d.everywhere(&latency, nil, pair{"rr", "base", below}, pair{"mrr", "base-mc", below})
				},
			},
		},
	}
}

// trend judges that the ratio of two series falls from the smallest to the largest share of multicasts and
// from few destinations to broadcasts.
func (d *Data) trend(c *Chart, series, baseline string) Finding {
	list, _ := d.compare(c, series, baseline, nil)
	holds, cases := 0, 0
	for i := range list {
		for k := range list {
			a, b := &list[i], &list[k]
			share := a.cell.panel == b.cell.panel && a.cell.group == b.cell.group && a.cell.label == "1 %" && b.cell.label == "15 %"
			size := a.cell.group == b.cell.group && a.cell.label == b.cell.label && multicasts(a.cell) && broadcasts(b.cell)
			if share || size {
				cases++
				if b.Mean < a.Mean {
					holds++
				}
			}
		}
	}
	if cases == 0 {
		return nothing("nothing was measured")
	}
	return fact(holds == cases, float64(holds), fmt.Sprintf("%s/%s falls with share and destinations in %d of %d pairs of cells", series, baseline, holds, cases))
}
