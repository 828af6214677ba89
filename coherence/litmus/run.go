package litmus

import (
	"context"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/stress"
	"github.com/carousel-sim/carousel/noc"
)

// Config says how often and on what a test runs.
type Config struct {
	Protocol   string
	More       []cmp.ProtocolEntry // of other modules, which Protocol can name
	Networks   []stress.Network    // in turn, each on a random chip
	Layout     Layout
	Sequential bool // sequential consistency instead of total store order
	Runs       int
	Seed       uint64
}

// perSimulation is the number of runs between two changes of the chip and the network.
const perSimulation = 500

// seenWithin is the number of runs in which an allowed outcome usually comes up. Where it does not,
// a test goes on to extension times its runs: with protocols in which stores take long some
// outcomes are rare.
const (
	seenWithin = 2000
	extension  = 5
)

// Result is what came of a test.
type Result struct {
	Test    Test
	Config  Config
	Runs    int
	Watched int // runs with the outcome that the test watches for
	First   string
}

// Allowed reports whether the outcome may come up.
func (r *Result) Allowed() bool {
	if r.Config.Sequential {
		return r.Test.AllowedSC
	}
	return r.Test.AllowedTSO
}

// Model returns the name of the memory model.
func (c *Config) Model() string {
	if c.Sequential {
		return "sequential consistency"
	}
	return "total store order"
}

// Err returns what is wrong with a result, or nil: a forbidden outcome came up, or an allowed one
// did not in many runs, so that the test cannot show anything.
func (r *Result) Err() error {
	model := r.Config.Model()
	name := fmt.Sprintf("litmus test %s, %s, variables %s", r.Test.Name, r.Config.Protocol, r.Config.Layout)
	switch {
	case r.Watched > 0 && !r.Allowed():
		return fmt.Errorf("%s: %s occurred in %d of %d runs, although %s forbids it; first in %s", name, r.Test.watched(), r.Watched, r.Runs, model, r.First)
	case r.neverSeen():
		return fmt.Errorf("%s: %s never occurred in %d runs, although %s allows it", name, r.Test.watched(), r.Runs, model)
	}
	return nil
}

// neverSeen reports whether an allowed outcome has not come up in many runs.
func (r *Result) neverSeen() bool { return r.Watched == 0 && r.Allowed() && r.Runs >= seenWithin }

// watched returns the outcome that the test watches for.
func (t *Test) watched() string {
	var parts []string
	for _, e := range t.Outcome {
		parts = append(parts, e.String())
	}
	return strings.Join(parts, " & ")
}

// Run runs a test. Its error is that of a chip that breaks a law, or the context's; what the memory
// model says of the result is (*Result).Err.
func Run(ctx context.Context, t Test, c Config) (Result, error) {
	result := Result{Test: t, Config: c}
	limit := c.Runs
	for n := 0; result.Runs < limit; n++ {
		runs := min(perSimulation, limit-result.Runs)
		chip := c.chip(t, n)
		v := observations{program: newProgram(&t, c.Layout, runs, chip.Seed)}
		if err := stress.Replay(ctx, chip, v.trace(), v.witness); err != nil {
			if ctx.Err() != nil {
				return Result{}, ctx.Err()
			}
			return Result{}, fmt.Errorf("litmus test %s, variables %s: %s: %w", t.Name, c.Layout, chip.Name, err)
		}
		outcomes, err := v.outcomes()
		if err != nil {
			return Result{}, fmt.Errorf("litmus test %s, variables %s: %s: %w", t.Name, c.Layout, chip.Name, err)
		}
		for run, o := range outcomes {
			if t.holds(o) {
				if result.Watched++; result.First == "" {
					result.First = fmt.Sprintf("run %d of simulation %d (%s)", run, n, chip.Name)
				}
			}
		}
		result.Runs += runs
		if result.Runs == c.Runs && result.neverSeen() {
			limit *= extension
		}
	}
	return result, nil
}

// chip returns the n-th random chip of a test: one of the stress cases with the test's number of
// cores.
func (c Config) chip(t Test, n int) stress.Config {
	s := stress.Case(c.Networks[n%len(c.Networks):][:1], int(c.Seed)*1_000_003+n)
	s.Shape.Columns, s.Shape.Rows, s.Chip.Place.Columns = 4, 4, 4
	s.Chip.Protocol, s.Chip.More, s.Chip.Cores = c.Protocol, c.More, len(t.Programs)
	s.Chip.Token.Tokens = 0
	s.Chip.Core.SequentialConsistency = c.Sequential
	s.Faults.Delay = [...]noc.Cycle{0, 20, 200}[n%3]
	s.Name = fmt.Sprintf("%s on %s, chip of case %d", c.Protocol, s.Network.Name, s.Seed)
	return s
}
