package experiment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
)

// Outcome is what became of a point.
type Outcome struct {
	Point
	State string      // tables.Finished, Failed or Interrupted
	Err   error       // why it did not finish
	Rows  tables.Rows // empty of an earlier point
	Wall  time.Duration
	// Earlier reports that a store had the point before.
	Earlier bool
}

// Store keeps the rows of finished points by key.
type Store interface {
	Has(key string) bool
	Put(key string, rows *tables.Rows) error
	Get(key string) (tables.Rows, error)
}

// Event tells an observer about one point on its way.
type Event struct {
	Index, Points int // position among the points, from 0, and their number
	Label         string
	Progress
	Wall          time.Duration // since the point's start
	Done, Earlier bool          // Done is set in the last event of a point
	State         string        // of a point with Done: what became of it, as in its outcome
	Err           error         // and why it did not finish
	Rows          tables.Rows   // and its rows, unless it is an earlier one
}

// Options say how points are done; they do not change the results.
type Options struct {
	Jobs  int   // points at the same time
	Store Store // keeps what is finished; nil keeps nothing
	// Observe is called from one goroutine at a time; nil observes nothing.
	Observe func(Event)
	Log     zerolog.Logger
}

// Run does the points that the store does not have, by their turns, and keeps those that finish. It returns an
// outcome for each point in their order. When ctx ends, the points on their way stop and the others
// do not start. The error says that a finished point could not be kept; the study stops at the
// first.
func Run(ctx context.Context, points []Point, o Options) ([]Outcome, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &runner{Options: o}
	outcomes := make([]Outcome, len(points))
	turns := make([]int, len(points))
	for i := range turns {
		turns[i] = i
	}
	slices.SortStableFunc(turns, func(a, b int) int { return cmp.Compare(points[a].Turn, points[b].Turn) })
	parallel.Do(len(points), max(1, o.Jobs), func(turn int) {
		i := turns[turn]
		outcomes[i].Point = points[i]
		if err := r.point(ctx, &outcomes[i], Event{Index: i, Points: len(points), Label: points[i].Label}); err != nil {
			r.mutex.Lock()
			r.unsaved = errors.Join(r.unsaved, err)
			r.mutex.Unlock()
			stop()
		}
	})
	return outcomes, r.unsaved
}

// runner is what the workers of one Run share.
type runner struct {
	Options
	mutex   sync.Mutex // of Observe and unsaved
	unsaved error
}

func (r *runner) observe(e Event) {
	if r.Observe != nil {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.Observe(e)
	}
}

// point does one point, unless the store has it. The error says that it could not be kept.
func (r *runner) point(ctx context.Context, done *Outcome, event Event) (unsaved error) {
	defer func() {
		event.Done, event.Earlier, event.State, event.Err, event.Wall, event.Rows = true, done.Earlier, done.State, done.Err, done.Wall, done.Rows
		r.observe(event)
	}()
	if r.Store != nil && r.Store.Has(done.Key) {
		done.State, done.Earlier = tables.Finished, true
		return nil
	}
	begun := time.Now()
	r.observe(event)
	done.Rows, done.Err = done.protected(ctx, func(p Progress) {
		now := event
		now.Progress, now.Wall = p, time.Since(begun)
		r.observe(now)
	})
	done.Wall = time.Since(begun)
	switch {
	case done.Err == nil:
		done.State = tables.Finished
	case ctx.Err() != nil && errors.Is(done.Err, ctx.Err()):
		done.State = tables.Interrupted
	default:
		done.State = tables.Failed
	}
	if done.State == tables.Finished && r.Store != nil {
		if unsaved = r.Store.Put(done.Key, &done.Rows); unsaved != nil {
			done.State, done.Err = tables.Failed, unsaved
		}
	}
	if done.State != tables.Finished {
		done.Rows = done.unfinished(done.State, done.Err)
	}
	r.note(done)
	return unsaved
}

// note logs the end of a point.
func (r *runner) note(done *Outcome) {
	event := r.Log.Info()
	if done.State == tables.Failed {
		// The whole explanation of a standstill fills a screen; it is in the tables.
		reason, _, _ := strings.Cut(done.Err.Error(), "\n")
		event = r.Log.Error().Str("reason", reason)
	}
	event.Str("point", done.Label).Str("state", done.State).Str("wall", done.Wall.Round(time.Millisecond).String()).Msg("point ended")
}

// Collect puts the rows of outcomes together, in their order, with the values of the axes. It reads those of
// earlier commands from the store.
func Collect(store Store, outcomes []Outcome) (tables.Rows, error) {
	var all tables.Rows
	for i := range outcomes {
		o := &outcomes[i]
		rows := o.Rows
		if o.Earlier {
			var err error
			if rows, err = store.Get(o.Key); err != nil {
				return tables.Rows{}, err
			}
		}
		AppendPoint(&all, &rows, o.Axes)
	}
	FillBreakEven(&all)
	return all, nil
}

// Blank are the rows of points that have not run.
func Blank(points []Point) *tables.Rows {
	all := new(tables.Rows)
	for i := range points {
		rows := points[i].Blank()
		AppendPoint(all, &rows, points[i].Axes)
	}
	return all
}

// AppendPoint appends the rows of one point and the values of its axes.
func AppendPoint(all, rows *tables.Rows, axes []Setting) {
	rows.EachPoint(func(p tables.Point) {
		for _, a := range axes {
			rows.Axes = append(rows.Axes, tables.Axis{RunKey: *p.RunKey, Key: a.Key, Value: a.Value})
		}
	})
	all.Append(rows)
}

// CoverageOf returns how many of the points have finished and failed.
func CoverageOf(outcomes []Outcome) Coverage {
	c := Coverage{Points: len(outcomes)}
	for i := range outcomes {
		o := &outcomes[i]
		switch o.State {
		case tables.Finished:
			c.Finished++
		case tables.Failed:
			c.Failed++
		}
		if o.Earlier {
			c.Earlier++
		}
	}
	return c
}
