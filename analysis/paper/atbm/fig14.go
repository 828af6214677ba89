package atbm

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// Fig14 returns the entry of figure 14, section 5.2: contention-free multicasts, tree worms against
// software.
func Fig14() claim.Entry {
	latency := chart.Chart{Name: "atbm.fig14", Measure: "multicast_latency_mean", Quantity: "latency", Unit: "cycles", Series: "variant", Panel: "topology",
		X: "multicast_destinations", Names: stageNames()}
	const conditions = "UNI and BI, 64 nodes with 2x2, 4x4 and 8x8 switches, 256 with 2x2 and 4x4, 64 flits, 1,000 random multicasts per point; " + stageConditions
	many := func(in *chart.Cell) bool {
		fields := strings.Fields(in.Panel) // UNI 64 nodes 2x2
		nodes := 0
		_, err := fmt.Sscan(fields[1], &nodes)
		return err == nil && in.X > float64(nodes)/2
	}
	e := claim.Entry{
		ID: "atbm.fig14", Paper: ATBM, Figure: "figure 14, section 5.2", Title: "Contention-free multicasts, tree worms against software", Plan: "atbm.fig14.yaml",
		Charts: []chart.Chart{fig14Picture()},
	}
	for _, token := range []struct{ series, suffix, words string }{
		{"atbm", "", "token time charged at every branching stage"}, {"atbm-once", " once", "token time charged once per multicast, at its first branch"},
	} {
		e.Claims = append(e.Claims,
			claim.Claim{
				ID: "S0-23" + token.suffix, Text: "With more than half of the nodes as destinations, tree worms are more than four times as fast as software.",
				Conditions: conditions + "; " + token.words, Printed: "> 4",
				Criterion: "software / atbm above 4 in every network at every number of destinations above N/2; measured value: the least ratio",
				Judge:     func(d *chart.Data) claim.Finding { return faster(d, &latency, many, token.series, 4) },
			},
			claim.Claim{
				ID: "S0-24" + token.suffix, Text: "The latency of tree worms is almost the same whatever the number of destinations.",
				Conditions: conditions + "; " + token.words, Printed: "almost constant",
				Criterion: "in every network the largest mean latency over the smallest, from four destinations on, is below 1.1; measured value: largest of these ratios",
				Judge:     func(d *chart.Data) claim.Finding { return flat(d, &latency, token.series) },
			})
	}
	e.Claims = append(e.Claims,
		claim.Claim{
			ID: "S0-25", Text: "The latency of UMIN rises by steps, one for each doubling of the holders.", Conditions: conditions + "; the receiver gets the larger half of a chain", Printed: "stepwise",
			Criterion: "in every BI network, wherever a phase, ceil(log2(d+1)), is added, the latency rises more than twice as much per destination as behind; measured value: least of the ratios. In UNI networks the unicasts of CMIN wait for each other, which blurs the steps",
			Judge:     func(d *chart.Data) claim.Finding { return steps(d, &latency) },
		},
		claim.Claim{
			ID: "S0-26", Text: "Tree worms are faster than software for all sizes.", Conditions: conditions, Printed: "significantly lower in all cases",
			Criterion: "atbm / software below 1 at every number of destinations above one; measured value: the largest ratio",
			Judge: func(d *chart.Data) claim.Finding {
				return claim.InEveryCell(d, &latency, func(in *chart.Cell) bool { return in.X > 1 }, claim.Lower("atbm", "software"))
			},
		})
	return e
}

// fig14Picture has a panel for each kind and size of network, and a curve for each size of switches
// and scheme.
func fig14Picture() chart.Chart {
	var panels []chart.Chart
	for _, w := range ways {
		for _, n := range []int{64, 256} {
			c := chart.Chart{Measure: "multicast_latency_mean", Quantity: "latency of a multicast", Definition: "from its start to the tail at the last destination", Unit: "us",
				Scale: cycleTime, Series: chart.Join("topology", "variant"), Panel: "topology", X: "multicast_destinations", XLabel: "destinations",
				Names: curveNames(), Only: map[string][]string{}}
			for _, b := range arities {
				spec := w.spec(n, b)
				c.Only["topology"] = append(c.Only["topology"], spec)
				c.Names["series:topology="+spec] = fmt.Sprintf("%dx%d", b, b)
				c.Names["panel:topology="+spec] = fmt.Sprintf("(%c) %d nodes, %s (%s)", 'a'+len(panels), n, w.name, w.software)
			}
			panels = append(panels, c)
		}
	}
	return joined("atbm.fig14", "One multicast at a time, 64 flits", panels)
}

// faster judges by how much tree worms are faster than software in every cell.
func faster(d *chart.Data, c *chart.Chart, keep func(*chart.Cell) bool, atbm string, factor float64) claim.Finding {
	list, missing := claim.Compare(d, c, "software", atbm, keep)
	if len(list) == 0 {
		return claim.Nothing("nothing was measured")
	}
	n, exceptions := claim.Tally(list, missing, claim.Above, factor)
	overall := claim.Overall(list)
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("%d of %d cells above %g, geometric mean %s", n.Hold, len(list)+missing, factor, overall.Text())}
	if least := claim.Extreme(list, claim.Below); least != nil {
		f.Some(least.Estimate)
		f.Detail += fmt.Sprintf(", least %s in %s", least.Text(), least.Cell.Where())
	}
	if len(exceptions) > 0 {
		f.Detail += " (" + claim.ShortList(exceptions) + ")"
	}
	return f
}

// flat judges how much the latency of tree worms varies with the number of destinations.
func flat(d *chart.Data, c *chart.Chart, atbm string) claim.Finding {
	worst, where, details := 0.0, "", []string{}
	for _, panel := range claim.PanelsOf(d, c, "") {
		x, y := curve(d, c, panel, atbm)
		low, high := 0.0, 0.0
		for i := range x {
			if x[i] < 4 {
				continue
			}
			if low == 0 || y[i].Mean < low {
				low = y[i].Mean
			}
			high = max(high, y[i].Mean)
		}
		if low > 0 {
			details = append(details, fmt.Sprintf("%s: %.3f", panel, high/low))
			if high/low > worst {
				worst, where = high/low, panel
			}
		}
	}
	if len(details) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Fact(worst < 1.1, worst, strings.Join(details, "; "))
	f.Reason = fmt.Sprintf("the largest mean is %.3f times the smallest in %s", worst, where)
	return f
}

// steps compares the rise per destination where a phase is added with that behind it, where none
// is. The ratio is least at two destinations of networks of 2x2 switches. There is one chain of two
// unicasts, and with three destinations there are two chains, of which the slower counts: their
// lengths differ by up to twice the stages, so that the mean goes on rising behind the step. From
// four destinations on so many chains compete that the slowest is nearly always as slow as can be,
// and the latency is flat between steps.
func steps(d *chart.Data, c *chart.Chart) claim.Finding {
	least, later, found := 0.0, math.Inf(1), false
	var details []string
	for _, panel := range claim.PanelsOf(d, c, "BI") {
		x, y := curve(d, c, panel, "software")
		slope := func(i int) float64 { return (y[i].Mean - y[i-1].Mean) / (x[i] - x[i-1]) }
		phase := func(i int) int { return bits.Len(uint(x[i])) } // ceil(log2(d+1)) is the length of d in bits
		text := ""
		for i := 1; i+1 < len(x); i++ {
			if phase(i) != phase(i-1)+1 || phase(i+1) != phase(i) {
				continue
			}
			ratio := slope(i) / max(slope(i+1), 0.01)
			if !found || ratio < least {
				least, found = ratio, true
			}
			if x[i] >= 4 {
				later = min(later, (y[i].Mean-y[i-1].Mean)/max(slope(i+1), 0.01))
			}
			text += fmt.Sprintf(" %.1f and %.1f around %g,", slope(i), slope(i+1), x[i])
		}
		if text != "" {
			details = append(details, panel+":"+strings.TrimSuffix(text, ","))
		}
	}
	if !found {
		return claim.Nothing("nothing was measured")
	}
	text := "cycles per destination: " + strings.Join(details, "; ") + "; behind the step at two destinations one chain of two unicasts becomes two, of which the slower counts"
	if !math.IsInf(later, 1) {
		text += fmt.Sprintf(": from four destinations on the whole rise at a step is at least %.0f times that of a destination behind it", later)
	}
	return claim.Fact(least > 2, least, text)
}
