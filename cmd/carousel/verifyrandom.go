package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/verify"
)

// exploration does one exploration and adds its cells.
func (v *verification) exploration(e verify.Exploration, o explore.Options, covered *verify.Coverage) error {
	start := time.Now()
	result, err := explore.Run(v.ctx, e.Model, o)
	if err != nil {
		return err
	}
	covered.Add(result.Cells)
	v.report.exploration(e, result, time.Since(start))
	return nil
}

// inParallel calls f for 0 up to n from as many goroutines as there are jobs, until the command is interrupted.
func (v *verification) inParallel(name string, n int, f func(i int)) error {
	var wait sync.WaitGroup
	var lock sync.Mutex
	next, done := 0, 0
	for range min(v.flags.jobs, n) {
		wait.Go(func() {
			for {
				lock.Lock()
				i := next
				next++
				lock.Unlock()
				if i >= n || v.ctx.Err() != nil {
					return
				}
				f(i)
				lock.Lock()
				done++
				v.line.draw(false, func() string { return fmt.Sprintf("%s: %d of %d", name, done, n) })
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	return v.ctx.Err()
}

// random does the random tests of a protocol.
func (v *verification) random(p *verify.Protocol, covered *verify.Coverage) error {
	protocol := p.Name
	n := 48
	if v.flags.full {
		n = 480
	}
	type outcome struct {
		operations, messages uint64
		cells                []coherence.Cell
		err                  error
	}
	outcomes := make([]outcome, n)
	err := v.inParallel(protocol+", random tests", n, func(i int) {
		report, cells, err := p.Stress(i, "").Run()
		outcomes[i] = outcome{report.Operations, report.Messages, cells, err}
	})
	if err != nil {
		return err
	}
	r := randomReport{Protocol: protocol, Runs: n}
	for i, o := range outcomes {
		r.Operations += o.operations
		r.Messages += o.messages
		covered.Add(o.cells)
		if o.err != nil && r.Violation == "" {
			r.Violation = fmt.Sprintf("test %d: %v", i, o.err)
			v.report.Passed = false
		}
	}
	v.report.Random = append(v.report.Random, r)
	return nil
}

// coverage sums up the transition tables of a protocol.
func (v *verification) coverage(protocol string, covered *verify.Coverage) {
	taken, missing := covered.Taken()
	r := coverageReport{Protocol: protocol, Cells: taken + len(missing), Taken: taken, Missing: []string{}}
	for _, x := range missing {
		r.Missing = append(r.Missing, fmt.Sprintf("%s %s in %s", x.Role, x.Event, x.State))
		v.report.Passed = false
	}
	v.report.Coverage = append(v.report.Coverage, r)
}
