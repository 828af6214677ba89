package chart

import (
	"maps"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Measure is a column whose mean a summary shows. With a baseline, a value of the column that tells
// series apart, each run is divided by the baseline's run of the same seed and window first, or the
// sums over windows are divided.
type Measure struct{ Column, Baseline string }

// Line is a group of runs that differ in their seeds and windows only.
type Line struct {
	Labels    []string // values of the columns that the summary groups by
	Windows   int      // among the finished runs
	Runs      int      // finished ones
	Saturated int      // of those, points whose network was saturated
	Values    []Estimate
}

// Label returns the value of one of the columns that the lines were grouped by.
func (l *Line) Label(by []string, column string) string {
	return l.Labels[slices.Index(by, column)]
}

// Summary groups runs and points by columns or axes, in the order in which the groups appear, and
// returns the means of measures for each group; none where no run of the group has finished. series
// is the one of the columns in which a group differs from that of its baseline; the scheme may
// differ with it, because routers have schemes of their own. Where a run is divided into batches,
// each is a value of what batches measure.
func (d *Data) Summary(by []string, series string, measures []Measure) []Line {
	var lines []Line
	groups := map[string][]tables.Record{}
	key := func(labels []string) string { return strings.Join(labels, "\x00") }
	all := everything(d.Tables())
	batches := d.batches()
	for i := range all {
		r := &all[i]
		labels := make([]string, len(by))
		for k, column := range by {
			labels[k] = r.Label(column)
		}
		if _, known := groups[key(labels)]; !known {
			groups[key(labels)] = nil
			lines = append(lines, Line{Labels: labels})
		}
		if r.Texts["exit_state"] == tables.Finished {
			groups[key(labels)] = append(groups[key(labels)], *r)
		}
	}
	// peer is a key that groups share which differ in nothing but the series and the scheme.
	peer := func(labels []string, name string) string {
		labels = slices.Clone(labels)
		for k, column := range by {
			if column == series || column == "scheme" {
				labels[k] = ""
			}
		}
		return key(append(labels, name))
	}
	peers := map[string]string{}
	if at := slices.Index(by, series); at >= 0 {
		for _, l := range lines {
			if k := peer(l.Labels, l.Labels[at]); peers[k] == "" {
				peers[k] = key(l.Labels)
			}
		}
	}
	for i := range lines {
		l := &lines[i]
		runs := groups[key(l.Labels)]
		l.Runs, l.Windows = len(runs), windowsOf(runs)
		for k := range runs {
			if runs[k].Texts["saturated"] == tables.Saturated {
				l.Saturated++
			}
		}
		for _, m := range measures {
			values := observed(runs, batches, m.Column)
			if m.Baseline == "" {
				l.Values = append(l.Values, m.mean(values))
				continue
			}
			base := groups[peers[peer(l.Labels, m.Baseline)]]
			l.Values = append(l.Values, m.ratio(values, observed(base, batches, m.Column)))
		}
	}
	return lines
}

// mean is that of the values of some runs.
func (m *Measure) mean(runs []tables.Record) Estimate {
	return metrics.MeanValue(samplesOf(runs, m.Column))
}

// ratio is the ratio of the totals of what an execution consists of, or else the mean of the ratios
// to the runs of the baseline. There is none where the baseline did not finish.
func (m *Measure) ratio(runs, base []tables.Record) Estimate {
	in := Cell{Samples: map[string][]metrics.Sample{"": samplesOf(runs, m.Column), "baseline": samplesOf(base, m.Column)}}
	in.settle(m.Column)
	_, e := in.Ratios("", "baseline")
	return e
}

// batches are the numbers of the batches of each run.
func (d *Data) batches() map[string][]map[string]float64 {
	list := map[string][]map[string]float64{}
	for i := range d.rows.Batches {
		b := &d.rows.Batches[i]
		_, numbers := tables.Batches.Cells(b)
		list[b.RunKey] = append(list[b.RunKey], numbers)
	}
	return list
}

// observed replaces runs by their batches, if those have the column.
func observed(runs []tables.Record, batches map[string][]map[string]float64, column string) (list []tables.Record) {
	for _, r := range runs {
		known := batches[r.Texts["run_key"]]
		if len(known) == 0 || !slices.ContainsFunc(tables.Batches.Columns, func(c tables.Column[tables.Batch]) bool { return c.Name == column }) {
			list = append(list, r)
			continue
		}
		for i, numbers := range known {
			if v, ok := numbers[column]; ok {
				list = append(list, tables.Record{Texts: r.Texts, Numbers: map[string]float64{column: v}, Seed: r.Seed, Batch: uint64(i)})
			}
		}
	}
	return list
}

// windowsOf counts the windows of a trace that records are of.
func windowsOf(list []tables.Record) int {
	seen := map[uint64]bool{}
	for i := range list {
		seen[list[i].Window] = true
	}
	return len(seen)
}

// samplesOf are the values of a measure, of the records that have it.
func samplesOf(list []tables.Record, column string) (samples []metrics.Sample) {
	for i := range list {
		if v, ok := list[i].Numbers[column]; ok {
			samples = append(samples, sampleOf(&list[i], column, v))
		}
	}
	return samples
}

// everything lists all runs and points with the energy of their parts, in the order of the plan.
func everything(rows *tables.Rows) []tables.Record {
	list, parts := rows.Records(), tables.EnergyParts(rows.Routers)
	for i := range list {
		maps.Copy(list[i].Numbers, parts[list[i].Texts["run_key"]])
	}
	return list
}
