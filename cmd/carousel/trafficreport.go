package main

import (
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// trafficReport is the JSON document of carousel traffic.
type trafficReport struct {
	Manifest   *experiment.Manifest `json:"manifest"`
	Points     []trafficPoint       `json:"points"`
	Summary    []trafficSummary     `json:"summary"`
	Saturation []saturationEntry    `json:"saturation"`
	// SaturationSummary joins the searches of each router.
	SaturationSummary []saturationSummary `json:"saturation_summary"`
	Tables            string              `json:"tables"` // where the tables were written
}

// trafficPoint is one router at one load with one seed. What was not measured is null.
type trafficPoint struct {
	RunKey               string   `json:"run_key"`
	Router               string   `json:"router"`
	Scheme               string   `json:"scheme"`
	Topology             string   `json:"topology"`
	Pattern              string   `json:"pattern"`
	Seed                 uint64   `json:"seed"`
	ExitState            string   `json:"exit_state"`
	Explanation          *string  `json:"explanation"`
	Offered              float64  `json:"offered"`
	Generated            *float64 `json:"generated"`
	Accepted             *float64 `json:"accepted"`
	Delivered            *float64 `json:"delivered"`
	Saturated            *bool    `json:"saturated"`
	LatencyMean          *float64 `json:"latency_mean"`
	LatencyP50           *float64 `json:"latency_p50"`
	LatencyP95           *float64 `json:"latency_p95"`
	LatencyP99           *float64 `json:"latency_p99"`
	LatencyMax           *uint64  `json:"latency_max"`
	UnicastLatencyMean   *float64 `json:"unicast_latency_mean"`
	MulticastLatencyMean *float64 `json:"multicast_latency_mean"`
	MulticastCopyMean    *float64 `json:"multicast_copy_latency_mean"`
	MulticastPathMean    *float64 `json:"multicast_path_mean"`
	HopsMean             *float64 `json:"hops_mean"`
	PacketsGenerated     *uint64  `json:"packets_generated"`
	PacketsInjected      *uint64  `json:"packets_injected"`
	PacketsDelivered     *uint64  `json:"packets_delivered"`
	PhitHops             *uint64  `json:"phit_hops"`
	WaitingGrowth        *float64 `json:"waiting_growth"`
	OldestWaiting        *uint64  `json:"oldest_waiting"`
	EnergyPJ             *float64 `json:"energy_pj"`
	ED2P                 *float64 `json:"ed2p"`
	ED2PPerPhit          *float64 `json:"ed2p_per_phit"`
	SimulatedCycles      *uint64  `json:"simulated_cycles"`
	WallSeconds          *float64 `json:"wall_seconds"`
	Digest               *string  `json:"digest"`
}

// estimate is a mean over runs and half the width of its 95 % confidence interval, which a single run
// does not have.
type estimate struct {
	Mean *float64 `json:"mean"`
	CI   *float64 `json:"ci95"`
}

// trafficSummary is one router at one load, over all finished runs.
type trafficSummary struct {
	Router           string   `json:"router"`
	Offered          float64  `json:"offered"`
	Runs             int      `json:"runs"` // finished ones
	SaturatedRuns    int      `json:"saturated_runs"`
	Accepted         estimate `json:"accepted"`
	Delivered        estimate `json:"delivered"`
	LatencyMean      estimate `json:"latency_mean"`
	LatencyP50       estimate `json:"latency_p50"`
	LatencyP95       estimate `json:"latency_p95"`
	LatencyP99       estimate `json:"latency_p99"`
	UnicastLatency   estimate `json:"unicast_latency_mean"`
	MulticastLatency estimate `json:"multicast_latency_mean"`
	MulticastPath    estimate `json:"multicast_path_mean"`
	Hops             estimate `json:"hops_mean"`
	EnergyPJ         estimate `json:"energy_pj"`
	ED2P             estimate `json:"ed2p"`
}

// saturationEntry is the result of one search and its evidence.
type saturationEntry struct {
	Router string `json:"router"`
	Seed   uint64 `json:"seed"`
	State  string `json:"exit_state"`
	// Load is the largest load looked at that is carried, 0 if none was; SaturatedAt the smallest one
	// that is not, null if all are.
	Load        float64           `json:"saturation_load"`
	SaturatedAt *float64          `json:"saturated_at"`
	Resolution  float64           `json:"resolution"`
	Probes      []saturationProbe `json:"probes"`
}

// saturationSummary is the result of all searches of one router that found a load.
type saturationSummary struct {
	Router string   `json:"router"`
	Runs   int      `json:"runs"`
	Load   estimate `json:"saturation_load"`
}

type saturationProbe struct {
	Offered       float64  `json:"offered"`
	Generated     *float64 `json:"generated"`
	Accepted      *float64 `json:"accepted"`
	WaitingGrowth *float64 `json:"waiting_growth"`
	OldestWaiting *uint64  `json:"oldest_waiting"`
	Saturated     *bool    `json:"saturated"`
}

func buildTrafficReport(s *openloop.Study, m *experiment.Manifest, rows *tables.Rows, out string) *trafficReport {
	r := &trafficReport{Manifest: m, Points: []trafficPoint{}, Saturation: []saturationEntry{},
		SaturationSummary: []saturationSummary{}, Tables: out}
	for i := range rows.Traffic {
		r.Points = append(r.Points, pointOf(&rows.Traffic[i]))
	}
	for _, router := range s.Routers {
		for i := range r.Points {
			if p := &r.Points[i]; p.Router == router && !r.summarized(router, p.Offered) {
				r.Summary = append(r.Summary, r.summarize(router, p.Offered))
			}
		}
	}
	if len(s.Loads) > 0 {
		return r
	}
	for _, search := range openloop.Searches(rows.Traffic) {
		r.Saturation = append(r.Saturation, saturationOf(&search, s.Step))
	}
	for _, router := range s.Routers {
		var found []float64
		for i := range r.Saturation {
			if e := &r.Saturation[i]; e.Router == router && e.SaturatedAt != nil && e.State == tables.Finished {
				found = append(found, e.Load)
			}
		}
		if len(found) > 0 {
			r.SaturationSummary = append(r.SaturationSummary, saturationSummary{router, len(found), estimateOf(found)})
		}
	}
	return r
}

func saturationOf(search *openloop.Search, step float64) saturationEntry {
	e := saturationEntry{Router: search.Router, Seed: search.Seed, State: search.State, Load: search.Below, Resolution: step}
	if search.Found {
		e.SaturatedAt = &search.Above
	}
	for k := range search.Probes {
		p := pointOf(&search.Probes[k])
		e.Probes = append(e.Probes, saturationProbe{p.Offered, p.Generated, p.Accepted, p.WaitingGrowth, p.OldestWaiting, p.Saturated})
	}
	return e
}

func pointOf(t *tables.Traffic) trafficPoint {
	p := trafficPoint{
		RunKey: t.RunKey, Router: t.Router, Scheme: t.Scheme, Topology: t.Topology, Pattern: t.Pattern, Seed: t.Seed,
		ExitState: t.ExitState, Explanation: known(t.Explanation), Offered: t.Offered,
		Generated: known(t.Generated), Accepted: known(t.Accepted), Delivered: known(t.Delivered),
		LatencyMean: known(t.LatencyMean), LatencyP50: known(t.LatencyP50), LatencyP95: known(t.LatencyP95),
		LatencyP99: known(t.LatencyP99), LatencyMax: known(t.LatencyMax), UnicastLatencyMean: known(t.UnicastLatencyMean),
		MulticastLatencyMean: known(t.MulticastLatencyMean), MulticastCopyMean: known(t.MulticastCopyLatencyMean),
		MulticastPathMean: known(t.MulticastPathMean), HopsMean: known(t.HopsMean),
		PacketsGenerated: known(t.PacketsGenerated), PacketsInjected: known(t.PacketsInjected),
		PacketsDelivered: known(t.PacketsDelivered), PhitHops: known(t.PhitHops), WaitingGrowth: known(t.WaitingGrowth), OldestWaiting: known(t.OldestWaiting),
		EnergyPJ: known(t.Energy), ED2P: known(t.ED2P), ED2PPerPhit: known(t.ED2PPerPhit),
		SimulatedCycles: known(t.SimulatedCycles), WallSeconds: known(t.WallSeconds), Digest: known(t.Digest),
	}
	if t.Saturated.Known {
		saturated := t.Saturated.Value == tables.Saturated
		p.Saturated = &saturated
	}
	return p
}

func (r *trafficReport) summarized(router string, load float64) bool {
	for i := range r.Summary {
		if r.Summary[i].Router == router && r.Summary[i].Offered == load {
			return true
		}
	}
	return false
}

func (r *trafficReport) summarize(router string, load float64) trafficSummary {
	e := trafficSummary{Router: router, Offered: load}
	var points []*trafficPoint
	for i := range r.Points {
		if p := &r.Points[i]; p.Router == router && p.Offered == load && p.ExitState == tables.Finished {
			points = append(points, p)
			if *p.Saturated {
				e.SaturatedRuns++
			}
		}
	}
	e.Runs = len(points)
	over := func(of func(*trafficPoint) *float64) estimate {
		var list []float64 // of the points that have the measure
		for _, p := range points {
			if v := of(p); v != nil {
				list = append(list, *v)
			}
		}
		return estimateOf(list)
	}
	e.Accepted = over(func(p *trafficPoint) *float64 { return p.Accepted })
	e.Delivered = over(func(p *trafficPoint) *float64 { return p.Delivered })
	e.LatencyMean = over(func(p *trafficPoint) *float64 { return p.LatencyMean })
	e.LatencyP50 = over(func(p *trafficPoint) *float64 { return p.LatencyP50 })
	e.LatencyP95 = over(func(p *trafficPoint) *float64 { return p.LatencyP95 })
	e.LatencyP99 = over(func(p *trafficPoint) *float64 { return p.LatencyP99 })
	e.UnicastLatency = over(func(p *trafficPoint) *float64 { return p.UnicastLatencyMean })
	e.MulticastLatency = over(func(p *trafficPoint) *float64 { return p.MulticastLatencyMean })
	e.MulticastPath = over(func(p *trafficPoint) *float64 { return p.MulticastPathMean })
	e.Hops = over(func(p *trafficPoint) *float64 { return p.HopsMean })
	e.EnergyPJ = over(func(p *trafficPoint) *float64 { return p.EnergyPJ })
	e.ED2P = over(func(p *trafficPoint) *float64 { return p.ED2P })
	return e
}

// estimateOf is the mean of values, with its confidence if there are several.
func estimateOf(list []float64) estimate {
	if i, ok := metrics.Confidence95(list); ok {
		half := i.HalfWidth()
		return estimate{&i.Mean, &half}
	}
	if mean, ok := metrics.Mean(list); ok {
		return estimate{&mean, nil}
	}
	return estimate{}
}

// cell writes an estimate for people.
func (e estimate) cell(scale float64) string {
	if e.CI == nil {
		return cell(e.Mean, scale)
	}
	return number(*e.Mean*scale) + " ± " + strconv.FormatFloat(*e.CI*scale, 'g', 2, 64)
}

// table is the comparison for people.
func (r *trafficReport) table(c *config.Effective) *sheet {
	s := &sheet{header: []string{"router", "offered", "accepted", "delivered", "saturated", "latency", "median", "p99",
		"unicast", "multicast", "hops", "energy [uJ]", "ED2P"}}
	for i := range r.Summary {
		e := &r.Summary[i]
		if e.Runs == 0 {
			continue
		}
		saturated := "no"
		switch {
		case e.SaturatedRuns == e.Runs:
			saturated = "yes"
		case e.SaturatedRuns > 0:
			saturated = fmt.Sprintf("%d of %d", e.SaturatedRuns, e.Runs)
		}
		s.add(e.Router, cell(&e.Offered, 1), e.Accepted.cell(1), e.Delivered.cell(1), saturated, e.LatencyMean.cell(1),
			e.LatencyP50.cell(1), e.LatencyP99.cell(1), e.UnicastLatency.cell(1), e.MulticastLatency.cell(1),
			e.Hops.cell(1), e.EnergyPJ.cell(1e-6), e.ED2P.cell(1))
	}
	t := &c.Traffic
	s.before = []string{fmt.Sprintf("%s, pattern %s, %s, %d-phit packets, %d classes, %d cycles of which %d warm-up, seed %d",
		c.Topology, t.Pattern, multicastShare(c), t.PacketPhits, t.Classes, t.Cycles, t.Warmup, c.Seed)}
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
	s.after = append(s.after, "tables: "+r.Tables)
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

// spreadsheet lists the points for programs: full precision, and empty cells for what is absent.
func (r *trafficReport) spreadsheet() *sheet {
	s := &sheet{header: []string{"router", "seed", "exit_state", "offered", "generated", "accepted", "delivered", "saturated",
		"latency_mean", "latency_p50", "latency_p95", "latency_p99", "latency_max", "unicast_latency_mean",
		"multicast_latency_mean", "multicast_path_mean", "hops_mean", "packets_injected", "packets_delivered",
		"phit_hops", "energy_pj", "ed2p", "ed2p_per_phit", "simulated_cycles", "digest"}}
	for i := range r.Points {
		p := &r.Points[i]
		s.add(p.Router, fmt.Sprint(p.Seed), p.ExitState, full(&p.Offered), full(p.Generated), full(p.Accepted), full(p.Delivered),
			full(p.Saturated), full(p.LatencyMean), full(p.LatencyP50), full(p.LatencyP95), full(p.LatencyP99), full(p.LatencyMax),
			full(p.UnicastLatencyMean), full(p.MulticastLatencyMean), full(p.MulticastPathMean), full(p.HopsMean),
			full(p.PacketsInjected), full(p.PacketsDelivered), full(p.PhitHops), full(p.EnergyPJ), full(p.ED2P),
			full(p.ED2PPerPhit), full(p.SimulatedCycles), full(p.Digest))
	}
	return s
}

// full writes a value that may be absent with all its digits.
func full[T any](v *T) string {
	if v == nil {
		return ""
	}
	if f, ok := any(*v).(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(*v)
}
