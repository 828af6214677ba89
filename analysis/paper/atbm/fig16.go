package atbm

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Fig16 returns the entry of figure 16, section 5.3.1: multicasts and unicasts over the load, 4x4
// switches.
func Fig16() claim.Entry {
	return stageFigure{
		id: "atbm.fig16", figure: "figure 16, section 5.3.1", title: "Multicasts and unicasts over the load, 4x4 switches", series: "scheme", panel: "topology",
		conditions: "4x4 switches, 16, 64 and 256 nodes, 64 flits, one consumption channel, multicast fraction 0.5; " + trafficConditions,
		pictures:   []picture{{title: "4x4 switches, 50 % multicast", arities: []int{4}, highest: 60}},
		claims: func(c *stageCharts) []claim.Claim {
			return []claim.Claim{
				{ID: "S0-33", Text: "In UNI networks tree worms are 3 times as fast as software with 16 nodes, 4 times with 64 and 256, and carry more.", Printed: "3, 4, 4; range extended",
					Criterion: reachesCriterion + "; and the largest load that tree worms deliver is above that of CMIN in every network",
					Judge: func(d *chart.Data) claim.Finding {
						return claim.Join(reaches(d, &c.multicast, 3, "UNI 16"), reaches(d, &c.multicast, 4, "UNI 64", "UNI 256"),
							capacity(d, &c.accepted, "UNI", of("atbm"), of("software"), claim.Above, 1))
					}},
				{ID: "S0-34", Text: "In UNI networks unicasts are faster with tree worms at light to medium load; with 256 nodes they degrade under heavy load.", Printed: "lower; degrades",
					Criterion: "atbm / software below 1 at the loads up to half of the largest that both carry, in every network; and with 256 nodes unicasts of tree worms take more than twice as long at the largest load that they carry as at the smallest; measured value: the least favourable ratio",
					Judge: func(d *chart.Data) claim.Finding {
						return claim.Join(claim.InEveryCell(d, &c.unicast, light(d, &c.unicast, "UNI"), claim.Lower("atbm", "software")), degrades(d, &c.unicast, "UNI 256 nodes 4x4", 2))
					}},
				{ID: "S0-35", Text: "In BI networks tree worms are better in most cases.", Printed: "most cases",
					Criterion: "atbm / software below 1 in more than half of the cells, for multicasts and unicasts together, at loads that both carry; measured value: the share",
					Judge:     func(d *chart.Data) claim.Finding { return mostly(d, 0.5, &c.multicast, &c.unicast) }},
			}
		},
	}.entry()
}

// degrades compares the latency of tree worms at the largest load that they carry with that at the
// smallest.
func degrades(d *chart.Data, c *chart.Chart, panel string, factor float64) claim.Finding {
	x, y := curve(d, c, panel, "atbm")
	if len(x) < 2 {
		return claim.Nothing(panel + " was not measured")
	}
	most := len(y) - 1
	ratio := claim.Quotient(&y[most], &y[0])
	return claim.OneSide(ratio, claim.Above, factor, fmt.Sprintf("%s: %.0f cycles at %g, %.0f at %g, %s times", panel, y[0].Mean, x[0], y[most].Mean, x[most], ratio.Text()))
}

// mostly judges a claim that holds in most cells.
func mostly(d *chart.Data, share float64, charts ...*chart.Chart) claim.Finding {
	var n claim.Sides
	var all []claim.Comparison
	for _, c := range charts {
		list, _ := claim.Compare(d, c, "atbm", "software", claim.Carried(d, c, "BI", "atbm", "software"))
		m, _ := claim.Tally(list, 0, claim.Below, 1)
		n, all = n.Add(m), append(all, list...)
	}
	if len(all) == 0 {
		return claim.Nothing("nothing was measured")
	}
	measured := float64(n.Hold) / float64(len(all))
	f := claim.Fact(measured > share, measured, fmt.Sprintf("lower in %d of %d cells, higher in %d, neither in %d", n.Hold, len(all), n.Contradict, n.Undecided))
	if !(measured > share) && float64(n.Hold+n.Undecided)/float64(len(all)) > share {
		f.Verdict = tables.Open
	}
	return f
}

// Fig17 returns the entry of figure 17, section 5.3.1: multicasts and unicasts over the load, 8x8
// switches.
func Fig17() claim.Entry {
	return stageFigure{
		id: "atbm.fig17", figure: "figure 17, section 5.3.1", title: "Multicasts and unicasts over the load, 8x8 switches", series: "scheme", panel: "topology",
		conditions: "8x8 switches, 64 and 512 nodes, 64 flits, one consumption channel, multicast fraction 0.5; " + trafficConditions,
		pictures:   []picture{{title: "8x8 switches, 50 % multicast", arities: []int{8}, highest: 60}},
		claims: func(c *stageCharts) []claim.Claim {
			return []claim.Claim{{ID: "S0-37", Text: "With 512 nodes multicasts and unicasts are both significantly faster with tree worms.", Printed: "significantly lower",
				Criterion: "atbm / software below 1 at every load that both carry, in UNI and BI networks of 512 nodes, for multicasts and for unicasts; measured value: the least favourable ratio for multicasts",
				Judge: func(d *chart.Data) claim.Finding {
					below := func(chart *chart.Chart) claim.Finding {
						return claim.InEveryCell(d, chart, claim.Carried(d, chart, "512", "atbm", "software"), claim.Lower("atbm", "software"))
					}
					return claim.Join(below(&c.multicast), below(&c.unicast))
				}}}
		},
	}.entry()
}

// Switches returns the entry of section 5.3.1: the same number of nodes with larger switches.
func Switches() claim.Entry {
	return stageFigure{
		id: "atbm.switches", figure: "section 5.3.1", title: "The same number of nodes with larger switches", series: "scheme", panel: "topology",
		conditions: "64 and 256 nodes, 64 flits, multicast fraction 0.5; " + trafficConditions,
		pictures: []picture{{title: "64 nodes, switches of 2x2, 4x4 and 8x8, 50 % multicast", arities: arities, nodes: []int{64}, bySwitch: true, highest: 60},
			{suffix: "-256", title: "256 nodes, switches of 2x2 and 4x4, 50 % multicast", arities: []int{2, 4}, nodes: []int{256}, bySwitch: true, highest: 60}},
		claims: func(c *stageCharts) []claim.Claim {
			return []claim.Claim{{ID: "S0-36", Text: "With the same number of nodes, networks of larger switches have less congestion.", Printed: "lower congestion",
				Criterion: "largest delivered load with 4x4 over that with 2x2 switches above 1, and with 64 nodes that with 8x8 over that with 4x4, for both schemes, UNI and BI; measured value: the least favourable ratio of tree worms, 4x4 over 2x2. " +
					"The load is normalized by the buffers, of which larger switches have fewer",
				Judge: func(d *chart.Data) claim.Finding {
					var parts []claim.Finding
					for _, series := range []string{"atbm", "software"} {
						parts = append(parts, capacity(d, &c.accepted, "4x4", of(series), elsewhere(series, "4x4", "2x2"), claim.Above, 1),
							capacity(d, &c.accepted, "8x8", of(series), elsewhere(series, "8x8", "4x4"), claim.Above, 1))
					}
					return claim.Join(parts...)
				}}}
		},
	}.entry()
}

// TokenTime returns the entry of section 5.3.1 about what token time does to unicasts.
func TokenTime() claim.Entry {
	const panel = "UNI 256 nodes 4x4"
	return stageFigure{
		id: "atbm.tokens", figure: "section 5.3.1", title: "The time of tokens and unicasts under heavy load", series: "variant", panel: "topology",
		conditions: "UNI, 256 nodes, 4x4 switches, 64 flits, multicast fraction 0.5, with token time and with tokens that take none; " + trafficConditions,
		claims: func(c *stageCharts) []claim.Claim {
			return []claim.Claim{{ID: "S0-46", Text: "Token time is why unicasts of 256 nodes degrade under heavy load.", Printed: "because of the high penalty on token passing time",
				Criterion: "without token time the latency of unicasts rises, from the smallest load to the largest that is carried with it, by less than half as much; measured value: rise without over rise with token time",
				Judge:     func(d *chart.Data) claim.Finding { return rises(d, &c.unicast, panel) }}}
		},
	}.entry()
}

// rises compares how much the latency of unicasts rises with the load without and with token time.
func rises(d *chart.Data, c *chart.Chart, panel string) claim.Finding {
	x, y := curve(d, c, panel, "atbm")
	if len(x) < 2 {
		return claim.Nothing("nothing was measured")
	}
	low, high := x[0], x[len(x)-1]
	free0, free1 := at(d, c, "free tokens", panel, low), at(d, c, "free tokens", panel, high)
	if !free0.OK || !free1.OK {
		return claim.Nothing("not both were measured")
	}
	with, without := difference(&y[len(y)-1], &y[0]), difference(&free1, &free0)
	if with.Low <= 0 {
		return claim.Nothing("nothing rises with confidence")
	}
	ratio := over(&without, &with)
	return claim.OneSide(ratio, claim.Below, 0.5,
		fmt.Sprintf("from %g to %g: %.0f to %.0f cycles with token time, %.0f to %.0f without", low, high, y[0].Mean, y[len(y)-1].Mean, free0.Mean, free1.Mean))
}

// difference subtracts estimates that were made independently of each other.
func difference(a, b *chart.Estimate) chart.Estimate {
	d, half := *a, math.Hypot(a.HalfWidth(), b.HalfWidth())
	d.Mean = a.Mean - b.Mean
	d.Low, d.High = d.Mean-half, d.Mean+half
	return d
}
