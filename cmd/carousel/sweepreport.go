package main

import (
	"fmt"
	"slices"

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
	Runs     []runEntry           `json:"runs"`
	Points   []trafficPoint       `json:"points"`
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
	r := &sweepReport{Manifest: m, Runs: []runEntry{}, Points: []trafficPoint{}, Axes: []axisEntry{}, Tables: out}
	for i := range rows.Runs {
		r.Runs = append(r.Runs, entryOf(&rows.Runs[i], rows.Classes))
	}
	for i := range rows.Traffic {
		r.Points = append(r.Points, pointOf(&rows.Traffic[i]))
	}
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
	s := pointsTable(format, axes, rows)
	if p.Title != "" {
		s.before = []string{p.Title}
	}
	if w := m.Covered(rows).Warning(); w != "" {
		s.before = append(s.before, w)
	}
	s.after = append(s.after, "tables: "+out)
	return s
}

// shown are the keys whose values the sheet has anyway.
var shown = []string{"routers", "workload", "traffic.load"}

// measure is a column of a sweep's sheet, with its name for people and that of the table's column.
type measure[R any] struct {
	name, column string
	of           func(*R) tables.Maybe[float64]
}

var trafficMeasures = []measure[tables.Traffic]{
	{"accepted", "accepted", func(r *tables.Traffic) tables.Maybe[float64] { return r.Accepted }},
	{"delivered", "delivered", func(r *tables.Traffic) tables.Maybe[float64] { return r.Delivered }},
	{"latency", "latency_mean", func(r *tables.Traffic) tables.Maybe[float64] { return r.LatencyMean }},
	{"p99", "latency_p99", func(r *tables.Traffic) tables.Maybe[float64] { return r.LatencyP99 }},
	{"multicast latency", "multicast_latency_mean", func(r *tables.Traffic) tables.Maybe[float64] { return r.MulticastLatencyMean }},
	{"hops", "hops_mean", func(r *tables.Traffic) tables.Maybe[float64] { return r.HopsMean }},
	{"energy [pJ]", "energy_pj", func(r *tables.Traffic) tables.Maybe[float64] { return r.Energy }},
	{"ED2P", "ed2p", func(r *tables.Traffic) tables.Maybe[float64] { return r.ED2P }},
}

var runMeasures = []measure[tables.Run]{
	{"cycles", "cycles", func(r *tables.Run) tables.Maybe[float64] {
		return tables.Maybe[float64]{Value: float64(r.Cycles.Value), Known: r.Cycles.Known}
	}},
	{"miss latency", "miss_latency_mean", func(r *tables.Run) tables.Maybe[float64] { return r.MissLatencyMean }},
	{"packet latency", "packet_latency_mean", func(r *tables.Run) tables.Maybe[float64] { return r.PacketLatencyMean }},
	{"energy [J]", "energy_j", func(r *tables.Run) tables.Maybe[float64] { return r.Energy }},
	{"ED2P [J s^2]", "ed2p_js2", func(r *tables.Run) tables.Maybe[float64] { return r.EnergyED2P }},
}

// pointsTable has a row for each run or point.
func pointsTable(format string, axes []string, rows *tables.Rows) *sheet {
	values := map[[2]string]string{}
	for _, a := range rows.Axes {
		values[[2]string{a.RunKey, a.Key}] = a.Value
	}
	s := &sheet{}
	begin := func(key string) (cells []string) {
		for _, axis := range axes {
			cells = append(cells, values[[2]string{key, axis}])
		}
		return cells
	}
	write := func(v tables.Maybe[float64]) string {
		if format == "csv" {
			return full(known(v))
		}
		return cell(known(v), 1)
	}
	title := func(name, column string) {
		if format == "csv" {
			name = column
		}
		s.header = append(s.header, name)
	}
	s.header = append(s.header, axes...)
	if len(rows.Traffic) > 0 {
		s.header = append(s.header, "router", "load", "seed", "state", "saturated")
		for _, m := range trafficMeasures {
			title(m.name, m.column)
		}
		for i := range rows.Traffic {
			r := &rows.Traffic[i]
			cells := append(begin(r.RunKey), r.Router, number(r.Offered), fmt.Sprint(r.Seed), r.ExitState, r.Saturated.Value)
			for _, m := range trafficMeasures {
				cells = append(cells, write(m.of(r)))
			}
			s.add(cells...)
		}
		return s
	}
	s.header = append(s.header, "workload", "router", "seed", "state")
	for _, m := range runMeasures {
		title(m.name, m.column)
	}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		cells := append(begin(r.RunKey), r.Workload, r.Router, fmt.Sprint(r.Seed), r.ExitState)
		for _, m := range runMeasures {
			cells = append(cells, write(m.of(r)))
		}
		s.add(cells...)
	}
	return s
}
