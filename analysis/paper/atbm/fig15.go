package atbm

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

const reachesCriterion = "software / atbm, geometric mean over the loads up to half of the largest that both carry; confirmed when the gain is between half and twice the printed one in every network"

// Fig15 returns the entry of figure 15, section 5.3.1: multicasts and unicasts over the load, 2x2
// switches.
func Fig15() claim.Entry {
	c := newStageCharts("atbm.fig15", "2x2 switches, 50 % multicast", "topology")
	const conditions = "2x2 switches, 16, 64 and 256 nodes, 64 flits, one consumption channel, multicast fraction 0.5; " + trafficConditions
	return claim.Entry{
		ID: "atbm.fig15", Paper: ATBM, Figure: "figure 15, section 5.3.1", Title: "Multicasts and unicasts over the load, 2x2 switches", Plan: "atbm.fig15.yaml",
		Charts: c.list(),
		Claims: []claim.Claim{
			{ID: "S0-27", Text: "Messages arise by the formulas for the intervals of unicasts and multicasts.", Conditions: conditions, Printed: "formulas",
				Criterion: "delivered over offered load within 5 % at every load that a network carries, as far as the paper's simulations vary, and within 15 % in short runs, which have few multicasts; measured value: geometric mean. The paper gives no number for the buffer-time of a message, which only scales the axis",
				Judge:     func(d *chart.Data) claim.Finding { return offeredArrives(d, &c.accepted, &c.multicast) }},
			{ID: "S0-28", Text: "In UNI networks tree worms are 3 times as fast as software with 16 and 64 nodes, 4 times with 256.", Conditions: conditions, Printed: "3, 3, 4", Criterion: reachesCriterion,
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Join(reaches(d, &c.multicast, 3, "UNI 16", "UNI 64"), reaches(d, &c.multicast, 4, "UNI 256"))
				}},
			{ID: "S0-29", Text: "Under heavy load the serialisation of branches becomes prominent.", Conditions: conditions, Printed: "prominent",
				Criterion: "in every UNI network the latency of tree worms at the largest load that they carry is more than twice that at the smallest; measured value: least of these ratios",
				Judge:     func(d *chart.Data) claim.Finding { return rises(d, &c.multicast, "UNI", 2) }},
			{ID: "S0-30", Text: "Unicasts are 25 % to 40 % faster with tree worms than with CMIN, depending on the size.", Conditions: conditions, Printed: "25 % to 40 %",
				Criterion: "the largest reduction over loads that both carry is between half of 25 % and twice 40 % in every UNI network; measured value: the ratio in the first",
				Judge:     func(d *chart.Data) claim.Finding { return lightUnicasts(d, &c.unicast, "UNI", 0.25, 0.40) }},
			{ID: "S0-31", Text: "In BI networks the gain is similar, but tree worms saturate before UMIN.", Conditions: conditions, Printed: "similar; earlier",
				Criterion: "three times as fast with 16 and 64 nodes, four times with 256, as above, and the largest load that tree worms deliver is below that of UMIN in every network",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Join(reaches(d, &c.multicast, 3, "BI 16", "BI 64"), reaches(d, &c.multicast, 4, "BI 256"),
						capacity(d, &c.accepted, "BI", of("atbm"), of("software"), claim.Below, 1))
				}},
			{ID: "S0-32", Text: "In BI networks with 64 and 256 nodes unicasts saturate slightly earlier with tree worms than with UMIN.", Conditions: conditions, Printed: "slightly earlier",
				Criterion: "largest delivered load of tree worms over that of UMIN below 1 and above 0.75; measured value: that with 64 nodes",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Join(capacity(d, &c.accepted, "BI 64", of("atbm"), of("software"), claim.Below, 1), capacity(d, &c.accepted, "BI 256", of("atbm"), of("software"), claim.Below, 1),
						capacity(d, &c.accepted, "BI 64", of("atbm"), of("software"), claim.Above, 0.75), capacity(d, &c.accepted, "BI 256", of("atbm"), of("software"), claim.Above, 0.75))
				}},
		},
	}
}

// offeredArrives compares delivered and offered loads where the network carries them.
func offeredArrives(d *chart.Data, accepted, latency *chart.Chart) claim.Finding {
	carried, _ := d.Cells(latency)
	cells, _ := d.Cells(accepted)
	tolerance := 0.05
	if d.Quick {
		tolerance = 0.15
	}
	var n claim.Sides
	var list []claim.Comparison
	var far []string
	for i := range cells {
		in := &cells[i]
		for _, series := range []string{"atbm", "software"} {
			if !contains(carried, in, series) {
				continue
			}
			e := chart.EstimateOf(accepted.Values(in, series))
			if !e.OK || in.X == 0 {
				continue
			}
			ratio := e
			ratio.Mean, ratio.Low, ratio.High = e.Mean/in.X, e.Low/in.X, e.High/in.X
			list = append(list, claim.Comparison{Cell: in, Ratios: []float64{ratio.Mean}, Estimate: ratio})
			switch {
			case ratio.Mean >= 1-tolerance && ratio.Mean <= 1+tolerance:
				n.Hold++
			case ratio.High < 1-tolerance || ratio.Low > 1+tolerance:
				n.Contradict++
				far = append(far, fmt.Sprintf("%s %s: %s", in.Where(), series, ratio.Text()))
			default:
				n.Undecided++
				far = append(far, fmt.Sprintf("%s %s: %s", in.Where(), series, ratio.Text()))
			}
		}
	}
	if len(list) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("%d of %d within %g %%", n.Hold, len(list), 100*tolerance)}
	f.Some(claim.Overall(list))
	if len(far) > 0 {
		f.Detail += " (" + claim.ShortList(far) + ")"
	}
	return f
}

// contains reports whether a series was measured at a place.
func contains(cells []chart.Cell, at *chart.Cell, series string) bool {
	for i := range cells {
		if cells[i].Panel == at.Panel && cells[i].X == at.X {
			return len(cells[i].Samples[series]) > 0
		}
	}
	return false
}

// rises compares the latency of tree worms at the largest load with that at the smallest.
func rises(d *chart.Data, c *chart.Chart, text string, factor float64) claim.Finding {
	least := 0.0
	var details []string
	for _, panel := range claim.PanelsOf(d, c, text) {
		x, y := curve(d, c, panel, "atbm")
		if len(x) < 2 {
			continue
		}
		ratio := y[len(y)-1].Mean / y[0].Mean
		if least == 0 || ratio < least {
			least = ratio
		}
		details = append(details, fmt.Sprintf("%s: %.2f at %g", panel, ratio, x[len(x)-1]))
	}
	if len(details) == 0 {
		return claim.Nothing("nothing was measured")
	}
	return claim.Fact(least > factor, least, strings.Join(details, "; "))
}

// Fig16 returns the entry of figure 16, section 5.3.1: multicasts and unicasts over the load, 4x4
// switches.
func Fig16() claim.Entry {
	c := newStageCharts("atbm.fig16", "4x4 switches, 50 % multicast", "topology")
	const conditions = "4x4 switches, 16, 64 and 256 nodes, 64 flits, one consumption channel, multicast fraction 0.5; " + trafficConditions
	return claim.Entry{
		ID: "atbm.fig16", Paper: ATBM, Figure: "figure 16, section 5.3.1", Title: "Multicasts and unicasts over the load, 4x4 switches", Plan: "atbm.fig16.yaml",
		Charts: c.list(),
		Claims: []claim.Claim{
			{ID: "S0-33", Text: "In UNI networks tree worms are 3 times as fast as software with 16 nodes, 4 times with 64 and 256, and carry more.", Conditions: conditions, Printed: "3, 4, 4; range extended",
				Criterion: reachesCriterion + "; and the largest load that tree worms deliver is above that of CMIN in every network",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Join(reaches(d, &c.multicast, 3, "UNI 16"), reaches(d, &c.multicast, 4, "UNI 64", "UNI 256"),
						capacity(d, &c.accepted, "UNI", of("atbm"), of("software"), claim.Above, 1))
				}},
			{ID: "S0-34", Text: "In UNI networks unicasts are faster with tree worms at light to medium load; with 256 nodes they are not under heavy load.", Conditions: conditions, Printed: "lower; degrades",
				Criterion: "atbm / software below 1 at the loads up to half of the largest that both carry, in every network, and above 1 at the largest in that of 256 nodes; measured value: geometric mean of the former",
				Judge: func(d *chart.Data) claim.Finding {
					last := largestCarried(d, &c.unicast, "UNI 256 nodes 4x4")
					return claim.Join(claim.Everywhere(d, &c.unicast, light(d, &c.unicast, "UNI"), claim.Lower("atbm", "software")),
						claim.Everywhere(d, &c.unicast, func(in *chart.Cell) bool { return in.Panel == "UNI 256 nodes 4x4" && in.X == last }, claim.Higher("atbm", "software")))
				}},
			{ID: "S0-35", Text: "In BI networks tree worms are better in most cases.", Conditions: conditions, Printed: "most cases",
				Criterion: "atbm / software below 1 in more than half of the cells, for multicasts and unicasts together, at loads that both carry; measured value: the share",
				Judge:     func(d *chart.Data) claim.Finding { return mostly(d, 0.5, &c.multicast, &c.unicast) }},
		},
	}
}

// Fig17 returns the entry of figure 17, section 5.3.1: multicasts and unicasts over the load, 8x8
// switches.
func Fig17() claim.Entry {
	c := newStageCharts("atbm.fig17", "8x8 switches, 50 % multicast", "topology")
	const conditions = "8x8 switches, 64 and 512 nodes, 64 flits, one consumption channel, multicast fraction 0.5; " + trafficConditions
	return claim.Entry{
		ID: "atbm.fig17", Paper: ATBM, Figure: "figure 17, section 5.3.1", Title: "Multicasts and unicasts over the load, 8x8 switches", Plan: "atbm.fig17.yaml",
		Charts: c.list(),
		Claims: []claim.Claim{{ID: "S0-37", Text: "With 512 nodes multicasts and unicasts are both significantly faster with tree worms.", Conditions: conditions, Printed: "significantly lower",
			Criterion: "atbm / software below 1 at every load that both carry, in UNI and BI networks of 512 nodes, for multicasts and for unicasts; measured value: geometric mean for multicasts",
			Judge: func(d *chart.Data) claim.Finding {
				both := func(chart *chart.Chart) claim.Finding {
					return claim.Everywhere(d, chart, claim.Carried(d, chart, "512", "atbm", "software"), claim.Lower("atbm", "software"))
				}
				return claim.Join(both(&c.multicast), both(&c.unicast))
			}}},
	}
}

// Switches returns the entry of section 5.3.1: the same number of nodes with larger switches.
func Switches() claim.Entry {
	c := newStageCharts("atbm.switches", "Switches of 2x2, 4x4 and 8x8, 50 % multicast", "topology")
	return claim.Entry{
		ID: "atbm.switches", Paper: ATBM, Figure: "section 5.3.1", Title: "The same number of nodes with larger switches", Plan: "atbm.switches.yaml",
		Charts: c.list(),
		Claims: []claim.Claim{{ID: "S0-36", Text: "With the same number of nodes, networks of larger switches have less congestion.",
			Conditions: "64 and 256 nodes, 64 flits, multicast fraction 0.5; " + trafficConditions, Printed: "lower congestion",
			Criterion: "largest delivered load with 4x4 over that with 2x2 switches above 1, and with 64 nodes that with 8x8 over that with 4x4, for both schemes, UNI and BI; measured value: the first ratio. " +
				"The load is normalized by the buffers, of which larger switches have fewer",
			Judge: func(d *chart.Data) claim.Finding {
				var parts []claim.Finding
				for _, series := range []string{"atbm", "software"} {
					parts = append(parts, capacity(d, &c.accepted, "4x4", of(series), elsewhere(series, "4x4", "2x2"), claim.Above, 1),
						capacity(d, &c.accepted, "8x8", of(series), elsewhere(series, "8x8", "4x4"), claim.Above, 1))
				}
				return claim.Join(parts...)
			}}},
	}
}
