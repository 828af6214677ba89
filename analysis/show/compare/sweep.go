package compare

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Sweep lists what the points of a plan have measured: a plan of kind run has runs, others have
// points.
type Sweep struct {
	Manifest *experiment.Manifest `json:"manifest"`
	Finished int                  `json:"finished"`         // points
	Earlier  int                  `json:"finished_earlier"` // of those, before this command
	Runs     []tables.Object      `json:"runs"`
	Points   []tables.Object      `json:"points"`
	Axes     []tables.Object      `json:"axes"`
	// Comparisons rank the routers of a plan of kind run under each of its settings.
	Comparisons []Comparison `json:"comparisons,omitempty"`
	Findings    []Finding    `json:"findings,omitempty"`
	Tables      string       `json:"tables"`

	rows *tables.Rows
}

// NewSweep lists the rows of a sweep. out is where its tables are.
func NewSweep(m *experiment.Manifest, rows *tables.Rows, out string) *Sweep {
	r := &Sweep{Manifest: m, Finished: m.Finished, Runs: runObjects(rows), Points: trafficObjects(rows.Traffic), Axes: []tables.Object{}, Tables: out, rows: rows}
	for i := range rows.Axes {
		r.Axes = append(r.Axes, tables.Axes.Object(&rows.Axes[i]))
	}
	if len(rows.Runs) > 0 {
		r.Comparisons = Of(rows, nil)
		r.Findings = Findings(r.Comparisons, rows)
	}
	return r
}

// Count notes how many points are finished.
func (r *Sweep) Count(outcomes []experiment.Outcome) *Sweep {
	r.Finished = experiment.CoverageOf(outcomes).Finished
	for i := range outcomes {
		if outcomes[i].Earlier {
			r.Earlier++
		}
	}
	return r
}

// shownComparisons bounds how many comparisons stand under a sweep.
const shownComparisons = 12

// Sheets are what people see: of runs the same ranking as of carousel run, for each setting, and of
// its programs where traces are compared; means where there is nothing to rank.
func (r *Sweep) Sheets(v View) (list []*sheet.Sheet) {
	more := 0
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		sheets := []*sheet.Sheet{c.Programs()}
		if len(c.Routers) > 1 {
			sheets = append(sheets, c.Sheet(v.Wide))
		}
		sheets = slices.DeleteFunc(sheets, func(s *sheet.Sheet) bool { return s == nil })
		if i >= shownComparisons {
			more += min(len(sheets), 1)
			continue
		}
		for _, s := range sheets {
			if c.Title() != "" {
				s.Before = []string{"", c.Title() + ":"}
			} else if len(list) > 0 {
				s.Before = []string{""}
			}
			list = append(list, s)
		}
	}
	switch heading := r.heading(); {
	case len(list) == 0:
		list = append(list, r.Sheet())
	case len(heading) == 0 && len(list[0].Before) > 0:
		list[0].Before = list[0].Before[1:]
	default:
		list[0].Before = append(heading, list[0].Before...)
	}
	last := list[len(list)-1]
	if more > 0 {
		last.Note(fmt.Sprintf("%d more settings: --format json.", more))
	}
	all := r.Findings
	if text := r.rows.RuleText(); v.Verbose && text != "" && len(r.Comparisons) > 0 {
		all = append(all[:len(all):len(all)], Finding{Note, text})
	}
	last.Note(Under(all, v.Earlier, v.Verbose)...)
	last.Note(Where(r.Tables)...)
	return list
}

// heading names a study of runs: its title, what is replayed on which chip, and what is missing.
func (r *Sweep) heading() (list []string) {
	if p := r.Manifest.Plan; p != nil && p.Title != "" {
		list = append(list, p.Title)
	}
	if len(r.Comparisons) == 1 {
		list = append(list, headline(r.rows, r.Comparisons[0].work(), r.rows.Runs[0].Seed))
	}
	return append(list, incomplete(r.Manifest, r.rows)...)
}

// Sheet has a row for all seeds of a point, for people.
func (r *Sweep) Sheet() *sheet.Sheet {
	data := chart.NewData(r.rows, chart.Extent{Coverage: r.Manifest.Covered(r.rows)})
	axes, groups := r.columns()
	s := data.Means(append(axes, groups...), "router", r.measures()...).Sheet()
	if p := r.Manifest.Plan; p != nil && p.Title != "" {
		s.Before = []string{p.Title}
	}
	s.Before = append(s.Before, remarks(r.Manifest, r.rows)...)
	return s
}

// Spreadsheet has a row for each run or point, with the axes first and all digits. Of points in
// batches it has the means over them with half the widths of their 95 % intervals.
func (r *Sweep) Spreadsheet() *sheet.Sheet {
	axes, groups := r.columns()
	names, measures := slices.Concat(axes, groups, []string{"seed", "exit_state"}), r.measures()
	objects := slices.Clone(r.Runs)
	if len(r.rows.Traffic) > 0 {
		names, objects = append(names, "saturated"), slices.Clone(r.Points)
	}
	var behind []string
	for _, c := range measures {
		if len(r.rows.Batches) > 0 {
			behind = append(behind, c.Column, c.Column+"_ci")
		} else {
			names = append(names, c.Column)
		}
	}
	at := map[string]int{}
	for i := range objects {
		at[objects[i].Text("run_key")] = i
		objects[i] = slices.Clone(objects[i])
	}
	for _, a := range r.rows.Axes {
		objects[at[a.RunKey]].Set(a.Key, a.Value)
	}
	if len(r.rows.Batches) > 0 {
		for _, l := range chart.NewData(r.rows, chart.Extent{}).Means([]string{"run_key"}, "", measures...).Lines {
			for k, c := range measures {
				mean, half := l.Values[k].Numbers()
				objects[at[l.Labels[0]]].Set(c.Column, mean)
				objects[at[l.Labels[0]]].Set(c.Column+"_ci", half)
			}
		}
	}
	return pick(objects, slices.Concat(names, []string{"rules"}, behind)...)
}

// runGroups are the columns that a sweep of chips groups by.
var runGroups = []string{"workload", "router"}

// shown are the keys whose values the sheet has anyway.
var shown = []string{"routers", "workload", "traffic.load"}

// columns are the axes that no other column shows, and what else tells points apart.
func (r *Sweep) columns() (axes, groups []string) {
	if p := r.Manifest.Plan; p != nil {
		for _, a := range p.Axes {
			if !slices.Contains(shown, a.Key) {
				axes = append(axes, a.Key)
			}
		}
	}
	switch {
	case len(r.rows.Batches) > 0 && len(axes) > 0: // the axes say what a point is
		return axes, nil
	case len(r.rows.Batches) > 0:
		return axes, []string{"scheme"}
	case len(r.rows.Traffic) > 0:
		return axes, []string{"router", "offered"}
	}
	return axes, runGroups
}

// measures are those of a sweep of chips, of networks alone, or of multicasts one by one.
func (r *Sweep) measures() []chart.Column {
	switch {
	case len(r.rows.Batches) > 0:
		return chart.Columns("accepted", "multicast_latency_mean", "unicast_latency_mean", "arrival_cv", "arrival_cv_header", "multicast_channels")
	case len(r.rows.Traffic) > 0:
		return chart.Columns("accepted", "delivered", "latency_mean", "latency_p99", "multicast_latency_mean", "hops_mean", "energy_pj", "ed2p")
	}
	return chart.Columns("cycles", "miss_latency_mean", "packet_latency_mean", "energy_j", "ed2p_js2")
}
