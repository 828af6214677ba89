package packets

import (
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

// row returns the row of a replay before anything has been measured, in the table of synthetic
// traffic.
func (s *Study) row(router string, head Head) (tables.Traffic, error) {
	simulation, key, err := experiment.Keys(struct {
		Model, Router, Trace string
		Limit, Seed          uint64
		Network              models.Options
	}{experiment.ModelVersion, router, s.Digest, s.Limit, s.Seed, s.Network}, s.Power)
	row := openloop.Row(key, simulation, s.Models, router, s.Network, s.Power)
	row.Pattern, row.Classes, row.Seed = "packets of "+head.Name, uint64(head.Classes), s.Seed
	return row, err
}

// measure fills in the row of a finished replay and adds its other rows.
func (s *Study) measure(row *tables.Traffic, rows *tables.Rows, network noc.Network, o *closedloop.Replayed) error {
	perNode := func(phits uint64, cycles noc.Cycle) float64 {
		return float64(phits) / float64(max(cycles, 1)) / float64(network.Nodes())
	}
	w := traffic.Window{Cycles: o.Last, Generated: perNode(o.Phits, o.Last), Accepted: perNode(o.Phits, o.Last), Delivered: perNode(o.DeliveredPhits, o.Last),
		GeneratedPackets: o.Packets, InjectedPackets: o.Packets, DeliveredPackets: o.Deliveries, DeliveredPhits: o.DeliveredPhits,
		PhitHops: network.Totals().PhitHops, Latencies: o.Latency, MaxLatency: o.MaxLatency, Hops: [traffic.Casts]uint64{traffic.Unicast: o.Hops},
		CompletedMulticasts: o.Multicasts, CompletionSum: o.Completion, Digest: o.Digest}
	err := openloop.Fill(row, rows, &w, network.Hardware(), s.Power, s.Network, network.Activity(nil), network.Links(nil))
	row.MulticastPathMean = tables.Maybe[float64]{} // hops are counted whatever the cast
	row.Cycles, row.SimulatedCycles = uint64(o.Last), tables.Some(uint64(o.Last))
	row.PacketsDelayed, row.CyclesRecorded = tables.Some(o.Waited), tables.Some(uint64(o.Recorded))
	row.DelayMean = tables.Ratio(o.Delay, o.Waited)
	if o.Recorded > 0 {
		row.Offered = perNode(o.Phits, o.Recorded)
	}
	return err
}
