package compare

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Runs compares routers that replayed one or several workloads.
type Runs struct {
	Manifest    *experiment.Manifest `json:"manifest"`
	Comparisons []Comparison         `json:"comparisons"`
	Findings    []Finding            `json:"findings"`
	Band        []Band               `json:"band,omitempty"`
	// HotBlocks are, for each workload, the blocks with most misses that caches of other cores
	// answered.
	HotBlocks []HotBlock      `json:"hot_blocks"`
	Runs      []tables.Object `json:"runs"`
	Tables    string          `json:"tables"` // where they were written

	rows *tables.Rows
}

// NewRuns compares the runs of a study. extra are what was run beside them, and out is where its
// tables are.
func NewRuns(m *experiment.Manifest, rows *tables.Rows, extra Extra, out string) *Runs {
	r := &Runs{Manifest: m, Comparisons: Of(rows, extra.Bounds), HotBlocks: hotBlocks(rows, nil), Runs: runObjects(rows), Tables: out, rows: rows}
	r.Findings = Findings(r.Comparisons, rows)
	if extra.Band != nil {
		r.Band = bandOf(extra.Band, r.Comparisons[0].Routers)
	}
	return r
}

// Extra are runs beside those of a comparison: on a network without contention, and under other
// assumptions.
type Extra struct {
	Bounds []tables.Run
	Band   *tables.Rows
}

// Spreadsheet is the comparison with all digits, and empty cells for what is absent.
func (r *Runs) Spreadsheet() *sheet.Sheet {
	rules := map[string]string{}
	for i := range r.rows.Runs {
		rules[r.rows.Runs[i].Router] = r.rows.Runs[i].Rules
	}
	var list []tables.Object
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		all := slices.Clone(c.Applications)
		if c.Mean != nil {
			all = append(all, *c.Mean)
		}
		for k := range all {
			for _, row := range all[k].Rows {
				o := tables.Object{{Name: "workload", Value: all[k].Name}, {Name: "router", Value: row.Router}, {Name: "runs", Value: row.Runs},
					{Name: "windows", Value: all[k].Windows}, {Name: "baseline", Value: all[k].Rows[0].Router}}
				for _, ratio := range []struct {
					mean, half string
					metrics.Estimate
				}{{"execution_time_normalized", "execution_time_ci95", row.Time}, {"ed2p_normalized", "ed2p_ci95", row.ED2P},
					{"energy_normalized", "energy_ci95", row.Energy}, {"time_over_next", "time_over_next_ci95", row.Next}} {
					mean, half := ratio.Numbers()
					o = append(o, tables.Field{Name: ratio.mean, Value: mean}, tables.Field{Name: ratio.half, Value: half})
				}
				o = append(append(o, tables.Field{Name: "verdict", Value: row.Verdict}), row.Means...)
				o.Set("rules", rules[row.Router])
				list = append(list, o)
			}
		}
	}
	return pick(list, list[0].Names()...)
}

// View says how much of a comparison people want to see.
type View struct {
	Wide    bool     // all columns
	Verbose bool     // all notes
	Earlier []string // what to say of points that were not simulated again
}

// Sheet is the comparison for people.
func (r *Runs) Sheet(c *config.Effective, v View) *sheet.Sheet {
	one := &r.Comparisons[0]
	s := one.Sheet(v.Wide)
	s.Before = append([]string{headline(r.rows, one.work(), c.Seed)}, incomplete(r.Manifest, r.rows)...)
	s.Note(r.bandLines()...)
	all := r.Findings
	if v.Verbose {
		all = append(all[:len(all):len(all)], r.circumstances(c)...)
	}
	s.Note(Under(all, v.Earlier, v.Verbose)...)
	s.Note(Where(r.Tables)...)
	return s
}

// work says what is replayed.
func (c *Comparison) work() string {
	one := &c.Applications[0]
	switch {
	case c.Mean != nil:
		return fmt.Sprintf("%d workloads", len(c.Applications))
	case one.Windows > 1:
		return fmt.Sprintf("workload %s, %d windows", one.Name, one.Windows)
	}
	return "workload " + one.Name
}

// circumstances are notes that hold for every study with these settings.
func (r *Runs) circumstances(c *config.Effective) (list []Finding) {
	texts := []string{"Ratios are ratios of totals over the windows or seeds of both routers, with 95 % confidence intervals. ED2P is energy x time^2; latencies are in cycles.",
		"Energy: " + c.Power.Circumstances() + ".", repricingHint, r.rows.RuleText()}
	for _, text := range texts {
		if text != "" {
			list = append(list, Finding{Note, text})
		}
	}
	return list
}

// incomplete says what part of a study is missing.
func incomplete(m *experiment.Manifest, rows *tables.Rows) []string {
	if text := m.Covered(rows).Warning(); text != "" {
		return []string{text}
	}
	return nil
}

// remarks say which rules the routers followed, and what is missing.
func remarks(m *experiment.Manifest, rows *tables.Rows) (list []string) {
	if text := rows.RuleText(); text != "" {
		list = append(list, text)
	}
	return append(list, incomplete(m, rows)...)
}

// repricingHint says that ratios of energy hold for these prices only.
const repricingHint = "Ratios of energy depend on the energy model: carousel report --profile S computes them with another one."

// workingCores counts the cores that execute anything in the first run of a study, and all of its
// cores.
func workingCores(rows []tables.Core) (working, cores int) {
	for i := range rows {
		if rows[i].RunKey != rows[0].RunKey {
			continue
		}
		cores++
		if rows[i].Records > 1 { // an end alone is nothing
			working++
		}
	}
	return working, cores
}
