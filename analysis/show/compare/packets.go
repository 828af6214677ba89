package compare

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/packets"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

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
