package cli

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// sweepReport is the JSON document of carousel sweep and carousel merge. A plan of kind run has runs, one
// of kind traffic points.
type sweepReport struct {
	Manifest *experiment.Manifest `json:"manifest"`
	Finished int                  `json:"finished"`         // points
	Earlier  int                  `json:"finished_earlier"` // of those, before this command
	Runs     []tables.Object      `json:"runs"`
	Points   []tables.Object      `json:"points"`
	Axes     []axisEntry          `json:"axes"`
	Tables   string               `json:"tables"`
}

// axisEntry is the value of an axis at a point.
type axisEntry struct {
	RunKey string `json:"run_key"`
	Key    string `json:"key"`
	Value  string `json:"value"`
}

func buildSweepReport(m *experiment.Manifest, rows *tables.Rows, out string) *sweepReport {
	r := &sweepReport{Manifest: m, Runs: runObjects(rows), Points: trafficObjects(rows.Traffic), Axes: []axisEntry{}, Tables: out}
	for _, a := range rows.Axes {
		r.Axes = append(r.Axes, axisEntry{a.RunKey, a.Key, a.Value})
	}
	return r
}

// count fills in how many points are finished.
func (r *sweepReport) count(outcomes []experiment.Outcome) *sweepReport {
	for i := range outcomes {
		if outcomes[i].State == tables.Finished {
			r.Finished++
		}
		if outcomes[i].Earlier {
			r.Earlier++
		}
	}
	return r
}

// pointEntry is a point of a plan before it is done.
type pointEntry struct {
	RunKey string               `json:"run_key"`
	Label  string               `json:"label"`
	Axes   []experiment.Setting `json:"axes"`
}

func describePoints(points []experiment.Point) []pointEntry {
	list := make([]pointEntry, len(points))
	for i := range points {
		list[i] = pointEntry{points[i].Key, points[i].Label, points[i].Axes}
	}
	return list
}

// pointsSheet lists the points that a plan asks for.
func pointsSheet(p *plan.Plan, points []experiment.Point) *sheet {
	s := &sheet{header: []string{"point"}, after: []string{fmt.Sprintf("%d points of %s; nothing was simulated.", len(points), p.Name)}}
	for i := range points {
		s.add(points[i].Label)
	}
	return s
}

// sweepSheet lists the points with the axes first: for people, or for programs with all digits.
func sweepSheet(format string, p *plan.Plan, m *experiment.Manifest, rows *tables.Rows, out string) *sheet {
	var axes []string
	for _, a := range p.Axes {
		if !slices.Contains(shown, a.Key) {
			axes = append(axes, a.Key)
		}
	}
	s := pointsTable(format, axes, m, rows)
	if p.Title != "" {
		s.before = []string{p.Title}
	}
	s.addRules(rows)
	if w := m.Covered(rows).Warning(); w != "" {
		s.before = append(s.before, w)
	}
	s.after = append(s.after, whereTables(out)...)
	return s
}

// shown are the keys whose values the sheet has anyway.
var shown = []string{"routers", "workload", "traffic.load"}

// sweptMeasures are those of a sweep of networks and of one of chips.
var (
	sweptTraffic = []shownMeasure{
		{"accepted", chart.Measure{Column: "accepted"}, 1}, {"delivered", chart.Measure{Column: "delivered"}, 1},
		{"latency", chart.Measure{Column: "latency_mean"}, 1}, {"p99", chart.Measure{Column: "latency_p99"}, 1},
		{"multicast latency", chart.Measure{Column: "multicast_latency_mean"}, 1}, {"hops", chart.Measure{Column: "hops_mean"}, 1},
		{"energy [uJ]", chart.Measure{Column: "energy_pj"}, 1e-6}, {"ED2P", chart.Measure{Column: "ed2p"}, 1},
	}
	sweptMessages = []shownMeasure{
		{"accepted", chart.Measure{Column: "accepted"}, 1}, {"multicast latency", chart.Measure{Column: "multicast_latency_mean"}, 1},
		{"unicast latency", chart.Measure{Column: "unicast_latency_mean"}, 1}, {"CV of tails", chart.Measure{Column: "arrival_cv"}, 1},
		{"CV of headers", chart.Measure{Column: "arrival_cv_header"}, 1}, {"channels", chart.Measure{Column: "multicast_channels"}, 1},
	}
	sweptRuns = []shownMeasure{
		{"cycles", chart.Measure{Column: "cycles"}, 1}, {"miss latency", chart.Measure{Column: "miss_latency_mean"}, 1},
		{"packet latency", chart.Measure{Column: "packet_latency_mean"}, 1}, {"energy [uJ]", chart.Measure{Column: "energy_j"}, 1e6},
		{"ED2P [J s^2]", chart.Measure{Column: "ed2p_js2"}, 1},
	}
)

// pointsTable has a row for each run or point for programs, and one for all seeds of the same point for people.
func pointsTable(format string, axes []string, m *experiment.Manifest, rows *tables.Rows) *sheet {
	objects, groups, measures := runObjects(rows), []string{"workload", "router"}, sweptRuns
	if len(rows.Traffic) > 0 {
		objects, groups, measures = trafficObjects(rows.Traffic), []string{"router", "offered"}, sweptTraffic
	}
	if len(rows.Batches) > 0 { // the axes say what a point is
		groups, measures = nil, sweptMessages
		if len(axes) == 0 {
			groups = []string{"scheme"}
		}
	}
	if format == "csv" {
		if len(rows.Batches) > 0 {
			s := spreadsheetOf(objects, axes, groups, nil, rows)
			addBatchMeans(s, objects, measures, rows)
			return s
		}
		return spreadsheetOf(objects, axes, groups, measures, rows)
	}
	groups = append(slices.Clone(axes), groups...)
	data := chart.NewData(rows, chart.Extent{Coverage: m.Covered(rows)})
	measures = slices.DeleteFunc(slices.Clone(measures), func(m shownMeasure) bool {
		lines := data.Summary(groups, "router", []chart.Measure{m.Measure})
		return !slices.ContainsFunc(lines, func(l chart.Line) bool { return l.Values[0].OK }) // a column of dashes says nothing
	})
	lines := data.Summary(groups, "router", measuresOf(measures))
	s := &sheet{header: append(slices.Clone(groups), "runs")}
	if len(rows.Traffic) > 0 {
		s.header = append(s.header, "saturated")
	}
	for _, m := range measures {
		s.header = append(s.header, m.title)
	}
	for i := range lines {
		l := &lines[i]
		row := append(slices.Clone(l.Labels), fmt.Sprint(l.Runs))
		if len(rows.Traffic) > 0 {
			row = append(row, saturation(l))
		}
		s.add(append(row, lineCells(l, measures)...)...)
	}
	return s
}

// addBatchMeans adds to the rows of runs the means over their batches and the half widths of their 95 % intervals.
func addBatchMeans(s *sheet, objects []tables.Object, measures []shownMeasure, rows *tables.Rows) {
	lines := chart.NewData(rows, chart.Extent{}).Summary([]string{"run_key"}, "", measuresOf(measures))
	of := map[string]*chart.Line{}
	for i := range lines {
		of[lines[i].Labels[0]] = &lines[i]
	}
	for _, m := range measures {
		s.header = append(s.header, m.Column, m.Column+"_ci")
	}
	for i := range s.rows {
		l := of[objects[i].Text("run_key")]
		for k := range measures {
			value, half := "", ""
			if l != nil && l.Values[k].OK {
				e := &l.Values[k]
				value = strconv.FormatFloat(e.Mean, 'g', -1, 64)
				if e.N > 1 {
					half = strconv.FormatFloat(e.HalfWidth(), 'g', -1, 64)
				}
			}
			s.rows[i] = append(s.rows[i], value, half)
		}
	}
}

// spreadsheetOf has a row for each run or point, with the axes first.
func spreadsheetOf(objects []tables.Object, axes, groups []string, measures []shownMeasure, rows *tables.Rows) *sheet {
	values := map[[2]string]string{}
	for _, a := range rows.Axes {
		values[[2]string{a.RunKey, a.Key}] = a.Value
	}
	names := append(slices.Clone(groups), "seed", "exit_state")
	if len(rows.Traffic) > 0 {
		names = append(names, "saturated")
	}
	for _, m := range measures {
		names = append(names, m.Column)
	}
	s := pick(objects, append(names, "rules")...)
	for i := range s.rows {
		var first []string
		for _, axis := range axes {
			first = append(first, values[[2]string{objects[i].Text("run_key"), axis}])
		}
		s.rows[i] = append(first, s.rows[i]...)
	}
	s.header = append(slices.Clone(axes), s.header...)
	return s
}
