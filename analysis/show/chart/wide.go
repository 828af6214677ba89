package chart

import (
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// Baseline returns the router that results are relative to: base, or else the first.
func Baseline(routers []string) string {
	switch {
	case slices.Contains(routers, "base"):
		return "base"
	case len(routers) == 0:
		return ""
	}
	return routers[0]
}

// PutSummary adds the table summary to a folder: a row per group of runs or points that differ in
// their seeds and windows only, with means, 95 % confidence intervals, ratios to the baseline and
// energy by part.
func PutSummary(f *tables.Folder, rows *tables.Rows, manifest string) error {
	table, list := summaryOf(rows)
	return tables.Put(f, table, list, manifest)
}

// summaryOf returns the table of a study and its rows.
func summaryOf(rows *tables.Rows) (*tables.Table[tables.Summary], []tables.Summary) {
	axes := summaryAxes(rows.Axes)
	var routers []string
	for i := range rows.Runs {
		routers = append(routers, rows.Runs[i].Router)
	}
	for i := range rows.Traffic {
		routers = append(routers, rows.Traffic[i].Router)
	}
	base := Baseline(routers)
	by := slices.Concat(tables.SummaryTexts, tables.SummaryNumbers)
	for _, a := range axes {
		by = append(by, a.Key)
	}
	var measures []Column
	for _, name := range tables.SummaryMeans {
		measures = append(measures, Column{Measure: Measure{Column: name}})
	}
	for _, name := range tables.SummaryRatios {
		if name == "ed2p" && len(rows.Runs) > 0 {
			name = "ed2p_js2"
		}
		measures = append(measures, Column{Measure{Column: name}, base})
	}
	for _, name := range tables.SummaryParts {
		measures = append(measures, Column{Measure: Measure{Column: name}})
	}
	var list []tables.Summary
	for _, l := range NewData(rows, Extent{}).Means(by, "router", measures...).Lines {
		list = append(list, summaryRow(&l, axes, base))
	}
	return tables.SummaryTable(axes), list
}

// summaryAxes returns the axes that no other column of the summary shows.
func summaryAxes(list []tables.Axis) (axes []tables.SummaryAxis) {
	shown := slices.Concat(tables.SummaryTexts, tables.SummaryNumbers, []string{"routers", "chip.protocol", "network.scheme", "traffic.pattern",
		"traffic.load", "traffic.multicast_fraction", "traffic.multicast_destinations", "traffic.packet_phits"})
	for _, a := range list {
		_, err := strconv.ParseFloat(a.Value, 64)
		i := slices.IndexFunc(axes, func(o tables.SummaryAxis) bool { return o.Key == a.Key })
		switch {
		case i >= 0:
			axes[i].Number = axes[i].Number && err == nil
		case !slices.Contains(shown, a.Key):
			axes = append(axes, tables.SummaryAxis{Key: a.Key, Number: err == nil})
		}
	}
	return axes
}

// summaryRow turns a line into a row: labels, counts and measures, in the order of the columns.
func summaryRow(l *Line, axes []tables.SummaryAxis, base string) (row tables.Summary) {
	for i, label := range l.Labels {
		k := i - len(tables.SummaryTexts) - len(tables.SummaryNumbers)
		if i < len(tables.SummaryTexts) || k >= 0 && !axes[k].Number {
			row.Texts = append(row.Texts, tables.Maybe[string]{Value: label, Known: label != ""})
			continue
		}
		v, err := strconv.ParseFloat(label, 64)
		row.Numbers = append(row.Numbers, tables.Maybe[float64]{Value: v, Known: err == nil})
	}
	row.Texts = append(row.Texts, tables.Some(base))
	row.Numbers = append(row.Numbers, tables.Some(float64(l.Runs)), tables.Some(float64(l.Saturated)))
	for i, e := range l.Values {
		row.Numbers = append(row.Numbers, tables.Maybe[float64]{Value: e.Mean, Known: e.OK})
		if i < len(l.Values)-len(tables.SummaryParts) {
			several := e.OK && e.N > 1
			half := tables.Maybe[float64]{Known: several}
			if several {
				half.Value = e.HalfWidth()
			}
			row.Numbers = append(row.Numbers, half)
		}
	}
	return row
}
