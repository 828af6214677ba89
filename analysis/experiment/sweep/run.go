package sweep

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Outcome is what became of a point. The rows of a finished one are in the store.
type Outcome struct {
	Point
	Done
	Earlier bool // it was finished before this process began
}

// Event tells an observer about one point on its way.
type Event struct {
	Index, Points int // position among the points to do, from 0, and their number
	Label         string
	Share         float64       // of the point that is done
	Wall          time.Duration // since the point's start
	Done, Earlier bool          // Done is set in the last event of a point
	State         string        // of a point with Done: what became of it, as in its outcome
	Err           error         // and why it did not finish
}

// Options say how a sweep is done; they do not change its results.
type Options struct {
	Jobs int // points at the same time
	// Observe is called from one goroutine at a time; nil observes nothing.
	Observe func(Event)
	Log     zerolog.Logger
}

// Run does the points that the store does not have, and keeps those that finish. It returns an outcome for
// each point in their order. When ctx ends, the points on their way stop and the others do not start. An
// error tells that a finished point could not be kept; the sweep stops at the first.
func Run(ctx context.Context, store *Store, points []Point, o Options) ([]Outcome, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mutex sync.Mutex
	var unsaved error
	observe := func(e Event) {
		if o.Observe != nil {
			mutex.Lock()
			defer mutex.Unlock()
			o.Observe(e)
		}
	}
	outcomes := make([]Outcome, len(points))
	experiment.Parallel(len(points), o.Jobs, func(i int) {
		done := &outcomes[i]
		done.Point = points[i]
		event := Event{Index: i, Points: len(points), Label: points[i].Label}
		if store.Has(points[i].Key) {
			done.State, done.Earlier = tables.Finished, true
		} else {
			begun := time.Now()
			observe(event)
			done.Done = points[i].Do(ctx, func(share float64) {
				now := event
				now.Share, now.Wall = share, time.Since(begun)
				observe(now)
			})
			if err := keep(store, done); err != nil {
				mutex.Lock()
				if unsaved == nil {
					unsaved = err
				}
				mutex.Unlock()
				stop()
			}
			event.Wall = time.Since(begun)
			note(&o.Log, done, event.Wall)
		}
		event.Done, event.Earlier, event.State, event.Err = true, done.Earlier, done.State, done.Err
		observe(event)
	})
	return outcomes, unsaved
}

// Covered returns how many of the points have finished and failed.
func Covered(outcomes []Outcome) experiment.Coverage {
	c := experiment.Coverage{Points: len(outcomes)}
	for i := range outcomes {
		switch outcomes[i].State {
		case tables.Finished:
			c.Finished++
		case tables.Failed:
			c.Failed++
		}
	}
	return c
}

// keep puts a finished point into the store and lets go of its rows, so that a long sweep does not hold
// all of them.
func keep(store *Store, o *Outcome) error {
	if o.State != tables.Finished {
		return nil
	}
	err := store.Put(o.Key, &o.Rows, o.Manifest)
	if err != nil {
		o.State, o.Err = tables.Failed, err
	}
	o.Rows = tables.Rows{}
	return err
}

// note logs the end of a point.
func note(log *zerolog.Logger, o *Outcome, wall time.Duration) {
	event := log.Info()
	if o.State == tables.Failed {
		reason, _, _ := strings.Cut(o.Err.Error(), "\n")
		event = log.Error().Str("reason", reason)
	}
	event.Str("point", o.Label).Str("state", o.State).Dur("wall", wall).Msg("point ended")
}

// Collect puts the tables of a sweep together, in the order of its outcomes.
func Collect(store *Store, outcomes []Outcome) (tables.Rows, error) {
	var all tables.Rows
	for i := range outcomes {
		o := &outcomes[i]
		rows := o.Rows
		if o.State == tables.Finished {
			var err error
			if rows, err = store.Get(o.Key); err != nil {
				return tables.Rows{}, err
			}
		}
		add(&all, &rows, o.Axes)
	}
	return all, nil
}

// add appends the rows of one point with the values of its axes. The host's time is left out: it would be
// the only difference between two sittings of one sweep.
func add(all, rows *tables.Rows, axes []Setting) {
	describe := func(key string) {
		for _, a := range axes {
			rows.Axes = append(rows.Axes, tables.Axis{RunKey: key, Key: a.Key, Value: a.Value})
		}
	}
	for i := range rows.Runs {
		rows.Runs[i].WallSeconds = tables.Maybe[float64]{}
		describe(rows.Runs[i].RunKey)
	}
	for i := range rows.Traffic {
		rows.Traffic[i].WallSeconds = tables.Maybe[float64]{}
		describe(rows.Traffic[i].RunKey)
	}
	all.Append(rows)
}

// Shard is a part of a plan: every Of-th point, beginning with the Number-th, from 1.
type Shard struct{ Number, Of int }

// Validate tells what is wrong with a shard of a plan of so many points.
func (s Shard) Validate(points int) error {
	if s.Of < 1 || s.Number < 1 || s.Number > s.Of {
		return fmt.Errorf("shard %d/%d does not exist; use 1/%d to %d/%d", s.Number, s.Of, max(1, s.Of), max(1, s.Of), max(1, s.Of))
	}
	if s.Of > points {
		return fmt.Errorf("the plan has %d points; use at most that many shards, not %d", points, s.Of)
	}
	return nil
}

// Points are the shard's points. Neighbours in a plan take similar time, so shards take every n-th.
func (s Shard) Points(plan []Point) []Point {
	var list []Point
	for i := s.Number - 1; i < len(plan); i += s.Of {
		list = append(list, plan[i])
	}
	return list
}
