package paper

import "github.com/carousel-sim/carousel/analysis/paper/claim"

// exact are the claims that tests of the source code decide: what the papers prove, compute or define. A
// test holds that each of these tests is there. What a refuted claim says instead is its last text.
func exact() claim.Entry {
	e := claim.Entry{ID: "exact", Paper: "all", Figure: "proofs, formulas and definitions", Title: "Claims that tests decide, without measurements"}
	for _, c := range []struct{ id, printed, text, tests, refuted string }{
		{"S0-25", "steps at 2^k - 1", "Software multicast to d nodes takes ceil(log2(d+1)) steps.", "noc/multicast TestDoublingSteps", ""},
		{"S0-40", "64 x 20 ns", "In an idle network longer messages cost tree worms only their transmission.", "noc/papers/wormholeideal TestIdleNetworkFollowsTheFormula", ""},
		{"S1-10", "computes an OTMS", "Algorithm 2 finds the star with the shortest longest path.", "noc/multicast TestAlgorithm2AsPrinted, noc/multicast TestStarsAgainstAllStars",
			"with the bounds that are printed it finds no star; corrected bounds find the best one"},
		{"S0-43", "contention-free", "In CMIN no two unicasts of a multicast contend.", "noc/multicast TestBaselineDoublingMustContend",
			"no tree of two steps from node 0 to nodes 1, 2 and 3 avoids contention in the baseline network"},
		{"S0 section 3.2", "no deadlock", "The last stage of a bidirectional network needs no tokens with as many consumption channels as ports.",
			"noc/papers/wormholeideal TestLastStageCanDeadlock", "six messages that meet in a switch of the last stage can wait in a circle"},
		{"S2-08", "figure 4", "A multicast leaves router 0 as two copies, the first for nodes 4 and 5, the second for node 6.", "noc/rotary TestFigure4", ""},
		{"S2-09", "figures 2 and 3", "An output serves those destinations that are in its mask.", "noc/rotary/internal/tables TestMasks", ""},
		{"S2-10", "no deadlock", "The four rules keep a network from deadlock.", "noc/rotary/engine TestRulesPreventDeadlock, noc/rotary/engine TestPaperRulesStop",
			"without one of the rules a network stops, but with these rules alone a saturated network with the smallest buffers stops, too"},
		{"S2-12", "300 phits, below 5 KB", "A router of 300 phits stores less than 5 KB.", "power TestStorageOfThePaper", ""},
		{"S2-13", "table 3", "The synthetic traffic has the messages, shares, patterns and lengths of table 3.", "analysis/paper TestTrafficOfTable3", ""},
		{"S2 table 1", "table 1", "The chip has the parameters of table 1.", "analysis/paper TestChipOfTable1", ""},
		{"S3 theorem 2", "contention-free", "No two unicasts of postorder doubling contend on an irregular network.", "noc/multicast TestPostorderDoublingNeverContends", ""},
		{"S4-10", "equation 9", "Equation 9 gives the latency of table 3 without contention.", "noc/multicast TestGroupsTable3",
			"equation 9 cannot give less than 130 cycles, and the table has 120.76"},
		{"S4-13 equation", "130.701", "Equation 13 gives the mean of column-path in table 3.", "noc/multicast TestEquation13", "it gives 208 cycles: every round pays for the longest path of all"},
	} {
		e.Claims = append(e.Claims, claim.Claim{ID: c.id, Text: c.text, Printed: c.printed, Conditions: "as the test says", Tests: c.tests, Refuted: c.refuted})
	}
	return e
}
