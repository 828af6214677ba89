package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/traces"
)

// Runs compares routers that replayed a workload.
type Runs struct {
	Manifest *experiment.Manifest `json:"manifest"`
	Baseline string               `json:"baseline"`
	Runs     []tables.Object      `json:"runs"`
	Summary  []tables.Object      `json:"summary"`
	Band     []Band               `json:"band,omitempty"`
	// Ideal is the time of a network without contention over that of the baseline. No network takes
	// less, unless a protocol repeats more requests there because they race.
	Ideal  *chart.Estimate `json:"ideal_time_normalized"`
	Tables string          `json:"tables"` // where they were written

	rows  *tables.Rows
	means chart.Means
}

// runGroups are the columns that the comparison groups by.
var runGroups = []string{"workload", "router"}

// The columns of a comparison of runs, by position.
const (
	cycles = iota
	timeRatio
	ed2pRatio
	energy
	ipc
	missLatency
	packetLatency
)

// NewRuns compares the runs of a study. tables is where its tables are.
func NewRuns(s *experiment.Study, m *experiment.Manifest, rows *tables.Rows, tables string) *Runs {
	base := chart.Baseline(s.Routers)
	columns := []chart.Column{
		cycles: {Title: "cycles", Measure: chart.Measure{Column: "cycles"}}, timeRatio: {Title: "time", Measure: timeOver(base)},
		ed2pRatio: {Title: "ED2P", Measure: chart.Measure{Column: "ed2p_js2", Baseline: base}},
		energy:    {Title: "energy [uJ]", Measure: chart.Measure{Column: "energy_j"}, Scale: 1e6}, ipc: {Title: "IPC", Measure: chart.Measure{Column: "ipc"}},
		missLatency:   {Title: "miss latency", Measure: chart.Measure{Column: "miss_latency_mean"}},
		packetLatency: {Title: "packet latency", Measure: chart.Measure{Column: "packet_latency_mean"}},
	}
	columns = append(columns, plain("unicast", "packets_unicast", "multicast", "packets_multicast", "broadcast", "packets_broadcast")...)
	if s.Chip.Protocol == "token" {
		columns = append(columns, plain("re-issues", "reissues", "persistent", "persistent_requests")...)
	}
	r := &Runs{Manifest: m, Baseline: base, Runs: runObjects(rows), Tables: tables, rows: rows,
		means: chart.NewData(rows, chart.Extent{Coverage: m.Covered(rows)}).Means(runGroups, "router", columns...)}
	for i := range r.means.Lines {
		r.Summary = append(r.Summary, summaryOf(&r.means.Lines[i]))
	}
	return r
}

// plain are columns of means, as pairs of a title and a column of the tables.
func plain(pairs ...string) (list []chart.Column) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, chart.Column{Title: pairs[i], Measure: chart.Measure{Column: pairs[i+1]}})
	}
	return list
}

// timeOver is the execution time over that of a baseline.
func timeOver(base string) chart.Measure {
	return chart.Measure{Column: "cycles", Baseline: base}
}

// summaryOf is a line as the document has it.
func summaryOf(l *chart.Line) tables.Object {
	time, timeHalf := l.Values[timeRatio].Numbers()
	ed2p, ed2pHalf := l.Values[ed2pRatio].Numbers()
	return tables.Object{{Name: "workload", Value: l.Labels[0]}, {Name: "router", Value: l.Labels[1]}, {Name: "runs", Value: l.Runs}, {Name: "windows", Value: l.Windows},
		{Name: "execution_time_normalized", Value: time}, {Name: "execution_time_ci95", Value: timeHalf},
		{Name: "ed2p_normalized", Value: ed2p}, {Name: "ed2p_ci95", Value: ed2pHalf}}
}

// Spreadsheet is the comparison with all digits, and empty cells for what is absent.
func (r *Runs) Spreadsheet() *sheet.Sheet {
	more := map[int]string{cycles: "cycles", energy: "network_energy_j", ipc: "ipc", missLatency: "miss_latency_mean", packetLatency: "packet_latency_mean"}
	var list []tables.Object
	for i := range r.means.Lines {
		l := &r.means.Lines[i]
		o := summaryOf(l)
		for k, name := range more {
			mean, _ := l.Values[k].Numbers()
			o.Set(name, mean)
		}
		if k := slices.IndexFunc(r.rows.Runs, func(row tables.Run) bool { return row.Router == l.Labels[1] }); k >= 0 {
			o.Set("rules", r.rows.Runs[k].Rules)
		}
		list = append(list, o)
	}
	return pick(list, "workload", "router", "runs", "execution_time_normalized", "execution_time_ci95",
		"ed2p_normalized", "ed2p_ci95", "cycles", "network_energy_j", "ipc", "miss_latency_mean", "packet_latency_mean", "rules")
}

// Sheet is the comparison for people.
func (r *Runs) Sheet(c *config.Effective) *sheet.Sheet {
	s := r.means.Sheet()
	s.Drop(0) // the workload stands above
	first := &r.rows.Runs[0]
	s.Before = append([]string{fmt.Sprintf("workload %s, %d cores, %s, protocol %s, seed %d; %s", first.Workload, first.Cores, first.Topology, first.Protocol, c.Seed, first.WorkloadSource)},
		remarks(r.Manifest, r.rows)...)
	s.Note(r.findings()...)
	s.Note(fmt.Sprintf("time and ED2P are relative to %s; latencies are in cycles; several runs: mean ± 95 %% confidence.", r.Baseline),
		"energy: "+c.Power.Circumstances()+".", repricingHint)
	s.Note(Where(r.Tables)...)
	s.Note(reissueNote(r.rows)...)
	return s
}

// Notes say what a reader must know of how the runs came about: cores that did nothing, what any
// network could have won, other assumptions, free startups, and how windows began. windows is the
// number of the trace's windows.
func (r *Runs) Notes(c *config.Effective, windows int) (notes []string) {
	notes = traces.IdleNote(workingCores(r.rows.Cores))
	notes = append(notes, r.idealNote()...)
	return slices.Concat(notes, r.bandNotes(), startupNotes(c), windowNotes(r.rows, windows))
}

// idealNote says what any network could have won at most, or that a router is as fast as the network
// without contention.
func (r *Runs) idealNote() []string {
	if r.Ideal == nil {
		return nil
	}
	text := fmt.Sprintf("a network without contention would take %s of the time of %s: ", r.Ideal.Text(), r.Baseline)
	end := "no router can win more."
	for i := range r.means.Lines {
		l := &r.means.Lines[i]
		switch v := l.Values[timeRatio]; {
		case v.OK && v.Mean < r.Ideal.Low:
			return []string{text + fmt.Sprintf("%s takes less, because more requests race there and are repeated, so that says nothing of what a router can win.", l.Labels[1])}
		case v.OK && v.Mean < r.Ideal.Mean:
			end = l.Labels[1] + " takes about as much; where more requests race and are repeated without contention, that says little of what a router can win."
		}
	}
	return []string{text + end}
}

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

// remarks say which rules the routers followed, and what is missing.
func remarks(m *experiment.Manifest, rows *tables.Rows) (list []string) {
	for _, text := range []string{rows.RuleText(), m.Covered(rows).Warning()} {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// repricingHint says that ratios of energy hold for these prices only.
const repricingHint = "Ratios of energy depend on profile and FIFOs: carousel report prices the tables again, such as with --profile S."

// manyReissues is the share of misses above which a run says that it measures its timer.
const manyReissues = 0.05

// reissueNote names the routers on which more than a few misses were requested again.
func reissueNote(rows *tables.Rows) []string {
	type sum struct{ reissues, misses uint64 }
	of, routers := map[string]*sum{}, []string{}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		if of[r.Router] == nil {
			of[r.Router] = &sum{}
			routers = append(routers, r.Router)
		}
		of[r.Router].reissues += r.Reissues.Value
		of[r.Router].misses += r.L1Misses.Value
	}
	var many []string
	for _, name := range routers {
		if share := float64(of[name].reissues) / float64(max(of[name].misses, 1)); share > manyReissues {
			many = append(many, fmt.Sprintf("%s %.0f", name, 100*share))
		}
	}
	if many == nil {
		return nil
	}
	return []string{fmt.Sprintf("warning: re-issued requests per 100 misses: %s. Times depend on when a request is issued again: "+
		"try other values of chip.token.timeout, and chip.token.adaptive.", strings.Join(many, ", "))}
}

// TimeOf returns the execution time of a router over that of a baseline; nil where nothing is known
// of it.
func TimeOf(rows *tables.Rows, router, base string) *chart.Estimate {
	for _, l := range chart.NewData(rows, chart.Extent{}).Summary(runGroups, "router", []chart.Measure{timeOver(base)}) {
		if l.Labels[1] == router && l.Values[0].OK {
			return &l.Values[0]
		}
	}
	return nil
}
