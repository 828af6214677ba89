package claim

import (
	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
)

// Expand makes the points of the entry's plan, quick or in full; nil for an entry that needs none.
// Settings below are weaker than those of the plan, settings above stronger.
func (e *Entry) Expand(quick bool, below, above config.Layer) (*plan.Expansion, error) {
	p, err := e.ParsePlan(quick)
	if err != nil || p == nil {
		return nil, err
	}
	return p.Expand(below, above)
}
