package qg

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// Printed examines what the printed tables of the paper say of each other; nothing is simulated.
func Printed() claim.Entry {
	improvements := func(id, name string, v Variation, tolerance float64) claim.Claim {
		return claim.Claim{ID: id, Text: "The improvements that " + name + " prints follow from its variations.", Conditions: "the printed table alone",
			Printed:   fmt.Sprintf("%v, %v, %v %%", v.improvements["dual-path"], v.improvements["multi-path"], v.improvements["column-path"]),
			Criterion: fmt.Sprintf("(CV - CV of qg) / CV of qg, recomputed, is within %g points of every one; measured value: largest difference in points", tolerance),
			Judge:     func(*chart.Data) claim.Finding { return improvementArithmetic(v, tolerance) }}
	}
	return claim.Entry{
		ID: "qg.printed", Paper: QG, Figure: "tables 3 to 5", Title: "Arithmetic of the printed tables",
		Claims: []claim.Claim{
			{
				ID: "S4-15", Text: "The relative error is half the width of the interval over its lower end.", Conditions: "the printed table alone",
				Printed: "0.05096, 0.05263, 0.05247, 0.05259", Criterion: "recomputed within 0.0001 for all four; measured value: largest difference",
				Cause: "the errors of column-path and of Qualified Groups do not follow from their intervals",
				Judge: func(*chart.Data) claim.Finding { return relativeErrors() },
			},
			improvements("S4-23", "table 4", PrintedTable4(), 0.6), improvements("S4-25", "table 5", PrintedTable5(), 0.2),
		},
	}
}

// relativeErrors recomputes a row of table 3 from the row above it.
func relativeErrors() claim.Finding {
	worst, text := 0.0, ""
	for _, r := range []struct {
		scheme           string
		low, high, error float64
	}{
		{"dual-path", 107.16, 118.08, 0.05096}, {"multi-path", 87.62, 96.84, 0.05263},
		{"column-path", 124.50, 136.90, 0.05247}, {"qg", 114.81, 126.71, 0.05259},
	} {
		computed := (r.high - r.low) / 2 / r.low
		worst = max(worst, computed-r.error, r.error-computed)
		text += fmt.Sprintf("%s: %.5f, printed %.5f; ", r.scheme, computed, r.error)
	}
	f := claim.Fact(worst <= 0.0001, worst, text[:len(text)-2])
	f.Reason = fmt.Sprintf("one differs by %.5f", worst)
	return f
}

// improvementArithmetic recomputes what a table prints.
func improvementArithmetic(v Variation, tolerance float64) claim.Finding {
	worst, at := 0.0, ""
	for _, scheme := range others {
		for i, k := range PrintedDestinations {
			computed := 100 * (v.CV[scheme][i] - v.CV["qg"][i]) / v.CV["qg"][i]
			if difference := math.Abs(computed - v.improvements[scheme][i]); difference > worst {
				worst, at = difference, fmt.Sprintf("farthest: %s, %g destinations: %.2f, printed %.2f", scheme, k, computed, v.improvements[scheme][i])
			}
		}
	}
	return claim.Fact(worst <= tolerance, worst, at)
}
