package sweep

import (
	"context"
	"fmt"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/messages"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
)

// Point is one simulation of a plan.
type Point struct {
	// Key is a digest of everything that decides the point's results. Points with equal keys are one.
	Key   string
	Label string    // for people
	Axes  []Setting // the values of the plan's axes, in the plan's order
	// Manifest says how the point is configured, as JSON; it goes into the point's own tables.
	Manifest string
	// Do does the point. It reports now and then which share of it is done, from 0 to 1.
	Do func(ctx context.Context, report func(share float64)) Done
}

// Setting is a configuration key and its value, as --set takes them.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Done is what became of a point: its rows, one of tables.Finished, Failed and Interrupted, and why it did
// not finish.
type Done struct {
	Rows  tables.Rows
	State string
	Err   error
}

// OfChips makes a point of each run of a study of chips.
func OfChips(s *experiment.Study) ([]Point, error) {
	plan, err := s.Plan()
	if err != nil {
		return nil, err
	}
	points := make([]Point, len(plan))
	for i, p := range plan {
		points[i] = Point{Key: p.Key, Label: fmt.Sprintf("%s on %s, %s, seed %d", p.Workload.Name, p.Router, s.Chip.Protocol, p.Seed)}
		points[i].Do = func(ctx context.Context, report func(float64)) Done {
			o := s.Do(ctx, p, func(e experiment.Event) { report(shareOf(p.Workload.Records, e.Progress)) })
			return Done{experiment.Collect(s, []experiment.Outcome{o}), o.State, o.Err}
		}
	}
	return points, nil
}

// shareOf is the part of a trace that has been replayed; 0 when its length is not known.
func shareOf(records uint64, now cmp.Progress) float64 {
	if records == 0 {
		return 0
	}
	return min(float64(now.Records)/float64(records), 1)
}

// OfTraffic makes a point of each task of a study of networks: of each load, or of each search.
func OfTraffic(s *openloop.Study) ([]Point, error) {
	plan, err := s.Plan()
	if err != nil {
		return nil, err
	}
	quiet := zerolog.Nop()
	points := make([]Point, len(plan))
	for i, t := range plan {
		what := fmt.Sprintf("load %g", t.Load)
		if t.Search {
			what = "saturation"
		}
		points[i] = Point{Key: t.Key, Label: fmt.Sprintf("%s, %s, %s, seed %d", t.Router, s.Traffic.Pattern, what, t.Seed)}
		points[i].Do = func(ctx context.Context, report func(float64)) Done {
			o := s.Do(ctx, t, func(e openloop.Event) { report(float64(e.Cycle) / float64(s.Cycles)) }, &quiet)
			return Done{o.Rows(), o.State, o.Failure()}
		}
	}
	return points, nil
}

// OfMessages makes a point of a message passing study with a seed.
func OfMessages(c messages.Config, seed uint64) (Point, error) {
	if err := c.Validate(); err != nil {
		return Point{}, err
	}
	key, err := messages.Key(c, seed)
	if err != nil {
		return Point{}, err
	}
	return Point{Key: key, Label: messages.Label(c, seed), Do: func(ctx context.Context, report func(float64)) Done {
		rows, state, err := messages.Do(ctx, c, seed, key, report)
		return Done{rows, state, err}
	}}, nil
}
