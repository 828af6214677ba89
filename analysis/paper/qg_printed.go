package paper

import (
	"fmt"
	"math"
)

// qgPrinted examines what the printed tables of the paper say of each other; nothing is simulated.
func qgPrinted() Entry {
	improvements := func(id, name string, v variation, tolerance float64) Claim {
		return Claim{ID: id, Text: "The improvements that " + name + " prints follow from its variations.", Conditions: "the printed table alone",
			Printed:   fmt.Sprintf("%v, %v, %v %%", v.improvements["dual-path"], v.improvements["multi-path"], v.improvements["column-path"]),
			Criterion: fmt.Sprintf("(CV - CV of qg) / CV of qg, recomputed, is within %g points of every one; measured value: largest difference in points", tolerance),
			Judge:     func(*Data) Finding { return improvementArithmetic(v, tolerance) }}
	}
	return Entry{
		ID: "qg.printed", Paper: QG, Figure: "tables 3 to 5", Title: "Arithmetic of the printed tables",
		Claims: []Claim{
			{
				ID: "S4-15", Text: "The relative error is half the width of the interval over its lower end.", Conditions: "the printed table alone",
				Printed: "0.05096, 0.05263, 0.05247, 0.05259", Criterion: "recomputed within 0.0001 for all four; measured value: largest difference",
				Judge: func(*Data) Finding { return relativeErrors() },
			},
			improvements("S4-23", "table 4", table4(), 0.6), improvements("S4-25", "table 5", table5(), 0.2),
		},
	}
}

// relativeErrors recomputes a row of table 3 from the row above it.
func relativeErrors() Finding {
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
	return fact(worst <= 0.0001, worst, text[:len(text)-2])
}

// improvementArithmetic recomputes what a table prints.
func improvementArithmetic(v variation, tolerance float64) Finding {
	worst, at := 0.0, ""
	for _, scheme := range others {
		for i, k := range printedDestinations {
			computed := 100 * (v.cv[scheme][i] - v.cv["qg"][i]) / v.cv["qg"][i]
			if difference := math.Abs(computed - v.improvements[scheme][i]); difference > worst {
				worst, at = difference, fmt.Sprintf("farthest: %s, %g destinations: %.2f, printed %.2f", scheme, k, computed, v.improvements[scheme][i])
			}
		}
	}
	return fact(worst <= tolerance, worst, at)
}
