package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/litmus"
	"github.com/carousel-sim/carousel/coherence/stress"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
)

// Options say how much is checked.
type Options struct {
	Full     bool  // larger chips, ten times the random tests and many more programs
	SelfTest bool  // seed defects, each of which must be found
	Memory   int64 // bytes that an exploration may use
	Jobs     int   // checks at the same time, and workers of an exploration
	// Networks are those on which whole chips run.
	Networks []stress.Network
	// More are protocols of other modules, for chips.
	More []cmp.ProtocolEntry
	// Progress, unless it is nil, is called now and then with what is being checked. The text is
	// made only when the receiver calls the function.
	Progress func(text func() string)
}

// checker is the check of one protocol under way.
type checker struct {
	Options
	ctx      context.Context
	protocol *Protocol
	covered  Coverage
	report   *Report
}

// Check does all checks of a protocol and adds what they found to a report: explorations, random
// tests, random programs on whole chips, litmus tests and, if asked for, seeded defects. The error
// says why not all checks were done; a broken law is in the report.
func (p *Protocol) Check(ctx context.Context, o Options, r *Report) error {
	c := &checker{Options: o, ctx: ctx, protocol: p, report: r}
	for _, step := range []func() error{c.explorations, c.random, c.chips, c.litmus, c.defects} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// exploring returns the options of an exploration. Half of the memory is left to the garbage
// collector and to tables that are being enlarged.
func (c *checker) exploring(name string) explore.Options {
	o := explore.Options{Memory: c.Memory / 2, Workers: c.Jobs}
	if c.Progress != nil {
		o.Observe = func(x explore.Progress) {
			c.Progress(func() string {
				return fmt.Sprintf("%s: depth %d, %s states, %d%% of them expanded, %s transitions", name, x.Depth, short(uint64(x.States)),
					100*x.Expanded/max(x.States, 1), short(x.Transitions))
			})
		}
	}
	return o
}

// short writes a number in thousands or millions where it is large.
func short(n uint64) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%d M", n/1_000_000)
	case n >= 10_000:
		return fmt.Sprintf("%d k", n/1000)
	}
	return fmt.Sprint(n)
}

func (c *checker) explorations() error {
	if c.protocol.Explorations == nil {
		return nil
	}
	for _, e := range c.protocol.Explorations("") {
		if e.Long && !c.Full {
			continue
		}
		if err := c.exploration(e); err != nil {
			return err
		}
	}
	return nil
}

// exploration does one exploration and adds its cells.
func (c *checker) exploration(e Exploration) error {
	o := c.exploring(c.protocol.Name + " " + e.Name)
	o.States, o.SafetyOnly = e.States, e.SafetyOnly
	start := time.Now()
	result, err := explore.Run(c.ctx, e.Model, o)
	if err != nil {
		return err
	}
	c.covered.Add(result.Cells)
	c.report.addExploration(e, result, time.Since(start).Seconds())
	return nil
}

// random does the random tests, and sums up what they and the explorations covered.
func (c *checker) random() error {
	if c.protocol.Stress == nil {
		return nil
	}
	n := 48
	if c.Full {
		n = 480
	}
	reports, failures := make([]cohtest.Report, n), make([]error, n)
	err := c.parallel("random tests", n, func(i int) { reports[i], failures[i] = c.protocol.Stress(i, "").Run() })
	if err != nil {
		return err
	}
	r := RandomReport{Protocol: c.protocol.Name, Runs: n}
	for i, o := range reports {
		r.Operations += o.Operations
		r.Messages += o.Messages
		c.covered.Add(o.Cells)
		if failures[i] != nil && r.Violation == "" {
			r.Violation = fmt.Sprintf("test %d: %v", i, failures[i])
			c.report.Passed = false
		}
	}
	c.report.Random = append(c.report.Random, r)
	c.report.addCoverage(c.protocol.Name, &c.covered)
	return nil
}

// chips runs random programs on whole chips, with every network in turn. A failure is shrunk.
func (c *checker) chips() error {
	n, work := 30, uint64(40_000)
	if c.Full {
		n, work = 40*len(c.Networks), 3_000_000
	}
	results := make([]cmp.Result, n)
	failures := make([]error, n)
	err := c.parallel("whole chips", n, func(i int) {
		program, err := stress.CaseOf(c.Networks, c.protocol.Name, i, c.More...)
		if err == nil {
			program, err = program.Sized(c.ctx, work)
		}
		if err == nil {
			program.Order = program.Accesses <= 1_000_000
			results[i], err = stress.Run(c.ctx, program, nil)
		}
		failures[i] = err
	})
	if err != nil {
		return err
	}
	r := ChipReport{Protocol: c.protocol.Name, Runs: n}
	for i := range results {
		r.Accesses += results[i].Accesses()
		r.Cycles += uint64(results[i].Cycles)
		if failures[i] != nil && r.Violation == "" {
			r.Violation = failures[i].Error()
			r.Scenario = shrink(c.ctx, failures[i])
			c.report.Passed = false
		}
	}
	c.report.Chips = append(c.report.Chips, r)
	return nil
}

// shrink looks for a short trace that fails, or says why there is none.
func shrink(ctx context.Context, err error) string {
	var f *stress.Failure
	if !errors.As(err, &f) {
		return ""
	}
	s, err := stress.Shrink(ctx, f, 400)
	if err != nil {
		return err.Error()
	}
	var text bytes.Buffer
	if err := s.Write(&text); err != nil {
		return err.Error()
	}
	return text.String()
}

// litmus runs the litmus tests of the memory models.
func (c *checker) litmus() error {
	var planned []litmus.Result // without what came of them
	for _, t := range litmus.Tests() {
		for layout := range litmus.Layouts {
			for _, sequential := range []bool{false, true} {
				run := litmus.Config{Protocol: c.protocol.Name, More: c.More, Networks: c.Networks, Layout: layout, Sequential: sequential, Runs: 400, Seed: 1}
				switch {
				case c.Full:
					run.Runs = 100_000
				case len(t.Programs) > 4 || sequential:
					run.Runs = 100
				case t.AllowedTSO:
					run.Runs = 2000
				}
				planned = append(planned, litmus.Result{Test: t, Config: run})
			}
		}
	}
	reports := make([]LitmusReport, len(planned))
	err := c.parallel("litmus tests", len(planned), func(i int) {
		p := &planned[i]
		result, err := litmus.Run(c.ctx, p.Test, p.Config)
		if err == nil {
			err = result.Err()
		}
		reports[i] = LitmusReport{Protocol: c.protocol.Name, Test: p.Test.Name, Variables: p.Config.Layout.String(), Model: p.Config.Model(),
			Runs: result.Runs, Watched: result.Watched, Allowed: p.Allowed()}
		if err != nil {
			reports[i].Violation = err.Error()
		}
	})
	if err != nil {
		return err
	}
	for i := range reports {
		c.report.Passed = c.report.Passed && reports[i].Violation == ""
	}
	c.report.Litmus = append(c.report.Litmus, reports...)
	return nil
}

// defects seeds every defect in turn and looks for it.
func (c *checker) defects() error {
	if !c.SelfTest || c.protocol.Defects == nil {
		return nil
	}
	for _, d := range c.protocol.Defects() {
		found, err := c.protocol.Find(c.ctx, d, c.exploring(fmt.Sprintf("%s with %s", c.protocol.Name, d.Name)))
		if err != nil {
			return err
		}
		c.report.addDefect(found)
	}
	return nil
}

// parallel does n checks of the protocol and tells the progress.
func (c *checker) parallel(what string, n int, check func(i int)) error {
	return parallel.Until(c.ctx, n, c.Jobs, func(done int) {
		if c.Progress != nil {
			c.Progress(func() string { return fmt.Sprintf("%s, %s: %d of %d", c.protocol.Name, what, done, n) })
		}
	}, func(i int) error { check(i); return nil })
}
