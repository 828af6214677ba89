package paper

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
)

func atbmFig18() Entry {
	c := newStageCharts("atbm.fig18", "2x2 switches, 20 % and 50 % multicast", Join("topology", "multicast_fraction"))
	return Entry{
		ID: "atbm.fig18", Paper: ATBM, Figure: "figure 18, section 5.3.2", Title: "Fewer multicasts, 2x2 switches", Plan: "atbm.fig18.yaml",
		Charts: c.list(),
		Claims: []Claim{{ID: "S0-38", Text: "With half of the traffic multicast networks saturate before those with a fifth, and tree worms are better than software with a fifth.",
			Conditions: "2x2 switches, 16, 64 and 256 nodes, 64 flits; " + trafficConditions, Printed: "earlier; better",
			Criterion: "largest delivered load with 50 % over that with 20 % below 1 for both schemes in every network; atbm / software below 1 at every load that both carry with 20 %, for multicasts; " +
				"measured value: the first ratio",
			Judge: func(d *Data) Finding {
				var parts []Finding
				for _, series := range []string{"atbm", "software"} {
					parts = append(parts, d.capacity(&c.accepted, "50 %", of(series), elsewhere(series, "50 %", "20 %"), below, 1))
				}
				return join(append(parts, d.everywhere(&c.multicast, d.carried(&c.multicast, "20 %", "atbm", "software"), pair{"atbm", "software", below}))...)
			}}},
	}
}

func atbmFig19() Entry {
	c := newStageCharts("atbm.fig19", "4x4 and 8x8 switches, 20 % multicast", "topology")
	return Entry{
		ID: "atbm.fig19", Paper: ATBM, Figure: "figures 19 and 20, section 5.3.2", Title: "Fewer multicasts, 4x4 and 8x8 switches", Plan: "atbm.fig19.yaml",
		Charts: c.list(),
		Claims: []Claim{{ID: "S0-39", Text: "The gain of tree worms is kept over a wide range of loads, and unicasts are slower beside UMIN.",
			Conditions: "4x4 and 8x8 switches, 16 to 512 nodes, 64 flits, multicast fraction 0.2; " + trafficConditions, Printed: "maintained; higher",
			Criterion: "software / atbm above 2 at every load that both carry, for multicasts; atbm / software below 1 for unicasts in BI networks; measured value: geometric mean of the former",
			Judge: func(d *Data) Finding {
				return join(d.faster(&c.multicast, d.carried(&c.multicast, "", "atbm", "software"), 2),
					d.everywhere(&c.unicast, d.carried(&c.unicast, "BI", "atbm", "software"), pair{"atbm", "software", below}))
			}}},
	}
}

func atbmFig21() Entry {
	c := newStageCharts("atbm.fig21", "64 and 128 flits, 50 % multicast", Join("topology", "packet_phits"))
	return Entry{
		ID: "atbm.fig21", Paper: ATBM, Figure: "figure 21, section 5.3.3", Title: "Messages of 128 flits", Plan: "atbm.fig21.yaml",
		Charts: c.list(),
		Claims: []Claim{{ID: "S0-40", Text: "Messages of 128 flits take longer only by their longer transmission.", Conditions: "4x4 and 8x8 switches, 16 to 512 nodes, multicast fraction 0.5; " + trafficConditions,
			Printed:   "only additional transmission delay",
			Criterion: "latency of tree worms with 128 flits less that with 64, at the smallest load, is between half and twice 64 flits in every network; measured value: mean difference over 64",
			Judge:     func(d *Data) Finding { return longer(d, &c.multicast, 64) }}},
	}
}

// longer compares latencies with 64 and 128 flits at the smallest load.
func longer(d *Data, c *Chart, flits float64) Finding {
	low, _, ok := d.ends(c)
	if !ok {
		return nothing("nothing was measured")
	}
	var n count
	var details []string
	var ratios []float64
	for _, panel := range d.panelsOf(c, "128 flits") {
		at := func(name string) estimate {
			return d.value(c, "atbm", func(in *cell) bool { return in.panel == name && in.x == low })
		}
		long, short := at(panel), at(strings.Replace(panel, "128 flits", "64 flits", 1))
		if !long.ok || !short.ok {
			n.missing++
			continue
		}
		e := estimate{metrics.Interval{Mean: (long.Mean - short.Mean) / flits, Low: (long.Low - short.High) / flits, High: (long.High - short.Low) / flits, N: long.N}, true}
		n = n.add(one(&e, above, 0.5)).add(one(&e, below, 2))
		ratios = append(ratios, e.Mean)
		details = append(details, fmt.Sprintf("%s: %.0f and %.0f cycles", strings.TrimSuffix(panel, ", 128 flits"), short.Mean, long.Mean))
	}
	if len(ratios) == 0 {
		return nothing("nothing was measured")
	}
	f := Finding{Verdict: n.verdict(), Detail: strings.Join(details, "; ")}
	f.some(estimateOf(ratios))
	return f
}

func atbmFig22() Entry {
	c := newStageCharts("atbm.fig22", "256 flits, 50 % multicast", "topology")
	return Entry{
		ID: "atbm.fig22", Paper: ATBM, Figure: "figure 22, section 5.3.3", Title: "Messages of 256 flits", Plan: "atbm.fig22.yaml",
		Charts: c.list(),
		Claims: []Claim{{ID: "S0-41", Text: "With 256 flits tree worms are better than software for all sizes.", Conditions: "4x4 and 8x8 switches, 16 to 512 nodes, multicast fraction 0.5; " + trafficConditions,
			Printed: "outperforms", Criterion: "atbm / software below 1 for multicasts at every load that both carry, in every network; measured value: geometric mean",
			Judge: func(d *Data) Finding {
				return d.everywhere(&c.multicast, d.carried(&c.multicast, "", "atbm", "software"), pair{"atbm", "software", below})
			}}},
	}
}

func atbmFig23() Entry {
	c := newStageCharts("atbm.fig23", "One and four consumption channels, 4x4 switches, 50 % multicast", Join("topology", "consumption"))
	const four, one = "four consumption channels", "one consumption channel"
	return Entry{
		ID: "atbm.fig23", Paper: ATBM, Figure: "figure 23, section 5.3.4", Title: "Several consumption channels", Plan: "atbm.fig23.yaml",
		Charts: c.list(),
		Claims: []Claim{{ID: "S0-42", Text: "With as many consumption channels as ports both schemes carry more, and tree worms improve significantly.",
			Conditions: "4x4 switches, 16, 64 and 256 nodes, 64 flits, multicast fraction 0.5; messages that turn round in the first stage of BI networks need a token of their switch; " + trafficConditions,
			Printed:    "both benefit; significantly",
			Criterion:  "largest delivered load with four channels over that with one above 1.1 for tree worms and above 1 for software, in every network; measured value: the first ratio",
			Judge: func(d *Data) Finding {
				return join(d.capacity(&c.accepted, four, of("atbm"), elsewhere("atbm", four, one), above, 1.1),
					d.capacity(&c.accepted, four, of("software"), elsewhere("software", four, one), above, 1))
			}}},
	}
}
