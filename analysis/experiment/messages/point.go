package messages

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Label names a point for people.
func Label(c Config, seed uint64) string {
	text := fmt.Sprintf("%s on %s, %d destinations, %d flits", c.Scheme, c.Topology, c.Destinations, c.Flits)
	if c.Share > 0 {
		text = fmt.Sprintf("%s on %s, %g %% of the nodes, %d flits", c.Scheme, c.Topology, float64(c.Share)/10, c.Flits)
	}
	if c.Arrivals == Exponential {
		text += fmt.Sprintf(", load %g", c.Load)
	}
	if c.Arrivals == Normalized {
		text = fmt.Sprintf("%s on %s, %d flits, load %g, %g of %s multicast", c.Scheme, c.Topology, c.Flits, c.Load, c.MulticastFraction, c.Mix)
	}
	return text + fmt.Sprintf(", seed %d", seed)
}

// Point makes a point of a configuration with a seed. Its rows are one of the traffic table for the
// run, and one of the batches table for each of its batches.
func Point(c Config, seed uint64) (experiment.Point, error) {
	if err := c.Validate(); err != nil {
		return experiment.Point{}, err
	}
	l, err := topology.Open(c.Topology)
	if err != nil {
		return experiment.Point{}, err
	}
	key := experiment.Digest(struct {
		Model, Kind string
		Config      Config
		Seed        uint64
		Graph       *topology.Graph
	}{experiment.ModelVersion, "messages", c, seed, l.Graph})
	return experiment.NetworkPoint(Label(c, seed), configurationRow(c, seed, key, l.Nodes()),
		func(ctx context.Context, report func(experiment.Progress), row *tables.Traffic, rows *tables.Rows) error {
			r, err := Run(ctx, c, seed, func(share float64) { report(experiment.Progress{Share: share}) })
			if err == nil {
				fill(row, rows, r)
			}
			return err
		}), nil
}

// fill puts what was measured into the row of the run, means over batches, and adds the rows of these.
func fill(row *tables.Traffic, rows *tables.Rows, r *Result) {
	row.Saturated = tables.SaturatedText(r.Saturated)
	row.Cycles, row.SimulatedCycles = uint64(r.Cycles), tables.Some(uint64(r.Cycles))
	for i, b := range r.Batches {
		b.RunKey, b.Batch = row.RunKey, uint64(i)
		rows.Batches = append(rows.Batches, b)
	}
	mean := func(cell func(b *tables.Batch) tables.Maybe[float64]) tables.Maybe[float64] {
		var values []float64
		for i := range rows.Batches {
			if v := cell(&rows.Batches[i]); v.Known {
				values = append(values, v.Value)
			}
		}
		if e := metrics.MeanOf(values); e.OK {
			return tables.Some(e.Mean)
		}
		return tables.Maybe[float64]{}
	}
	row.MulticastLatencyMean = mean(func(b *tables.Batch) tables.Maybe[float64] { return b.MulticastLatencyMean })
	row.UnicastLatencyMean = mean(func(b *tables.Batch) tables.Maybe[float64] { return b.UnicastLatencyMean })
	row.Accepted = mean(func(b *tables.Batch) tables.Maybe[float64] { return b.Accepted })
	row.Generated = mean(func(b *tables.Batch) tables.Maybe[float64] { return b.Generated })
}

// configurationRow is a point's row before anything has been measured.
func configurationRow(c Config, seed uint64, key string, nodes int) tables.Traffic {
	row := tables.Traffic{RunKey: key, SimulationKey: key, Router: "wormhole-ideal", Topology: c.Topology, Scheme: c.Scheme, Pattern: "uniform",
		MulticastFraction: 1, MulticastDestinations: uint64(c.destinations(nodes)), PacketPhits: uint64(c.Flits), Classes: 1,
		Seed: seed, ExitState: tables.Finished}
	if c.Arrivals == Exponential {
		row.MulticastFraction, row.Offered, row.Warmup = c.MulticastFraction, c.Load, uint64(c.BatchCycles)
	}
	if c.Arrivals == Normalized {
		row.MulticastFraction, row.Offered, row.MulticastDestinations = c.MulticastFraction, c.Load, uint64(nodes/2)
	}
	return row
}
