package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/packets"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/netrace"
)

// packetRun is the replay of a packet trace on one router. What was not measured is null.
type packetRun struct {
	Router       string   `json:"router"`
	ExitState    string   `json:"exit_state"`
	Explanation  string   `json:"explanation,omitempty"`
	Cycles       uint64   `json:"cycles"`   // of the last arrival
	Recorded     uint64   `json:"recorded"` // of the last packet sent in the recorded run
	Packets      uint64   `json:"packets"`
	Phits        uint64   `json:"phits"`
	Waited       uint64   `json:"packets_delayed"` // sent later than recorded
	DelayMean    *float64 `json:"delay_mean"`      // of these
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

// trafficPackets replays a packet trace instead of synthetic traffic.
func (a *app) trafficPackets(command *cobra.Command, path string, limit uint64) error {
	for _, flag := range []string{"pattern", "load", "loads", "scheme", "multicast-fraction", "multicast-destinations", "packet-phits", "cycles", "warmup", "saturation", "runs"} {
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
	c.Traffic.Classes = 2
	if err := c.Check(); err != nil {
		return err
	}
	study := &packets.Study{Path: path, Limit: limit, Routers: c.Routers, Seed: c.Seed, Network: c.Network, Power: c.Power}
	head, err := study.Check()
	if bad := new(traces.Error); errors.As(err, &bad) || head.Nodes == 0 && err != nil {
		return inputError{err}
	}
	if err != nil {
		return usageError{err}
	}
	if study.Digest, err = plan.DigestFile(path); err != nil {
		return inputError{err}
	}
	return a.replayPackets(command.Context(), study, head, c)
}

// replayPackets does a study whose configuration is right: replays, tables, report.
func (a *app) replayPackets(ctx context.Context, study *packets.Study, head netrace.Head, c *config.Effective) error {
	saved, err := a.openResults(c, "packets-"+head.Benchmark, func(m *experiment.Manifest) error { return study.Describe(m, head) })
	if err != nil {
		return err
	}
	defer saved.folder.Discard()
	line := a.statusLine()
	outcomes := study.Run(ctx, c.Jobs, packetProgress(line, study, head))
	line.clear()
	rows, err := study.Rows(head, outcomes)
	if err != nil {
		return err
	}
	saved.save(&rows, c.Parquet)
	runs, verdict := packetRuns(outcomes, saved.out)
	if err := a.print(struct {
		Manifest *experiment.Manifest `json:"manifest"`
		Out      string               `json:"out"`
		Runs     []packetRun          `json:"runs"`
	}{&saved.manifest, saved.out, runs}, packetSheet(runs, head, c, saved.out)); err != nil {
		return err
	}
	return saved.verdict(verdict)
}

// packetProgress draws how far the replays are.
func packetProgress(line *statusLine, s *packets.Study, head netrace.Head) func(int, noc.Cycle, uint64) {
	var one sync.Mutex
	total := head.Packets
	if s.Limit != 0 {
		total = min(total, s.Limit)
	}
	return func(router int, now noc.Cycle, packets uint64) {
		one.Lock()
		defer one.Unlock()
		line.draw(false, func() string {
			return fmt.Sprintf("%s: %d of %d packets, cycle %d", s.Routers[router], packets, total, now)
		})
	}
}

// packetRuns turns outcomes into the document's runs, and into the command's error.
func packetRuns(outcomes []packets.Outcome, out string) (runs []packetRun, verdict error) {
	stopped := false
	for i := range outcomes {
		o := &outcomes[i]
		r := packetRun{Router: o.Router, ExitState: "finished", WallSeconds: o.Wall.Seconds()}
		switch {
		case o.Interrupted():
			r.ExitState, stopped = "interrupted", true
		case o.Err != nil:
			r.ExitState, r.Explanation = "failed", o.Err.Error()
			if bad := new(traces.Error); errors.As(o.Err, &bad) {
				verdict = inputError{o.Err}
			} else if verdict == nil {
				verdict = wrongError{fmt.Errorf("%s: %w", o.Router, o.Err)}
			}
		default:
			r.fill(o)
			if first := &runs; len(*first) == 0 || (*first)[0].Cycles > 0 {
				base := r.Cycles
				if len(*first) > 0 {
					base = (*first)[0].Cycles
				}
				r.NormalCycles = share(r.Cycles, base)
			}
		}
		runs = append(runs, r)
	}
	if stopped {
		verdict = interruptedError{"replays that have finished are saved in " + out}
	}
	return runs, verdict
}

func (r *packetRun) fill(o *packets.Outcome) {
	latency := o.Latency.All(traffic.Unicast)
	count, sum := latency.Total()
	r.Cycles, r.Recorded, r.Packets, r.Phits, r.Waited = uint64(o.Last), uint64(o.Replayed.Recorded), o.Packets, o.Phits, o.Waited
	r.DelayMean, r.LatencyMean, r.HopsMean = share(o.Delay, o.Waited), share(sum, count), share(o.Hops, o.Packets)
	for p, into := range map[int]**float64{50: &r.LatencyP50, 95: &r.LatencyP95, 99: &r.LatencyP99} {
		if v, ok := latency.Percentile(p); ok {
			*into = &v
		}
	}
	r.LatencyMax, r.PhitHops, r.EnergyPJ, r.Digest = o.MaxLatency, o.PhitHops, o.Energy.Total()*1e12, fmt.Sprintf("%016x", o.Digest)
}

// packetSheet is the comparison for people.
func packetSheet(runs []packetRun, head netrace.Head, c *config.Effective, out string) *sheet {
	s := &sheet{header: []string{"router", "state", "cycles", "normalized", "packets", "delayed", "by", "latency", "median", "p99", "hops", "energy [uJ]"}}
	for i := range runs {
		r := &runs[i]
		energy := r.EnergyPJ * 1e-6
		s.add(r.Router, r.ExitState, fmt.Sprint(r.Cycles), cell(r.NormalCycles, 1), fmt.Sprint(r.Packets), fmt.Sprint(r.Waited), cell(r.DelayMean, 1),
			cell(r.LatencyMean, 1), cell(r.LatencyP50, 1), cell(r.LatencyP99, 1), cell(r.HopsMean, 1), cell(&energy, 1))
	}
	s.before = []string{fmt.Sprintf("%s, packets of %s: %d nodes, %d cycles, %d packets", c.Topology, head.Benchmark, head.Nodes, head.Cycles, head.Packets)}
	s.after = []string{
		"cycles: last arrival. delayed: packets sent later than in the recorded run, because those that they depend on arrived later.",
		"latency: from when a packet could be sent to its arrival, in cycles. energy: " + circumstances(c.Power) + ".",
		"tables: " + out,
	}
	return s
}
