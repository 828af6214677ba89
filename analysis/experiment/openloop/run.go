package openloop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// Outcome is what became of a point: its row, and rows about its window if it has finished.
type Outcome struct {
	Point
	Err     error // why it did not finish
	Row     tables.Traffic
	Routers []tables.Router
	Links   []tables.Link
	Latency []tables.Latency
}

// Search is the evidence for one saturation load.
type Search struct {
	Router string
	Seed   uint64
	metrics.Threshold
	Outcomes []Outcome // of the probes, in their order
	State    string    // tables.Finished, Failed or Interrupted
}

// Event tells an observer about one point on its way. Done is set in the last one.
type Event struct {
	Task, Tasks int // position in the plan, from 0, and its length; a search is one task
	Point
	Cycle noc.Cycle
	Wall  time.Duration // since the point's start
	Done  bool          // the task is done
}

// Options say how a study is done; they do not change its results.
type Options struct {
	Jobs int // tasks at the same time
	// Observe is called from one goroutine at a time; nil observes nothing.
	Observe func(Event)
	Log     zerolog.Logger
}

// Result is what became of a study: the outcomes of all points in order, and the searches that made them.
type Result struct {
	Outcomes []Outcome
	Searches []Search
}

// Task is what one worker does at a time: a point, or a search, which is a chain of points and has a key
// of its own.
type Task struct {
	Point
	Search bool
}

// Run does a study. When ctx ends, the points on their way stop and the others do not start.
func Run(ctx context.Context, s *Study, o Options) (Result, error) {
	tasks, err := s.Plan()
	if err != nil {
		return Result{}, err
	}
	var observing sync.Mutex
	done := make([]Search, len(tasks))
	experiment.Parallel(len(tasks), o.Jobs, func(i int) {
		done[i] = s.Do(ctx, tasks[i], func(e Event) {
			if o.Observe != nil {
				observing.Lock()
				defer observing.Unlock()
				e.Task, e.Tasks = i, len(tasks)
				o.Observe(e)
			}
		}, &o.Log)
	})
	var r Result
	for i := range tasks {
		r.Outcomes = append(r.Outcomes, done[i].Outcomes...)
		if tasks[i].Search {
			r.Searches = append(r.Searches, done[i])
		}
	}
	return r, nil
}

// Plan lists the tasks by router, load and seed.
func (s *Study) Plan() ([]Task, error) {
	loads := s.Loads
	search := len(loads) == 0
	if search {
		loads = []float64{s.Limit}
	}
	var list []Task
	for _, router := range s.Routers {
		for _, load := range loads {
			for i := range s.Runs {
				p, err := s.point(router, load, s.Seed+uint64(i))
				if err != nil {
					return nil, err
				}
				if search {
					if p.Key, err = experiment.Digest([]any{"search", p.Key, s.Limit, s.Step}); err != nil {
						return nil, err
					}
				}
				list = append(list, Task{Point: p, Search: search})
			}
		}
	}
	return list, nil
}

// Do does a task. That of a single point is a search without a threshold.
func (s *Study) Do(ctx context.Context, t Task, observe func(Event), log *zerolog.Logger) (result Search) {
	result = Search{Router: t.Router, Seed: t.Seed, State: tables.Finished}
	do := func(p Point) *Outcome {
		result.Outcomes = append(result.Outcomes, s.do(ctx, p, observe))
		done := &result.Outcomes[len(result.Outcomes)-1]
		result.State = done.Row.ExitState
		note(log, done)
		return done
	}
	if !t.Search {
		do(t.Point)
	} else {
		var err error
		result.Threshold, err = metrics.Bisect(s.Limit, s.Step, func(load float64) (bool, error) {
			p, err := s.point(t.Router, load, t.Seed)
			if err != nil {
				return false, err
			}
			done := do(p)
			return done.Row.Saturated.Value == tables.Saturated, done.Err
		})
		if err != nil && result.State == tables.Finished {
			result.State = tables.Failed
		}
	}
	observe(Event{Point: t.Point, Done: true})
	return result
}

// note logs the end of a point.
func note(log *zerolog.Logger, done *Outcome) {
	event := log.Info()
	if done.Row.ExitState == tables.Failed {
		reason, _, _ := strings.Cut(done.Err.Error(), "\n")
		event = log.Error().Str("reason", reason)
	}
	event.Str("router", done.Router).Float64("load", done.Load).Uint64("seed", done.Seed).
		Str("state", done.Row.ExitState).Msg("point ended")
}

// do does one point. A broken invariant of a model ends that point only.
func (s *Study) do(ctx context.Context, p Point, observe func(Event)) (done Outcome) {
	begun := time.Now()
	done = Outcome{Point: p, Row: s.configurationRow(p)}
	defer func() {
		if broken := recover(); broken != nil {
			done.Err = fmt.Errorf("a broken invariant: %v", broken)
		}
		switch {
		case done.Err == nil:
			done.Row.WallSeconds = tables.Some(time.Since(begun).Seconds())
			return
		case ctx.Err() != nil && errors.Is(done.Err, ctx.Err()):
			done = Outcome{Point: p, Row: s.configurationRow(p), Err: done.Err}
			done.Row.ExitState = tables.Interrupted
		default:
			done = Outcome{Point: p, Row: s.configurationRow(p), Err: done.Err}
			done.Row.ExitState = tables.Failed
		}
		done.Row.Explanation = tables.Some(done.Err.Error())
	}()
	done.Err = s.simulate(ctx, &done, func(now noc.Cycle) {
		observe(Event{Point: p, Cycle: now, Wall: time.Since(begun)})
	})
	return done
}

// stretch is how many cycles are simulated between two looks at progress and interruption. A network in
// which nothing moves for two stretches has stopped.
const stretch = 8192

// simulate runs a point and measures its window.
func (s *Study) simulate(ctx context.Context, done *Outcome, report func(noc.Cycle)) error {
	network, model, err := s.build(done.Point)
	if err != nil {
		return err
	}
	queue, _ := model.SourceQueue(s.Network)
	driver, err := traffic.New(network, s.Network.Places(), s.traffic(done.Point), traffic.Interface{
		QueuePackets: queue, SeparateCopies: model.SchemeOf(s.Network) == "unicast"})
	if err != nil {
		return err
	}
	if s.Power.Activity == power.ActivityHamming {
		if err := driver.CountToggles(); err != nil {
			return err
		}
	}
	var moved uint64
	still := 0
	for now := noc.Cycle(0); now < s.Cycles; now = network.Now() {
		if err := ctx.Err(); err != nil {
			return err
		}
		report(now)
		if now == s.Warmup {
			driver.Clear()
		}
		end := min(s.Cycles, now+stretch)
		if now < s.Warmup {
			end = min(end, s.Warmup)
		}
		driver.Run(end)
		totals := network.Totals()
		if so := totals.PhitHops + totals.Phits; so != moved || network.InFlight() == 0 || end-now < stretch {
			moved, still = so, 0
		} else if still++; still == 2 {
			return Standstill(network)
		}
	}
	return s.measure(done, driver)
}

// Standstill explains why nothing moves.
func Standstill(network noc.Network) error {
	stuck := network.Explain()
	text := fmt.Sprintf("the network has stopped at cycle %d with %d deliveries owed; %d packets cannot move",
		network.Now(), network.InFlight(), len(stuck))
	for i := range stuck[:min(len(stuck), 8)] {
		p := &stuck[i]
		text += fmt.Sprintf("\n  a packet of node %d, class %d, at node %d since cycle %d holds %s and waits for %s at node %d",
			p.Src, p.Class, p.At, p.Since, p.Holds, p.Waits, p.For)
	}
	return errors.New(text)
}
