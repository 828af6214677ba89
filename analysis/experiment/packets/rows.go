package packets

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/traces/netrace"
)

// Describe adds the study to a manifest.
func (s *Study) Describe(m *experiment.Manifest, head netrace.Head) (err error) {
	m.Routers, m.Seeds = s.Routers, []uint64{s.Seed}
	m.Traces = []experiment.TraceIdentity{{Workload: head.Benchmark, Digest: s.Digest}}
	content := *s
	content.Path = "" // results follow from what is in the file
	m.Study, err = experiment.Digest(content)
	return err
}

// keys identify the counts of a replay and, with the prices of energy, its results.
func (s *Study) keys(router string) (simulation, key string, err error) {
	simulation, err = experiment.Digest(struct {
		Model, Router, Trace string
		Limit, Seed          uint64
		Network              models.Options
	}{experiment.ModelVersion, router, s.Digest, s.Limit, s.Seed, s.Network})
	if err == nil {
		key, err = experiment.Priced(simulation, s.Power)
	}
	return simulation, key, err
}

// Rows are the result tables of the study: a row per router in the table traffic, with its routers, links and
// latencies.
func (s *Study) Rows(head netrace.Head, outcomes []Outcome) (tables.Rows, error) {
	var rows tables.Rows
	for i := range outcomes {
		o := &outcomes[i]
		simulation, key, err := s.keys(o.Router)
		if err != nil {
			return rows, err
		}
		row := tables.Traffic{RunKey: key, SimulationKey: simulation, Router: o.Router, Topology: s.Network.Topology(),
			Pattern: "packets of " + head.Benchmark, Scheme: o.scheme, Classes: classes, Seed: s.Seed, Cycles: uint64(o.Last),
			PowerProfile: string(s.Power.Profile), Technology: float64(s.Power.TechNM), ExitState: tables.Finished}
		switch {
		case o.Interrupted():
			row.ExitState = tables.Interrupted
		case o.Err != nil:
			row.ExitState, row.Explanation = tables.Failed, tables.Some(o.Err.Error())
		default:
			s.fill(&row, o)
			experiment.AppendNetwork(&rows, key, &o.Energy, o.routers, o.links, o.Last)
			rows.Latency = append(rows.Latency, openloop.LatencyRows(key, &o.Latency)...)
		}
		rows.Traffic = append(rows.Traffic, row)
	}
	return rows, nil
}

// fill puts what a finished replay did into its row.
func (s *Study) fill(row *tables.Traffic, o *Outcome) {
	perNode := func(phits uint64, cycles float64) tables.Maybe[float64] {
		if cycles == 0 {
			return tables.Maybe[float64]{}
		}
		return tables.Some(float64(phits) / cycles / float64(o.nodes))
	}
	row.Offered = perNode(o.Phits, float64(o.Recorded)).Value
	row.Generated = perNode(o.Phits, float64(o.Last))
	row.Accepted, row.Delivered = row.Generated, row.Generated
	row.PacketsGenerated, row.PacketsInjected = tables.Some(o.Packets), tables.Some(o.Packets)
	row.PacketsDelivered, row.PhitsDelivered = tables.Some(o.Packets), tables.Some(o.Phits)
	row.PhitHops, row.SimulatedCycles = tables.Some(o.PhitHops), tables.Some(uint64(o.Last))
	row.PacketsDelayed, row.CyclesRecorded = tables.Some(o.Waited), tables.Some(uint64(o.Recorded))
	row.DelayMean, row.HopsMean = tables.Ratio(o.Delay, o.Waited), tables.Ratio(o.Hops, o.Packets)
	all := o.Latency.All(traffic.Unicast)
	count, sum := all.Total()
	row.LatencyMean = tables.Ratio(sum, count)
	row.UnicastLatencyMean = row.LatencyMean
	for p, into := range map[int]*tables.Maybe[float64]{50: &row.LatencyP50, 95: &row.LatencyP95, 99: &row.LatencyP99} {
		if v, ok := all.Percentile(p); ok {
			*into = tables.Some(v)
		}
	}
	if count > 0 {
		row.LatencyMax = tables.Some(o.MaxLatency)
	}
	row.Digest, row.WallSeconds = tables.Some(fmt.Sprintf("%016x", o.Digest)), tables.Some(o.Wall.Seconds())
	o.Energy.FillTraffic(row)
	row.Hardware, row.Power = experiment.DescribePrices(o.hardware, s.Power)
}
