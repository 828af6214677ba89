package results

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// summaryOf returns the table summary of a study and its rows: one per group of runs or points that
// differ in their seeds and windows only, with means, 95 % confidence intervals, ratios to the baseline
// and energy by part.
func summaryOf(rows *tables.Rows) (*tables.Table[tables.Summary], []tables.Summary) {
	axes := summaryAxes(rows.Axes)
	base, by := baseline(rows), slices.Concat(tables.SummaryTexts, tables.SummaryNumbers)
	names := tables.Texts(by...) // of columns
	for _, a := range axes {
		by, names = append(by, tables.AxisName(a.Key)), append(names, a.Column())
	}
	var columns []chart.Measure
	for _, name := range tables.SummaryMeans {
		columns = append(columns, chart.Measure{Column: name})
	}
	for _, c := range tables.EnergyParts {
		columns = append(columns, chart.Measure{Column: c.RecordName()})
	}
	for _, r := range tables.SummaryRatios {
		of := r.Of[0]
		if len(rows.Runs) == 0 {
			of = r.Of[len(r.Of)-1]
		}
		columns = append(columns, chart.Measure{Column: of, Quantity: r.Column, Baseline: base})
	}
	table, list := tables.SummaryTable(axes), []tables.Summary(nil)
	for _, l := range chart.NewData(rows, chart.Extent{}).Means(by, tables.Col.Router, columns...).Lines {
		values := tables.Summary{"baseline": base, "runs": float64(l.Runs), "saturated_runs": float64(l.Saturated)}
		for i, name := range names {
			values[name] = l.Labels[i]
		}
		for i, c := range columns {
			name := cmp.Or(c.Quantity, c.Column.String())
			values[name], values[name+"_ci95"] = l.Values[i].Numbers()
		}
		list = append(list, values)
	}
	return table, list
}

// baseline is the router that ratios are relative to: base, or else the first.
func baseline(rows *tables.Rows) string {
	var routers []string
	rows.EachPoint(func(p tables.Point) { routers = append(routers, *p.Router) })
	if len(routers) == 0 || slices.Contains(routers, "base") {
		return "base"
	}
	return routers[0]
}

// columnAxes are axes that columns of the summary show.
var columnAxes = []string{"routers", "chip.protocol", "network.scheme", "traffic.pattern", "traffic.load", "traffic.multicast_fraction",
	"traffic.multicast_destinations", "traffic.packet_phits"}

// summaryAxes returns the axes that no other column of the summary shows.
func summaryAxes(list []tables.Axis) (axes []tables.SummaryAxis) {
	shown := slices.Concat(tables.Texts(tables.SummaryTexts...), tables.Texts(tables.SummaryNumbers...), columnAxes)
	word := func(a tables.Axis) bool { _, err := strconv.ParseFloat(a.Value, 64); return err != nil }
	for _, g := range tables.GroupBy(list, func(a *tables.Axis) string { return a.Key }) {
		if !slices.Contains(shown, g.Key) {
			axes = append(axes, tables.SummaryAxis{Key: g.Key, Number: !slices.ContainsFunc(g.Records, word)})
		}
	}
	return axes
}
