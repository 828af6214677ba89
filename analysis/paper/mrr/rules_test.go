package mrr

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/claim/claimtest"
)

// TestCriteriaCanFail: copies made at the source, paths along a tour, and rings that take more room
// refute.
func TestCriteriaCanFail(t *testing.T) {
	roomy := optionsOf(usual)
	roomy.Rotary.InjectSlots++
	rings := ringRules(roomy, 0.01)
	claimtest.CanFail(t, Rules(), map[string]claim.Finding{
		"S2-08": figure4("rr"), "S2-09": shortestTrees("rr-path"), "S2-10": rings, "S2-10 paper": rings, "S2-10 extended": rings,
		"S2-10 knee live": rings, "S2-10 knee paper": rings, "S2-10 knee extended": rings,
	})
}
