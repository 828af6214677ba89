package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/packets"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// packetRun is the replay of a file of packets on one router. What was not measured is null.
type packetRun struct {
	Router       string   `json:"router"`
	ExitState    string   `json:"exit_state"`
	Explanation  string   `json:"explanation,omitempty"`
	Cycles       uint64   `json:"cycles"`   // of the last arrival
	Recorded     uint64   `json:"recorded"` // of the last packet sent in the recorded run
	Packets      uint64   `json:"packets"`
	Copies       uint64   `json:"packets_delivered"` // one for each destination
	Phits        uint64   `json:"phits"`             // of all copies
	Waited       uint64   `json:"packets_delayed"`   // sent later than recorded
	DelayMean    *float64 `json:"delay_mean"`        // of these
	LatencyMean  *float64 `json:"latency_mean"`
	LatencyP50   *float64 `json:"latency_p50"`
	LatencyP95   *float64 `json:"latency_p95"`
	LatencyP99   *float64 `json:"latency_p99"`
	LatencyMax   uint64   `json:"latency_max"`
	HopsMean     *float64 `json:"hops_mean"`
	PhitHops     uint64   `json:"phit_hops"`
	EnergyPJ     float64  `json:"energy_pj"`
	Digest       string   `json:"digest"`
	WallSeconds  float64  `json:"wall_seconds"`
	NormalCycles *float64 `json:"cycles_normalized"` // to the first router
}

// trafficPackets replays a file of packets instead of synthetic traffic.
func (a *app) trafficPackets(command *cobra.Command, path string, limit uint64) error {
	for _, flag := range []string{"pattern", "load", "loads", "multicast-fraction", "multicast-destinations", "packet-phits", "cycles", "warmup", "saturation", "runs"} {
		if command.Flags().Changed(flag) {
			return usagef("--%s says something about synthetic traffic; leave it out with --packets", flag)
		}
	}
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	if err := addChannels(c, command.Flags()); err != nil {
		return err
	}
	if err := chooseScheme(c, command.Flags()); err != nil {
		return err
	}
	study := &packets.Study{Path: path, Limit: limit}
	head, err := study.Head()
	if err != nil {
		return inputError{err}
	}
	c.Traffic.Classes = head.Classes
	if err := c.Check(); err != nil {
		return err
	}
	study.Models, study.Routers, study.Seed, study.Network, study.Power = c.Models(), c.Routers, c.Seed, c.Network, c.Power
	if err := study.Check(head); err != nil {
		return usageError{err}
	}
	if study.Digest, err = plan.DigestFile(path); err != nil {
		return inputError{err}
	}
	points, err := study.Points(head)
	if err != nil {
		return err
	}
	m := a.describe(experiment.Packets, c)
	study.Describe(m, head)
	o, err := outputOf(c, "packets-"+head.Name, m, points, sweep.Claiming{Force: forced(command)})
	if err != nil {
		return err
	}
	defer o.close()
	outcomes, rows, err := o.do(command.Context(), a, points, c.Jobs, "replays", true)
	if err != nil {
		return err
	}
	runs := packetRuns(rows.Traffic)
	if err := a.print(struct {
		Manifest *experiment.Manifest `json:"manifest"`
		Out      string               `json:"out"`
		Runs     []packetRun          `json:"runs"`
	}{m, o.place(), runs}, packetSheet(runs, head, c, o.place())); err != nil {
		return err
	}
	return o.verdict(command.Context().Err(), outcomes, "replays", goOn)
}

// packetRuns turns rows into the document's runs.
func packetRuns(rows []tables.Traffic) (runs []packetRun) {
	for i := range rows {
		row := &rows[i]
		r := packetRun{Router: row.Router, ExitState: row.ExitState, Explanation: row.Explanation.Value, WallSeconds: row.WallSeconds.Value,
			Cycles: row.Cycles, Recorded: row.CyclesRecorded.Value, Packets: row.PacketsGenerated.Value, Copies: row.PacketsDelivered.Value, Phits: row.PhitsDelivered.Value,
			Waited: row.PacketsDelayed.Value, DelayMean: known(row.DelayMean), LatencyMean: known(row.LatencyMean),
			LatencyP50: known(row.LatencyP50), LatencyP95: known(row.LatencyP95), LatencyP99: known(row.LatencyP99),
			LatencyMax: row.LatencyMax.Value, HopsMean: known(row.HopsMean), PhitHops: row.PhitHops.Value,
			EnergyPJ: row.Energy.Value, Digest: row.Digest.Value}
		if first := rows[0].Cycles; first > 0 && row.ExitState == tables.Finished {
			r.NormalCycles = share(r.Cycles, first)
		}
		runs = append(runs, r)
	}
	return runs
}

// packetSheet is the comparison for people.
func packetSheet(runs []packetRun, head packets.Head, c *config.Effective, out string) *sheet {
	s := &sheet{header: []string{"router", "state", "cycles", "normalized", "packets", "delayed", "by", "latency", "median", "p99", "hops", "energy [uJ]"}}
	for i := range runs {
		r := &runs[i]
		energy := r.EnergyPJ * 1e-6
		s.add(r.Router, r.ExitState, fmt.Sprint(r.Cycles), cell(r.NormalCycles, 1), fmt.Sprint(r.Packets), fmt.Sprint(r.Waited), cell(r.DelayMean, 1),
			cell(r.LatencyMean, 1), cell(r.LatencyP50, 1), cell(r.LatencyP99, 1), cell(r.HopsMean, 1), cell(&energy, 1))
	}
	s.before = []string{fmt.Sprintf("%s, packets of %s: %d nodes, %d cycles, %d packets", c.Topology, head.Name, head.Nodes, head.Cycles, head.Packets)}
	s.after = append([]string{
		"cycles: last arrival. delayed: packets sent later than in the recorded run, because those that they depend on arrived later.",
		"latency: from when a packet could be sent to its arrival, in cycles. energy: " + c.Power.Circumstances() + ".",
	}, whereTables(out)...)
	return s
}
