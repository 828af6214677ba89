package atbm

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// stageNames are the multistage networks as the paper calls them.
func stageNames() map[string]string {
	names := map[string]string{"consumption=1": "one consumption channel", "consumption=4": "four consumption channels",
		"multicast_fraction=0.2": "20 % multicast", "multicast_fraction=0.5": "50 % multicast", "packet_phits=64": "64 flits",
		"packet_phits=128": "128 flits", "packet_phits=256": "256 flits"}
	for _, n := range []int{16, 64, 256, 512} {
		for _, b := range []int{2, 4, 8} {
			names[fmt.Sprintf("topology=min:baseline:%d:%d", n, b)] = fmt.Sprintf("UNI %d nodes %dx%d", n, b, b)
			names[fmt.Sprintf("topology=bimin:butterfly:%d:%d", n, b)] = fmt.Sprintf("BI %d nodes %dx%d", n, b, b)
		}
	}
	return names
}

// stageConditions are what the figures have in common.
const stageConditions = "startup 0.5 us, decisions of 60 ns, flits of 20 ns, tokens pass in 20 ns x half the group, buffers of one header, " +
	"lowest free port up; software is CMIN in UNI and UMIN in BI networks, on the same switches"

// Fig14 returns the entry of figure 14, section 5.2: contention-free multicasts, tree worms against
// software.
func Fig14() claim.Entry {
	latency := chart.Chart{Name: "atbm.fig14", Title: "One multicast at a time", Measure: "multicast_latency_mean", Quantity: "latency of a multicast",
		Definition: "from its start to the tail at the last destination", Unit: "cycles of 20 ns", Series: "scheme", Panel: "topology",
		X: "multicast_destinations", XLabel: "destinations", Names: stageNames()}
	const conditions = "UNI and BI, 64 nodes with 2x2, 4x4 and 8x8 switches, 256 with 2x2 and 4x4, 64 flits, 1,000 random multicasts per point; " + stageConditions
	many := func(in *chart.Cell) bool {
		fields := strings.Fields(in.Panel) // UNI 64 nodes 2x2
		nodes := 0
		_, err := fmt.Sscan(fields[1], &nodes)
		return err == nil && in.X > float64(nodes)/2
	}
	return claim.Entry{
		ID: "atbm.fig14", Paper: ATBM, Figure: "figure 14, section 5.2", Title: "Contention-free multicasts, tree worms against software", Plan: "atbm.fig14.yaml",
		Charts: []chart.Chart{latency},
		Claims: []claim.Claim{
			{
				ID: "S0-23", Text: "With more than half of the nodes as destinations, tree worms are more than four times as fast as software.", Conditions: conditions, Printed: "> 4",
				Criterion: "software / atbm above 4 in every network at every number of destinations above N/2; measured value: geometric mean",
				Judge:     func(d *chart.Data) claim.Finding { return faster(d, &latency, many, 4) },
			},
			{
				ID: "S0-24", Text: "The latency of tree worms is almost the same whatever the number of destinations.", Conditions: conditions, Printed: "almost constant",
				Criterion: "in every network the largest mean latency over the smallest, from four destinations on, is below 1.1; measured value: largest of these ratios",
				Judge:     func(d *chart.Data) claim.Finding { return flat(d, &latency) },
			},
			{
				ID: "S0-25", Text: "The latency of UMIN rises by steps, one for each doubling of the holders.", Conditions: conditions, Printed: "stepwise",
				Criterion: "in every BI network, wherever a phase, ceil(log2(d+1)), is added, the latency rises more than twice as much per destination as behind; measured value: least of the ratios. In UNI networks the unicasts of CMIN wait for each other, which blurs the steps",
				Judge:     func(d *chart.Data) claim.Finding { return steps(d, &latency) },
			},
			{
				ID: "S0-26", Text: "Tree worms are faster than software for all sizes.", Conditions: conditions, Printed: "significantly lower in all cases",
				Criterion: "atbm / software below 1 at every number of destinations above one; measured value: geometric mean",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Everywhere(d, &latency, func(in *chart.Cell) bool { return in.X > 1 }, claim.Lower("atbm", "software"))
				},
			},
		},
	}
}

// faster judges by how much atbm is faster than software in every cell.
func faster(d *chart.Data, c *chart.Chart, keep func(*chart.Cell) bool, factor float64) claim.Finding {
	list, missing := claim.Compare(d, c, "software", "atbm", keep)
	if len(list) == 0 {
		return claim.Nothing("nothing was measured")
	}
	n, exceptions := claim.Tally(list, missing, claim.Above, factor)
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("%d of %d cells above %g", n.Hold, len(list)+missing, factor)}
	f.Some(claim.Overall(list))
	if least := claim.Extreme(list, claim.Below); least != nil {
		f.Detail += fmt.Sprintf(", least %s in %s", least.Text(), least.Cell.Where())
	}
	if len(exceptions) > 0 {
		f.Detail += " (" + claim.ShortList(exceptions) + ")"
	}
	return f
}

// curve is one series of a panel in the order of x.
func curve(d *chart.Data, c *chart.Chart, panel, series string) (x []float64, y []chart.Estimate) {
	cells, _ := d.Cells(c)
	for i := range cells {
		if e := chart.EstimateOf(c.Values(&cells[i], series)); cells[i].Panel == panel && e.OK {
			x, y = append(x, cells[i].X), append(y, e)
		}
	}
	return x, y
}

// flat compares the largest and the smallest latency of each network.
func flat(d *chart.Data, c *chart.Chart) claim.Finding {
	worst := 0.0
	var details []string
	for _, panel := range claim.PanelsOf(d, c, "") {
		x, y := curve(d, c, panel, "atbm")
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
		if low == 0 {
			continue
		}
		worst = max(worst, high/low)
		details = append(details, fmt.Sprintf("%s %.3f", panel, high/low))
	}
	if len(details) == 0 {
		return claim.Nothing("nothing was measured")
	}
	return claim.Fact(worst < 1.1, worst, strings.Join(details, "; "))
}

// steps compares the rise per destination where a phase is added with that behind it, where none is.
func steps(d *chart.Data, c *chart.Chart) claim.Finding {
	least, found := 0.0, false
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
			text += fmt.Sprintf(" %.1f and %.1f around %g,", slope(i), slope(i+1), x[i])
		}
		if text != "" {
			details = append(details, panel+":"+strings.TrimSuffix(text, ","))
		}
	}
	if !found {
		return claim.Nothing("nothing was measured")
	}
	return claim.Fact(least > 2, least, "cycles per destination: "+strings.Join(details, "; "))
}
