package checks

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/soak"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Conformance is what one check of the conformance suite found about a router.
type Conformance struct {
	Router string `json:"router"`
	noctest.Outcome
}

// mostPhits bounds the packets of the conformance suite, so that its loads suit every router.
const mostPhits = 5

// Routers holds routers to the laws of package noc on the topology and with the classes of the options: by the
// conformance suite, and by random traffic, twice with the same deliveries. The report has what is finished
// also when the context ends; it is nil if a router cannot be built.
func Routers(ctx context.Context, list models.List, names []string, options models.Options, o verify.Options) (*Report, error) {
	r := &Report{Report: verify.NewReport(), Networks: []soak.Result{}}
	for _, name := range names {
		if o.Progress != nil {
			o.Progress(func() string { return "router " + models.Shown(name) })
		}
		m, err := list.Lookup(name)
		if err != nil {
			return nil, err
		}
		suite, err := suiteOf(m, options)
		if err != nil {
			return nil, fmt.Errorf("router %s: %w", m.Name, err)
		}
		found, err := noctest.Conform(ctx, suite)
		for _, x := range found {
			r.Conformance = append(r.Conformance, Conformance{m.Name, x})
			r.Passed = r.Passed && x.Violation == ""
		}
		if r.Interrupted = err != nil; err != nil {
			return r, err
		}
		traffic := soak.Default()
		traffic.Classes, traffic.Phits = suite.Classes, suite.Phits
		if o.Full {
			traffic.Cycles = 100_000
		}
		result := soak.Subject{Model: m, Options: options}.Audit(ctx, traffic)
		r.Networks = append(r.Networks, result)
		r.Passed = r.Passed && result.Violation == ""
	}
	return r, ctx.Err()
}

// suiteOf is a router for the conformance suite. The router is built once, to find what it lacks.
func suiteOf(m models.Model, options models.Options) (noctest.Subject, error) {
	build := func(everyCycle bool) func(topology.Grid, uint64) (noc.Network, error) {
		return func(_ topology.Grid, seed uint64) (noc.Network, error) {
			o := options
			o.Seed, o.EveryCycle = seed, everyCycle
			return m.Build(o)
		}
	}
	longest, _ := m.MaxPhits(options)
	s := noctest.Subject{Build: build(false), EveryCycle: build(true), Classes: options.Classes, Phits: min(longest, mostPhits),
		Longest: longest, SharedClasses: !m.KeepsClassesApart(options), Grids: []topology.Grid{options.Grid}}
	n, err := build(false)(options.Grid, 1)
	if err != nil {
		return s, err
	}
	defer noc.Close(n)
	if p, is := n.(interface{ FiniteSinks() bool }); is {
		s.Program, s.SharedClasses = true, !p.FiniteSinks()
	}
	l, err := m.LayoutOf(options)
	if err == nil && l.Grid == nil {
		s.Wiring = l.Wiring
	}
	return s, err
}
