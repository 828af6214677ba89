package compare

import (
	"encoding/json"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/experiment/packets"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Traffic compares networks under synthetic traffic.
type Traffic struct {
	Manifest   *experiment.Manifest `json:"manifest"`
	Points     []tables.Object      `json:"points"`
	Summary    []tables.Object      `json:"summary"`
	Saturation []Saturation         `json:"saturation"`
	// SaturationSummary joins the searches of each router that found a load.
	SaturationSummary []SaturationSummary `json:"saturation_summary"`
	Tables            string              `json:"tables"` // where the tables were written

	rows  *tables.Rows
	means chart.Means
}

// Saturation is the result of one search and its evidence.
type Saturation struct {
	Router string `json:"router"`
	Seed   uint64 `json:"seed"`
	State  string `json:"exit_state"`
	// Load is the largest load looked at that is carried, 0 if none was; SaturatedAt the smallest
	// one that is not, null if all are.
	Load        float64         `json:"saturation_load"`
	SaturatedAt *float64        `json:"saturated_at"`
	Resolution  float64         `json:"resolution"`
	Probes      []tables.Object `json:"probes"`
}

// SaturationSummary is the result of all searches of one router that found a load.
type SaturationSummary struct {
	Router string         `json:"router"`
	Runs   int            `json:"runs"`
	Load   chart.Estimate `json:"saturation_load"`
}

// trafficColumns are those of a comparison of networks. What people do not see is in the document
// only.
var trafficColumns = chart.Columns("accepted", "delivered", "latency_mean", "latency_p50", "latency_p95", "latency_p99", "unicast_latency_mean",
	"multicast_latency_mean", "multicast_path_mean", "hops_mean", "energy_pj", "ed2p")

// NewTraffic compares the points of a study. out is where its tables are.
func NewTraffic(s *openloop.Study, m *experiment.Manifest, rows *tables.Rows, out string) *Traffic {
	r := &Traffic{Manifest: m, Points: trafficObjects(rows.Traffic), rows: rows, Saturation: []Saturation{},
		SaturationSummary: []SaturationSummary{}, Tables: out}
	r.means = chart.NewData(rows, chart.Extent{Coverage: m.Coverage}).Means([]string{"router", "offered"}, "router", trafficColumns...)
	for _, l := range r.means.Lines {
		o := tables.Object{{Name: "router", Value: l.Labels[0]}, {Name: "offered", Value: json.Number(l.Labels[1])},
			{Name: "runs", Value: l.Runs}, {Name: "saturated_runs", Value: l.Saturated}}
		for k, c := range trafficColumns {
			o.Set(c.Column, l.Values[k])
		}
		r.Summary = append(r.Summary, o)
	}
	if len(s.Loads) > 0 {
		return r
	}
	found := map[string][]float64{}
	for _, search := range openloop.Searches(rows.Traffic) {
		e := Saturation{Router: search.Router, Seed: search.Seed, State: search.State, Load: search.Below, Resolution: s.Step, Probes: trafficObjects(search.Probes)}
		if search.Found {
			e.SaturatedAt = &search.Above
			found[e.Router] = append(found[e.Router], e.Load)
		}
		r.Saturation = append(r.Saturation, e)
	}
	for _, router := range s.Routers {
		if list := found[router]; len(list) > 0 {
			r.SaturationSummary = append(r.SaturationSummary, SaturationSummary{router, len(list), metrics.MeanOf(list)})
		}
	}
	return r
}

// Sheet is the comparison for people; verbose adds the notes that hold for every study.
func (r *Traffic) Sheet(c *config.Effective, verbose bool) *sheet.Sheet {
	s, t := r.means.Sheet(), &c.Traffic
	s.Before = append([]string{fmt.Sprintf("%s, pattern %s, %s, %d-phit packets, %d classes, %d cycles of which %d warm-up, seed %d",
		c.Topology, t.Pattern, multicastShare(c), t.PacketPhits, t.Classes, t.Cycles, t.Warmup, c.Seed)}, remarks(r.Manifest, r.rows)...)
	s.Note("Loads are in phits per node and cycle, latencies in cycles. The latency of a multicast ends at its last destination. ± is the 95 % confidence interval.")
	if verbose {
		s.Note("ED2P is energy of the window / delivered load squared, in pJ/(phits/node/cycle)^2; the column ed2p_per_phit uses the energy per delivered phit.",
			"Energy: "+c.Power.Circumstances()+".", repricingHint)
	}
	for i := range r.Saturation {
		s.Note(r.Saturation[i].sentence())
	}
	for _, e := range r.SaturationSummary {
		if e.Runs > 1 {
			s.Note(fmt.Sprintf("%s: saturates at %s phits per node and cycle, %d searches", e.Router, e.Load.Text(), e.Runs))
		}
	}
	s.Note(Where(r.Tables)...)
	return s
}

// Spreadsheet lists the points with all digits.
func (r *Traffic) Spreadsheet() *sheet.Sheet {
	return pick(r.Points, "router", "seed", "exit_state", "offered", "generated", "accepted", "delivered", "saturated",
		"latency_mean", "latency_p50", "latency_p95", "latency_p99", "latency_max", "unicast_latency_mean",
		"multicast_latency_mean", "multicast_path_mean", "hops_mean", "packets_injected", "packets_delivered",
		"phit_hops", "energy_pj", "ed2p", "ed2p_per_phit", "simulated_cycles", "digest", "rules")
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
func (e *Saturation) sentence() string {
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

// Packets compares networks that replayed a file of packets.
type Packets struct {
	Manifest *experiment.Manifest `json:"manifest"`
	Tables   string               `json:"out"` // where the tables were written
	Runs     []PacketRun          `json:"runs"`
}

// PacketRun is the replay on one router. What was not measured is null.
type PacketRun struct {
	Router      string   `json:"router" title:"router"`
	ExitState   string   `json:"exit_state" title:"state"`
	Explanation string   `json:"explanation,omitempty"`
	Cycles      uint64   `json:"cycles" title:"cycles"` // of the last arrival
	Normalized  *float64 `json:"cycles_normalized" title:"normalized"`
	Recorded    uint64   `json:"recorded"` // of the last packet sent in the recorded run
	Packets     uint64   `json:"packets" title:"packets"`
	Copies      uint64   `json:"packets_delivered"` // one for each destination
	Phits       uint64   `json:"phits"`             // of all copies
	Waited      uint64   `json:"packets_delayed" title:"delayed"`
	DelayMean   *float64 `json:"delay_mean" title:"by"` // of these
	LatencyMean *float64 `json:"latency_mean" title:"latency"`
	LatencyP50  *float64 `json:"latency_p50" title:"median"`
	LatencyP95  *float64 `json:"latency_p95"`
	LatencyP99  *float64 `json:"latency_p99" title:"p99"`
	LatencyMax  uint64   `json:"latency_max"`
	HopsMean    *float64 `json:"hops_mean" title:"hops"`
	PhitHops    uint64   `json:"phit_hops"`
	EnergyPJ    float64  `json:"energy_pj" title:"energy [pJ]"`
	Digest      string   `json:"digest"`
	WallSeconds float64  `json:"wall_seconds"`
}

// NewPackets compares replays. out is where their tables are.
func NewPackets(m *experiment.Manifest, rows *tables.Rows, out string) *Packets {
	p := &Packets{Manifest: m, Tables: out}
	for i := range rows.Traffic {
		row := &rows.Traffic[i]
		r := PacketRun{Router: row.Router, ExitState: row.ExitState, Explanation: row.Explanation.Value, WallSeconds: row.WallSeconds.Value,
			Cycles: row.Cycles, Recorded: row.CyclesRecorded.Value, Packets: row.PacketsGenerated.Value, Copies: row.PacketsDelivered.Value, Phits: row.PhitsDelivered.Value,
			Waited: row.PacketsDelayed.Value, DelayMean: row.DelayMean.Pointer(), LatencyMean: row.LatencyMean.Pointer(),
			LatencyP50: row.LatencyP50.Pointer(), LatencyP95: row.LatencyP95.Pointer(), LatencyP99: row.LatencyP99.Pointer(),
			LatencyMax: row.LatencyMax.Value, HopsMean: row.HopsMean.Pointer(), PhitHops: row.PhitHops.Value,
			EnergyPJ: row.Energy.Value, Digest: row.Digest.Value}
		if first := rows.Traffic[0].Cycles; first > 0 && row.ExitState == tables.Finished {
			ratio := float64(r.Cycles) / float64(first)
			r.Normalized = &ratio
		}
		p.Runs = append(p.Runs, r)
	}
	return p
}

// Sheet is the comparison for people.
func (p *Packets) Sheet(c *config.Effective, head packets.Head) *sheet.Sheet {
	s := sheet.Of(p.Runs)
	s.Before = []string{fmt.Sprintf("%s, packets of %s: %d nodes, %d cycles, %d packets", c.Topology, head.Name, head.Nodes, head.Cycles, head.Packets)}
	s.Note("cycles: last arrival. delayed: packets sent later than in the recorded run, because those that they depend on arrived later.",
		"latency: from when a packet could be sent to its arrival, in cycles. energy: "+c.Power.Circumstances()+".")
	s.Note(Where(p.Tables)...)
	return s
}
