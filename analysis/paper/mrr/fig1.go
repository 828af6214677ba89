package mrr

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Fig1 returns the entry of figure 1: unicast, tree and path on a 4-ary 2-cube.
func Fig1() claim.Entry {
	latency := chart.Chart{Name: "mrr.fig1", Title: "Latency of three ways of multicasting, 10 % broadcasts, 4-ary 2-cube", Measure: "latency_mean",
		Quantity: "latency", Unit: "cycles", Series: "router", X: "offered", XLabel: "offered load [phits/node/cycle]", YMax: 400}
	delivered := chart.Chart{Name: "mrr.fig1-delivered", Title: "Delivered load of three ways of multicasting, 10 % broadcasts, 4-ary 2-cube", Measure: "delivered",
		Quantity: "delivered load", Unit: "phits/node/cycle", Series: "router", X: "offered", XLabel: "offered load [phits/node/cycle]"}
	return claim.Entry{
		ID: "mrr.fig1", Paper: MRR, Figure: "figure 1", Title: "Unicast, tree and path on a 4-ary 2-cube", Plan: "mrr.fig1.yaml",
		Charts: []chart.Chart{latency, delivered},
		Claims: []claim.Claim{{
			ID: "S2-07", Text: "A tree has the lowest latency at low load, paths carry most, and both are much better than unicast copies.",
			Conditions: "4x4 torus, uniform unicasts, 10 % broadcasts; rr copies at the source, rr-tree and rr-path are rotary routers with unlimited output stages, which accept what they cannot deliver: throughput is what arrives",
			Printed:    "lowest; highest; significantly better", Rules: usual,
			Criterion: "path / tree, path / unicast and tree / unicast above 1: " + throughputRule + "; latency at the smallest load: tree / path below 1, " +
				"tree / unicast and path / unicast below 0.9; measured value: that of path / tree",
			Judge: func(d *chart.Data) claim.Finding { return threeWays(d, &latency, &delivered) },
		}},
	}
}

func threeWays(d *chart.Data, latency, delivered *chart.Chart) claim.Finding {
	low, _, ok := claim.Ends(d, latency)
	if !ok {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Join(
		carriesMore(d, "path/tree", delivered, latency, "rr-path", "rr-tree"),
		carriesMore(d, "path/unicast", delivered, latency, "rr-path", "rr"),
		carriesMore(d, "tree/unicast", delivered, latency, "rr-tree", "rr"),
		part("latency at the smallest load: tree/path", ratioAt(d, latency, "rr-tree", "rr-path", low), claim.Below, 1),
		part("tree/unicast", ratioAt(d, latency, "rr-tree", "rr", low), claim.Below, 0.9),
		part("path/unicast", ratioAt(d, latency, "rr-path", "rr", low), claim.Below, 0.9),
	)
	f.Detail += consumed(d, delivered, "rr", "rr-tree", "rr-path")
	return f
}

// Section1 returns the entry of section 1: saturation without multicast support.
func Section1() claim.Entry {
	return claim.Entry{
		ID: "mrr.sec1", Paper: MRR, Figure: "section 1", Title: "Saturation without multicast support", Plan: "mrr.sec1.yaml",
		Claims: []claim.Claim{{
			ID: "S2-06", Text: "Without multicast support, 1 % of multicasts lowers the saturation load of a 4x4 mesh significantly.",
			Conditions: "4x4 mesh, BASE, uniform unicasts, broadcasts as separate copies; the paper quotes another router", Printed: "drops significantly",
			Criterion: "saturation load with 1 % broadcasts over that without; below 0.9 confirms; measured value: that ratio",
			Judge:     drop,
		}},
	}
}

// drop compares the saturation loads that searches found.
func drop(d *chart.Data) claim.Finding {
	list, err := d.At(chart.AsSimulated)
	if err != nil {
		return claim.Nothing(err.Error())
	}
	type search struct {
		fraction string
		seed     uint64
	}
	carried := map[search]float64{} // the largest load that was carried
	var seeds []uint64
	for i := range list {
		r := &list[i]
		key := search{r.Label("multicast_fraction"), r.Seed}
		if _, known := carried[key]; !known && key.fraction == "0" {
			seeds = append(seeds, key.seed)
		}
		carried[key] += 0
		if r.Texts["saturated"] == tables.Unsaturated {
			carried[key] = max(carried[key], r.Numbers["offered"])
		}
	}
	var ratios, without, with []float64
	for _, seed := range seeds {
		a, b := carried[search{"0", seed}], carried[search{"0.01", seed}]
		if a > 0 && b > 0 {
			ratios, without, with = append(ratios, b/a), append(without, a), append(with, b)
		}
	}
	e, none, few := metrics.MeanOf(ratios), metrics.MeanOf(without), metrics.MeanOf(with)
	if !e.OK {
		return claim.Nothing("no search found a load")
	}
	f := part("saturation load with 1 % over without", e, claim.Below, 0.9)
	f.Detail += fmt.Sprintf("; %s without, %s with", none.Text(), few.Text())
	f.Detail = strings.TrimSpace(f.Detail)
	return f
}
