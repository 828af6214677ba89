package paper

import (
	"fmt"
	"strings"
)

// aloneConditions are those of the figures with one multicast at a time.
const aloneConditions = "one multicast at a time from a random node, startup 33, no preparation, buffers of one flit, 4 injection and 4 ejection channels; " +
	"representatives start when they have the tail (equation 9); qg-cut, where they start on the header, stands beside"

// aloneLatency is the mean or largest latency of multicasts that have the network for themselves.
func aloneLatency(name, title, measure, quantity, definition, panel string) Chart {
	return Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Definition: definition, Unit: "cycles", Series: "scheme",
		Panel: panel, X: "multicast_destinations", XLabel: "destinations", Names: map[string]string{"packet_phits=32": "32 flits", "packet_phits=128": "128 flits"}}
}

// shorter asks that dual-path and multi-path are below each of the given series.
func shorter(than ...string) (list []pair) {
	for _, other := range than {
		list = append(list, pair{"dual-path", other, below}, pair{"multi-path", other, below})
	}
	return list
}

// from keeps the cells from a number of destinations on, of panels that contain a text.
func from(destinations float64, panel string) func(*cell) bool {
	return func(in *cell) bool { return in.x >= destinations && strings.Contains(in.panel, panel) }
}

func qgFig10() Entry {
	mean := aloneLatency("qg.fig10", "Mean latency of one multicast, 16x16 mesh", "multicast_latency_mean", "mean latency", "", "packet_phits")
	most := aloneLatency("qg.fig10-max", "Largest latency of one multicast, 16x16 mesh", "multicast_latency_max", "largest latency",
		"of the multicasts of a batch", "packet_phits")
	const conditions = "16x16 mesh, 32 and 128 flits; " + aloneConditions
	few := func(in *cell) bool { return in.x == 10 }
	return Entry{
		ID: "qg.fig10", Paper: QG, Figure: "figures 10 and 11", Title: "Latency without contention, 16x16 mesh", Plan: "qg.fig10.yaml",
		Charts: []Chart{mean, most},
		Claims: []Claim{
			{
				ID: "S4-16", Text: "With few destinations dual-path and multi-path are below Qualified Groups and column-path.", Conditions: conditions + "; 10 destinations",
				Printed: "below", Criterion: "all four ratios of mean latencies below 1 at both lengths; measured value: geometric mean of dual-path / qg",
				Judge: func(d *Data) Finding { return d.everywhere(&mean, few, shorter("qg", "column-path")...) },
			},
			{
				ID: "S4-17", Text: "Without contention dual-path and multi-path outperform Qualified Groups.", Conditions: conditions + "; 10 to 50 destinations",
				Printed: "outperform", Criterion: "both ratios of mean latencies below 1 at both lengths and every number of destinations; measured value: geometric mean of dual-path / qg",
				Judge: func(d *Data) Finding {
					f := d.everywhere(&mean, nil, shorter("qg")...)
					f.Detail += "; starting on headers: " + d.everywhere(&mean, nil, shorter("qg-cut")...).Detail
					return f
				},
			},
			{
				ID: "S4-37", Text: "In a small network with one source dual-path and multi-path are better than Qualified Groups, having fewer startups.",
				Conditions: conditions + "; 10 and 20 destinations", Printed: "better",
				Criterion: "both ratios of mean latencies below 1 for 10 and 20 destinations; measured value: geometric mean of dual-path / qg",
				Judge: func(d *Data) Finding {
					small := func(in *cell) bool { return in.x <= 20 }
					f := d.everywhere(&mean, small, shorter("qg")...)
					f.Detail += "; largest latencies: " + d.everywhere(&most, small, shorter("qg")...).Detail
					return f
				},
			},
		},
	}
}

func qgFig12() Entry {
	mean := aloneLatency("qg.fig12", "Mean latency of one multicast, larger meshes, 64 flits", "multicast_latency_mean", "mean latency", "", "topology")
	const conditions = "24x24 and 32x32 meshes, 64 flits; " + aloneConditions
	better := []pair{{"qg", "dual-path", below}, {"qg", "multi-path", below}}
	return Entry{
		ID: "qg.fig12", Paper: QG, Figure: "figures 12 and 13", Title: "Latency without contention, larger meshes", Plan: "qg.fig12.yaml",
		Charts: []Chart{mean},
		Claims: []Claim{
			{
				ID: "S4-18", Text: "On a 24x24 mesh Qualified Groups become better than dual-path and multi-path when there are many destinations.",
				Conditions: conditions, Printed: "better with more destinations", Criterion: "both ratios below 1 at 50 destinations; measured value: qg / dual-path",
				Judge: func(d *Data) Finding {
					f := d.everywhere(&mean, from(50, "24x24"), better...)
					f.Detail += "; " + crossings(d, &mean, "mesh:24x24")
					return f
				},
			},
			{
				ID: "S4-19", Text: "On a 32x32 mesh the same, and more pronounced.", Conditions: conditions, Printed: "more noticeable",
				Criterion: "both ratios below 1 at 50 destinations, and below those on 24x24 outside the intervals; measured value: qg / dual-path on 32x32",
				Judge:     func(d *Data) Finding { return pronounced(d, &mean, better) },
			},
			{
				ID: "S4-20", Text: "Column-path is slowest when there are many destinations.", Conditions: conditions + "; 30 to 50 destinations", Printed: "poor",
				Criterion: "column-path over each other scheme above 1; measured value: geometric mean of column-path / dual-path",
				Judge: func(d *Data) Finding {
					return d.everywhere(&mean, from(30, ""), pair{"column-path", "dual-path", above}, pair{"column-path", "multi-path", above}, pair{"column-path", "qg", above})
				},
			},
		},
	}
}

// crossings tells from which number of destinations on Qualified Groups are below the other two.
func crossings(d *Data, c *Chart, panel string) string {
	var parts []string
	for _, series := range []string{"qg", "qg-cut"} {
		for _, other := range []string{"dual-path", "multi-path"} {
			list, _ := d.compare(c, series, other, func(in *cell) bool { return in.panel == panel })
			at := "never"
			for i := len(list) - 1; i >= 0 && list[i].side(1) == below; i-- {
				at = fmt.Sprintf("from %g destinations", list[i].cell.x)
			}
			parts = append(parts, fmt.Sprintf("%s below %s %s", series, other, at))
		}
	}
	return strings.Join(parts, ", ")
}

// pronounced compares the ratios at 50 destinations on two meshes.
func pronounced(d *Data, c *Chart, better []pair) Finding {
	f := d.everywhere(c, from(50, "32x32"), better...)
	var n count
	for _, p := range better {
		small, _ := d.compare(c, p.series, p.baseline, from(50, "24x24"))
		large, _ := d.compare(c, p.series, p.baseline, from(50, "32x32"))
		if len(small) != 1 || len(large) != 1 {
			return nothing("not all meshes were measured")
		}
		n = n.add(lower(&large[0].estimate, &small[0].estimate))
		f.Detail += fmt.Sprintf("; %s/%s: %s on 24x24", p.series, p.baseline, small[0].text())
	}
	f.Detail += "; " + crossings(d, c, "mesh:32x32")
	return join(f, Finding{Verdict: n.verdict(), Detail: fmt.Sprintf("%d of %d ratios are lower on the larger mesh", n.hold, len(better))})
}

// lower counts whether one estimate is below another, outside the intervals of both.
func lower(a, b *estimate) count {
	switch {
	case a.High < b.Low:
		return count{hold: 1}
	case a.Low > b.High:
		return count{contradict: 1}
	}
	return count{undecided: 1}
}

func qgFig14() Entry {
	extra := Chart{Name: "qg.fig14", Title: "Additional traffic of a multicast", Measure: "additional_traffic", Quantity: "additional traffic",
		Definition: "channels crossed less destinations, as the network counts them", Unit: "channels", Series: "scheme", Panel: "topology",
		X: "multicast_destinations", XLabel: "destinations"}
	return Entry{
		ID: "qg.fig14", Paper: QG, Figure: "figure 14", Title: "Additional traffic", Plan: "qg.fig14.yaml",
		Charts: []Chart{extra},
		Claims: []Claim{{
			ID: "S4-21", Text: "Qualified Groups cause the least additional traffic.", Conditions: "16x16 and 32x32 meshes, 10 to 50 destinations", Printed: "fewer channels",
			Criterion: "qg over each other scheme below 1 in every cell; measured value: geometric mean of qg / multi-path",
			Judge: func(d *Data) Finding {
				return d.everywhere(&extra, nil, pair{"qg", "multi-path", below}, pair{"qg", "dual-path", below}, pair{"qg", "column-path", below})
			},
		}},
	}
}
