package results

import (
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// summaryOf returns the table summary of a study and its rows: one per group of runs or points that
// differ in their seeds and windows only, with means, 95 % confidence intervals, ratios to the baseline
// and energy by part.
func summaryOf(rows *tables.Rows, baseline string) (*tables.Table[tables.Summary], []tables.Summary) {
	axes, compared := summaryAxes(rows.Axes), result.ComparisonOf(rows, baseline)
	by := tables.SummaryGroups.Names()
	for _, a := range axes {
		by = append(by, tables.AxisName(a.Key))
	}
	table, list := tables.SummaryTable(axes), []tables.Summary(nil)
	groups := result.Of(rows).By(by...)
	bases, titles := compared.Bases(rows, groups, by)
	for i, g := range groups {
		runs := g.Finished()
		all, _ := runs.Count()
		saturated, _ := runs.Saturated().Count()
		values := tables.Summary{"baseline": titles[i], "runs": float64(all), "saturated_runs": float64(saturated)}
		for k, v := range by {
			values[tables.SummaryAxis{Key: v.String()}.Column()] = g.Values[k]
		}
		set := func(name string, e metrics.Estimate) { values[name], values[name+"_ci95"] = e.Numbers() }
		for _, name := range tables.SummaryMeans.Names() {
			set(name.String(), runs.Mean(name))
		}
		for _, c := range tables.EnergyParts {
			set(c.Name, runs.Mean(c.RecordName()))
		}
		for _, r := range tables.SummaryRatios {
			of := r.Of[0]
			if len(rows.Runs) == 0 {
				of = r.Of[len(r.Of)-1]
			}
			if all > 0 {
				set(r.Column, runs.Over(bases[i], of))
			}
		}
		list = append(list, values)
	}
	return table, list
}

// summaryAxes returns the axes that no other column of the summary shows.
func summaryAxes(list []tables.Axis) (axes []tables.SummaryAxis) {
	shown := tables.SummaryGroups.Names()
	word := func(a tables.Axis) bool { _, err := strconv.ParseFloat(a.Value, 64); return err != nil }
	for _, g := range tables.GroupBy(list, func(a *tables.Axis) string { return a.Key }) {
		if !slices.Contains(shown, tables.AxisColumn(g.Key)) {
			axes = append(axes, tables.SummaryAxis{Key: g.Key, Number: !slices.ContainsFunc(g.Records, word)})
		}
	}
	return axes
}
