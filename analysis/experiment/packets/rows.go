package packets

import (
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
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
	err := openloop.Fill(row, rows, &o.Window, network.Hardware(), s.Power, s.Network, network.Activity(nil), network.Links(nil))
	row.MulticastPathMean = tables.Maybe[float64]{} // hops are counted whatever the cast
	row.Cycles, row.SimulatedCycles = uint64(o.Cycles), tables.Some(uint64(o.Cycles))
	row.PacketsDelayed, row.CyclesRecorded = tables.Some(o.Waited), tables.Some(uint64(o.Recorded))
	row.DelayMean = tables.Ratio(o.Delay, o.Waited)
	if o.Recorded > 0 {
		row.Offered = closedloop.Rate(o.Phits, o.Recorded, network.Nodes())
	}
	return err
}
