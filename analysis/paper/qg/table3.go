package qg

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// slowColumns says in the conditions of claims that rest on column-path whose column-path it is.
const slowColumns = "; column-path is simulated with the worms that share a row link waiting for each other, and takes 2.5 times as long as table 3 prints (S4-13)"

// Table3 returns the entry of table 3: mean latency of one multicast to 10 destinations.
func Table3() claim.Entry {
	latency := chart.Chart{Name: "qg.table3", Title: "Latency of one multicast to 10 destinations, 16x16 mesh, 32 flits", Measure: "multicast_latency_mean",
		Quantity: "latency of a multicast", Unit: "cycles", Series: "preparation", Label: "scheme",
		Names: map[string]string{"series:preparation=none": "none", "series:preparation=text": "text"}}
	for _, p := range []struct {
		scheme           string
		value, low, high float64
	}{{"dual-path", 112.621, 107.16, 118.08}, {"multi-path", 92.23, 87.62, 96.84}, {"column-path", 130.701, 124.50, 136.90}, {"qg-cut", 120.760, 114.81, 126.71}} {
		latency.Beside = append(latency.Beside, chart.Reference{Label: p.scheme, Series: "printed", Value: p.value, Low: p.low, High: p.high})
	}
	const conditions = "16x16 mesh, 32 flits, 10 destinations, startup 33, one multicast at a time, no preparation time"
	const criterion = "the 95 % interval of the batch means lies in the printed one"
	printed := func(id, name, scheme, text string, mean, low, high float64, others ...string) claim.Claim {
		return claim.Claim{
			ID: id, Text: text, Conditions: conditions, Printed: fmt.Sprintf("%g, 95 %% %g to %g", mean, low, high),
			Criterion: criterion + "; measured value: mean latency of " + name,
			Judge: func(d *chart.Data) claim.Finding {
				f := claim.Within(table3Latency(d, &latency, "none", scheme), low, high)
				for _, other := range append([]string{scheme}, others...) {
					for _, preparation := range []string{"none", "text"} {
						if e := table3Latency(d, &latency, preparation, other); e.OK && (other != scheme || preparation != "none") {
							f.Detail += fmt.Sprintf("; %s, preparation %s: %s", other, preparation, e.Text())
						}
					}
				}
				return f
			},
		}
	}
	return claim.Entry{
		ID: "qg.table3", Paper: QG, Figure: "table 3", Title: "Mean latency of one multicast to 10 destinations", Plan: "qg.table3.yaml",
		Charts: []chart.Chart{latency},
		Claims: []claim.Claim{
			printed("S4-11", "dual-path", "dual-path", "Dual-path takes 112.6 cycles on average.", 112.621, 107.16, 118.08),
			printed("S4-12", "multi-path", "multi-path", "Multi-path takes 92.2 cycles on average.", 92.23, 87.62, 96.84),
			printed("S4-13", "column-path, a startup after the tails of each round", "column-path", "Column-path takes 130.7 cycles on average.",
				130.701, 124.50, 136.90, "column-path-cut"),
			printed("S4-14", "qg-cut, where representatives start on headers: the flits count once, as in tables 4 and 5; equation 9, which counts them twice, cannot give the printed value (S4-10)",
				"qg-cut", "Qualified Groups takes 120.8 cycles on average.", 120.760, 114.81, 126.71, "qg", "qg-multi", "qg-multi-cut"),
		},
	}
}

// table3Latency is the mean of one scheme.
func table3Latency(d *chart.Data, c *chart.Chart, preparation, scheme string) chart.Estimate {
	return claim.Value(d, c, preparation, func(in *chart.Cell) bool { return in.Label == scheme })
}
