package report

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// verdicts counts claims.
func verdicts(claims []tables.Claim) []string {
	counts := map[string]int{}
	for _, c := range claims {
		counts[c.Verdict]++
	}
	if len(claims) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Of the %d claims of the paper about this figure, %d are confirmed, %d are not confirmed, and %d are open.",
		len(claims), counts[tables.Confirmed], counts[tables.NotConfirmed], counts[tables.Open])}
}
