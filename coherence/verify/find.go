package verify

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/explore"
)

// findStates bounds each exploration for a seeded defect unless the caller does, findCases the
// number of random tests.
const (
	findStates = 40_000
	findCases  = 40
)

// Find seeds a defect and looks for it with the explorations, small ones first, and then with
// random tests.
func (p *Protocol) Find(ctx context.Context, d coherence.Defect, options explore.Options) (DefectReport, error) {
	f := DefectReport{Protocol: p.Name, Name: d.Name, Breaks: d.Breaks, Trap: d.Trap}
	var explorations []Exploration
	if p.Explorations != nil {
		explorations = p.Explorations(d.Name)
	}
	for _, e := range explorations {
		if e.Long || e.States > 0 || e.Named && e.Cores > 1 {
			continue
		}
		o := options
		o.States = cmp.Or(options.States, findStates)
		r, err := explore.Run(ctx, e.Model, o)
		if err != nil {
			return f, err
		}
		if v := r.Violation; v != nil {
			f.FoundBy, f.Law, f.Scenario, f.Size = "exploration, "+e.Name, v.Why.Error(), v.Scenario(), v.Steps()
			return f, nil
		}
	}
	for k := range findCases {
		if p.Stress == nil {
			break
		}
		if err := ctx.Err(); err != nil {
			return f, err
		}
		s := p.Stress(k, d.Name)
		s.OpenLimit = 5000
		if report, err := s.Run(); err != nil {
			why, _, _ := strings.Cut(err.Error(), "\n")
			f.FoundBy, f.Law, f.Size = fmt.Sprintf("random test %d", k), why, int(report.Operations)
			f.Scenario = fmt.Sprintf("random test %d of protocol %s with defect %s", k, p.Name, d.Name)
			return f, nil
		}
	}
	return f, nil
}
