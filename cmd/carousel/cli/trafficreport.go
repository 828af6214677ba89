package cli

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// trafficReport is the JSON document of carousel traffic.
type trafficReport struct {
	Manifest   *experiment.Manifest `json:"manifest"`
	Points     []tables.Object      `json:"points"`
	Summary    []tables.Object      `json:"summary"`
	Saturation []saturationEntry    `json:"saturation"`
	// SaturationSummary joins the searches of each router.
	SaturationSummary []saturationSummary `json:"saturation_summary"`
	Tables            string              `json:"tables"` // where the tables were written

	rows  *tables.Rows
	lines []chart.Line
}

// saturationEntry is the result of one search and its evidence.
type saturationEntry struct {
	Router string `json:"router"`
	Seed   uint64 `json:"seed"`
	State  string `json:"exit_state"`
	// Load is the largest load looked at that is carried, 0 if none was; SaturatedAt the smallest one
	// that is not, null if all are.
	Load        float64         `json:"saturation_load"`
	SaturatedAt *float64        `json:"saturated_at"`
	Resolution  float64         `json:"resolution"`
	Probes      []tables.Object `json:"probes"`
}

// saturationSummary is the result of all searches of one router that found a load.
type saturationSummary struct {
	Router string   `json:"router"`
	Runs   int      `json:"runs"`
	Load   estimate `json:"saturation_load"`
}

// trafficGroups are the columns that the comparison groups by.
var trafficGroups = []string{"router", "offered"}

// trafficMeasures are those of a comparison of networks. What has no title is in the document only.
var trafficMeasures = []shownMeasure{
	{"accepted", chart.Measure{Column: "accepted"}, 1}, {"delivered", chart.Measure{Column: "delivered"}, 1},
	{"latency", chart.Measure{Column: "latency_mean"}, 1}, {"median", chart.Measure{Column: "latency_p50"}, 1},
	{"", chart.Measure{Column: "latency_p95"}, 1}, {"p99", chart.Measure{Column: "latency_p99"}, 1},
	{"unicast", chart.Measure{Column: "unicast_latency_mean"}, 1}, {"multicast", chart.Measure{Column: "multicast_latency_mean"}, 1},
	{"", chart.Measure{Column: "multicast_path_mean"}, 1}, {"hops", chart.Measure{Column: "hops_mean"}, 1},
	{"energy [uJ]", chart.Measure{Column: "energy_pj"}, 1e-6}, {"ED2P", chart.Measure{Column: "ed2p"}, 1},
}

func buildTrafficReport(s *openloop.Study, m *experiment.Manifest, rows *tables.Rows, out string) *trafficReport {
	r := &trafficReport{Manifest: m, Points: trafficObjects(rows.Traffic), rows: rows, Saturation: []saturationEntry{},
		SaturationSummary: []saturationSummary{}, Tables: out}
	r.lines = chart.NewData(rows, chart.Extent{Coverage: m.Covered(rows)}).Summary(trafficGroups, "router", measuresOf(trafficMeasures))
	for i := range r.lines {
		l := &r.lines[i]
		o := tables.Object{{Name: "router", Value: l.Labels[0]}, {Name: "offered", Value: jsonNumber(l.Labels[1])}, {Name: "runs", Value: l.Runs}, {Name: "saturated_runs", Value: l.Saturated}}
		for k, m := range trafficMeasures {
			o.Set(m.Column, estimateOf(l.Values[k]))
		}
		r.Summary = append(r.Summary, o)
	}
	if len(s.Loads) > 0 {
		return r
	}
	found := map[string][]float64{}
	for _, search := range openloop.Searches(rows.Traffic) {
		e := saturationEntry{Router: search.Router, Seed: search.Seed, State: search.State, Load: search.Below, Resolution: s.Step, Probes: trafficObjects(search.Probes)}
		if search.Found {
			e.SaturatedAt = &search.Above
			found[e.Router] = append(found[e.Router], e.Load)
		}
		r.Saturation = append(r.Saturation, e)
	}
	for _, router := range s.Routers {
		if list := found[router]; len(list) > 0 {
			r.SaturationSummary = append(r.SaturationSummary, saturationSummary{router, len(list), estimateOf(chart.EstimateOf(list))})
		}
	}
	return r
}

// table is the comparison for people.
func (r *trafficReport) table(c *config.Effective) *sheet {
	s := &sheet{header: append([]string{}, trafficGroups...)}
	for _, m := range trafficMeasures {
		if m.title != "" {
			s.header = append(s.header, m.title)
		}
		if m.Column == "delivered" {
			s.header = append(s.header, "saturated")
		}
	}
	for i := range r.lines {
		l := &r.lines[i]
		if l.Runs == 0 {
			continue
		}
		row := append([]string{}, l.Labels...)
		for k, m := range trafficMeasures {
			if m.title != "" {
				row = append(row, estimateOf(l.Values[k]).cell(m.scale))
			}
			if m.Column == "delivered" {
				row = append(row, saturation(l))
			}
		}
		s.add(row...)
	}
	t := &c.Traffic
	s.before = []string{fmt.Sprintf("%s, pattern %s, %s, %d-phit packets, %d classes, %d cycles of which %d warm-up, seed %d",
		c.Topology, t.Pattern, multicastShare(c), t.PacketPhits, t.Classes, t.Cycles, t.Warmup, c.Seed)}
	s.addRules(r.rows)
	if w := r.Manifest.Warning(); w != "" {
		s.before = append(s.before, w)
	}
	s.after = []string{
		"loads are in phits per node and cycle, latencies in cycles; multicast: at the last destination; several runs: mean ± 95 % confidence.",
		"ED2P is energy of the window / delivered load squared, in pJ/(phits/node/cycle)^2; ed2p_per_phit in the tables takes energy per delivered phit.",
		"energy: " + c.Power.Circumstances() + ".",
		repricingHint,
	}
	for i := range r.Saturation {
		s.after = append(s.after, r.Saturation[i].sentence())
	}
	for _, e := range r.SaturationSummary {
		if e.Runs > 1 {
			s.after = append(s.after, fmt.Sprintf("%s: saturates at %s phits per node and cycle, %d searches", e.Router, e.Load.cell(1), e.Runs))
		}
	}
	s.after = append(s.after, whereTables(r.Tables)...)
	return s
}

func multicastShare(c *config.Effective) string {
	t := &c.Traffic
	switch {
	case t.MulticastFraction == 0:
		return "no multicasts"
	case t.MulticastDestinations >= c.Network.Places().Nodes()-1:
		return fmt.Sprintf("%g %% broadcasts", 100*t.MulticastFraction)
	}
	return fmt.Sprintf("%g %% multicasts to %d nodes", 100*t.MulticastFraction, t.MulticastDestinations)
}

// sentence tells the result of a search.
func (e *saturationEntry) sentence() string {
	about := fmt.Sprintf("%s, seed %d: ", e.Router, e.Seed)
	switch {
	case e.State != tables.Finished:
		return about + "the search did not finish"
	case e.SaturatedAt == nil:
		return about + fmt.Sprintf("not saturated up to %g phits per node and cycle", e.Load)
	case e.Load == 0:
		return about + fmt.Sprintf("saturated from %g phits per node and cycle on", *e.SaturatedAt)
	}
	return about + fmt.Sprintf("saturates between %g and %g phits per node and cycle", e.Load, *e.SaturatedAt)
}

// spreadsheet lists the points for programs.
func (r *trafficReport) spreadsheet() *sheet {
	return pick(r.Points, "router", "seed", "exit_state", "offered", "generated", "accepted", "delivered", "saturated",
		"latency_mean", "latency_p50", "latency_p95", "latency_p99", "latency_max", "unicast_latency_mean",
		"multicast_latency_mean", "multicast_path_mean", "hops_mean", "packets_injected", "packets_delivered",
		"phit_hops", "energy_pj", "ed2p", "ed2p_per_phit", "simulated_cycles", "digest", "rules")
}
