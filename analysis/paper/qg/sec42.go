package qg

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// Section42 returns the entry of section 4.2: the threshold of Qualified Groups.
func Section42() claim.Entry {
	latency := chart.Chart{Name: "qg.sec42", Title: "Qualified Groups by threshold, for 10, 20 and 40 destinations, 16x16 mesh, one multicast at a time", Measure: "multicast_latency_mean", Quantity: "mean latency",
		Unit: "cycles", Series: "multicast_destinations", X: "threshold", XLabel: "threshold [thousandths]"}
	byThreshold := chart.Chart{Name: "qg.sec42-compared", Title: "Qualified Groups by number of destinations", Measure: "multicast_latency_mean", Quantity: "mean latency", Unit: "cycles",
		Series: "threshold", X: "multicast_destinations", XLabel: "destinations", TableOnly: true}
	return claim.Entry{
		ID: "qg.sec42", Paper: QG, Figure: "section 4.2", Title: "The threshold of Qualified Groups", Plan: "qg.sec42.yaml",
		Charts: []chart.Chart{latency, byThreshold},
		Claims: []claim.Claim{{
			ID: "S4-29", Text: "A threshold of 0.5 is a good compromise between 0.2 and 0.8.", Conditions: "16x16, 64 flits, 10 to 40 destinations, " + aloneConditions,
			Printed: "0.5", Criterion: "the latency with 0.5 is within 2 % of that with 0.2 and with 0.8 in every cell; " +
				"measured value: largest ratio of latencies, 0.5 over 0.2 or 0.8",
			Judge: func(d *chart.Data) claim.Finding { return compromise(d, &byThreshold) },
		}},
	}
}

// compromise judges the threshold of 0.5 by latency.
func compromise(d *chart.Data, c *chart.Chart) claim.Finding {
	var n claim.Sides
	var worst *claim.Comparison
	for _, other := range []string{"200", "800"} {
		list, missing := claim.Compare(d, c, "500", other, nil)
		one, _ := claim.Tally(list, missing, claim.Below, 1.02)
		n = n.Add(one)
		if e := claim.Extreme(list, claim.Above); e != nil && (worst == nil || e.Mean > worst.Mean) {
			worst = e
		}
	}
	if worst == nil {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("%d of %d cells within 2 %%", n.Hold, n.Hold+n.Contradict+n.Undecided+n.Missing)}
	f.Some(worst.Estimate)
	return f
}
