package claim

import (
	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/plan"
)

// Expand makes the points of the entry's plan, quick or in full; nil for an entry that needs none.
// Settings below are weaker than those of the plan, settings above stronger.
func (e *Entry) Expand(quick bool, below, above config.Layer) (*plan.Expansion, error) {
	text, err := e.ReadPlan()
	if err != nil || text == nil {
		return nil, err
	}
	p, err := plan.Parse(e.Plan, text, quick)
	if err != nil {
		return nil, err
	}
	return p.Expand(below, above)
}
