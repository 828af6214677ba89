package qg

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// loadConditions are those of the figures with many messages at a time: what the paper says of its
// simulator, and what it leaves open.
const loadConditions = "64 flits, exponential intervals at every node, unbounded first-come first-served queues, startup 33, buffers of one flit, " +
	"4 injection and 4 ejection channels; unicasts follow the labels except beside column-path, because dimension order deadlocks with label-ordered worms; " +
	"representatives start when they have the tail"

// carries judges whether one series completes more than others in every panel whose name contains a text.
func carries(d *chart.Data, accepted *chart.Chart, text, series string, than ...string) claim.Finding {
	var n claim.Sides
	var details []string
	f := claim.Finding{}
	for _, panel := range claim.PanelsOf(d, accepted, text) {
		own := claim.Capacity(d, accepted, panel, series)
		line := fmt.Sprintf("%s completes %s in %s", series, orMore(own), panel)
		for _, other := range than {
			e := claim.Capacity(d, accepted, panel, other)
			line += fmt.Sprintf(", %s %s", other, orMore(e))
			if !own.OK || !e.OK {
				n.Missing++
				continue
			}
			n = n.Add(lower(&e, &own))
		}
		if !f.Measured.Known {
			f.Some(own)
		}
		details = append(details, line)
	}
	if len(details) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f.Verdict, f.Detail = n.Verdict(), strings.Join(details, "; ")
	return f
}

// orMore is a capacity, with a mark where the network was not saturated.
func orMore(capacity chart.Estimate) string {
	if !capacity.OK {
		return fmt.Sprintf("%.4f or more", capacity.Mean)
	}
	return fmt.Sprintf("%.4f", capacity.Mean)
}

// best asks for the lowest latency of qg at the largest load that all four carry, and for the largest
// throughput.
func best(d *chart.Data, latency, accepted *chart.Chart, text string) claim.Finding {
	all := []string{"qg", "dual-path", "multi-path", "column-path"}
	heavy := claim.Heaviest(d, latency, text, all...)
	f := claim.Join(
		claim.Everywhere(d, latency, heavy, claim.Lower("qg", "dual-path"), claim.Lower("qg", "multi-path"), claim.Lower("qg", "column-path")),
		carries(d, accepted, text, "qg", all[1:]...))
	f.Detail += "; with four paths: " + claim.Everywhere(d, latency, heavy, claim.Lower("qg-multi", "dual-path"), claim.Lower("qg-multi", "multi-path")).Detail +
		"; " + carries(d, accepted, text, "qg-multi", all[1:]...).Detail
	return f
}

const bestCriterion = "at the largest load that all four carry, qg over each other below 1 in every panel; the largest load that qg completes above that of each other, " +
	"outside the intervals; measured value: geometric mean of qg / dual-path"

// Fig15 returns the entry of figures 15 and 16: latency of multicasts over their load.
func Fig15() claim.Entry {
	latency, accepted := claim.UnderLoad("qg.fig15", "Multicasts of all nodes", chart.Join("topology", "multicast_destinations"))
	const conditions = "10x10 and 16x16, preparation 2, 2, 4, 16; " + loadConditions
	return claim.Entry{
		ID: "qg.fig15", Paper: QG, Figure: "figures 15 and 16", Title: "Latency of multicasts over their load", Plan: "qg.fig15.yaml",
		Charts: []chart.Chart{latency, accepted},
		Claims: []claim.Claim{
			{
				ID: "S4-31", Text: "At low load dual-path and multi-path have a lower latency than Qualified Groups and column-path.",
				Conditions: conditions + "; 10 and 20 destinations", Printed: "lower",
				Criterion: "all four ratios below 1 at the smallest load, in every panel; measured value: geometric mean of dual-path / qg",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Everywhere(d, &latency, claim.Lightest(d, &latency, ""), shorter("qg", "column-path")...)
				},
			},
			{
				ID: "S4-32", Text: "With 10 destinations multi-path is slightly below dual-path.", Conditions: conditions + "; 10 destinations", Printed: "slightly below",
				Criterion: "multi-path / dual-path below 1 at every load that both carry; measured value: geometric mean",
				Judge: func(d *chart.Data) claim.Finding {
					both := claim.Carried(d, &latency, "10 destinations", "multi-path", "dual-path")
					return claim.Everywhere(d, &latency, both, claim.Lower("multi-path", "dual-path"))
				},
			},
			{
				ID: "S4-33", Text: "With 20 destinations Qualified Groups are best in latency and throughput at high load; they and column-path carry more than dual-path and multi-path.",
				Conditions: conditions + "; 20 destinations", Printed: "better; less sensitive",
				Criterion: bestCriterion + "; column-path completes more than dual-path and multi-path",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Join(best(d, &latency, &accepted, "20 destinations"), carries(d, &accepted, "20 destinations", "column-path", "dual-path", "multi-path"))
				},
			},
		},
	}
}

// Fig17 returns the entry of figures 17 and 18, section 4.2: latency of multicasts with long
// preparation.
func Fig17() claim.Entry {
	latency, accepted := claim.UnderLoad("qg.fig17", "Multicasts of all nodes, long preparation", chart.Join("topology", "preparation"))
	const conditions = "10x10 and 16x16, 10 destinations; " + loadConditions
	long := "figures 17 and 18"
	return claim.Entry{
		ID: "qg.fig17", Paper: QG, Figure: "figures 17 and 18, section 4.2", Title: "Latency of multicasts with long preparation", Plan: "qg.fig17.yaml",
		Charts: []chart.Chart{latency, accepted},
		Claims: []claim.Claim{
			{
				ID: "S4-34", Text: "Preparing Qualified Groups in 45 cycles does not change the conclusion that they are best at high load.",
				Conditions: "preparation 2, 2, 8, 45; " + conditions, Printed: "same conclusion", Criterion: bestCriterion,
				Judge: func(d *chart.Data) claim.Finding { return best(d, &latency, &accepted, long) },
			},
			{
				ID: "S4-30", Text: "Results change little when Qualified Groups take up to 50 cycles of preparation instead of 16.", Conditions: conditions,
				Printed: "2, 2, 4 and 16 cycles; not substantially",
				Criterion: "latency of qg with 50 cycles over that with 16 below 1.1 at every load that both carry, and the largest completed loads overlap within 5 %; " +
					"measured value: largest ratio of latencies",
				Judge: func(d *chart.Data) claim.Finding { return littleChange(d, &latency, &accepted) },
			},
		},
	}
}

// littleChange compares qg with 50 and with 16 cycles of preparation; the panels of a chart differ in it.
func littleChange(d *chart.Data, latency, accepted *chart.Chart) claim.Finding {
	var n claim.Sides
	worst, text := chart.Estimate{}, ""
	for _, panel := range claim.PanelsOf(d, latency, "50 cycles") {
		mesh, _, _ := strings.Cut(panel, ", ")
		usual := mesh + ", preparation of the text"
		cells, _ := d.Cells(latency)
		for i := range cells {
			in := &cells[i]
			if in.Panel != panel || len(in.Samples["qg"]) == 0 {
				continue
			}
			for k := range cells {
				if cells[k].Panel != usual || cells[k].X != in.X {
					continue
				}
				both := chart.Cell{Panel: mesh, X: in.X, Samples: cells[k].Samples}
				e := chart.EstimateOf((&chart.Cell{Samples: map[string][]metrics.Sample{"fifty": in.Samples["qg"], "usual": both.Samples["qg"]}}).Ratios("fifty", "usual"))
				if !e.OK {
					continue
				}
				n = n.Add(claim.One(&e, claim.Below, 1.1))
				if !worst.OK || e.Mean > worst.Mean {
					worst, text = e, both.Where()
				}
			}
		}
		a, b := claim.Capacity(d, accepted, panel, "qg"), claim.Capacity(d, accepted, usual, "qg")
		if a.OK && b.OK {
			ratio := chart.Estimate{Interval: a.Interval, OK: true}
			ratio.Mean, ratio.Low, ratio.High = a.Mean/b.Mean, a.Low/b.High, a.High/b.Low
			n = n.Add(claim.One(&ratio, claim.Above, 0.95))
			text += fmt.Sprintf("; largest completed load in %s: %.4f with 50 cycles, %.4f with 16", mesh, a.Mean, b.Mean)
		}
	}
	if !worst.OK {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("largest ratio %s at %s", worst.Text(), text)}
	f.Some(worst)
	return f
}

// Fig19 returns the entry of figures 19 and 20: latency of multicasts among unicasts.
func Fig19() claim.Entry {
	latency, accepted := claim.UnderLoad("qg.fig19", "One multicast in ten messages, 10x10 mesh", "multicast_destinations")
	const conditions = "10x10, 10 % multicasts to 10 or 20 nodes among unicasts, preparation 2, 2, 4, 16; " + loadConditions
	return claim.Entry{
		ID: "qg.fig19", Paper: QG, Figure: "figures 19 and 20", Title: "Latency of multicasts among unicasts", Plan: "qg.fig19.yaml",
		Charts: []chart.Chart{latency, accepted},
		Claims: []claim.Claim{
			{
				ID: "S4-35", Text: "Among unicasts, multi-path is lowest and column-path highest at light load; at heavy load Qualified Groups are best in latency and throughput, then column-path.",
				Conditions: conditions, Printed: "comparable, slightly lower, higher; best, followed by column-path",
				Criterion: "at the smallest load multi-path / each other below 1 and column-path / each other above 1; " + bestCriterion +
					"; column-path completes more than dual-path and multi-path",
				Judge: func(d *chart.Data) claim.Finding {
					f := best(d, &latency, &accepted, "destinations")
					return claim.Join(f, claim.Everywhere(d, &latency, claim.Lightest(d, &latency, ""), claim.Lower("multi-path", "dual-path"), claim.Lower("multi-path", "qg"),
						claim.Higher("column-path", "dual-path"), claim.Higher("column-path", "multi-path"), claim.Higher("column-path", "qg")),
						carries(d, &accepted, "destinations", "column-path", "dual-path", "multi-path"))
				},
			},
			{
				ID: "S4-36", Text: "The advantage of Qualified Groups over column-path grows with the number of destinations.", Conditions: conditions, Printed: "more noticeable",
				Criterion: "qg / column-path is lower with 20 destinations than with 10 at every load that all carry, outside the intervals; measured value: geometric mean of qg / column-path at 20",
				Judge:     func(d *chart.Data) claim.Finding { return advantageGrows(d, &latency) },
			},
		},
	}
}

// advantageGrows compares ratios with 10 and with 20 destinations at equal loads.
func advantageGrows(d *chart.Data, c *chart.Chart) claim.Finding {
	ten, _ := claim.Compare(d, c, "qg", "column-path", claim.Carried(d, c, "10 destinations", "qg", "column-path"))
	twenty, _ := claim.Compare(d, c, "qg", "column-path", claim.Carried(d, c, "20 destinations", "qg", "column-path"))
	var n claim.Sides
	var details []string
	for i := range twenty {
		for k := range ten {
			if ten[k].Cell.X == twenty[i].Cell.X {
				n = n.Add(lower(&twenty[i].Estimate, &ten[k].Estimate))
				details = append(details, fmt.Sprintf("at %g: %s with 10, %s with 20", ten[k].Cell.X, ten[k].Text(), twenty[i].Text()))
			}
		}
	}
	if len(details) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Verdict: n.Verdict(), Detail: strings.Join(details, "; ")}
	f.Some(claim.Overall(twenty))
	return f
}
