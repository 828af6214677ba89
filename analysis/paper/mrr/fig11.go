package mrr

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/workloads"
)

// figure11Plan is the file of figure 11's plan.
const figure11Plan = "mrr.fig11.yaml"

// Fig11 returns the entry of figure 11: execution time and network ED2P of a chip, normalised to
// BASE.
func Fig11() claim.Entry {
	workloadChart := func(name, title, measure, quantity, prices string) chart.Chart {
		c := chart.Chart{Name: name, Title: title + ", rotary rules " + usual, Measure: measure, Quantity: quantity, Prices: prices, Series: "router", Baseline: "base",
			Only: map[string][]string{"variant": {tokenVariant, directoryVariant}}, Panel: "protocol", Group: "workload", Label: "workload", Mean: true,
			Names: map[string]string{"protocol=token": tokenPanel, "protocol=directory": "directory coherence"}}
		for _, w := range workloads.Table {
			c.Names["group:workload="+w.Name] = string(w.Kind) + "s"
		}
		return c
	}
	time := workloadChart("mrr.fig11-time", "Execution time of a 16-core chip, 8x8 torus", "cycles", "execution time", chart.AsSimulated)
	band := chart.Chart{Name: "mrr.fig11-band", Title: "Execution time of figure 11 with one assumption changed at a time", Measure: "cycles", Quantity: "execution time",
		Series: "router", Baseline: "base", Panel: "variant", Label: "workload", Only: map[string][]string{"variant": bandVariants()}, TableOnly: true}
	var energy []chart.Chart
	for i, p := range chart.AllPrices() {
		c := workloadChart(fmt.Sprintf("mrr.fig11-ed2p-%d", i+1), "Network ED2P of a 16-core chip, 8x8 torus, priced with "+p.Name, "ed2p_js2", "network ED2P", p.Name)
		c.Definition = "energy x execution time^2 of a fixed amount of work, for which both readings are one"
		c.TableOnly = p.Name != chart.PaperPrices && p.Name != chart.UsualPrices
		energy = append(energy, c)
	}
	return claim.Entry{
		ID: "mrr.fig11", Paper: MRR, Figure: "figure 11", Title: "Execution time and network ED2P of a chip, normalised to BASE", Plan: figure11Plan,
		Charts: append([]chart.Chart{time, band}, energy...),
		Claims: append(append(timeClaims(&time, &band), chipEnergyClaims(&time, energy)...), trafficClaims()...),
	}
}

// recorded chooses the recordings under token coherence, the paper's protocol.
func recorded(in *chart.Cell) bool { return in.Panel == tokenPanel && in.Group == "recordings" }

// ft chooses the recording of FT among them.
func ft(in *chart.Cell) bool { return recorded(in) && in.Label == "ft" }

const chipConditions = "16 cores, 8x8 torus, token coherence, recordings of the twelve applications, in windows that start warm"

// timeClaims are the claims about the upper half of the figure.
func timeClaims(time, band *chart.Chart) []claim.Claim {
	return underRules(usual, []claim.Claim{
		{
			ID: "S2-01", Text: "MRR makes a chip a quarter faster than RR.", Conditions: chipConditions, Printed: "25 % faster",
			Criterion: "mean over recordings of time of RR / time of MRR; a gain of half to twice the printed one confirms",
			Judge:     func(d *chart.Data) claim.Finding { return (&figure11{d, time, band}).speedup("rr", 0.25) },
		},
		{
			ID: "S2-02", Text: "MRR makes a chip a fifth faster than BASE-MC.", Conditions: chipConditions, Printed: "20 % faster",
			Criterion: "mean over recordings of time of BASE-MC / time of MRR; a gain of half to twice the printed one confirms",
			Judge:     func(d *chart.Data) claim.Finding { return (&figure11{d, time, band}).speedup("base-mc", 0.20) },
		},
		{
			ID: "S2-05", Text: "In most applications BASE-MC is faster than RR.", Conditions: chipConditions, Printed: "most cases",
			Criterion: "BASE-MC / RR below 1 in more than half of the recordings; measured value: mean of the ratios",
			Judge:     func(d *chart.Data) claim.Finding { return (&figure11{d, time, band}).mostly() },
		},
		{
			ID: "S2-24", Text: "Without multicast support in the network some applications take twice as long.", Conditions: chipConditions, Printed: "can double the execution time",
			Criterion: "largest time of BASE / BASE-MC over the recordings; a gain of half to twice the printed one confirms",
			Judge:     func(d *chart.Data) claim.Finding { return doubled(d, time) },
		},
		{
			ID: "S2-25", Text: "MRR is faster than all others with every application.", Conditions: chipConditions, Printed: "outperforms all the counterparts consistently",
			Criterion: "time of MRR below that of BASE-MC, RR and BASE with every recording; measured value: geometric mean of MRR / BASE-MC",
			Judge: func(d *chart.Data) claim.Finding {
				return claim.Everywhere(d, time, recorded, claim.Lower("mrr", "base-mc"), claim.Lower("mrr", "rr"), claim.Lower("mrr", "base"))
			},
		},
	})
}

// chipEnergyClaims are the claims about the lower half of the figure.
func chipEnergyClaims(time *chart.Chart, energy []chart.Chart) []claim.Claim {
	conditions := fmt.Sprintf("%s; priced with Orion 1, the paper's tool; %d ways of pricing beside it", chipConditions, len(energy))
	return priced(underRules(usual, []claim.Claim{
		{
			ID: "S2-03", Text: "MRR halves the network's energy-delay-squared product against RR.", Conditions: conditions, Printed: "half",
			Criterion: "mean over recordings of ED2P of MRR / RR; a reduction of half to twice the printed one confirms",
			Judge:     func(d *chart.Data) claim.Finding { return halved(d, energy) },
		},
		{
			ID: "S2-04", Text: "With FT RR is faster than BASE-MC, which does not beat it in ED2P.", Conditions: conditions + "; FT alone", Printed: "RR could outperform BASE-MC; impossible for BASE-MC to outperform RR",
			Criterion: "time of RR / BASE-MC below 1, and ED2P of BASE-MC / RR not below 1; measured value: time of RR / BASE-MC",
			Judge:     func(d *chart.Data) claim.Finding { return withFT(d, time, energy) },
		},
		{
			ID: "S2-26", Text: "MRR has the least ED2P with every application.", Conditions: conditions, Printed: "always maintains its advantage",
			Criterion: "ED2P of MRR below that of BASE-MC, RR and BASE with every recording; measured value: geometric mean of MRR / BASE-MC",
			Judge: func(d *chart.Data) claim.Finding {
				return leastChipEnergy(d, energy, claim.Lower("mrr", "base-mc"), claim.Lower("mrr", "rr"), claim.Lower("mrr", "base"))
			},
		},
		{
			ID: "S2-26 both", Text: "Both routers with multicast support have clearly less ED2P than those without.", Conditions: conditions, Printed: "clearly outperform",
			Criterion: "mean over recordings of ED2P of MRR and of BASE-MC over RR and over BASE below 0.9; measured value: that of BASE-MC / RR",
			Judge:     func(d *chart.Data) claim.Finding { return bothClearly(d, &energy[0]) },
		},
	}))
}
