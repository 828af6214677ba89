package mrr

import (
	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)
import "fmt"

// reading is one way of understanding the paper's "energy divided by the square of throughput".
type reading struct{ measure, name, definition string }

// readings are the literal one, the energy of the measurement window, and that of a fixed amount of work.
var readings = []reading{
	{"ed2p", "window", "energy of the window / throughput^2"},
	{"ed2p_per_phit", "phit", "energy per delivered phit / throughput^2"},
}

// fig10Charts has a chart for each reading and each way of pricing. Pictures are drawn of both readings in
// both profiles with full leakage; the others are in the table.
func fig10Charts() (charts []chart.Chart) {
	pictured := []string{chart.AllPrices()[0].Name, chart.AllPrices()[2].Name}
	for _, prices := range chart.AllPrices() {
		for _, r := range readings {
			c := synthetic(chart.Chart{Name: fmt.Sprintf("mrr.fig10-%d-%s", len(charts)/len(readings)+1, r.name),
				Title:   fmt.Sprintf("Network ED2P (%s) at an offered load of 1, 8x8 torus: %s", r.definition, prices.Name),
				Measure: r.measure, Quantity: "ED2P", Definition: r.definition, Prices: prices.Name})
			c.TableOnly = prices.Name != pictured[0] && prices.Name != pictured[1]
			charts = append(charts, c)
		}
	}
	return charts
}

// Fig10 returns the entry of figure 10: network ED2P at maximum load, normalised to BASE.
func Fig10() claim.Entry {
	charts := fig10Charts()
	return claim.Entry{
		ID: "mrr.fig10", Paper: MRR, Figure: "figure 10", Title: "Network ED2P at maximum load, normalised to BASE", Plan: "mrr.maxload.yaml",
		Charts: charts,
		Claims: []claim.Claim{{
			ID: "S2-22", Text: "At maximum load MRR has the best energy-delay-squared product; the difference to BASE-MC is small only with a large share of broadcasts.",
			Conditions: "8x8 torus, 5 patterns, 1 to 15 % multicasts to 8 nodes or all, offered load 1; 8 ways of pricing x 2 readings of ED2P",
			Printed:    "best",
			Criterion: "ED2P of MRR below that of BASE, BASE-MC and RR in every cell, with all prices and in both readings; " +
				"measured value: geometric mean of MRR / BASE-MC with the first prices, window reading",
			Judge: func(d *chart.Data) claim.Finding { return energyClaim(d, charts) },
		}},
	}
}
