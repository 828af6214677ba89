package paper

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// reading is one way of understanding the paper's "energy divided by the square of throughput".
type reading struct{ measure, name, definition string }

// readings are the literal one, the energy of the measurement window, and that of a fixed amount of work.
var readings = []reading{
	{"ed2p", "window", "energy of the window / throughput^2"},
	{"ed2p_per_phit", "phit", "energy per delivered phit / throughput^2"},
}

// fig10Charts has a chart for each reading and each way of pricing. Pictures are drawn of both readings in
// both profiles with full leakage; the others are in the table.
func fig10Charts() (charts []Chart) {
	pictured := []string{AllPrices()[0].Name, AllPrices()[2].Name}
	for _, prices := range AllPrices() {
		for _, r := range readings {
			c := synthetic(Chart{Name: fmt.Sprintf("mrr.fig10-%d-%s", len(charts)/len(readings)+1, r.name),
				Title:   fmt.Sprintf("Network ED2P (%s) at an offered load of 1, 8x8 torus: %s", r.definition, prices.Name),
				Measure: r.measure, Quantity: "ED2P", Definition: r.definition, Prices: prices.Name})
			c.TableOnly = prices.Name != pictured[0] && prices.Name != pictured[1]
			charts = append(charts, c)
		}
	}
	return charts
}

func mrrFig10() Entry {
	charts := fig10Charts()
	return Entry{
		ID: "mrr.fig10", Paper: MRR, Figure: "figure 10", Title: "Network ED2P at maximum load, normalised to BASE", Plan: "mrr.maxload.yaml",
		Charts: charts,
		Claims: []Claim{{
			ID: "S2-22", Text: "At maximum load MRR has the best energy-delay-squared product; the difference to BASE-MC is small only with a large share of broadcasts.",
			Conditions: "8x8 torus, 5 patterns, 1 to 15 % multicasts to 8 nodes or all, offered load 1; 8 ways of pricing x 2 readings of ED2P",
			Printed:    "best",
			Criterion: "ED2P of MRR below that of BASE, BASE-MC and RR in every cell, with all prices and in both readings; " +
				"measured value: geometric mean of MRR / BASE-MC with the first prices, window reading",
			Judge: func(d *Data) Finding { return energyClaim(d, charts) },
		}},
	}
}

// energyClaim examines MRR against the others in all charts.
func energyClaim(d *Data, charts []Chart) Finding {
	var f Finding
	var all count
	var details []string
	means := map[string][]float64{}
	for i := range charts {
		c := &charts[i]
		var texts []string
		for _, other := range []string{"base-mc", "rr", "base"} {
			list, missing := d.compare(c, "mrr", other, nil)
			n, _ := tally(list, missing, below, 1)
			all = all.add(n)
			whole := overall(list)
			if !whole.ok {
				return nothing("nothing was measured")
			}
			if i == 0 && other == "base-mc" {
				f.some(whole)
			}
			means[other] = append(means[other], whole.Mean)
			texts = append(texts, fmt.Sprintf("/%s %s (below 1 in %d of %d)", other, whole.text(), n.hold, len(list)))
		}
		details = append(details, fmt.Sprintf("%s, %s: mrr %s", c.Prices, c.Measure, strings.Join(texts, ", ")))
	}
	var signs []string
	for _, other := range []string{"base-mc", "rr", "base"} {
		verdict := "differs among them"
		if metrics.SameSide(means[other]...) {
			verdict = "is the same in all"
		}
		signs = append(signs, fmt.Sprintf("the sign against %s %s", other, verdict))
	}
	f.Verdict = all.verdict()
	f.Detail = fmt.Sprintf("%d prices and readings: %s. %s", len(charts), strings.Join(signs, ", "), strings.Join(details, "; "))
	return f
}

// acrossPrices says on which sides of 1 a comparison falls with all prices.
func acrossPrices(d *Data, charts []Chart, series, baseline string, keep func(*cell) bool) (same bool, means []float64) {
	for i := range charts {
		list, _ := d.compare(&charts[i], series, baseline, keep)
		if e := mean(list); e.ok {
			means = append(means, e.Mean)
		}
	}
	return metrics.SameSide(means...), means
}

// robust makes a confirmed finding about energy hold only where all prices agree on its side.
func (f Finding) robust(same bool, means []float64) Finding {
	text := "all prices agree on the side"
	if !same {
		text = "the side depends on the prices"
		if f.Verdict == tables.Confirmed {
			f.Verdict = tables.NotConfirmed
		}
	}
	var list []string
	for _, m := range means {
		list = append(list, fmt.Sprintf("%.3f", m))
	}
	f.Detail += fmt.Sprintf("; %s (%s)", text, strings.Join(list, ", "))
	return f
}
