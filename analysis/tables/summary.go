package tables

import (
	"slices"
	"strconv"
	"strings"
)

// Summary is a group of runs or points that differ in their seeds and windows only: texts and numbers,
// which may be written as texts, by column. What has no value is absent.
type Summary map[string]any

// What the table summary takes from the tables runs and traffic.
var (
	SummaryTexts   = []string{"workload", "protocol", "router", "topology", "scheme", "pattern"}
	SummaryNumbers = []string{"cores", "multicast_fraction", "multicast_destinations", "packet_phits", "offered"}
	SummaryMeans   = []string{"cycles", "seconds", "ipc", "l1_misses", "miss_latency_mean", "packet_latency_mean", "packets_unicast",
		"packets_multicast", "packets_broadcast", "energy_j", "ed2p_js2", "generated", "accepted", "delivered", "latency_mean", "latency_p99",
		"unicast_latency_mean", "multicast_latency_mean", "hops_mean", "energy_pj", "ed2p"}
	// SummaryRatios are means divided by that of the baseline.
	SummaryRatios = []SummaryRatio{{"cycles_ratio", []string{"cycles"}}, {"energy_j_ratio", []string{"energy_j"}},
		{"latency_mean_ratio", []string{"latency_mean"}}, {"energy_pj_ratio", []string{"energy_pj"}}, {"ed2p_ratio", []string{"ed2p_js2", "ed2p"}}}
)

// SummaryRatio is a ratio of means: of the last column in networks alone, and otherwise of the first.
type SummaryRatio struct {
	Column string
	Of     []string
}

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
	text := func(name, doc string) {
		t.Columns = append(t.Columns, Column[Summary]{name, "", doc, func(row *Summary) any {
			v, _ := (*row)[name].(string)
			return &Maybe[string]{v, v != ""}
		}})
	}
	number := func(name, unit, doc string) {
		t.Columns = append(t.Columns, Column[Summary]{name, unit, doc, func(row *Summary) any {
			if written, ok := (*row)[name].(string); ok {
				v, err := strconv.ParseFloat(written, 64)
				return &Maybe[float64]{v, err == nil}
			}
			v, known := (*row)[name].(float64)
			return &Maybe[float64]{v, known}
		}})
	}
	from := slices.Concat(Runs.Describe().Columns, TrafficPoints.Describe().Columns)
	summarised := func(name string) ColumnDescription {
		return from[slices.IndexFunc(from, func(c ColumnDescription) bool { return c.Name == name })]
	}
	for _, name := range SummaryTexts {
		text(name, summarised(name).Doc)
	}
	for _, name := range SummaryNumbers {
		number(name, summarised(name).Unit, summarised(name).Doc)
	}
	for _, a := range axes {
		if doc := "value of the axis " + a.Key; a.Number {
			number(a.Column(), "", doc)
		} else {
			text(a.Column(), doc)
		}
	}
	text("baseline", "router that ratios are relative to")
	number("runs", "runs", "finished runs of the group")
	number("saturated_runs", "runs", "runs of the group whose network was saturated")
	for _, name := range SummaryMeans {
		c := summarised(name)
		number(name, c.Unit, "mean over the runs: "+c.Doc)
		number(name+"_ci95", c.Unit, "half the width of its 95 % confidence interval; absent for a single run")
	}
	for _, r := range SummaryRatios {
		of := r.Of[0]
		if len(r.Of) > 1 {
			of += " (of networks alone: " + r.Of[1] + ")"
		}
		number(r.Column, "", "ratio of "+of+" to that of the baseline, over the same windows and seeds")
		number(r.Column+"_ci95", "", "half the width of its 95 % confidence interval")
	}
	for _, c := range EnergyParts {
		number(c.Name, "J", "mean over the runs: "+c.Doc+", all routers together")
	}
	return t
}
