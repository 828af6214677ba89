package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/soak"
	"github.com/carousel-sim/carousel/noc/topology"
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
				v.line.counting(name, done, n)
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	return v.ctx.Err()
}

// random does the random tests of a protocol.
func (v *verification) random(protocol string, covered *verify.Coverage) error {
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
		report, cells, err := verify.StressCase(protocol, i, "").Run()
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

// networks sends random traffic through every network of the table.
func (v *verification) networks() error {
	grids := []topology.Grid{topology.Torus(8, 8), topology.Mesh(4, 5), topology.Torus(3, 3, 3)}
	config := soak.Default()
	if v.flags.full {
		grids = append(grids, topology.Torus(2, 2), topology.Torus(4, 3), topology.Torus(16, 8))
		config.Cycles = 100_000
	}
	reports := make([]networkReport, len(models.Table)*len(grids))
	err := v.inParallel("networks", len(reports), func(i int) {
		reports[i] = v.network(models.Table[i/len(grids)], grids[i%len(grids)], config)
	})
	if err != nil {
		return err
	}
	for _, r := range reports {
		if r.Violation != "" {
			v.report.Passed = false
		}
	}
	v.report.Networks = reports
	return nil
}

// network audits one network, and compares it with itself when no router ever sleeps.
func (v *verification) network(m models.Model, g topology.Grid, c soak.Config) networkReport {
	r := networkReport{Router: m.Name, Topology: g.String()}
	var digests [2]uint64
	for i, everyCycle := range []bool{false, true} {
		o := models.DefaultOptions()
		o.Grid, o.Classes, o.EveryCycle = g, c.Classes, everyCycle
		net, err := m.New(o)
		if err == nil {
			var s soak.Report
			s, err = soak.Run(v.ctx, net, g, c)
			digests[i] = s.Digest
			r.Packets, r.Multicasts, r.Deliveries, r.Cycles = s.Packets, s.Multicasts, s.Deliveries, uint64(s.Cycles)
			r.Digest = fmt.Sprintf("%016x", s.Digest)
		}
		if err != nil {
			r.Violation = err.Error()
			return r
		}
	}
	if digests[0] != digests[1] {
		r.Violation = "deliveries differ when every router is stepped in every cycle"
	}
	return r
}
