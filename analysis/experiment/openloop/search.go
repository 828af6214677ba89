package openloop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// searchPoint returns the search for the load, up to a limit, at which a router saturates.
func (s *Study) searchPoint(router string, limit float64, seed uint64) (p experiment.Point, err error) {
	row, err := s.row(router, limit, seed)
	if err != nil {
		return p, err
	}
	decides := []any{"search", row.RunKey, limit, s.Step}
	if s.Knee > 0 {
		decides = append(decides, s.Knee, lightLength)
	}
	row.RunKey = experiment.Digest(decides)
	p = experiment.NetworkPoint(s.label(&row, "saturation"), row, nil)
	p.Run = func(ctx context.Context, report func(experiment.Progress)) (tables.Rows, error) {
		return s.search(ctx, router, seed, report)
	}
	return p, err
}

// search looks for the load at which a router saturates. With a knee it looks at the lightest load
// first.
func (s *Study) search(ctx context.Context, router string, seed uint64, report func(experiment.Progress)) (rows tables.Rows, err error) {
	most, lightest := math.Inf(1), false // latency, and whether the lightest load is beyond saturation
	if s.Knee > 0 {
		light := *s
		light.Cycles += (lightLength - 1) * (s.Cycles - s.Warmup)
		if lightest, err = light.probe(ctx, router, seed, s.Step, most, report, &rows); err != nil {
			return rows, err
		}
		if light := rows.Traffic[0].LatencyMean; light.Known {
			most = s.Knee * light.Value
		}
	}
	err = bisect(s.Limit, s.Step, func(load float64) (bool, error) {
		if s.Knee > 0 && load <= s.Step {
			return lightest, nil
		}
		return s.probe(ctx, router, seed, load, most, report, &rows)
	})
	return rows, err
}

// lightLength is the factor by which the lightest load is measured longer than the others: it sends
// so few messages that in a short time the share of multicasts among them, on which their latency
// depends, would be random.
const lightLength = 20

// probe adds the rows of one load of a search, and reports whether it is beyond saturation: where the network does
// not carry it, where it stops, and where the mean latency is above most.
func (s *Study) probe(ctx context.Context, router string, seed uint64, load, most float64, report func(experiment.Progress), rows *tables.Rows) (bool, error) {
	probe, err := s.point(router, load, seed)
	if err != nil {
		return false, err
	}
	one, err := probe.Run(ctx, report)
	if stopped := (*traffic.StandstillError)(nil); errors.As(err, &stopped) {
		one, err = probe.Blank(), nil // the network does not carry this load
		one.Traffic[0].Saturated, one.Traffic[0].Explanation = tables.Some(tables.Saturated), tables.Some(stopped.Error())
	}
	if err != nil {
		return false, fmt.Errorf("at load %g: %w", load, err)
	}
	row := &one.Traffic[0]
	if row.LatencyMean.Known && row.LatencyMean.Value > most && row.Saturated.Value != tables.Saturated {
		row.Saturated = tables.Some(tables.Saturated)
		row.Explanation = tables.Some(fmt.Sprintf("the latency is above %g, %g times that of load %g", most, s.Knee, s.Step))
	}
	rows.Append(&one)
	return row.Saturated.Value == tables.Saturated, nil
}

// bisect probes multiples of the resolution up to limit for where a property begins to hold, such as
// saturation: the limit first, and then the middle of what is left. The property is taken to hold
// for every value above one at which it holds; where it does not, the search ends at one of its
// turning points. An error of a probe ends the search.
func bisect(limit, resolution float64, holds func(at float64) (bool, error)) error {
	steps := int(math.Floor(limit/resolution + 1e-9))
	if steps < 1 || !(resolution > 0) || math.IsInf(limit, 0) {
		return fmt.Errorf("a search up to %g in steps of %g has no values; use a limit of at least one step", limit, resolution)
	}
	below, above := 0, steps+1
	for next := steps; above-below > 1; next = (below + above) / 2 {
		yes, err := holds(tidy(float64(next) * resolution))
		if err != nil {
			return err
		}
		if yes {
			above = next
		} else {
			below = next
		}
	}
	return nil
}

// Search is what a search for the saturation load has found, and its evidence.
type Search struct {
	Router string `json:"router"`
	Seed   uint64 `json:"seed"`
	State  string `json:"exit_state"` // tables.Finished, Failed or Interrupted
	// Below is the largest load looked at that is carried, 0 if none was; Above the smallest one
	// that is not, nil if all are.
	Below      float64  `json:"saturation_load"`
	Above      *float64 `json:"saturated_at"`
	Resolution float64  `json:"resolution"`
	Probes     Probes   `json:"probes"` // of a finished search, in their order
}

// Probes are the loads that a search has looked at.
type Probes []tables.Traffic

// MarshalJSON implements json.Marshaler.
func (p Probes) MarshalJSON() ([]byte, error) { return json.Marshal(tables.TrafficObjects(p)) }

// Searches reads the searches of a study out of its rows. resolution is the least step between loads.
func Searches(rows []tables.Traffic, resolution float64) []Search {
	list := []Search{}
	for i := range rows {
		row := &rows[i]
		if n := len(list); n == 0 || list[n-1].Router != row.Router || list[n-1].Seed != row.Seed {
			list = append(list, Search{Router: row.Router, Seed: row.Seed, Resolution: resolution})
		}
		s := &list[len(list)-1]
		s.State = row.ExitState
		switch {
		case row.ExitState != tables.Finished:
			continue
		case row.Saturated.Value != tables.Saturated:
			s.Below = max(s.Below, row.Offered)
		case s.Above == nil || row.Offered < *s.Above:
			s.Above = &row.Offered
		}
		s.Probes = append(s.Probes, *row)
	}
	return list
}

// Text tells the result of a search.
func (s *Search) Text() string {
	about := fmt.Sprintf("%s, seed %d: ", s.Router, s.Seed)
	switch {
	case s.State != tables.Finished:
		return about + "the search did not finish"
	case s.Above == nil:
		return about + fmt.Sprintf("not saturated up to %g phits per node and cycle", s.Below)
	case s.Below == 0:
		return about + fmt.Sprintf("saturated from %g phits per node and cycle on", *s.Above)
	}
	return about + fmt.Sprintf("saturates between %g and %g phits per node and cycle", s.Below, *s.Above)
}
