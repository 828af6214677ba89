package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/carousel-sim/carousel/coherence/litmus"
	"github.com/carousel-sim/carousel/coherence/stress"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

type chipReport struct {
	Protocol  string `json:"protocol"`
	Runs      int    `json:"runs"`
	Accesses  uint64 `json:"accesses"`
	Cycles    uint64 `json:"cycles"`
	Violation string `json:"violation,omitempty"`
	// Scenario is a short trace that breaks a law on the same chip.
	Scenario string `json:"scenario,omitempty"`
}

type litmusReport struct {
	Protocol  string `json:"protocol"`
	Test      string `json:"test"`
	Variables string `json:"variables"`
	Model     string `json:"model"`
	Runs      int    `json:"runs"`
	Watched   int    `json:"watched"` // runs with the outcome that the test watches for
	Allowed   bool   `json:"allowed"`
	Violation string `json:"violation,omitempty"`
}

// stressNetworks is the table of models for whole chips.
func stressNetworks() []stress.Network {
	var all []stress.Network
	for _, m := range models.Table() {
		all = append(all, stress.Network{Name: m.Name, FiniteSinks: m.FiniteSinks, New: func(s stress.Shape) (noc.Network, error) {
			o := models.DefaultOptions()
			if s.Tiny {
				o = models.SmallestOptions(o.Grid)
			}
			o.Grid, o.Seed = topology.Torus(s.Columns, s.Rows), s.Seed
			return m.Build(o)
		}})
	}
	return all
}

// chips runs random programs on whole chips, with every network in turn. A failure is shrunk.
func (v *verification) chips(protocol string) error {
	networks := stressNetworks()
	n, work := 30, uint64(40_000)
	if v.flags.full {
		n, work = 40*len(networks), 3_000_000
	}
	reports := make([]stress.Report, n)
	failures := make([]error, n)
	err := v.inParallel(protocol+", whole chips", n, func(i int) {
		k, err := stress.CaseOf(protocol, i)
		var c stress.Config
		if err == nil {
			c, err = stress.Case(networks, k).Sized(v.ctx, work)
		}
		if err == nil {
			c.Order = c.Accesses <= 1_000_000
			reports[i], err = stress.Run(v.ctx, c, nil)
		}
		failures[i] = err
	})
	if err != nil {
		return err
	}
	r := chipReport{Protocol: protocol, Runs: n}
	for i := range reports {
		r.Accesses += reports[i].Accesses
		r.Cycles += reports[i].Cycles
		if failures[i] != nil && r.Violation == "" {
			r.Violation = failures[i].Error()
			r.Scenario = v.shrink(failures[i])
			v.report.Passed = false
		}
	}
	v.report.Chips = append(v.report.Chips, r)
	return nil
}

// shrink looks for a short trace that fails, or says why there is none.
func (v *verification) shrink(err error) string {
	var f *stress.Failure
	if !errors.As(err, &f) {
		return ""
	}
	s, err := stress.Shrink(v.ctx, f, 400)
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
func (v *verification) litmus(protocol string) error {
	tests, err := litmus.Tests()
	if err != nil {
		return err
	}
	var reports []litmusReport
	var configs []litmus.Config
	for _, t := range tests {
		for layout := range litmus.Layouts {
			for _, sequential := range []bool{false, true} {
				c := litmus.Config{Protocol: protocol, Networks: stressNetworks(), Layout: layout, Sequential: sequential, Runs: 400, Seed: 1}
				model := "total store order"
				switch {
				case v.flags.full:
					c.Runs = 100_000
				case len(t.Programs) > 4 || sequential:
					c.Runs = 100
				case t.AllowedTSO:
					c.Runs = 2000
				}
				if sequential {
					model = "sequential consistency"
				}
				configs = append(configs, c)
				reports = append(reports, litmusReport{Protocol: protocol, Test: t.Name, Variables: layout.String(), Model: model})
			}
		}
	}
	perTest := len(configs) / len(tests)
	err = v.inParallel(protocol+", litmus tests", len(configs), func(i int) {
		result, err := litmus.Run(v.ctx, tests[i/perTest], configs[i])
		if err == nil {
			err = result.Err()
		}
		x := &reports[i]
		x.Runs, x.Watched = result.Runs, result.Watched
		if x.Allowed = tests[i/perTest].AllowedTSO; configs[i].Sequential {
			x.Allowed = tests[i/perTest].AllowedSC
		}
		if err != nil {
			x.Violation = err.Error()
		}
	})
	if err != nil {
		return err
	}
	for i := range reports {
		v.report.Passed = v.report.Passed && reports[i].Violation == ""
	}
	v.report.Litmus = append(v.report.Litmus, reports...)
	return nil
}

// addChips adds the rows of what ran on whole chips.
func (r *verifyReport) addChips(s *sheet) {
	for _, x := range r.Chips {
		s.add("whole chips", x.Protocol, fmt.Sprintf("%d random programs, every network", x.Runs), fmt.Sprint(x.Accesses), fmt.Sprint(x.Cycles), "-", passed(x.Violation))
		if x.Scenario != "" {
			s.after = append(s.after, fmt.Sprintf("\n%s, shrunk to a trace in text form:\n%s", x.Protocol, x.Scenario))
		}
	}
	type group struct{ protocol, model string }
	var order []group
	tests, runs, wrong := map[group]int{}, map[group]int{}, map[group]string{}
	for _, x := range r.Litmus {
		g := group{x.Protocol, x.Model}
		if tests[g] == 0 {
			order = append(order, g)
		}
		tests[g]++
		runs[g] += x.Runs
		if wrong[g] == "" {
			wrong[g] = x.Violation
		}
	}
	for _, g := range order {
		s.add("litmus tests", g.protocol, g.model, fmt.Sprint(runs[g]), fmt.Sprint(tests[g]), "-", passed(wrong[g]))
	}
}
