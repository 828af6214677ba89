package paper

import (
	"fmt"
	"strings"
)

const reachesCriterion = "software / atbm, geometric mean over the loads up to half of the largest that both carry; confirmed when the gain is between half and twice the printed one in every network"

func atbmFig15() Entry {
	c := newStageCharts("atbm.fig15", "2x2 switches, 50 % multicast", "topology")
	const conditions = "2x2 switches, 16, 64 and 256 nodes, 64 flits, one consumption channel, multicast fraction 0.5; " + trafficConditions
	return Entry{
		ID: "atbm.fig15", Paper: ATBM, Figure: "figure 15, section 5.3.1", Title: "Multicasts and unicasts over the load, 2x2 switches", Plan: "atbm.fig15.yaml",
		Charts: c.list(),
		Claims: []Claim{
			{ID: "S0-27", Text: "Messages arise by the formulas for the intervals of unicasts and multicasts.", Conditions: conditions, Printed: "formulas",
				Criterion: "delivered over offered load within 5 % at every load that a network carries, as far as the paper's simulations vary, and within 15 % in short runs, which have few multicasts; measured value: geometric mean. The paper gives no number for the buffer-time of a message, which only scales the axis",
				Judge:     func(d *Data) Finding { return offeredArrives(d, &c.accepted, &c.multicast) }},
			{ID: "S0-28", Text: "In UNI networks tree worms are 3 times as fast as software with 16 and 64 nodes, 4 times with 256.", Conditions: conditions, Printed: "3, 3, 4", Criterion: reachesCriterion,
				Judge: func(d *Data) Finding {
					return join(d.reaches(&c.multicast, 3, "UNI 16", "UNI 64"), d.reaches(&c.multicast, 4, "UNI 256"))
				}},
			{ID: "S0-29", Text: "Under heavy load the serialisation of branches becomes prominent.", Conditions: conditions, Printed: "prominent",
				Criterion: "in every UNI network the latency of tree worms at the largest load that they carry is more than twice that at the smallest; measured value: least of these ratios",
				Judge:     func(d *Data) Finding { return rises(d, &c.multicast, "UNI", 2) }},
			{ID: "S0-30", Text: "Unicasts are 25 % to 40 % faster with tree worms than with CMIN, depending on the size.", Conditions: conditions, Printed: "25 % to 40 %",
				Criterion: "the largest reduction over loads that both carry is between half of 25 % and twice 40 % in every UNI network; measured value: the ratio in the first",
				Judge:     func(d *Data) Finding { return d.lightUnicasts(&c.unicast, "UNI", 0.25, 0.40) }},
			{ID: "S0-31", Text: "In BI networks the gain is similar, but tree worms saturate before UMIN.", Conditions: conditions, Printed: "similar; earlier",
				Criterion: "three times as fast with 16 and 64 nodes, four times with 256, as above, and the largest load that tree worms deliver is below that of UMIN in every network",
				Judge: func(d *Data) Finding {
					return join(d.reaches(&c.multicast, 3, "BI 16", "BI 64"), d.reaches(&c.multicast, 4, "BI 256"),
						d.capacity(&c.accepted, "BI", of("atbm"), of("software"), below, 1))
				}},
			{ID: "S0-32", Text: "In BI networks with 64 and 256 nodes unicasts saturate slightly earlier with tree worms than with UMIN.", Conditions: conditions, Printed: "slightly earlier",
				Criterion: "largest delivered load of tree worms over that of UMIN below 1 and above 0.75; measured value: that with 64 nodes",
				Judge: func(d *Data) Finding {
					return join(d.capacity(&c.accepted, "BI 64", of("atbm"), of("software"), below, 1), d.capacity(&c.accepted, "BI 256", of("atbm"), of("software"), below, 1),
						d.capacity(&c.accepted, "BI 64", of("atbm"), of("software"), above, 0.75), d.capacity(&c.accepted, "BI 256", of("atbm"), of("software"), above, 0.75))
				}},
		},
	}
}

// offeredArrives compares delivered and offered loads where the network carries them.
func offeredArrives(d *Data, accepted, latency *Chart) Finding {
	carried, _ := d.cells(latency)
	cells, _ := d.cells(accepted)
	tolerance := 0.05
	if d.Quick {
		tolerance = 0.15
	}
	var n count
	var list []comparison
	var far []string
	for i := range cells {
		in := &cells[i]
		for _, series := range []string{"atbm", "software"} {
			if !contains(carried, in, series) {
				continue
			}
			e := estimateOf(accepted.values(in, series))
			if !e.ok || in.x == 0 {
				continue
			}
			ratio := e
			ratio.Mean, ratio.Low, ratio.High = e.Mean/in.x, e.Low/in.x, e.High/in.x
			list = append(list, comparison{in, []float64{ratio.Mean}, ratio})
			switch {
			case ratio.Mean >= 1-tolerance && ratio.Mean <= 1+tolerance:
				n.hold++
			case ratio.High < 1-tolerance || ratio.Low > 1+tolerance:
				n.contradict++
				far = append(far, fmt.Sprintf("%s %s: %s", in.where(), series, ratio.text()))
			default:
				n.undecided++
				far = append(far, fmt.Sprintf("%s %s: %s", in.where(), series, ratio.text()))
			}
		}
	}
	if len(list) == 0 {
		return nothing("nothing was measured")
	}
	f := Finding{Verdict: n.verdict(), Detail: fmt.Sprintf("%d of %d within %g %%", n.hold, len(list), 100*tolerance)}
	f.some(overall(list))
	if len(far) > 0 {
		f.Detail += " (" + shortList(far) + ")"
	}
	return f
}

// contains reports whether a series was measured at a place.
func contains(cells []cell, at *cell, series string) bool {
	for i := range cells {
		if cells[i].panel == at.panel && cells[i].x == at.x {
			return len(cells[i].samples[series]) > 0
		}
	}
	return false
}

// rises compares the latency of tree worms at the largest load with that at the smallest.
func rises(d *Data, c *Chart, text string, factor float64) Finding {
	least := 0.0
	var details []string
	for _, panel := range d.panelsOf(c, text) {
		x, y := d.curve(c, panel, "atbm")
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
		return nothing("nothing was measured")
	}
	return fact(least > factor, least, strings.Join(details, "; "))
}

func atbmFig16() Entry {
	c := newStageCharts("atbm.fig16", "4x4 switches, 50 % multicast", "topology")
	const conditions = "4x4 switches, 16, 64 and 256 nodes, 64 flits, one consumption channel, multicast fraction 0.5; " + trafficConditions
	return Entry{
		ID: "atbm.fig16", Paper: ATBM, Figure: "figure 16, section 5.3.1", Title: "Multicasts and unicasts over the load, 4x4 switches", Plan: "atbm.fig16.yaml",
		Charts: c.list(),
		Claims: []Claim{
			{ID: "S0-33", Text: "In UNI networks tree worms are 3 times as fast as software with 16 nodes, 4 times with 64 and 256, and carry more.", Conditions: conditions, Printed: "3, 4, 4; range extended",
				Criterion: reachesCriterion + "; and the largest load that tree worms deliver is above that of CMIN in every network",
				Judge: func(d *Data) Finding {
					return join(d.reaches(&c.multicast, 3, "UNI 16"), d.reaches(&c.multicast, 4, "UNI 64", "UNI 256"),
						d.capacity(&c.accepted, "UNI", of("atbm"), of("software"), above, 1))
				}},
			{ID: "S0-34", Text: "In UNI networks unicasts are faster with tree worms at light to medium load; with 256 nodes they are not under heavy load.", Conditions: conditions, Printed: "lower; degrades",
				Criterion: "atbm / software below 1 at the loads up to half of the largest that both carry, in every network, and above 1 at the largest in that of 256 nodes; measured value: geometric mean of the former",
				Judge: func(d *Data) Finding {
					last := d.largestCarried(&c.unicast, "UNI 256 nodes 4x4")
					return join(d.everywhere(&c.unicast, d.light(&c.unicast, "UNI"), pair{"atbm", "software", below}),
						d.everywhere(&c.unicast, func(in *cell) bool { return in.panel == "UNI 256 nodes 4x4" && in.x == last }, pair{"atbm", "software", above}))
				}},
			{ID: "S0-35", Text: "In BI networks tree worms are better in most cases.", Conditions: conditions, Printed: "most cases",
				Criterion: "atbm / software below 1 in more than half of the cells, for multicasts and unicasts together, at loads that both carry; measured value: the share",
				Judge:     func(d *Data) Finding { return d.mostly(0.5, &c.multicast, &c.unicast) }},
		},
	}
}

func atbmFig17() Entry {
	c := newStageCharts("atbm.fig17", "8x8 switches, 50 % multicast", "topology")
	const conditions = "8x8 switches, 64 and 512 nodes, 64 flits, one consumption channel, multicast fraction 0.5; " + trafficConditions
	return Entry{
		ID: "atbm.fig17", Paper: ATBM, Figure: "figure 17, section 5.3.1", Title: "Multicasts and unicasts over the load, 8x8 switches", Plan: "atbm.fig17.yaml",
		Charts: c.list(),
		Claims: []Claim{{ID: "S0-37", Text: "With 512 nodes multicasts and unicasts are both significantly faster with tree worms.", Conditions: conditions, Printed: "significantly lower",
			Criterion: "atbm / software below 1 at every load that both carry, in UNI and BI networks of 512 nodes, for multicasts and for unicasts; measured value: geometric mean for multicasts",
			Judge: func(d *Data) Finding {
				both := func(chart *Chart) Finding {
					return d.everywhere(chart, d.carried(chart, "512", "atbm", "software"), pair{"atbm", "software", below})
				}
				return join(both(&c.multicast), both(&c.unicast))
			}}},
	}
}

func atbmSwitches() Entry {
	c := newStageCharts("atbm.switches", "Switches of 2x2, 4x4 and 8x8, 50 % multicast", "topology")
	return Entry{
		ID: "atbm.switches", Paper: ATBM, Figure: "section 5.3.1", Title: "The same number of nodes with larger switches", Plan: "atbm.switches.yaml",
		Charts: c.list(),
		Claims: []Claim{{ID: "S0-36", Text: "With the same number of nodes, networks of larger switches have less congestion.",
			Conditions: "64 and 256 nodes, 64 flits, multicast fraction 0.5; " + trafficConditions, Printed: "lower congestion",
			Criterion: "largest delivered load with 4x4 over that with 2x2 switches above 1, and with 64 nodes that with 8x8 over that with 4x4, for both schemes, UNI and BI; measured value: the first ratio. " +
				"The load is normalized by the buffers, of which larger switches have fewer",
			Judge: func(d *Data) Finding {
				var parts []Finding
				for _, series := range []string{"atbm", "software"} {
					parts = append(parts, d.capacity(&c.accepted, "4x4", of(series), elsewhere(series, "4x4", "2x2"), above, 1),
						d.capacity(&c.accepted, "8x8", of(series), elsewhere(series, "8x8", "4x4"), above, 1))
				}
				return join(parts...)
			}}},
	}
}
