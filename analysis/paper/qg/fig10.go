package qg

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// aloneConditions are those of the figures with one multicast at a time.
const aloneConditions = "one multicast at a time from a random node, startup 33, no preparation, buffers of one flit, 4 injection and 4 ejection channels; " +
	"representatives start when they have the tail (equation 9); qg-cut, where they start on the header, stands beside"

// aloneLatency is the mean or largest latency of multicasts that have the network for themselves.
func aloneLatency(name, title, measure, quantity, definition, panel string) chart.Chart {
	return chart.Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Definition: definition, Unit: "cycles", Series: "scheme",
		Panel: panel, X: "multicast_destinations", XLabel: "destinations", Names: map[string]string{"packet_phits=32": "32 flits", "packet_phits=128": "128 flits"}}
}

// shorter asks that dual-path and multi-path are below each of the given series.
func shorter(than ...string) (list []claim.Pair) {
	for _, other := range than {
		list = append(list, claim.Lower("dual-path", other), claim.Lower("multi-path", other))
	}
	return list
}

// from keeps the cells from a number of destinations on, of panels that contain a text.
func from(destinations float64, panel string) func(*chart.Cell) bool {
	return func(in *chart.Cell) bool { return in.X >= destinations && strings.Contains(in.Panel, panel) }
}

// Fig10 returns the entry of figures 10 and 11: latency without contention, 16x16 mesh.
func Fig10() claim.Entry {
	mean := aloneLatency("qg.fig10", "Mean latency of one multicast, 16x16 mesh", "multicast_latency_mean", "mean latency", "", "packet_phits")
	most := aloneLatency("qg.fig10-max", "Largest latency of one multicast, 16x16 mesh", "multicast_latency_max", "largest latency",
		"of the multicasts of a batch", "packet_phits")
	const conditions = "16x16 mesh, 32 and 128 flits; " + aloneConditions
	few := func(in *chart.Cell) bool { return in.X == 10 }
	return claim.Entry{
		ID: "qg.fig10", Paper: QG, Figure: "figures 10 and 11", Title: "Latency without contention, 16x16 mesh", Plan: "qg.fig10.yaml",
		Charts: []chart.Chart{mean, most},
		Claims: []claim.Claim{
			{
				ID: "S4-16", Text: "With few destinations dual-path and multi-path are below Qualified Groups and column-path.", Conditions: conditions + "; 10 destinations" + slowColumns,
				Printed: "below", Criterion: "all four ratios of mean latencies below 1 at both lengths; measured value: geometric mean of dual-path / qg",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Everywhere(d, &mean, few, shorter("qg", "column-path")...)
				},
			},
			{
				ID: "S4-17", Text: "Without contention dual-path and multi-path outperform Qualified Groups.", Conditions: conditions + "; 10 to 50 destinations",
				Printed: "outperform", Criterion: "both ratios of mean latencies below 1 at both lengths and every number of destinations; measured value: geometric mean of dual-path / qg",
				Judge: func(d *chart.Data) claim.Finding {
					f := claim.Everywhere(d, &mean, nil, shorter("qg")...)
					f.Detail += "; starting on headers: " + claim.Everywhere(d, &mean, nil, shorter("qg-cut")...).Detail
					return f
				},
			},
			{
				ID: "S4-37", Text: "In a small network with one source dual-path and multi-path are better than Qualified Groups, having fewer startups.",
				Conditions: conditions + "; 10 and 20 destinations", Printed: "better",
				Criterion: "both ratios of mean latencies below 1 for 10 and 20 destinations; measured value: geometric mean of dual-path / qg",
				Judge: func(d *chart.Data) claim.Finding {
					small := func(in *chart.Cell) bool { return in.X <= 20 }
					f := claim.Everywhere(d, &mean, small, shorter("qg")...)
					f.Detail += "; largest latencies: " + claim.Everywhere(d, &most, small, shorter("qg")...).Detail
					return f
				},
			},
		},
	}
}

// Fig12 returns the entry of figures 12 and 13: latency without contention, larger meshes.
func Fig12() claim.Entry {
	mean := aloneLatency("qg.fig12", "Mean latency of one multicast, larger meshes, 64 flits", "multicast_latency_mean", "mean latency", "", "topology")
	const conditions = "24x24 and 32x32 meshes, 64 flits; " + aloneConditions
	better := []claim.Pair{claim.Lower("qg", "multi-path"), claim.Lower("qg", "dual-path")}
	return claim.Entry{
		ID: "qg.fig12", Paper: QG, Figure: "figures 12 and 13", Title: "Latency without contention, larger meshes", Plan: "qg.fig12.yaml",
		Charts: []chart.Chart{mean},
		Claims: []claim.Claim{
			{
				ID: "S4-18", Text: "On a 24x24 mesh Qualified Groups become better than dual-path and multi-path when there are many destinations.",
				Conditions: conditions, Printed: "better with more destinations", Criterion: "both ratios below 1 at 50 destinations; measured value: qg / multi-path",
				Judge: func(d *chart.Data) claim.Finding {
					f := claim.InEveryCell(d, &mean, from(50, "24x24"), better...)
					f.Detail += "; " + crossings(d, &mean, "mesh:24x24")
					return f
				},
			},
			{
				ID: "S4-19", Text: "On a 32x32 mesh the same, and more pronounced.", Conditions: conditions, Printed: "more noticeable",
				Criterion: "both ratios below 1 at 50 destinations, and below those on 24x24 outside the intervals; measured value: qg / multi-path on 32x32",
				Judge:     func(d *chart.Data) claim.Finding { return pronounced(d, &mean, better) },
			},
			{
				ID: "S4-20", Text: "Column-path is slowest when there are many destinations.", Conditions: conditions + "; 30 to 50 destinations" + slowColumns, Printed: "poor",
				Criterion: "column-path over each other scheme above 1; measured value: geometric mean of column-path / dual-path",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Everywhere(d, &mean, from(30, ""), claim.Higher("column-path", "dual-path"), claim.Higher("column-path", "multi-path"), claim.Higher("column-path", "qg"))
				},
			},
		},
	}
}

// crossings tells from which number of destinations on Qualified Groups are below the other two.
func crossings(d *chart.Data, c *chart.Chart, panel string) string {
	var parts []string
	for _, series := range []string{"qg", "qg-cut"} {
		for _, other := range []string{"dual-path", "multi-path"} {
			list, _ := claim.Compare(d, c, series, other, func(in *chart.Cell) bool { return in.Panel == panel })
			at := "never"
			for i := len(list) - 1; i >= 0 && list[i].Side(1) == claim.Below; i-- {
				at = fmt.Sprintf("from %g destinations", list[i].Cell.X)
			}
			parts = append(parts, fmt.Sprintf("%s below %s %s", series, other, at))
		}
	}
	return strings.Join(parts, ", ")
}

// pronounced compares the ratios at 50 destinations on two meshes.
func pronounced(d *chart.Data, c *chart.Chart, better []claim.Pair) claim.Finding {
	f := claim.Everywhere(d, c, from(50, "32x32"), better...)
	var n claim.Sides
	for _, p := range better {
		small, _ := claim.Compare(d, c, p.Series, p.Baseline, from(50, "24x24"))
		large, _ := claim.Compare(d, c, p.Series, p.Baseline, from(50, "32x32"))
		if len(small) != 1 || len(large) != 1 {
			return claim.Nothing("not all meshes were measured")
		}
		n = n.Add(lower(&large[0].Estimate, &small[0].Estimate))
		f.Detail += fmt.Sprintf("; %s/%s: %s on 24x24", p.Series, p.Baseline, small[0].Text())
	}
	f.Detail += "; " + crossings(d, c, "mesh:32x32")
	return claim.Join(f, claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("%d of %d ratios are lower on the larger mesh", n.Hold, len(better))})
}

// lower counts whether one estimate is below another, outside the intervals of both.
func lower(a, b *chart.Estimate) claim.Sides {
	switch {
	case a.High < b.Low:
		return claim.Sides{Hold: 1}
	case a.Low > b.High:
		return claim.Sides{Contradict: 1}
	}
	return claim.Sides{Undecided: 1}
}

// Fig14 returns the entry of figure 14: additional traffic.
func Fig14() claim.Entry {
	extra := chart.Chart{Name: "qg.fig14", Title: "Additional traffic of a multicast", Measure: "additional_traffic", Quantity: "additional traffic",
		Definition: "channels crossed less destinations, as the network counts them", Unit: "channels", Series: "scheme", Panel: "topology",
		X: "multicast_destinations", XLabel: "destinations"}
	return claim.Entry{
		ID: "qg.fig14", Paper: QG, Figure: "figure 14", Title: "Additional traffic", Plan: "qg.fig14.yaml",
		Charts: []chart.Chart{extra},
		Claims: []claim.Claim{{
			ID: "S4-21", Text: "Qualified Groups cause the least additional traffic.", Conditions: "16x16 and 32x32 meshes, 10 to 50 destinations", Printed: "fewer channels",
			Criterion: "qg over each other scheme below 1 in every cell; measured value: geometric mean of qg / multi-path",
			Judge: func(d *chart.Data) claim.Finding {
				return claim.Everywhere(d, &extra, nil, claim.Lower("qg", "multi-path"), claim.Lower("qg", "dual-path"), claim.Lower("qg", "column-path"))
			},
		}},
	}
}
