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

// Sheets are what people see: the means of points, and then a ranking for each setting, and of its
// programs where traces are compared.
func (r *Sweep) Sheets(v View) (list []*sheet.Sheet) {
	list = []*sheet.Sheet{r.Sheet()}
	more := 0
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		sheets := []*sheet.Sheet{c.Programs()}
		if len(c.Routers) > 1 {
			sheets = append(sheets, c.Sheet(v.Wide, c.Protocol(r.rows)))
		}
		if i >= shownComparisons {
			more++
			continue
		}
		for _, s := range sheets {
			if s != nil {
				s.Before = append([]string{""}, c.heading(r.rows))
				list = append(list, s)
			}
		}
	}
	last := list[len(list)-1]
	if more > 0 {
		last.Note(fmt.Sprintf("%d more settings: --format json.", more))
	}
	last.Note(Under(r.Findings, v.Earlier, v.Verbose)...)
	last.Note(Where(r.Tables)...)
	return list
}

// heading names a comparison: its protocol, cores, and what else tells it from others.
func (c *Comparison) heading(rows *tables.Rows) string {
	if title := c.Title(); title != "" {
		return title + ":"
	}
	return fmt.Sprintf("%s, %d cores:", rows.Runs[0].Protocol, rows.Runs[0].Cores)
}

// Protocol is the coherence protocol of a comparison.
func (c *Comparison) Protocol(rows *tables.Rows) string {
	for _, s := range c.Setting {
		if s.Key == "protocol" {
			return s.Value
		}
	}
	return rows.Runs[0].Protocol
}

// Sheet has a row for all seeds of a point, for people.
func (r *Sweep) Sheet() *sheet.Sheet {
	data := chart.NewData(r.rows, chart.Extent{Coverage: r.Manifest.Covered(r.rows)})
	axes, groups := r.columns()
	// Measured leaves out what no point has: a column of dashes says nothing.
	s := data.Means(append(axes, groups...), "router", r.measures()...).Measured().Sheet()
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

// plain are columns of means, as pairs of a title and a column of the tables.
func plain(pairs ...string) (list []chart.Column) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, chart.Column{Title: pairs[i], Measure: chart.Measure{Column: pairs[i+1]}})
	}
	return list
}

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
		return plain("accepted", "accepted", "multicast latency", "multicast_latency_mean", "unicast latency", "unicast_latency_mean",
			"CV of tails", "arrival_cv", "CV of headers", "arrival_cv_header", "channels", "multicast_channels")
	case len(r.rows.Traffic) > 0:
		return append(plain("accepted", "accepted", "delivered", "delivered", "latency", "latency_mean", "p99", "latency_p99",
			"multicast latency", "multicast_latency_mean", "hops", "hops_mean"),
			chart.Column{Title: "energy [uJ]", Measure: chart.Measure{Column: "energy_pj"}, Scale: 1e-6}, chart.Column{Title: "ED2P", Measure: chart.Measure{Column: "ed2p"}})
	}
	return append(plain("cycles", "cycles", "miss latency", "miss_latency_mean", "packet latency", "packet_latency_mean"),
		chart.Column{Title: "energy [uJ]", Measure: chart.Measure{Column: "energy_j"}, Scale: 1e6},
		chart.Column{Title: "ED2P [J s^2]", Measure: chart.Measure{Column: "ed2p_js2"}})
}
