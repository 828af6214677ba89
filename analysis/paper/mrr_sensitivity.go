package paper

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// mrrSensitivity does figure 11 with one assumption changed at a time. The paper gives neither timeout nor
// number of tokens nor the places of cores and memory controllers.
func mrrSensitivity() Entry {
	chart := func(name, title, measure, quantity, prices string) Chart {
		return Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Prices: prices, Series: "router", Baseline: "base",
			Panel: "workload", Label: "variant"}
	}
	time := chart("mrr.fig11-sensitivity-time", "Execution time, one assumption changed at a time", "cycles", "execution time", AsSimulated)
	var energy []Chart
	for i, p := range AllPrices() {
		c := chart(fmt.Sprintf("mrr.fig11-sensitivity-ed2p-%d", i+1), "Network ED2P, one assumption changed at a time: "+p.Name, "ed2p_js2", "network ED2P", p.Name)
		c.Definition = "energy x execution time^2 of a fixed amount of work, for which both readings are one"
		c.TableOnly = i != 0
		energy = append(energy, c)
	}
	return Entry{
		ID: "mrr.fig11-sensitivity", Paper: MRR, Figure: "figure 11", Title: "Figure 11 with one assumption changed at a time", Plan: "mrr.fig11-sensitivity.yaml",
		Charts: append([]Chart{time}, energy...), Claims: sensitivityClaims(&time, energy),
	}
}

// sensitivityClaims ask of three claims of figure 11 whether their side survives each change, whatever
// becomes of the printed size.
func sensitivityClaims(time *Chart, energy []Chart) []Claim {
	const (
		conditions = "16 cores, 8x8 torus, token coherence, mean of the embedded recordings, one assumption changed at a time"
		criterion  = "mean ratio below 1 with 95 % confidence under every assumption confirms; measured value: the mean of the ratios of the figure's own assumptions"
	)
	return []Claim{
		{
			ID: "S2-01 side", Text: "A chip is faster with MRR than with RR.", Conditions: conditions, Printed: "faster", Criterion: "time of MRR / RR: " + criterion,
			Judge: func(d *Data) Finding { return d.underEach(time, "mrr", "rr") },
		},
		{
			ID: "S2-02 side", Text: "A chip is faster with MRR than with BASE-MC.", Conditions: conditions, Printed: "faster", Criterion: "time of MRR / BASE-MC: " + criterion,
			Judge: func(d *Data) Finding { return d.underEach(time, "mrr", "base-mc") },
		},
		{
			ID: "S2-03 side", Text: "The network's ED2P is lower with MRR than with RR.", Conditions: conditions + "; 8 ways of pricing", Printed: "lower",
			Criterion: "ED2P of MRR / RR: " + criterion + ", at every price",
			Judge: func(d *Data) Finding {
				var parts []Finding
				for i := range energy {
					f := d.underEach(&energy[i], "mrr", "rr")
					f.Detail = energy[i].Prices + ": " + f.Detail
					parts = append(parts, f)
				}
				return join(parts...)
			},
		},
	}
}

// underEach judges whether a series is below a baseline, in the mean over workloads, under each assumption.
func (d *Data) underEach(c *Chart, series, baseline string) Finding {
	list, missing := d.compare(c, series, baseline, nil)
	var names []string
	of := map[string][]comparison{}
	for i := range list {
		name := list[i].cell.label
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], list[i])
	}
	if len(names) == 0 {
		return nothing("nothing was measured")
	}
	var f Finding
	n := count{missing: missing}
	var each []string
	for i, name := range names {
		e := mean(of[name])
		if i == 0 {
			f.some(e)
		}
		switch e.side(1) {
		case below:
			n.hold++
		case above:
			n.contradict++
		default:
			n.undecided++
		}
		each = append(each, fmt.Sprintf("%s %s", name, e.text()))
	}
	f.Verdict = n.verdict()
	f.Detail = fmt.Sprintf("%s/%s below 1 under %d of %d assumptions: %s", series, baseline, n.hold, len(names), strings.Join(each, ", "))
	if f.Verdict != tables.Confirmed && missing > 0 {
		f.Detail += fmt.Sprintf("; %d not measured", missing)
	}
	return f
}
