package mrr

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/claim/claimtest"
)

// TestCriteriaCanFail: copies made at the source, paths along a tour, and rings that take more room
// refute; so do rings with the printed room that stop, as those of the paper's rules do where
// packets turn towards segments with less room than they leave.
func TestCriteriaCanFail(t *testing.T) {
	roomy, unbalanced := optionsOf(usual), optionsOf("paper")
	roomy.Rotary.InjectSlots++
	unbalanced.Rotary.RingTurnBalance = false
	rings := func(f claim.Finding) map[string]claim.Finding {
		return map[string]claim.Finding{"S2-10": f, "S2-10 paper": f, "S2-10 knee live": f, "S2-10 knee paper": f}
	}
	claimtest.CanFail(t, Rules(), rings(ringRules(roomy, 0.01)), rings(ringRules(unbalanced, 1)),
		map[string]claim.Finding{"S2-08": figure4("rr"), "S2-09": shortestTrees("rr-path")})
}
