package packets

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// Describe adds the study to a manifest.
func (s *Study) Describe(m *experiment.Manifest, head Head) {
	m.Routers, m.Seeds = s.Routers, []uint64{s.Seed}
	m.Traces = []experiment.TraceIdentity{{Workload: head.Name, Digest: s.Digest}}
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

// row returns the row of a replay before anything has been measured, in the table of synthetic
// traffic.
func (s *Study) row(router string, head Head) (tables.Traffic, error) {
	simulation, key, err := s.keys(router)
	row := tables.Traffic{RunKey: key, SimulationKey: simulation, Router: router, Topology: s.Network.Topology(),
		Pattern: "packets of " + head.Name, Classes: uint64(head.Classes), Seed: s.Seed,
		PowerProfile: string(s.Power.Profile), Technology: float64(s.Power.TechNM), ExitState: tables.Finished}
	if model, err := s.Models.Lookup(router); err == nil {
		row.Scheme, row.Rules = model.SchemeOf(s.Network), model.RulesOf(s.Network)
	}
	return row, err
}

// measure fills in the row of a finished replay and adds its other rows.
func (s *Study) measure(row *tables.Traffic, rows *tables.Rows, network noc.Network, o *closedloop.Replayed) error {
	perNode := func(phits uint64, cycles float64) tables.Maybe[float64] {
		if cycles == 0 {
			return tables.Maybe[float64]{}
		}
		return tables.Some(float64(phits) / cycles / float64(network.Nodes()))
	}
	row.Cycles = uint64(o.Last)
	row.Offered = perNode(o.Phits, float64(o.Recorded)).Value
	row.Generated = perNode(o.Phits, float64(o.Last))
	row.Accepted, row.Delivered = row.Generated, perNode(o.DeliveredPhits, float64(o.Last))
	row.PacketsGenerated, row.PacketsInjected = tables.Some(o.Packets), tables.Some(o.Packets)
	row.PacketsDelivered, row.PhitsDelivered = tables.Some(o.Deliveries), tables.Some(o.DeliveredPhits)
	row.PhitHops, row.SimulatedCycles = tables.Some(network.Totals().PhitHops), tables.Some(uint64(o.Last))
	row.PacketsDelayed, row.CyclesRecorded = tables.Some(o.Waited), tables.Some(uint64(o.Recorded))
	row.DelayMean, row.HopsMean = tables.Ratio(o.Delay, o.Waited), tables.Ratio(o.Hops, o.Deliveries)
	all := o.Latency.All(traffic.Unicast, traffic.Multicast)
	count, sum := all.Total()
	row.LatencyMean = tables.Ratio(sum, count)
	count, sum = o.Latency.All(traffic.Unicast).Total()
	row.UnicastLatencyMean = tables.Ratio(sum, count)
	count, sum = o.Latency.All(traffic.Multicast).Total()
	row.MulticastCopyLatencyMean, row.MulticastLatencyMean = tables.Ratio(sum, count), tables.Ratio(o.Completion, o.Multicasts)
	for p, into := range map[int]*tables.Maybe[float64]{50: &row.LatencyP50, 95: &row.LatencyP95, 99: &row.LatencyP99} {
		if v, ok := all.Percentile(p); ok {
			*into = tables.Some(v)
		}
	}
	if o.Deliveries > 0 {
		row.LatencyMax = tables.Some(o.MaxLatency)
	}
	row.Digest = tables.Some(fmt.Sprintf("%016x", o.Digest))
	hardware, activity, links := network.Hardware(), network.Activity(nil), network.Links(nil)
	energy, err := experiment.Price(hardware, s.Power, activity, links, o.Last)
	if err != nil {
		return err
	}
	experiment.AppendNetwork(rows, row.RunKey, &energy, s.Network.Layout(), activity, links, o.Last)
	rows.Latency = append(rows.Latency, openloop.LatencyRows(row.RunKey, &o.Latency)...)
	energy.FillTraffic(row)
	row.Hardware, row.Power = experiment.DescribePrices(hardware, s.Power)
	return nil
}
