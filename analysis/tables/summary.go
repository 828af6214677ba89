package tables

import (
	"slices"
	"strconv"
	"strings"
)

// Summary is a group of runs or points that differ in their seeds and windows only: texts and numbers,
// which may be written as texts, by column. What has no value is absent.
type Summary map[string]any

// SummaryAxis is an axis of a sweep that the other columns do not show.
type SummaryAxis struct {
	Key    string
	Number bool
}

// Column returns the name of the axis as a column: chip.core.window is chip_core_window.
func (a SummaryAxis) Column() string { return strings.ReplaceAll(a.Key, ".", "_") }

// SummaryTable returns the table of groups, with a column for each further axis of the sweep.
func SummaryTable(axes []SummaryAxis) *Table[Summary] {
	t := &Table[Summary]{Name: "summary",
		Doc: "one row per group of runs or points that differ only in seed and window; a sweep adds a column for each axis"}
	add := func(numbers bool, name, unit, doc string) {
		t.Columns = append(t.Columns, column(name, unit, doc, func(row *Summary) any {
			text, _ := (*row)[name].(string)
			v, known := (*row)[name].(float64)
			if !numbers {
				return &Maybe[string]{text, text != ""}
			} else if written, err := strconv.ParseFloat(text, 64); err == nil {
				return &Maybe[float64]{written, true}
			}
			return &Maybe[float64]{v, known}
		}))
	}
	from := slices.Concat(Runs.Describe().Columns, TrafficPoints.Describe().Columns)
	summarised := func(name Name) ColumnDescription {
		return from[slices.IndexFunc(from, func(c ColumnDescription) bool { return c.Name == name.text })]
	}
	for _, name := range SummaryGroups.Names() {
		c := summarised(name)
		add(c.Type != textType, c.Name, c.Unit, c.Doc)
	}
	for _, a := range axes {
		add(a.Number, a.Column(), "", "value of the axis "+a.Key)
	}
	add(false, "baseline", "", "what ratios are relative to (carousel help studies)")
	add(true, "runs", "runs", "finished runs of the group")
	add(true, "saturated_runs", "runs", "runs of the group whose network was saturated")
	for _, name := range SummaryMeans.Names() {
		c := summarised(name)
		add(true, c.Name, c.Unit, "mean over the runs: "+c.Doc)
		add(true, c.Name+"_ci95", c.Unit, "half the width of its 95 % confidence interval; absent for a single run")
	}
	for _, r := range SummaryRatios {
		of, clocks := r.Of[0].text, ""
		if r.Of[0] == Col.Cycles {
			clocks = "; of times if clocks differ"
		}
		if len(r.Of) > 1 {
			of += " (of networks alone: " + r.Of[1].text + ")"
		}
		add(true, r.Column, "", "ratio of "+of+" to that of the baseline, over the same windows and seeds"+clocks)
		add(true, r.Column+"_ci95", "", "half the width of its 95 % confidence interval")
	}
	for _, c := range EnergyParts {
		add(true, c.Name, "J", "mean over the runs: "+c.Doc+", all routers together")
	}
	return t
}
