package mrr

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// energyClaim examines MRR against the others in all charts.
func energyClaim(d *chart.Data, charts []chart.Chart) claim.Finding {
	var f claim.Finding
	var all claim.Sides
	var details []string
	means, lower := map[string][]float64{}, map[string]int{} // by other router, and by router and reading
	for i := range charts {
		c := &charts[i]
		var texts []string
		for _, other := range []string{"base-mc", "rr", "base"} {
			list, missing := claim.Compare(d, c, "mrr", other, nil)
			n, _ := claim.Tally(list, missing, claim.Below, 1)
			all = all.Add(n)
			whole := claim.Overall(list)
			if !whole.OK {
				return claim.Nothing("nothing was measured")
			}
			if i == 0 && other == "base-mc" {
				f.Some(whole)
			}
			means[other] = append(means[other], whole.Mean)
			if whole.Mean < 1 {
				lower[other+c.Measure]++
			}
			texts = append(texts, fmt.Sprintf("/%s %s (below 1 in %d of %d)", other, whole.Text(), n.Hold, len(list)))
		}
		details = append(details, fmt.Sprintf("%s, %s: mrr %s", c.Prices, c.Measure, strings.Join(texts, ", ")))
	}
	var signs []string
	for _, other := range []string{"base-mc", "rr", "base"} {
		verdict := "differs among them"
		if metrics.SameSide(means[other]...) {
			verdict = "is the same in all"
		}
		var parts []string
		for _, r := range readings {
			parts = append(parts, fmt.Sprintf("%d of %d per %s", lower[other+r.measure], len(chart.AllPrices()), r.name))
		}
		signs = append(signs, fmt.Sprintf("the sign against %s %s (mean below 1 at %s)", other, verdict, strings.Join(parts, ", ")))
	}
	f.Verdict = all.Verdict()
	f.Detail = fmt.Sprintf("%d prices and readings (%s): %s. %s", len(charts), circumstances(d), strings.Join(signs, ", "), strings.Join(details, "; "))
	return f
}

// PricedMean is a mean ratio at one way of pricing.
type PricedMean struct {
	Prices string
	Mean   float64
}

// acrossPrices are the means of a comparison at each of the charts' prices.
func acrossPrices(d *chart.Data, charts []chart.Chart, series, baseline string, keep func(*chart.Cell) bool) (list []PricedMean) {
	for i := range charts {
		ratios, _ := claim.Compare(d, &charts[i], series, baseline, keep)
		if e := claim.Mean(ratios); e.OK {
			list = append(list, PricedMean{charts[i].Prices, e.Mean})
		}
	}
	return list
}

// Robust makes a confirmed finding about energy hold only where all prices agree on its side.
func Robust(f claim.Finding, list []PricedMean) claim.Finding {
	var means []float64
	var texts []string
	for _, m := range list {
		means = append(means, m.Mean)
		texts = append(texts, fmt.Sprintf("%s: %.3f", m.Prices, m.Mean))
	}
	text := "all prices agree on the side"
	if !metrics.SameSide(means...) {
		text = "the side depends on the prices"
		if f.Verdict == tables.Confirmed {
			f.Verdict = tables.NotConfirmed
		}
	}
	f.Detail += fmt.Sprintf("; %s (%s)", text, strings.Join(texts, "; "))
	return f
}

// circumstances are what all prices of a study have in common, and which of them no public tool covers.
func circumstances(d *chart.Data) string {
	var c power.Config
	known := false
	rows := d.Tables()
	for i := range rows.Runs {
		known = known || json.Unmarshal([]byte(rows.Runs[i].Power.Value), &c) == nil
	}
	for i := range rows.Traffic {
		known = known || json.Unmarshal([]byte(rows.Traffic[i].Power.Value), &c) == nil
	}
	if !known {
		return "prices of unknown circumstances"
	}
	c = c.Effective()
	text := fmt.Sprintf("%d nm, %g V, %g GHz, links of %g mm, %s", c.TechNM, c.VoltageV, c.ClockGHz, c.LinkMM, c.SwitchingActivity())
	for _, profile := range []power.Profile{power.ProfileO, power.ProfileS} {
		if c.Profile = profile; c.Extrapolated() {
			text += fmt.Sprintf("; profile %s is extrapolated to this technology", profile)
		}
	}
	if !c.ClockTested() {
		text += "; this clock is beyond that of the tools behind the models"
	}
	return text
}
