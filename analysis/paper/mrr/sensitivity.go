package mrr

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Sensitivity does figure 11 with one assumption changed at a time. The paper gives neither timeout
// nor number of tokens nor the places of cores and memory controllers.
func Sensitivity() claim.Entry {
	workloadChart := func(name, title, measure, quantity, prices string) chart.Chart {
		return chart.Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Prices: prices, Series: "router", Baseline: "base",
			Panel: "workload", Label: "variant"}
	}
	time := workloadChart("mrr.fig11-sensitivity-time", "Execution time, one assumption changed at a time", "cycles", "execution time", chart.AsSimulated)
	var energy []chart.Chart
	for i, p := range chart.AllPrices() {
		c := workloadChart(fmt.Sprintf("mrr.fig11-sensitivity-ed2p-%d", i+1), "Network ED2P, one assumption changed at a time, priced with "+p.Name, "ed2p_js2", "network ED2P", p.Name)
		c.Definition = "energy x execution time^2 of a fixed amount of work, for which both readings are one"
		c.TableOnly = i != 0
		energy = append(energy, c)
	}
	return claim.Entry{
		ID: "mrr.fig11-sensitivity", Paper: MRR, Figure: "figure 11", Title: "Figure 11 with one assumption changed at a time", Plan: "mrr.fig11-sensitivity.yaml",
		Charts: append([]chart.Chart{time}, energy...), Claims: sensitivityClaims(&time, energy),
	}
}

// sensitivityClaims ask of three claims of figure 11 whether their side survives each change,
// whatever becomes of the printed size.
func sensitivityClaims(time *chart.Chart, energy []chart.Chart) []claim.Claim {
	const (
		conditions = "16 cores, 8x8 torus, token coherence, mean of the embedded recordings, one assumption changed at a time"
		criterion  = "mean ratio below 1 with 95 % confidence under every assumption confirms; measured value: the mean of the ratios of the figure's own assumptions"
	)
	return underRules(usual+", but where they are the assumption", []claim.Claim{
		{
			ID: "S2-01 side", Text: "A chip is faster with MRR than with RR.", Conditions: conditions, Printed: "faster", Criterion: "time of MRR / RR: " + criterion,
			Judge: func(d *chart.Data) claim.Finding { return underEach(d, time, "mrr", "rr") },
		},
		{
			ID: "S2-02 side", Text: "A chip is faster with MRR than with BASE-MC.", Conditions: conditions, Printed: "faster", Criterion: "time of MRR / BASE-MC: " + criterion,
			Judge: func(d *chart.Data) claim.Finding { return underEach(d, time, "mrr", "base-mc") },
		},
		{
			ID: "S2-03 side", Text: "The network's ED2P is lower with MRR than with RR.", Conditions: conditions + fmt.Sprintf("; %d ways of pricing", len(energy)), Printed: "lower", Prices: fmt.Sprintf("all %d", len(energy)),
			Criterion: "ED2P of MRR / RR: " + criterion + ", at every price",
			Judge: func(d *chart.Data) claim.Finding {
				var parts []claim.Finding
				for i := range energy {
					f := underEach(d, &energy[i], "mrr", "rr")
					f.Detail = energy[i].Prices + ": " + f.Detail
					parts = append(parts, f)
				}
				return claim.Join(parts...)
			},
		},
	})
}

// underEach judges whether a series is below a baseline, in the mean over workloads, under each
// assumption.
func underEach(d *chart.Data, c *chart.Chart, series, baseline string) claim.Finding {
	list, missing := claim.Compare(d, c, series, baseline, nil)
	var names []string
	of := map[string][]claim.Comparison{}
	for i := range list {
		name := list[i].Cell.Label
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], list[i])
	}
	if len(names) == 0 {
		return claim.Nothing("nothing was measured")
	}
	var f claim.Finding
	n := claim.Sides{Missing: missing}
	var each []string
	for i, name := range names {
		e := claim.Mean(of[name])
		if i == 0 {
			f.Some(e)
		}
		switch e.Side(1) {
		case claim.Below:
			n.Hold++
		case claim.Above:
			n.Contradict++
		default:
			n.Undecided++
		}
		each = append(each, fmt.Sprintf("%s %s", name, e.Text()))
	}
	f.Verdict = n.Verdict()
	f.Detail = fmt.Sprintf("%s/%s below 1 under %d of %d assumptions: %s", series, baseline, n.Hold, len(names), strings.Join(each, ", "))
	if f.Verdict != tables.Confirmed && missing > 0 {
		f.Detail += fmt.Sprintf("; %d not measured", missing)
	}
	return f
}
