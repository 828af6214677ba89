package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// summaryEntry compares one router with the baseline over all finished runs of a workload. The
// confidence intervals are half widths; they are null for a single run.
type summaryEntry struct {
	Workload      string   `json:"workload"`
	Router        string   `json:"router"`
	Runs          int      `json:"runs"` // finished ones
	ExecutionTime *float64 `json:"execution_time_normalized"`
	ExecutionCI   *float64 `json:"execution_time_ci95"`
	ED2P          *float64 `json:"ed2p_normalized"`
	ED2PCI        *float64 `json:"ed2p_ci95"`

	cycles, ipc, missLatency, packetLatency, energy *float64 // means, for the sheet
}

// baselineOf is the router that results are normalised to.
func baselineOf(routers []string) string {
	if slices.Contains(routers, "base") {
		return "base"
	}
	return routers[0]
}

func buildReport(s *experiment.Study, m *experiment.Manifest, rows *tables.Rows, out string) *runReport {
	r := &runReport{Manifest: m, Baseline: baselineOf(s.Routers), Tables: out}
	for i := range rows.Runs {
		r.Runs = append(r.Runs, entryOf(&rows.Runs[i], rows.Classes))
	}
	for _, w := range s.Workloads {
		base := r.finished(w.Name, r.Baseline)
		for _, router := range s.Routers {
			r.Summary = append(r.Summary, summarize(w.Name, router, r.finished(w.Name, router), base))
		}
	}
	return r
}

// finished lists the finished runs of a router, by seed.
func (r *runReport) finished(workload, router string) []*runEntry {
	var list []*runEntry
	for i := range r.Runs {
		if e := &r.Runs[i]; e.Workload == workload && e.Router == router && e.ExitState == tables.Finished {
			list = append(list, e)
		}
	}
	return list
}

func summarize(workload, router string, runs, base []*runEntry) summaryEntry {
	e := summaryEntry{Workload: workload, Router: router, Runs: len(runs)}
	if len(runs) == 0 {
		return e
	}
	cycles := func(r *runEntry) *float64 { v := float64(*r.Cycles); return &v }
	e.cycles = meanOf(runs, cycles)
	e.ipc = meanOf(runs, func(r *runEntry) *float64 { return r.IPC })
	e.missLatency = meanOf(runs, func(r *runEntry) *float64 { return r.MissLatencyMean })
	e.packetLatency = meanOf(runs, func(r *runEntry) *float64 { return r.PacketLatencyMean })
	e.energy = meanOf(runs, func(r *runEntry) *float64 { return r.NetworkEnergyJ })
	e.ExecutionTime, e.ExecutionCI = normalized(runs, base, cycles)
	e.ED2P, e.ED2PCI = normalized(runs, base, func(r *runEntry) *float64 { return r.NetworkED2P })
	return e
}

// values lists a measure of runs; runs that lack it are left out.
func values(runs []*runEntry, of func(*runEntry) *float64) []float64 {
	var list []float64
	for _, r := range runs {
		if v := of(r); v != nil {
			list = append(list, *v)
		}
	}
	return list
}

// meanOf is the plain mean; nil when there is nothing to take it over.
func meanOf(runs []*runEntry, of func(*runEntry) *float64) *float64 {
	mean, ok := metrics.Mean(values(runs, of))
	if !ok {
		return nil
	}
	return &mean
}

// normalized is the mean ratio of runs to the baseline's runs of the same seeds, and half the width of
// its confidence interval, which a single run does not have.
func normalized(runs, base []*runEntry, of func(*runEntry) *float64) (mean, half *float64) {
	samples := func(runs []*runEntry) (list []metrics.Sample) {
		for _, r := range runs {
			if v := of(r); v != nil {
				list = append(list, metrics.Sample{Seed: r.Seed, Value: *v})
			}
		}
		return list
	}
	pairs, err := metrics.PairedRatios(samples(runs), samples(base))
	if err != nil {
		return nil, nil // the baseline did not finish
	}
	if interval, ok := metrics.Confidence95(pairs.Ratios); ok {
		width := interval.HalfWidth()
		return &interval.Mean, &width
	}
	if m, ok := metrics.Mean(pairs.Ratios); ok {
		return &m, nil
	}
	return nil, nil
}

// spreadsheet is the comparison for programs: full precision, and empty cells for what is absent.
func (r *runReport) spreadsheet() *sheet {
	s := &sheet{header: []string{"workload", "router", "runs", "execution_time_normalized", "execution_time_ci95",
		"ed2p_normalized", "ed2p_ci95", "cycles", "network_energy_j", "ipc", "miss_latency_mean", "packet_latency_mean"}}
	for i := range r.Summary {
		e := &r.Summary[i]
		row := []string{e.Workload, e.Router, fmt.Sprint(e.Runs)}
		for _, v := range []*float64{e.ExecutionTime, e.ExecutionCI, e.ED2P, e.ED2PCI, e.cycles, e.energy, e.ipc, e.missLatency, e.packetLatency} {
			if v == nil {
				row = append(row, "")
			} else {
				row = append(row, strconv.FormatFloat(*v, 'g', -1, 64))
			}
		}
		s.add(row...)
	}
	return s
}

// table is the comparison for people.
func (r *runReport) table(c *config.Effective) *sheet {
	s := &sheet{header: []string{"router", "runs", "cycles", "time", "ED2P", "energy [uJ]", "IPC",
		"miss latency", "packet latency", "unicast", "multicast", "broadcast"}}
	for i := range r.Summary {
		e := &r.Summary[i]
		if e.Runs == 0 {
			continue
		}
		packets := r.packets(e)
		s.add(e.Router, fmt.Sprint(e.Runs), cell(e.cycles, 1), interval(e.ExecutionTime, e.ExecutionCI),
			interval(e.ED2P, e.ED2PCI), cell(e.energy, 1e6), cell(e.ipc, 1), cell(e.missLatency, 1),
			cell(e.packetLatency, 1), packets[0], packets[1], packets[2])
	}
	first := &r.Runs[0]
	s.before = []string{fmt.Sprintf("workload %s, %d cores, %s, protocol %s, seed %d; %s", first.Workload, first.Cores, first.Topology, first.Protocol, c.Seed, first.WorkloadSource)}
	if w := r.Manifest.Warning(); w != "" {
		s.before = append(s.before, w)
	}
	s.after = []string{
		fmt.Sprintf("time and ED2P are relative to %s; latencies are in cycles; several runs: mean ± 95 %% confidence.", r.Baseline),
		"energy: " + c.Power.Circumstances() + ".",
		repricingHint,
		"tables: " + r.Tables,
	}
	if known, ok := r.payloadKnown(); ok {
		s.after = append(s.after, fmt.Sprintf("data messages: the trace has told %.0f %% of their bytes; the others count as 0.", 100*known))
	}
	return s
}

// payloadKnown is the part of the bytes of data messages that the traces have told, where flipped bits are counted.
func (r *runReport) payloadKnown() (share float64, ok bool) {
	sent, known := uint64(0), uint64(0)
	for i := range r.Runs {
		if e := &r.Runs[i]; e.PayloadBytes != nil {
			sent, known = sent+*e.PayloadBytes, known+*e.PayloadKnown
		}
	}
	return float64(known) / float64(max(sent, 1)), sent > 0
}

// packets are the mean numbers of messages by cast.
func (r *runReport) packets(e *summaryEntry) [3]string {
	var cells [3]string
	runs := r.finished(e.Workload, e.Router)
	for i, of := range []func(*castCounts) uint64{
		func(p *castCounts) uint64 { return p.Unicast },
		func(p *castCounts) uint64 { return p.Multicast },
		func(p *castCounts) uint64 { return p.Broadcast },
	} {
		cells[i] = cell(meanOf(runs, func(r *runEntry) *float64 { v := float64(of(r.Packets)); return &v }), 1)
	}
	return cells
}

// cell writes a scaled number, whole ones and those from 1000 on without a fraction; "-" stands for none.
func cell(v *float64, scale float64) string {
	if v == nil {
		return "-"
	}
	scaled := *v * scale
	if scaled < 1e15 && (scaled >= 1000 || scaled == float64(int64(scaled))) {
		return fmt.Sprintf("%.0f", scaled)
	}
	return number(scaled)
}

// interval writes a normalised mean with its confidence.
func interval(mean, half *float64) string {
	switch {
	case mean == nil:
		return "-"
	case half == nil:
		return fmt.Sprintf("%.3f", *mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", *mean, *half)
}
