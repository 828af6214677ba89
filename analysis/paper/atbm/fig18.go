package atbm

import (
	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// Fig18 returns the entry of figure 18, section 5.3.2: fewer multicasts, 2x2 switches.
func Fig18() claim.Entry {
	return stageFigure{
		id: "atbm.fig18", figure: "figure 18, section 5.3.2", title: "Fewer multicasts, 2x2 switches", series: "scheme", panel: chart.Join("topology", "multicast_fraction"),
		conditions: "2x2 switches, 16, 64 and 256 nodes, 64 flits; " + trafficConditions,
		pictures:   []picture{{title: "2x2 switches, 20 % multicast", arities: []int{2}, highest: 60, only: map[string][]string{"multicast_fraction": {"0.2"}}}},
		claims: func(c *stageCharts) []claim.Claim {
			return []claim.Claim{{ID: "S0-38", Text: "With half of the traffic multicast networks saturate before those with a fifth, and tree worms are better than software with a fifth.", Printed: "earlier; better",
				Criterion: "largest delivered load with 50 % over that with 20 % below 1 for both schemes in every network; atbm / software below 1 at every load that both carry with 20 %, for multicasts; " +
					"measured value: the largest ratio of tree worms, 50 % over 20 %",
				Judge: func(d *chart.Data) claim.Finding {
					var parts []claim.Finding
					for _, series := range []string{"atbm", "software"} {
						parts = append(parts, capacity(d, &c.accepted, "50 %", of(series), elsewhere(series, "50 %", "20 %"), claim.Below, 1))
					}
					return claim.Join(append(parts, claim.InEveryCell(d, &c.multicast, claim.Carried(d, &c.multicast, "20 %", "atbm", "software"), claim.Lower("atbm", "software")))...)
				}}}
		},
	}.entry()
}

// Fig19 returns the entry of figures 19 and 20, section 5.3.2: fewer multicasts, 4x4 and 8x8
// switches.
func Fig19() claim.Entry {
	return stageFigure{
		id: "atbm.fig19", figure: "figures 19 and 20, section 5.3.2", title: "Fewer multicasts, 4x4 and 8x8 switches", series: "scheme", panel: "topology",
		conditions: "4x4 and 8x8 switches, 16 to 512 nodes, 64 flits, multicast fraction 0.2; " + trafficConditions,
		pictures:   []picture{{title: "4x4 switches, 20 % multicast", arities: []int{4}, highest: 60}, {suffix: "-8x8", title: "8x8 switches, 20 % multicast", arities: []int{8}, highest: 60}},
		claims: func(c *stageCharts) []claim.Claim {
			return []claim.Claim{{ID: "S0-39", Text: "The gain of tree worms is kept over a wide range of loads, and unicasts are slower beside UMIN.", Printed: "maintained; higher",
				Criterion: "software / atbm above 2 for multicasts at every load up to three quarters of the largest that both carry; atbm / software below 1 for unicasts at these loads in BI networks; measured value: least of the former",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Join(faster(d, &c.multicast, wide(d, &c.multicast, ""), "atbm", 2),
						claim.InEveryCell(d, &c.unicast, wide(d, &c.unicast, "BI"), claim.Lower("atbm", "software")))
				}}}
		},
	}.entry()
}

// wide chooses, in each panel whose name contains a text, the loads up to three quarters of the
// largest that both carry.
func wide(d *chart.Data, c *chart.Chart, text string) func(*chart.Cell) bool {
	carried := claim.Carried(d, c, text, "atbm", "software")
	return func(in *chart.Cell) bool {
		return carried(in) && in.X <= 0.75*largestCarried(d, c, in.Panel, "atbm", "software")
	}
}

// Fig21 returns the entry of figure 21, section 5.3.3: messages of 128 flits.
func Fig21() claim.Entry {
	return stageFigure{
		id: "atbm.fig21", figure: "figure 21, section 5.3.3", title: "Messages of 128 flits", series: "scheme", panel: chart.Join("topology", "packet_phits"),
		conditions: "4x4 and 8x8 switches, 16 to 512 nodes, multicast fraction 0.5; " + trafficConditions,
		pictures:   []picture{{title: "128 flits, 50 % multicast", arities: []int{4, 8}, byMulticasts: true, highest: 100, only: map[string][]string{"packet_phits": {"128"}}}},
	}.entry()
}

// Fig22 returns the entry of figure 22, section 5.3.3: messages of 256 flits.
func Fig22() claim.Entry {
	return stageFigure{
		id: "atbm.fig22", figure: "figure 22, section 5.3.3", title: "Messages of 256 flits", series: "scheme", panel: "topology",
		conditions: "4x4 and 8x8 switches, 16 to 512 nodes, multicast fraction 0.5; " + trafficConditions,
		pictures:   []picture{{title: "256 flits, 50 % multicast", arities: []int{4, 8}, byMulticasts: true, highest: 200}},
		claims: func(c *stageCharts) []claim.Claim {
			return []claim.Claim{{ID: "S0-41", Text: "With 256 flits tree worms are better than software for all sizes.",
				Printed: "outperforms", Criterion: "atbm / software below 1 for multicasts at every load up to three quarters of the largest that both carry, in every network; measured value: the largest ratio",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.InEveryCell(d, &c.multicast, wide(d, &c.multicast, ""), claim.Lower("atbm", "software"))
				}}}
		},
	}.entry()
}

// Fig23 returns the entry of figure 23, section 5.3.4: several consumption channels.
func Fig23() claim.Entry {
	const four, one = "four consumption channels", "one consumption channel"
	return stageFigure{
		id: "atbm.fig23", figure: "figure 23, section 5.3.4", title: "Several consumption channels", series: "scheme", panel: chart.Join("topology", "consumption"),
		conditions: "4x4 switches, 16, 64 and 256 nodes, 64 flits, multicast fraction 0.5; messages that turn round in the first stage of BI networks need a token of their switch; " + trafficConditions,
		pictures:   []picture{{title: "Four consumption channels, 4x4 switches, 50 % multicast", arities: []int{4}, highest: 60, only: map[string][]string{"consumption": {"4"}}}},
		claims: func(c *stageCharts) []claim.Claim {
			return []claim.Claim{{ID: "S0-42", Text: "With as many consumption channels as ports both schemes carry more, and tree worms improve significantly.",
				Printed:   "both benefit; significantly",
				Criterion: "largest delivered load with four channels over that with one above 1.1 for tree worms and above 1 for software, in every network; measured value: the least ratio of tree worms",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Join(capacity(d, &c.accepted, four, of("atbm"), elsewhere("atbm", four, one), claim.Above, 1.1),
						capacity(d, &c.accepted, four, of("software"), elsewhere("software", four, one), claim.Above, 1))
				}}}
		},
	}.entry()
}
