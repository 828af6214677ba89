package openloop

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// Points lists the points of the study by router, load and seed. Without loads each router and seed
// is one point: a search, whose rows are those of all the loads that it looked at.
func (s *Study) Points() (points []experiment.Point, err error) {
	loads, point := s.Loads, s.point
	if len(loads) == 0 {
		loads, point = []float64{s.Limit}, s.searchPoint
	}
	for _, router := range s.Routers {
		for _, load := range loads {
			for _, seed := range experiment.Seeds(s.Seed, s.Runs) {
				p, err := point(router, load, seed)
				if err != nil {
					return nil, err
				}
				points = append(points, p)
			}
		}
	}
	return points, nil
}

// point returns the point of a router at one load with one seed.
func (s *Study) point(router string, load float64, seed uint64) (experiment.Point, error) {
	row, err := s.row(router, load, seed)
	return experiment.NetworkPoint(s.label(&row, fmt.Sprintf("load %g", load)), row,
		func(ctx context.Context, report func(experiment.Progress), row *tables.Traffic, rows *tables.Rows) error {
			return s.simulate(ctx, router, report, row, rows)
		}), err
}

// label names a point for people.
func (s *Study) label(row *tables.Traffic, what string) string {
	return fmt.Sprintf("%s, %s, %s, seed %d", row.Router, s.Traffic.Pattern, what, row.Seed)
}

// simulate runs the load of a row and measures its window.
func (s *Study) simulate(ctx context.Context, router string, report func(experiment.Progress), row *tables.Traffic, rows *tables.Rows) error {
	network, model, err := s.build(router, row.Seed)
	if err != nil {
		return err
	}
	defer noc.Close(network)
	row.Scheme = models.SchemeOf(network, row.Scheme)
	queue, _ := model.SourceQueue(s.Network)
	driver, err := traffic.New(network, s.Network.Places(), s.traffic(row.Offered, row.Seed), traffic.Interface{
		QueuePackets: queue, SeparateCopies: row.Scheme == "unicast", Rules: row.Rules})
	if err != nil {
		return err
	}
	for _, end := range []noc.Cycle{s.Warmup, s.Cycles} {
		driver.Clear()
		if err := traffic.Drive(ctx, traffic.Networks{network}, driver, end, func() {
			now := network.Now()
			report(experiment.Progress{Share: float64(now) / float64(s.Cycles), Cycles: uint64(now), Network: network})
		}); err != nil {
			return err
		}
	}
	w := driver.Window()
	row.Saturated = tables.SaturatedText(w.Saturated())
	row.WaitingGrowth, row.OldestWaiting = tables.Some(w.WaitingGrowth), tables.Some(uint64(w.OldestWaiting))
	row.SimulatedCycles = tables.Some(uint64(network.Now()))
	layout, err := model.LayoutOf(s.Network)
	if err != nil {
		return err
	}
	if err := experiment.FillNetwork(row, rows, &w, network.Hardware(), s.Power, layout, driver.Activity(), driver.Links()); err != nil {
		return err
	}
	experiment.Finish(network)
	return nil
}
