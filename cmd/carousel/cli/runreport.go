package cli

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// runReport is the JSON document of carousel run.
type runReport struct {
	Manifest *experiment.Manifest `json:"manifest"`
	Baseline string               `json:"baseline"`
	Runs     []tables.Object      `json:"runs"`
	Summary  []tables.Object      `json:"summary"`
	Band     []bandEntry          `json:"band,omitempty"`
	// Ideal is the time of a network without contention over that of the baseline: no network can take less.
	Ideal *estimate `json:"ideal_time_normalized"`
	// Tables is where the tables were written.
	Tables string `json:"tables"`

	rows  *tables.Rows
	lines []chart.Line
	shown []shownMeasure
}

// runGroups are the columns that the comparison groups by.
var runGroups = []string{"workload", "router"}

func buildReport(s *experiment.Study, m *experiment.Manifest, rows *tables.Rows, out string) *runReport {
	base := chart.Baseline(s.Routers)
	r := &runReport{Manifest: m, Baseline: base, Runs: runObjects(rows), Tables: out, rows: rows, shown: []shownMeasure{
		{"cycles", chart.Measure{Column: "cycles"}, 1}, {"time", chart.Measure{Column: "cycles", Baseline: base, Totals: true}, 1},
		{"ED2P", chart.Measure{Column: "ed2p_js2", Baseline: base}, 1}, {"energy [uJ]", chart.Measure{Column: "energy_j"}, 1e6},
		{"IPC", chart.Measure{Column: "ipc"}, 1}, {"miss latency", chart.Measure{Column: "miss_latency_mean"}, 1},
		{"packet latency", chart.Measure{Column: "packet_latency_mean"}, 1}, {"unicast", chart.Measure{Column: "packets_unicast"}, 1},
		{"multicast", chart.Measure{Column: "packets_multicast"}, 1}, {"broadcast", chart.Measure{Column: "packets_broadcast"}, 1},
	}}
	if s.Chip.Protocol == "token" {
		r.shown = append(r.shown, shownMeasure{"re-issues", chart.Measure{Column: "reissues"}, 1},
			shownMeasure{"persistent", chart.Measure{Column: "persistent_requests"}, 1})
	}
	r.lines = chart.NewData(rows, chart.Extent{Coverage: m.Covered(rows)}).Summary(runGroups, "router", measuresOf(r.shown))
	for i := range r.lines {
		l := &r.lines[i]
		time, ed2p := estimateOf(l.Values[1]), estimateOf(l.Values[2])
		r.Summary = append(r.Summary, tables.Object{{Name: "workload", Value: l.Labels[0]}, {Name: "router", Value: l.Labels[1]}, {Name: "runs", Value: l.Runs}, {Name: "windows", Value: l.Windows},
			{Name: "execution_time_normalized", Value: time.Mean}, {Name: "execution_time_ci95", Value: time.CI},
			{Name: "ed2p_normalized", Value: ed2p.Mean}, {Name: "ed2p_ci95", Value: ed2p.CI}})
	}
	return r
}

// spreadsheet is the comparison for programs: full precision, and empty cells for what is absent.
func (r *runReport) spreadsheet() *sheet {
	s := &sheet{header: []string{"workload", "router", "runs", "execution_time_normalized", "execution_time_ci95",
		"ed2p_normalized", "ed2p_ci95", "cycles", "network_energy_j", "ipc", "miss_latency_mean", "packet_latency_mean", "rules"}}
	for i := range r.lines {
		l := &r.lines[i]
		mean := func(k int) string { return full(estimateOf(l.Values[k]).Mean) }
		half := func(k int) string { return full(estimateOf(l.Values[k]).CI) }
		s.add(l.Labels[0], l.Labels[1], fmt.Sprint(l.Runs), mean(1), half(1), mean(2), half(2), mean(0), mean(3), mean(4), mean(5), mean(6), r.rulesOf(l.Labels[1]))
	}
	return s
}

// rulesOf returns which rules a router followed.
func (r *runReport) rulesOf(router string) string {
	for i := range r.rows.Runs {
		if r.rows.Runs[i].Router == router {
			return r.rows.Runs[i].Rules
		}
	}
	return ""
}

// table is the comparison for people.
func (r *runReport) table(c *config.Effective) *sheet {
	s := &sheet{header: []string{"router", "runs"}}
	for _, m := range r.shown {
		s.header = append(s.header, m.title)
	}
	for i := range r.lines {
		if l := &r.lines[i]; l.Runs > 0 {
			s.add(append([]string{l.Labels[1], fmt.Sprint(l.Runs)}, lineCells(l, r.shown)...)...)
		}
	}
	first := &r.rows.Runs[0]
	s.before = []string{fmt.Sprintf("workload %s, %d cores, %s, protocol %s, seed %d; %s", first.Workload, first.Cores, first.Topology, first.Protocol, c.Seed, first.WorkloadSource)}
	s.addRules(r.rows)
	if w := r.Manifest.Warning(); w != "" {
		s.before = append(s.before, w)
	}
	s.after = append(r.findings(),
		fmt.Sprintf("time and ED2P are relative to %s; latencies are in cycles; several runs: mean ± 95 %% confidence.", r.Baseline),
		"energy: "+c.Power.Circumstances()+".",
		repricingHint,
	)
	s.after = append(s.after, whereTables(r.Tables)...)
	s.after = append(s.after, reissueNote(r.rows)...)
	if known, ok := r.payloadKnown(); ok {
		s.after = append(s.after, fmt.Sprintf("data messages: the trace has told %.0f %% of their bytes; the others count as 0.", 100*known))
	}
	return s
}

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

// payloadKnown is the part of the bytes of data messages that the traces have told, where flipped bits are counted.
func (r *runReport) payloadKnown() (share float64, ok bool) {
	sent, known := uint64(0), uint64(0)
	for i := range r.rows.Runs {
		row := &r.rows.Runs[i]
		sent, known = sent+row.PayloadBytes.Value, known+row.PayloadKnown.Value
	}
	return float64(known) / float64(max(sent, 1)), sent > 0
}
