package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power"
)

// Outcome is what became of a point.
type Outcome struct {
	Point
	State    string // tables.Finished, Failed or Interrupted
	Err      error  // why it did not finish
	Result   cmp.Result
	Hardware noc.Hardware
	Energy   Energy
	Wall     time.Duration
}

// Event tells an observer about one run on its way. The first event of a run has Cycle 0, the last one
// Done.
type Event struct {
	Run, Runs int // position in the plan, from 0, and number of runs
	Point
	cmp.Progress
	Wall  time.Duration // since the run's start
	Done  bool
	State string // when Done
}

// Options say how a study is done; they do not change its results.
type Options struct {
	Jobs int // runs at the same time
	// Observe is called from one goroutine at a time; nil observes nothing.
	Observe func(Event)
	Log     zerolog.Logger
}

// Run does the points of the study's plan. It returns an outcome for each, in the plan's order; the error
// is only about the plan itself. When ctx ends, the runs on their way stop and the others do not start.
func Run(ctx context.Context, s *Study, o Options) ([]Outcome, error) {
	plan, err := s.Plan()
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(plan))
	var observing sync.Mutex
	observe := func(e Event) {
		if o.Observe != nil {
			observing.Lock()
			defer observing.Unlock()
			o.Observe(e)
		}
	}
	Parallel(len(plan), o.Jobs, func(i int) {
		outcomes[i] = s.Do(ctx, plan[i], func(e Event) {
			e.Run, e.Runs = i, len(plan)
			observe(e)
		})
		o.note(&outcomes[i])
	})
	return outcomes, nil
}

// note logs the end of a run.
func (o *Options) note(done *Outcome) {
	event := o.Log.Info()
	if done.State == tables.Failed {
		// The whole explanation of a standstill fills a screen; it is in the runs table.
		reason, _, _ := strings.Cut(done.Err.Error(), "\n")
		event = o.Log.Error().Str("reason", reason)
	}
	event.Str("workload", done.Workload.Name).Str("router", done.Router).Uint64("seed", done.Seed).
		Str("state", done.State).Uint64("cycles", uint64(done.Result.Cycles)).Dur("wall", done.Wall).Msg("run ended")
}

// Do does one point of the plan. A broken invariant of a model ends its run only.
func (s *Study) Do(ctx context.Context, p Point, observe func(Event)) (done Outcome) {
	begun := time.Now()
	done = Outcome{Point: p, State: tables.Finished}
	defer func() {
		if broken := recover(); broken != nil {
			done.Err = fmt.Errorf("a broken invariant: %v", broken)
		}
		switch {
		case done.Err == nil:
		case ctx.Err() != nil && errors.Is(done.Err, ctx.Err()):
			done.State = tables.Interrupted
		default:
			done.State = tables.Failed
		}
		done.Wall = time.Since(begun)
		observe(Event{Point: p, Wall: done.Wall, Done: true, State: done.State})
	}()
	if done.Err = ctx.Err(); done.Err != nil {
		return done
	}
	observe(Event{Point: p})
	done.Err = s.simulate(ctx, &done, func(now cmp.Progress) {
		observe(Event{Point: p, Progress: now, Wall: time.Since(begun)})
	})
	return done
}

// simulate lets the chip run and prices what it did.
func (s *Study) simulate(ctx context.Context, done *Outcome, report func(cmp.Progress)) error {
	system, network, release, err := s.build(done.Point)
	if err != nil {
		return err
	}
	defer release()
	if done.Result, err = system.Run(ctx, report); err != nil {
		return err
	}
	done.Hardware = network.Hardware()
	cycles := done.Result.Cycles + done.Result.DrainCycles // from the first cycle until the network was quiet
	done.Energy, err = Price(done.Hardware, s.Power, done.Result.Routers, done.Result.Links, cycles)
	return err
}

// build puts a chip together for one run.
func (s *Study) build(p Point) (*cmp.System, noc.Network, func() error, error) {
	model, err := s.Models.Lookup(p.Router)
	if err != nil {
		return nil, nil, nil, err
	}
	options := s.Network
	options.Seed = p.Seed
	network, err := model.Build(options)
	if err == nil {
		err = CheckToggles(s.Power, network)
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("router %s: %w", p.Router, err)
	}
	source, release, err := p.Workload.Open()
	if err != nil {
		return nil, nil, nil, err
	}
	system, err := cmp.New(s.Chip, network, source, p.Seed)
	if err == nil && s.Power.Activity == power.ActivityHamming {
		if err = system.CountToggles(); errors.Is(err, cmp.ErrNoValues) {
			err = fmt.Errorf("power.activity is hamming, but the records of workload %s do not say what they read and wrote; record it with --data, or use half", p.Workload.Name)
		}
	}
	if err != nil {
		release()
		return nil, nil, nil, err
	}
	return system, network, release, nil
}

// Check builds the chip of every workload and router once, to find mistakes of the configuration before
// the first run.
func (s *Study) Check() error {
	for w := range s.Workloads {
		for _, router := range s.Routers {
			_, network, release, err := s.build(Point{Workload: &s.Workloads[w], Router: router, Seed: s.Seed})
			if err != nil {
				return err
			}
			release()
			if _, err := power.NewRouter(network.Hardware(), s.Power); err != nil {
				return fmt.Errorf("router %s: %w", router, err)
			}
		}
	}
	return nil
}
