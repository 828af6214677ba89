package compare

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Study is what carousel run and carousel sweep have measured: runs of chips, with their routers or other
// values ranked under each setting, or points of networks alone.
type Study struct {
	Manifest *experiment.Manifest `json:"manifest"`
	// Incomplete says which points are missing; "" for none.
	Incomplete string `json:"incomplete,omitempty"`
	Finished   int    `json:"finished"`         // points
	Earlier    int    `json:"finished_earlier"` // of those, before this command
	// Comparisons rank what runs compare, see [result.Comparison].
	Comparisons []result.Ranking `json:"comparisons,omitempty"`
	// Across compare, on each router, the values of the only axis beside the routers.
	Across      []result.Ranking `json:"across,omitempty"`
	Findings    []Finding        `json:"findings,omitempty"`
	Band        []Band           `json:"band,omitempty"`
	ChipBand    []PriceBand      `json:"chip_band,omitempty"`
	NetworkBand []PriceBand      `json:"network_band,omitempty"`
	// HotBlocks are, for each workload, the blocks with most misses that caches of other cores
	// answered.
	HotBlocks []HotBlock      `json:"hot_blocks"`
	Runs      []tables.Object `json:"runs"`
	Points    []tables.Object `json:"points"`
	Axes      []tables.Object `json:"axes"`
	Tables    string          `json:"tables"` // where they were written

	rows     *tables.Rows
	Networks *chart.Networks `json:"-"` // alone; nil of chips
}

// Extra are runs beside those of a comparison: on a network without contention, and under other
// assumptions.
type Extra struct {
	Bounds []tables.Run
	Band   *tables.Rows
}

// NewStudy compares the runs of a study, and lists its runs and points. out is where its tables are.
func NewStudy(m *experiment.Manifest, rows *tables.Rows, extra Extra, out string) *Study {
	r := Open(m, rows, extra.Bounds)
	r.Finished, r.Earlier, r.Tables, r.HotBlocks = m.Finished, m.Earlier, out, HotBlocks(result.Of(rows))
	r.Runs, r.Points, r.Axes = rows.RunObjects(), tables.TrafficObjects(rows.Traffic), tables.Axes.Objects(rows.Axes)
	if extra.Band != nil {
		f, c := findings{rankings: r.Comparisons, rows: rows, manifest: m}, &r.Comparisons[0]
		names := c.BaselineFirst()
		r.Band = bandOf(extra.Band, names)
		if r.NetworkBand, f.unpriced = priceBandOf(rows, names, col.ED2PJs2, experiment.NetworkBand()); f.unpriced == nil {
			r.ChipBand, f.unpriced = priceBandOf(rows, names, col.ChipED2PJs2, experiment.ChipBand())
		}
		f.band, f.networkBand = r.ChipBand, r.NetworkBand
		r.Findings = f.all()
	}
	return r
}

// Open compares the runs of a study. bounds are those of [Extra].
func Open(m *experiment.Manifest, rows *tables.Rows, bounds []tables.Run) *Study {
	doubts := doubtsOf(m, rows)
	r := &Study{Manifest: m, Incomplete: doubts.Incomplete, rows: rows}
	if len(rows.Runs) > 0 {
		by := result.ComparisonOf(rows, m.Baseline)
		r.Comparisons = by.Rank(rows, bounds)
		if r.Incomplete != "" && !by.Chosen() && m.Finished > 0 {
			r.Incomplete += "; the baseline is the router that is fastest in them"
		}
		if other := by.Across(rows); other != nil {
			r.Across = other.Rank(rows, nil)
		}
		r.Findings = (&findings{rankings: r.Comparisons, across: r.Across, rows: rows, manifest: m}).all()
	} else {
		r.Networks = chart.NetworksOf(rows, m.Baseline)
		r.Findings = networkFindings(r.Networks, moreSeeds(m))
	}
	for _, text := range doubts.Warnings {
		r.Findings = slices.Insert(r.Findings, 0, Finding{Warning, text})
	}
	return r
}

// Doubts are the part of a document about a study that says what is missing and why to doubt the rest.
type Doubts struct {
	Incomplete string   `json:"incomplete,omitempty"`
	Warnings   []string `json:"warnings"`
}

func doubtsOf(m *experiment.Manifest, rows *tables.Rows) Doubts {
	d := Doubts{m.Warning(), []string{}}
	for i := range rows.Traffic {
		if trend := rows.Traffic[i].Prices().Trend(); trend != "" {
			d.Warnings = append(d.Warnings, trend+".")
			break
		}
	}
	if mixed := mixedProfiles(rows); mixed != "" && len(rows.Traffic) > 0 {
		d.Warnings = append(d.Warnings, mixed)
	}
	return d
}

// on puts them on a sheet.
func (d *Doubts) on(s *sheet.Sheet) *sheet.Sheet {
	s.Incomplete, s.Warnings = some(d.Incomplete), d.Warnings
	return s
}

// View says how much of a study people want to see.
type View struct {
	Wide      bool              // all columns
	Verbose   bool              // all notes
	HotBlocks bool              // the blocks that move most often between caches
	Earlier   []string          // what to say of points that were not simulated again
	Config    *config.Effective // of a study whose runs all have it; nil else
}

// shownComparisons bounds how many comparisons stand on a screen.
const shownComparisons = 12

// Results are the tables of a study: of runs a ranking for each setting, and before these the times of settings
// if routers have several; means where there is nothing to rank. more is how many settings are left out.
func (r *Study) Results(wide bool) (list []*sheet.Sheet, more int) {
	if r.Across != nil {
		list = append(list, r.acrossSheet())
	}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		switch {
		case len(c.Names) == 1 && len(r.rows.Axes) > 0:
		case i < shownComparisons:
			list = append(list, Sheet(c, wide))
		default:
			more++
		}
	}
	if len(list) == 0 {
		axes, groups, measures := r.columns()
		by := append(axes, groups...)
		list = append(list, chart.MeansOf(r.rows, by, measures).Sheet())
		r.divide(list[0], by)
	}
	if r.Networks != nil {
		if s := saturationSheet(r.Networks); s != nil {
			list = append(list, s)
		}
	}
	return list, more
}

// Sheets are what people see: the tables, with what they are about and what follows from them.
func (r *Study) Sheets(v View) []*sheet.Sheet {
	list, more := r.Results(v.Wide)
	list[0].Before = r.heading()
	if more > 0 {
		list[len(list)-1].Note(fmt.Sprintf("%d more settings: --format json.", more))
	}
	if len(r.Band) > 0 {
		list = append(list, r.bandSheet())
	}
	if v.HotBlocks {
		list = append(list, sheet.Of(r.HotBlocks))
		last := list[len(list)-1]
		if last.Title = "blocks that move most often between caches"; len(r.HotBlocks) == 0 {
			last.Note("No cache answered enough misses of other cores for a block to be listed.")
		}
	}
	for i, s := range list {
		if i > 0 || len(s.Before) > 0 && s.Title != "" {
			s.Before = append(s.Before, "")
		}
		if s.Title != "" {
			s.Before = append(s.Before, s.Title+":")
		}
	}
	last := list[len(list)-1]
	warnings, texts := Under(append(slices.Clip(r.Findings), r.circumstances(v)...), v.Earlier, v.Verbose)
	list[0].Incomplete, last.Warnings = some(r.Incomplete), warnings
	last.Note(texts...)
	return list
}

// heading are the lines in front of the tables: the title of a plan, and what is shown.
func (r *Study) heading() []string {
	title := ""
	if p := r.Manifest.Plan; p != nil {
		title = p.Title
	}
	return append(some(title), r.What()...)
}

// What says in some lines what is replayed on which chip and network, or which rules the routers of networks alone
// follow.
func (r *Study) What() (lines []string) {
	if len(r.Comparisons) == 0 {
		return some(explained(r.rows.RuleText()))
	}
	if len(r.Comparisons) == 1 {
		run, a, all, work := &r.rows.Runs[0], r.Comparisons[0].Overall(), result.Of(r.rows), ""
		switch work = "workload " + a.Name; {
		case a.Parts != nil:
			work = fmt.Sprintf("%d workloads", len(r.Comparisons[0].Applications))
		case a.Windows > 1:
			work += fmt.Sprintf(", %d windows", a.Windows)
		}
		work += ", " + sheet.Count(int(run.Cores), "core")
		if nodes := tables.GroupBy(r.rows.Routers, func(o *tables.Router) string { return o.RunKey }); len(nodes) > 0 && len(nodes[0].Records) != int(run.Cores) {
			work += fmt.Sprintf(" on %d routers", len(nodes[0].Records))
		}
		work += fmt.Sprintf(", %s, protocol %s, %s; %s accesses", enumerate(all.Distinct(col.Topology)), enumerate(all.Distinct(col.Protocol)),
			seeds(run.Seed, len(all.Distinct(col.Seed))), run.WorkloadSource)
		if lines = []string{work}; a.Parts == nil {
			lines = append(lines, some(threadsOf(all))...)
		}
		lines = append(lines, some(channelsOf(r.rows.Runs))...)
	}
	return lines
}

// explained is a text about rules with a hint, if there is one.
func explained(rules string) string {
	if rules == "" {
		return ""
	}
	return rules + " (carousel help glossary)"
}

// some are the texts that are not empty.
func some(texts ...string) []string {
	return slices.DeleteFunc(texts, func(t string) bool { return t == "" })
}

// circumstances are notes about runs that stand below all others: how numbers were made.
func (r *Study) circumstances(v View) []Finding {
	if !v.Verbose || len(r.Comparisons) == 0 {
		return nil
	}
	notes := []Finding{{Note, explained(r.rows.RuleText())}}
	if v.Config != nil {
		notes = slices.Concat([]Finding{{Note, "Ratios are ratios of totals over the windows or seeds of both routers, with 95 % confidence intervals. ED2P is energy x time^2; latencies are in cycles."},
			{Note, "Energy: " + v.Config.Power.Circumstances() + "."}, {Note, repricingHint}}, notes)
	}
	return slices.DeleteFunc(notes, func(f Finding) bool { return f.Text == "" })
}

// Ranking is the comparisons with all digits, and empty cells for what is absent.
func (r *Study) Ranking() *sheet.Sheet {
	rules := map[string]string{}
	for i := range r.rows.Runs {
		rules[r.rows.Runs[i].Router] = r.rows.Runs[i].Rules
	}
	var list []tables.Object
	for i := range r.Comparisons {
		for _, a := range r.Comparisons[i].All() {
			for _, row := range a.ShownRows() {
				o := tables.Object{{Name: "workload", Value: a.Name}, {Name: "router", Value: row.Name}, {Name: "runs", Value: row.Runs},
					{Name: "windows", Value: a.Windows}, {Name: "baseline", Value: r.Comparisons[i].Baseline}}
				for _, ratio := range []struct {
					mean, half string
					metrics.Estimate
				}{{"execution_time_normalized", "execution_time_ci95", row.Time}, {"ed2p_normalized", "ed2p_ci95", row.ED2P},
					{"energy_normalized", "energy_ci95", row.Energy}, {"time_over_next", "time_over_next_ci95", row.Next}} {
					mean, half := ratio.Numbers()
					o = append(o, tables.Field{Name: ratio.mean, Value: mean}, tables.Field{Name: ratio.half, Value: half})
				}
				fixed, static, low, high := row.ED2PBreakEven.Numbers()
				o = append(o, tables.Field{Name: "breakeven_ed2p_fixed_w", Value: fixed}, tables.Field{Name: "breakeven_ed2p_static_w", Value: static},
					tables.Field{Name: "breakeven_ed2p_low_w", Value: low}, tables.Field{Name: "breakeven_ed2p_high_w", Value: high},
					tables.Field{Name: "verdict", Value: row.Verdict})
				o = append(o, row.Means...)
				o.Set(col.Rules.String(), rules[row.Name])
				list = append(list, o)
			}
		}
	}
	return Pick(list, list[0].Names()...)
}

// Spreadsheet has a row for each run or point, with the axes first and all digits. Of points in
// batches it has the means over them with half the widths of their 95 % intervals.
func (r *Study) Spreadsheet() *sheet.Sheet {
	axes, groups, measures := r.columns()
	names := tables.Texts(slices.Concat(axes, groups, []tables.Name{col.Seed, col.ExitState})...)
	if len(r.rows.Traffic) > 0 {
		names = append(names, col.Saturated.String())
	}
	objects, at := slices.Concat(r.Runs, r.Points), map[string]*tables.Object{} // by their keys
	for i, o := range objects {
		objects[i] = slices.Clone(o)
		at[o.Text(col.RunKey.String())] = &objects[i]
	}
	for _, a := range r.rows.Axes {
		at[a.RunKey].Set(a.Key, a.Value)
	}
	behind := []string{col.Rules.String()}
	for _, c := range measures {
		column := c.Column.String()
		if len(r.rows.Batches) == 0 {
			names = append(names, column)
			continue
		}
		behind = append(behind, column, column+"_ci")
		for _, g := range result.Of(r.rows).By(col.RunKey) {
			mean, half := g.Finished().Mean(c.Column).Numbers()
			at[g.Values[0]].Set(column, mean)
			at[g.Values[0]].Set(column+"_ci", half)
		}
	}
	return Pick(objects, append(names, behind...)...)
}

// columns are the axes that no other column shows, what else tells points apart, and what is measured
// of them: of chips, of networks alone, or of multicasts one by one.
func (r *Study) columns() (axes, groups []tables.Name, measures []tables.Shown) {
	groups, measures = []tables.Name{col.Workload, col.Router}, tables.OfSweep.Columns()
	switch {
	case len(r.rows.Batches) > 0:
		groups, measures = nil, tables.OfBatchSweep.Columns()
	case len(r.rows.Traffic) > 0:
		groups, measures = []tables.Name{col.Router, col.Offered}, tables.OfNetworkSweep.Columns()
	}
	if p := r.Manifest.Plan; p != nil {
		for _, a := range p.Axes {
			if !slices.Contains(groups, tables.AxisColumn(a.Key)) {
				axes = append(axes, tables.AxisName(a.Key))
			}
		}
	}
	if axes == nil && groups == nil {
		groups = []tables.Name{col.Scheme}
	}
	return axes, groups, measures
}

// repricingHint says that ratios of energy hold for these prices only.
const repricingHint = "Ratios of energy depend on the energy model: carousel report --profile S computes them with another one."

// Pick makes a spreadsheet of some fields of objects: full precision, and empty cells for what is
// absent.
func Pick(objects []tables.Object, names ...string) *sheet.Sheet {
	s := sheet.New(names...)
	for _, o := range objects {
		s.Rows = append(s.Rows, o.Texts(names))
	}
	return s
}
