package mrr

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// reading is one way of understanding the paper's "energy divided by the square of throughput".
type reading struct{ measure, name, definition string }

// readings are the literal one, the energy of the measurement window, and that of a fixed amount of
// work.
var readings = []reading{
	{"ed2p", "window", "energy of the window / throughput^2"},
	{"ed2p_per_phit", "phit", "energy per delivered phit / throughput^2"},
}

// energyOf makes a chart for each way of pricing and each reading under a setting. Pictures are
// drawn of the literal reading with the prices of the paper's tool and the usual ones; the others
// are in the table.
func energyOf(s *setting) (charts []chart.Chart) {
	for i, prices := range chart.AllPrices() {
		for _, r := range readings {
			c := s.apply(synthetic(chart.Chart{Name: fmt.Sprintf("%s-ed2p-%d-%s", s.entry, i+1, r.name),
				Title:   fmt.Sprintf("Network ED2P (%s) %s, 8x8 torus, priced with %s", r.definition, s.load(), prices.Name),
				Measure: r.measure, Quantity: "ED2P", Definition: r.definition, Prices: prices.Name}))
			c.TableOnly = r.name != "window" || prices.Name != chart.PaperPrices && prices.Name != chart.UsualPrices
			charts = append(charts, c)
		}
	}
	return charts
}

// Fig10 returns the entry of figure 10: network ED2P at maximum load, normalised to BASE.
func Fig10() claim.Entry {
	s := setting{entry: "mrr.fig10", rules: usual}
	charts := energyOf(&s)
	return claim.Entry{
		ID: s.entry, Paper: MRR, Figure: "figure 10", Title: "Network ED2P at maximum load, normalised to BASE", Plan: "mrr.maxload.yaml",
		Charts: charts, Claims: energyClaims(&s, charts),
	}
}

// energyClaims are the claims of figure 10.
func energyClaims(s *setting, charts []chart.Chart) []claim.Claim {
	conditions := fmt.Sprintf("%s; priced with Orion 1, the paper's tool; %d ways of pricing x 2 readings of ED2P beside it", s.conditions(), len(chart.AllPrices()))
	return priced(underRules(s.rules, []claim.Claim{
		{
			ID: "S2-22" + s.id, Text: "MRR has the best energy-delay-squared product.", Conditions: conditions, Printed: "best",
			Criterion: "ED2P, energy of the window over throughput^2, of MRR below that of BASE, BASE-MC and RR in every cell; measured value: geometric mean of MRR / BASE-MC",
			Judge:     func(d *chart.Data) claim.Finding { return leastEnergy(d, charts) },
		},
		{
			ID: "S2-22 share" + s.id, Text: "The advantage of MRR over BASE-MC in ED2P is small only with a large share of broadcasts.", Conditions: conditions, Printed: "only then constrained",
			Criterion: "MRR / BASE-MC of ED2P, geometric mean over the patterns: below 1 in every mix, and larger for broadcasts at the largest share than in each other mix, where " + tieRule + "; measured value: that of this mix",
			Judge:     func(d *chart.Data) claim.Finding { return smallOnlyWithBroadcasts(d, &charts[0]) },
		},
	}))
}

// priced marks claims that are decided at the prices of the paper's tool.
func priced(claims []claim.Claim) []claim.Claim {
	for i := range claims {
		claims[i].Prices = chart.PaperPrices
	}
	return claims
}
