package openloop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/sidebyside"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// Points lists the points of the study by router, load and seed. Without loads each router and seed
// is one point: a search, whose rows are those of all the loads that it looked at.
func (s *Study) Points() ([]experiment.Point, error) {
	loads := s.Loads
	search := len(loads) == 0
	if search {
		loads = []float64{s.Limit}
	}
	var points []experiment.Point
	for _, router := range s.Routers {
		for _, load := range loads {
			for i := range s.Runs {
				p, err := s.point(router, load, s.Seed+uint64(i))
				if err != nil {
					return nil, err
				}
				what, do := fmt.Sprintf("load %g", load), s.simulate
				if search {
					what, do = "saturation", s.search
					decides := []any{"search", p.Key, s.Limit, s.Step}
					if s.Knee > 0 {
						decides = append(decides, s.Knee, lightLength)
					}
					if p.Key, err = experiment.Digest(decides); err != nil {
						return nil, err
					}
				}
				points = append(points, experiment.Point{
					Key: p.Key, Label: fmt.Sprintf("%s, %s, %s, seed %d", router, s.Traffic.Pattern, what, p.Seed),
					Blank: func() tables.Rows { return tables.Rows{Traffic: []tables.Traffic{s.configurationRow(p)}} },
					Run: func(ctx context.Context, report func(experiment.Progress)) (tables.Rows, error) {
						return do(ctx, p, report)
					},
				})
			}
		}
	}
	return points, nil
}

// search looks for the load at which a router saturates. With a knee it looks at the lightest load
// first.
func (s *Study) search(ctx context.Context, p point, report func(experiment.Progress)) (rows tables.Rows, err error) {
	most := math.Inf(1) // latency
	if s.Knee > 0 {
		light := *s
		light.Cycles += (lightLength - 1) * (s.Cycles - s.Warmup)
		if err := light.probe(ctx, p, s.Step, most, report, &rows); err != nil {
			return rows, err
		}
		if light := rows.Traffic[0].LatencyMean; light.Known {
			most = s.Knee * light.Value
		}
	}
	err = bisect(s.Limit, s.Step, func(load float64) (bool, error) {
		if s.Knee == 0 || load > s.Step {
			if err := s.probe(ctx, p, load, most, report, &rows); err != nil {
				return false, err
			}
			return rows.Traffic[len(rows.Traffic)-1].Saturated.Value == tables.Saturated, nil
		}
		return rows.Traffic[0].Saturated.Value == tables.Saturated, nil
	})
	return rows, err
}

// lightLength is the factor by which the lightest load is measured longer than the others: it sends
// so few messages that in a short time the share of multicasts among them, on which their latency
// depends, would be random.
const lightLength = 20

// probe adds the rows of one load of a search. A load is beyond saturation where the network does
// not carry it, where it stops, and where the mean latency is above most.
func (s *Study) probe(ctx context.Context, p point, load, most float64, report func(experiment.Progress), rows *tables.Rows) error {
	probe, err := s.point(p.Router, load, p.Seed)
	if err != nil {
		return err
	}
	one, err := s.simulate(ctx, probe, report)
	if stopped := (*traffic.StandstillError)(nil); errors.As(err, &stopped) {
		row := s.configurationRow(probe) // the network does not carry this load
		row.Saturated, row.Explanation = tables.Some(tables.Saturated), tables.Some(stopped.Error())
		one.Traffic, err = []tables.Traffic{row}, nil
	}
	if err != nil {
		return fmt.Errorf("at load %g: %w", load, err)
	}
	if row := &one.Traffic[0]; row.LatencyMean.Known && row.LatencyMean.Value > most && row.Saturated.Value != tables.Saturated {
		row.Saturated = tables.Some(tables.Saturated)
		row.Explanation = tables.Some(fmt.Sprintf("the latency is above %g, %g times that of load %g", most, s.Knee, s.Step))
	}
	rows.Append(&one)
	return nil
}

// simulate runs one load and measures its window.
func (s *Study) simulate(ctx context.Context, p point, report func(experiment.Progress)) (rows tables.Rows, err error) {
	begun := time.Now()
	network, model, err := s.build(p)
	if err != nil {
		return rows, err
	}
	queue, _ := model.SourceQueue(s.Network)
	driver, err := traffic.New(network, s.Network.Places(), s.traffic(p), traffic.Interface{
		QueuePackets: queue, SeparateCopies: model.SchemeOf(s.Network) == "unicast", Rules: model.RulesOf(s.Network)})
	if err != nil {
		return rows, err
	}
	for _, end := range []noc.Cycle{s.Warmup, s.Cycles} {
		driver.Clear()
		if err := traffic.Drive(ctx, sidebyside.Networks{network}, driver, end, func() {
			now := network.Now()
			report(experiment.Progress{Share: float64(now) / float64(s.Cycles), Cycles: uint64(now), Network: network})
		}); err != nil {
			return rows, err
		}
	}
	row := s.configurationRow(p)
	if err := s.measure(&row, &rows, driver); err != nil {
		return rows, err
	}
	row.WallSeconds = tables.Some(time.Since(begun).Seconds())
	rows.Traffic = []tables.Traffic{row}
	return rows, nil
}
