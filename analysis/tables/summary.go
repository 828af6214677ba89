package tables

import (
	"slices"
	"strconv"
	"strings"
)

// Summary is a group of runs or points that differ in their seeds and windows only: cells by column,
// each a *Maybe[string] or a *Maybe[float64].
type Summary map[string]any

// NewSummary returns a row of the table with values by column: texts and numbers, and texts of numbers.
// What has no value is absent.
func NewSummary(t *Table[Summary], values map[string]any) (row Summary) {
	for _, c := range t.Columns {
		switch cell := c.Cell(&row).(type) {
		case *Maybe[string]:
			v, _ := values[c.Name].(string)
			*cell = Maybe[string]{v, v != ""}
		case *Maybe[float64]:
			switch v := values[c.Name].(type) {
			case float64:
				*cell = Some(v)
			case string:
				f, err := strconv.ParseFloat(v, 64)
				*cell = Maybe[float64]{f, err == nil}
			}
		}
	}
	return row
}

// What the table summary takes from the tables runs and traffic.
var (
	SummaryTexts   = []string{"workload", "protocol", "router", "topology", "scheme", "pattern"}
	SummaryNumbers = []string{"cores", "multicast_fraction", "multicast_destinations", "packet_phits", "offered"}
	SummaryMeans   = []string{"cycles", "seconds", "ipc", "l1_misses", "miss_latency_mean", "packet_latency_mean", "packets_unicast",
		"packets_multicast", "packets_broadcast", "energy_j", "ed2p_js2", "generated", "accepted", "delivered", "latency_mean", "latency_p99",
		"unicast_latency_mean", "multicast_latency_mean", "hops_mean", "energy_pj", "ed2p"}
	// SummaryRatios are divided by the baseline. The ratio of ed2p is that of ed2p_js2 for runs.
	SummaryRatios = []string{"cycles", "energy_j", "latency_mean", "energy_pj", "ed2p"}
	// SummaryParts are columns of the table routers, summed over all routers.
	SummaryParts = []string{"energy_buffer_write_j", "energy_buffer_read_j", "energy_crossbar_j", "energy_arbiter_j", "energy_ring_j",
		"energy_header_j", "energy_clock_j", "energy_leakage_j", "energy_link_j", "energy_link_leakage_j"}
)

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
	text := func(name, doc string) { t.Columns = append(t.Columns, summaryColumn[string](name, "", doc)) }
	number := func(name, unit, doc string) {
		t.Columns = append(t.Columns, summaryColumn[float64](name, unit, doc))
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
	for _, name := range SummaryRatios {
		number(name+"_ratio", "", "ratio of "+name+" to that of the baseline, over the same windows and seeds")
		number(name+"_ratio_ci95", "", "half the width of its 95 % confidence interval")
	}
	for _, name := range SummaryParts {
		number(name, "J", "mean over the runs: "+summarised(name).Doc+", all routers together")
	}
	return t
}

// summaryColumn is a column of the summary, whose cell is made if it is not there.
func summaryColumn[T any](name, unit, doc string) Column[Summary] {
	return Column[Summary]{name, unit, doc, func(row *Summary) any {
		if *row == nil {
			*row = Summary{}
		}
		if (*row)[name] == nil {
			(*row)[name] = new(Maybe[T])
		}
		return (*row)[name]
	}}
}

// summarised describes the column that a cell of the summary comes from.
func summarised(name string) ColumnDescription {
	for _, d := range []Description{Runs.Describe(), TrafficPoints.Describe(), Routers.Describe()} {
		if i := slices.IndexFunc(d.Columns, func(c ColumnDescription) bool { return c.Name == name }); i >= 0 {
			return d.Columns[i]
		}
	}
	panic("tables: no column " + name)
}

// EnergyParts returns the energy of each of SummaryParts, in J, over all routers of each run, by
// run key.
func EnergyParts(rows []Router) map[string]map[string]float64 {
	sums := map[string]map[string]float64{}
	for _, c := range Routers.Columns {
		if !slices.Contains(SummaryParts, c.Name) {
			continue
		}
		for i := range rows {
			r := &rows[i]
			if sums[r.RunKey] == nil {
				sums[r.RunKey] = map[string]float64{}
			}
			sums[r.RunKey][c.Name] += *c.Cell(r).(*float64)
		}
	}
	return sums
}
