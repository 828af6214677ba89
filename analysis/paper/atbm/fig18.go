package atbm

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// Fig18 returns the entry of figure 18, section 5.3.2: fewer multicasts, 2x2 switches.
func Fig18() claim.Entry {
	c := newStageCharts("atbm.fig18", "2x2 switches, 20 % and 50 % multicast", chart.Join("topology", "multicast_fraction"))
	return claim.Entry{
		ID: "atbm.fig18", Paper: ATBM, Figure: "figure 18, section 5.3.2", Title: "Fewer multicasts, 2x2 switches", Plan: "atbm.fig18.yaml",
		Charts: c.list(),
		Claims: []claim.Claim{{ID: "S0-38", Text: "With half of the traffic multicast networks saturate before those with a fifth, and tree worms are better than software with a fifth.",
			Conditions: "2x2 switches, 16, 64 and 256 nodes, 64 flits; " + trafficConditions, Printed: "earlier; better",
			Criterion: "largest delivered load with 50 % over that with 20 % below 1 for both schemes in every network; atbm / software below 1 at every load that both carry with 20 %, for multicasts; " +
				"measured value: the first ratio",
			Judge: func(d *chart.Data) claim.Finding {
				var parts []claim.Finding
				for _, series := range []string{"atbm", "software"} {
					parts = append(parts, capacity(d, &c.accepted, "50 %", of(series), elsewhere(series, "50 %", "20 %"), claim.Below, 1))
				}
				return claim.Join(append(parts, claim.Everywhere(d, &c.multicast, claim.Carried(d, &c.multicast, "20 %", "atbm", "software"), claim.Lower("atbm", "software")))...)
			}}},
	}
}

// Fig19 returns the entry of figures 19 and 20, section 5.3.2: fewer multicasts, 4x4 and 8x8
// switches.
func Fig19() claim.Entry {
	c := newStageCharts("atbm.fig19", "4x4 and 8x8 switches, 20 % multicast", "topology")
	return claim.Entry{
		ID: "atbm.fig19", Paper: ATBM, Figure: "figures 19 and 20, section 5.3.2", Title: "Fewer multicasts, 4x4 and 8x8 switches", Plan: "atbm.fig19.yaml",
		Charts: c.list(),
		Claims: []claim.Claim{{ID: "S0-39", Text: "The gain of tree worms is kept over a wide range of loads, and unicasts are slower beside UMIN.",
			Conditions: "4x4 and 8x8 switches, 16 to 512 nodes, 64 flits, multicast fraction 0.2; " + trafficConditions, Printed: "maintained; higher",
			Criterion: "software / atbm above 2 at every load that both carry, for multicasts; atbm / software below 1 for unicasts in BI networks; measured value: geometric mean of the former",
			Judge: func(d *chart.Data) claim.Finding {
				return claim.Join(faster(d, &c.multicast, claim.Carried(d, &c.multicast, "", "atbm", "software"), 2),
					claim.Everywhere(d, &c.unicast, claim.Carried(d, &c.unicast, "BI", "atbm", "software"), claim.Lower("atbm", "software")))
			}}},
	}
}

// Fig21 returns the entry of figure 21, section 5.3.3: messages of 128 flits.
func Fig21() claim.Entry {
	c := newStageCharts("atbm.fig21", "64 and 128 flits, 50 % multicast", chart.Join("topology", "packet_phits"))
	return claim.Entry{
		ID: "atbm.fig21", Paper: ATBM, Figure: "figure 21, section 5.3.3", Title: "Messages of 128 flits", Plan: "atbm.fig21.yaml",
		Charts: c.list(),
		Claims: []claim.Claim{{ID: "S0-40", Text: "Messages of 128 flits take longer only by their longer transmission.", Conditions: "4x4 and 8x8 switches, 16 to 512 nodes, multicast fraction 0.5; " + trafficConditions,
			Printed:   "only additional transmission delay",
			Criterion: "latency of tree worms with 128 flits less that with 64, at the smallest load, is between half and twice 64 flits in every network; measured value: mean difference over 64",
			Judge:     func(d *chart.Data) claim.Finding { return longer(d, &c.multicast, 64) }}},
	}
}

// longer compares latencies with 64 and 128 flits at the smallest load.
func longer(d *chart.Data, c *chart.Chart, flits float64) claim.Finding {
	low, _, ok := claim.Ends(d, c)
	if !ok {
		return claim.Nothing("nothing was measured")
	}
	var n claim.Sides
	var details []string
	var ratios []float64
	for _, panel := range claim.PanelsOf(d, c, "128 flits") {
		at := func(name string) chart.Estimate {
			return claim.Value(d, c, "atbm", func(in *chart.Cell) bool { return in.Panel == name && in.X == low })
		}
		long, short := at(panel), at(strings.Replace(panel, "128 flits", "64 flits", 1))
		if !long.OK || !short.OK {
			n.Missing++
			continue
		}
		e := chart.Estimate{Interval: metrics.Interval{Mean: (long.Mean - short.Mean) / flits, Low: (long.Low - short.High) / flits, High: (long.High - short.Low) / flits, N: long.N}, OK: true}
		n = n.Add(claim.One(&e, claim.Above, 0.5)).Add(claim.One(&e, claim.Below, 2))
		ratios = append(ratios, e.Mean)
		details = append(details, fmt.Sprintf("%s: %.0f and %.0f cycles", strings.TrimSuffix(panel, ", 128 flits"), short.Mean, long.Mean))
	}
	if len(ratios) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Verdict: n.Verdict(), Detail: strings.Join(details, "; ")}
	f.Some(chart.EstimateOf(ratios))
	return f
}

// Fig22 returns the entry of figure 22, section 5.3.3: messages of 256 flits.
func Fig22() claim.Entry {
	c := newStageCharts("atbm.fig22", "256 flits, 50 % multicast", "topology")
	return claim.Entry{
		ID: "atbm.fig22", Paper: ATBM, Figure: "figure 22, section 5.3.3", Title: "Messages of 256 flits", Plan: "atbm.fig22.yaml",
		Charts: c.list(),
		Claims: []claim.Claim{{ID: "S0-41", Text: "With 256 flits tree worms are better than software for all sizes.", Conditions: "4x4 and 8x8 switches, 16 to 512 nodes, multicast fraction 0.5; " + trafficConditions,
			Printed: "outperforms", Criterion: "atbm / software below 1 for multicasts at every load that both carry, in every network; measured value: geometric mean",
			Judge: func(d *chart.Data) claim.Finding {
				return claim.Everywhere(d, &c.multicast, claim.Carried(d, &c.multicast, "", "atbm", "software"), claim.Lower("atbm", "software"))
			}}},
	}
}

// Fig23 returns the entry of figure 23, section 5.3.4: several consumption channels.
func Fig23() claim.Entry {
	c := newStageCharts("atbm.fig23", "One and four consumption channels, 4x4 switches, 50 % multicast", chart.Join("topology", "consumption"))
	const four, one = "four consumption channels", "one consumption channel"
	return claim.Entry{
		ID: "atbm.fig23", Paper: ATBM, Figure: "figure 23, section 5.3.4", Title: "Several consumption channels", Plan: "atbm.fig23.yaml",
		Charts: c.list(),
		Claims: []claim.Claim{{ID: "S0-42", Text: "With as many consumption channels as ports both schemes carry more, and tree worms improve significantly.",
			Conditions: "4x4 switches, 16, 64 and 256 nodes, 64 flits, multicast fraction 0.5; messages that turn round in the first stage of BI networks need a token of their switch; " + trafficConditions,
			Printed:    "both benefit; significantly",
			Criterion:  "largest delivered load with four channels over that with one above 1.1 for tree worms and above 1 for software, in every network; measured value: the first ratio",
			Judge: func(d *chart.Data) claim.Finding {
				return claim.Join(capacity(d, &c.accepted, four, of("atbm"), elsewhere("atbm", four, one), claim.Above, 1.1),
					capacity(d, &c.accepted, four, of("software"), elsewhere("software", four, one), claim.Above, 1))
			}}},
	}
}
