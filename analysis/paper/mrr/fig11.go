package mrr

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/workloads"
)

// Fig11 returns the entry of figure 11: execution time and network ED2P of a chip, normalised to
// BASE.
func Fig11() claim.Entry {
	workloadChart := func(name, title, measure, quantity, prices string) chart.Chart {
		c := chart.Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Prices: prices, Series: "router", Baseline: "base",
			Panel: "protocol", Group: "workload", Label: "workload", Mean: true,
			Names: map[string]string{"protocol=token": "token coherence", "protocol=directory": "directory coherence"}}
		for _, w := range workloads.Table {
			c.Names["group:workload="+w.Name] = string(w.Kind) + "s"
		}
		return c
	}
	time := workloadChart("mrr.fig11-time", "Execution time of a 16-core chip, 8x8 torus", "cycles", "execution time", chart.AsSimulated)
	var energy []chart.Chart
	for i, p := range chart.AllPrices() {
		c := workloadChart(fmt.Sprintf("mrr.fig11-ed2p-%d", i+1), "Network ED2P of a 16-core chip, 8x8 torus: "+p.Name, "ed2p_js2", "network ED2P", p.Name)
		c.Definition = "energy x execution time^2 of a fixed amount of work, for which both readings are one"
		c.TableOnly = i != 0 && i != 2
		energy = append(energy, c)
	}
	return claim.Entry{
		ID: "mrr.fig11", Paper: MRR, Figure: "figure 11", Title: "Execution time and network ED2P of a chip, normalised to BASE", Plan: "mrr.fig11.yaml",
		Charts: append([]chart.Chart{time}, energy...), Claims: fig11Claims(&time, energy),
	}
}

// recorded chooses the recordings under token coherence, the paper's protocol.
func recorded(in *chart.Cell) bool { return in.Panel == "token coherence" && in.Group == "recordings" }

func fig11Claims(time *chart.Chart, energy []chart.Chart) []claim.Claim {
	const conditions = "16 cores, 8x8 torus, token coherence, mean of recordings of the twelve applications, in windows that start warm"
	return []claim.Claim{
		{
			ID: "S2-01", Text: "MRR makes a chip a quarter faster than RR.", Conditions: conditions, Printed: "25 % faster",
			Criterion: "mean over recordings of time of RR / time of MRR; a gain of half to twice the printed one confirms",
			Judge:     func(d *chart.Data) claim.Finding { return speedup(d, time, "rr", 0.25) },
		},
		{
			ID: "S2-02", Text: "MRR makes a chip a fifth faster than BASE-MC.", Conditions: conditions, Printed: "20 % faster",
			Criterion: "mean over recordings of time of BASE-MC / time of MRR; a gain of half to twice the printed one confirms",
			Judge:     func(d *chart.Data) claim.Finding { return speedup(d, time, "base-mc", 0.20) },
		},
		{
			ID: "S2-03", Text: "MRR halves the network's energy-delay-squared product against RR.", Conditions: conditions + "; 8 ways of pricing", Printed: "half",
			Criterion: "mean over recordings of ED2P of MRR / RR; a reduction of half to twice the printed one confirms, if all prices agree on the side",
			Judge: func(d *chart.Data) claim.Finding {
				list, _ := claim.Compare(d, &energy[0], "mrr", "rr", recorded)
				f := Robust(claim.Gain(claim.Mean(list), -0.5), acrossPrices(d, energy, "mrr", "rr", recorded))
				f.Detail += "; " + circumstances(d)
				return f
			},
		},
		{
			ID: "S2-04", Text: "Where the network is loaded most, RR outperforms BASE-MC, and BASE-MC does not beat it in ED2P.",
			Conditions: "all applications and both protocols; the paper's example is FT", Printed: "RR can outperform BASE-MC",
			Criterion: "in at least one workload RR is faster than BASE-MC with 95 % confidence, and BASE-MC's ED2P there is not below RR's with any of 8 prices; measured value: smallest time of RR / BASE-MC",
			Judge:     func(d *chart.Data) claim.Finding { return loadedMost(d, time, energy) },
		},
		{
			ID: "S2-05", Text: "In most applications BASE-MC is faster than RR.", Conditions: conditions, Printed: "most cases",
			Criterion: "BASE-MC / RR below 1 in more than half of the recordings; measured value: mean of the ratios",
			Judge:     func(d *chart.Data) claim.Finding { return mostly(d, time) },
		},
	}
}

// speedup judges how much faster MRR is than another router.
func speedup(d *chart.Data, time *chart.Chart, other string, printed float64) claim.Finding {
	list, _ := claim.Compare(d, time, other, "mrr", recorded)
	f := claim.Gain(claim.Mean(list), printed)
	var each []string
	all, _ := claim.Compare(d, time, other, "mrr", nil)
	for i := range all {
		each = append(each, fmt.Sprintf("%s %s", all[i].Cell.Where(), all[i].Text()))
	}
	f.Detail += "; each: " + strings.Join(each, ", ")
	return f
}

// loadedMost looks for cells in which RR is faster than BASE-MC, and there compares their ED2P at all prices.
func loadedMost(d *chart.Data, time *chart.Chart, energy []chart.Chart) claim.Finding {
	list, _ := claim.Compare(d, time, "rr", "base-mc", nil)
	best := claim.Extreme(list, claim.Below)
	if best == nil {
		return claim.Nothing("nothing was measured")
	}
	holds := false
	var found []string
	for i := range list {
		if list[i].Side(1) != claim.Below {
			continue
		}
		beaten := pricesBelow(d, energy, "base-mc", "rr", list[i].Cell.Where())
		text := fmt.Sprintf("%s: time %s, ED2P of base-mc/rr below 1 with none of the prices", list[i].Cell.Where(), list[i].Text())
		if len(beaten) > 0 {
			text = fmt.Sprintf("%s: time %s, ED2P of base-mc/rr below 1 with %s", list[i].Cell.Where(), list[i].Text(), strings.Join(beaten, "; "))
		}
		holds, found = holds || len(beaten) == 0, append(found, text)
	}
	f := claim.Fact(holds, best.Mean, fmt.Sprintf("smallest time of rr/base-mc: %s %s", best.Cell.Where(), best.Text()))
	f.Some(best.Estimate)
	if len(found) > 0 {
		f.Detail += "; " + claim.ShortList(found)
	}
	return f
}

// pricesBelow lists the prices with which a series is below a baseline in a cell.
func pricesBelow(d *chart.Data, charts []chart.Chart, series, baseline, where string) (names []string) {
	for i := range charts {
		list, _ := claim.Compare(d, &charts[i], series, baseline, func(in *chart.Cell) bool { return in.Where() == where })
		for k := range list {
			if list[k].Side(1) == claim.Below {
				names = append(names, charts[i].Prices)
			}
		}
	}
	return names
}

func mostly(d *chart.Data, time *chart.Chart) claim.Finding {
	list, _ := claim.Compare(d, time, "base-mc", "rr", recorded)
	if len(list) == 0 {
		return claim.Nothing("nothing was measured")
	}
	faster, slower := 0, 0
	var each []string
	for i := range list {
		switch list[i].Side(1) {
		case claim.Below:
			faster++
		case claim.Above:
			slower++
		}
		each = append(each, fmt.Sprintf("%s %s", list[i].Cell.Where(), list[i].Text()))
	}
	f := claim.Nothing("")
	switch {
	case 2*faster > len(list):
		f = claim.Fact(true, 0, "")
	case 2*(len(list)-slower) <= len(list):
		f = claim.Fact(false, 0, "")
	}
	f.Some(claim.Mean(list))
	f.Detail = fmt.Sprintf("base-mc/rr below 1 in %d of %d recordings: %s", faster, len(list), strings.Join(each, ", "))
	return f
}
