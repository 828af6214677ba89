package mrr

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/power"
)

// leastEnergy examines MRR against the others: by the first chart, and by the others beside it.
func leastEnergy(d *chart.Data, charts []chart.Chart) claim.Finding {
	pairs := []claim.Pair{claim.Lower("mrr", "base-mc"), claim.Lower("mrr", "rr"), claim.Lower("mrr", "base")}
	f := claim.Everywhere(d, &charts[0], nil, pairs...)
	if !f.Measured.Known {
		return f
	}
	f.Detail = charts[0].Prices + ": " + f.Detail
	for i := range charts {
		if c := &charts[i]; c.Prices == chart.UsualPrices && c.Measure == charts[0].Measure {
			other := claim.Everywhere(d, c, nil, pairs...)
			f.Detail += fmt.Sprintf("; %s: %s: %s", c.Prices, other.Verdict, other.Detail)
		}
	}
	for _, p := range pairs {
		f.Detail += "; " + rangeOf(p, acrossPrices(d, charts, p.Series, p.Baseline, claim.Overall, nil))
	}
	f.Detail += "; " + circumstances(d)
	return f
}

// smallOnlyWithBroadcasts judges whether MRR is below BASE-MC in every mix of traffic, and nearest
// to it in the one with the largest share of broadcasts.
func smallOnlyWithBroadcasts(d *chart.Data, c *chart.Chart) claim.Finding {
	list, missing := claim.Compare(d, c, "mrr", "base-mc", nil)
	names, mixes := mixesOf(list)
	if len(names) < 2 {
		return claim.Nothing("nothing was measured")
	}
	cells, _ := d.Cells(c)
	asked := "broadcasts, " + cells[len(cells)-1].Label
	n := claim.Sides{Missing: missing}
	nearest := names[0]
	var texts, exceptions []string
	for _, name := range names {
		e := claim.Overall(mixes[name])
		if best := claim.Overall(mixes[nearest]); e.Mean > best.Mean {
			nearest = name
		}
		texts = append(texts, name+" "+e.Text())
		m := claim.One(&e, claim.Below, 1)
		if n = n.Add(m); m.Hold == 0 {
			exceptions = append(exceptions, fmt.Sprintf("%s: %s", name, e.Text()))
		}
		if name == asked {
			continue
		}
		e = mixOver(mixes[asked], mixes[name], "mrr", "base-mc")
		m = sideOf(&e, claim.Above)
		if n = n.Add(m); m.Contradict+m.Undecided > 0 {
			exceptions = append(exceptions, fmt.Sprintf("%s over %s: %s", asked, name, e.Text()))
		}
	}
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("largest for %s: %s", nearest, strings.Join(texts, "; "))}
	f.Reason = "mrr/base-mc is largest for " + nearest
	if len(exceptions) > 0 {
		f.Reason += fmt.Sprintf(", and to be below 1 and largest for %s is contradicted or undecided in: %s", asked, claim.ShortList(exceptions))
	}
	f.Some(claim.Overall(mixes[asked]))
	return f
}

// mixesOf sorts comparisons by the mix of traffic, in the order of the plan.
func mixesOf(list []claim.Comparison) (names []string, mixes map[string][]claim.Comparison) {
	mixes = map[string][]claim.Comparison{}
	for i := range list {
		name := list[i].Cell.Panel + ", " + list[i].Cell.Label
		if mixes[name] == nil {
			names = append(names, name)
		}
		mixes[name] = append(mixes[name], list[i])
	}
	return names, mixes
}

// mixOver divides the geometric mean of one mix over the patterns by that of another: pattern by
// pattern and seed by seed where both mixes have the same, and otherwise by their intervals.
func mixOver(over, under []claim.Comparison, series, baseline string) chart.Estimate {
	var list []claim.Comparison
	for i := range over {
		for k := range under {
			if over[i].Cell.Group == under[k].Cell.Group {
				list = append(list, across(over[i].Cell, under[k].Cell, series, baseline))
			}
		}
	}
	alike := len(list) == len(over) && len(list) == len(under)
	for i := range list {
		alike = alike && len(list[i].Ratios) > 0 && len(list[i].Ratios) == len(list[0].Ratios)
	}
	if alike {
		return claim.Overall(list)
	}
	a, b := claim.Overall(over), claim.Overall(under)
	return claim.Quotient(&a, &b)
}

// PricedMean is a mean ratio at one way of pricing.
type PricedMean struct {
	Prices string
	Mean   float64
}

// acrossPrices are the means of a comparison in each of the charts.
func acrossPrices(d *chart.Data, charts []chart.Chart, series, baseline string, mean func([]claim.Comparison) chart.Estimate,
	keep func(*chart.Cell) bool) (list []PricedMean) {
	for i := range charts {
		ratios, _ := claim.Compare(d, &charts[i], series, baseline, keep)
		if e := mean(ratios); e.OK {
			name := charts[i].Prices
			if charts[i].Measure == readings[1].measure {
				name += " per phit"
			}
			list = append(list, PricedMean{name, e.Mean})
		}
	}
	return list
}

// rangeOf says between which values a mean lies with all prices, and with how many it is on the
// side asked for.
func rangeOf(p claim.Pair, list []PricedMean) string {
	if len(list) == 0 {
		return ""
	}
	least, most, holds := list[0], list[0], 0
	for _, m := range list {
		if m.Mean < least.Mean {
			least = m
		}
		if m.Mean > most.Mean {
			most = m
		}
		if float64(p.Side)*(m.Mean-1) > 0 {
			holds++
		}
	}
	return fmt.Sprintf("mean %s/%s from %.3f (%s) to %.3f (%s), %s 1 in %d of %d", p.Series, p.Baseline, least.Mean, least.Prices, most.Mean, most.Prices,
		claim.Asked(p.Side), holds, len(list))
}

// circumstances are what all prices but Orion 1 have in common, and which of them no public tool
// covers.
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
	text := fmt.Sprintf("Orion 1 at 100 nm, the others at %d nm, %g V; %g GHz, links of %g mm, alpha %g", c.TechNM, c.VoltageV, c.ClockGHz, c.LinkMM, c.Alpha)
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
