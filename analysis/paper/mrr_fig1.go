package paper

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/tables"
)

func mrrFig1() Entry {
	latency := Chart{Name: "mrr.fig1", Title: "Latency of three ways of multicasting, 10 % broadcasts, 4-ary 2-cube", Measure: "latency_mean",
		Quantity: "latency", Unit: "cycles", Series: "router", X: "offered", XLabel: "offered load [phits/node/cycle]", YMax: 400}
	delivered := Chart{Name: "mrr.fig1-delivered", Title: "Delivered load of three ways of multicasting, 10 % broadcasts, 4-ary 2-cube", Measure: "delivered",
		Quantity: "delivered load", Unit: "phits/node/cycle", Series: "router", X: "offered", XLabel: "offered load [phits/node/cycle]"}
	return Entry{
		ID: "mrr.fig1", Paper: MRR, Figure: "figure 1", Title: "Unicast, tree and path on a 4-ary 2-cube", Plan: "mrr.fig1.yaml",
		Charts: []Chart{latency, delivered},
		Claims: []Claim{{
			ID: "S2-07", Text: "A tree has the lowest latency at low load, paths carry most, and both are much better than unicast copies.",
			Conditions: "4x4 torus, uniform unicasts, 10 % broadcasts; rr copies at the source, rr-tree and rr-path are rotary routers with unlimited output stages, which accept what they cannot deliver: throughput is what arrives",
			Printed:    "lowest; highest; significantly better",
			Criterion: "largest delivered load: path / tree (a difference below 0.5 % is a tie and does not confirm), path / unicast and tree / unicast above 1; latency at the smallest load: tree / path below 1, " +
				"tree / unicast and path / unicast below 0.9; measured value: largest delivered load of path / tree",
			Judge: func(d *Data) Finding { return threeWays(d, &latency, &delivered) },
		}},
	}
}

func threeWays(d *Data, latency, delivered *Chart) Finding {
	low, _, ok := d.ends(latency)
	if !ok {
		return nothing("nothing was measured")
	}
	f := join(
		carriesMore("largest delivered load: path/tree", d.bestRatio(delivered, "rr-path", "rr-tree")),
		part("path/unicast", d.bestRatio(delivered, "rr-path", "rr"), above, 1),
		part("tree/unicast", d.bestRatio(delivered, "rr-tree", "rr"), above, 1),
		part("latency at the smallest load: tree/path", d.ratioAt(latency, "rr-tree", "rr-path", low), below, 1),
		part("tree/unicast", d.ratioAt(latency, "rr-tree", "rr", low), below, 0.9),
		part("path/unicast", d.ratioAt(latency, "rr-path", "rr", low), below, 0.9),
	)
	f.Detail += d.consumed(delivered, "rr", "rr-tree", "rr-path")
	return f
}

// tie is the largest difference that is none.
const tie = 0.005

// carriesMore is a ratio that must be above 1, where a tie is an answer too: two networks that carry all that
// the nodes can consume carry the same, and longer runs would not tell them apart.
func carriesMore(what string, e estimate) Finding {
	f := part(what, e, above, 1)
	if e.ok && e.Low > 1-tie && e.High < 1+tie {
		f.Verdict = tables.NotConfirmed
		f.Detail += ", a tie"
	}
	return f
}

func mrrSection1() Entry {
	return Entry{
		ID: "mrr.sec1", Paper: MRR, Figure: "section 1", Title: "Saturation without multicast support", Plan: "mrr.sec1.yaml",
		Claims: []Claim{{
			ID: "S2-06", Text: "Without multicast support, 1 % of multicasts lowers the saturation load of a 4x4 mesh significantly.",
			Conditions: "4x4 mesh, BASE, uniform unicasts, broadcasts as separate copies; the paper quotes another router", Printed: "drops significantly",
			Criterion: "saturation load with 1 % broadcasts over that without; below 0.9 confirms; measured value: that ratio",
			Judge:     drop,
		}},
	}
}

// drop compares the saturation loads that searches found.
func drop(d *Data) Finding {
	list, err := d.at(AsSimulated)
	if err != nil {
		return nothing(err.Error())
	}
	type search struct {
		fraction string
		seed     float64
	}
	carried := map[search]float64{} // the largest load that was carried
	var seeds []float64
	for i := range list {
		r := &list[i]
		key := search{r.label("multicast_fraction"), r.numbers["seed"]}
		if _, known := carried[key]; !known && key.fraction == "0" {
			seeds = append(seeds, key.seed)
		}
		carried[key] += 0
		if r.texts["saturated"] == tables.Unsaturated {
			carried[key] = max(carried[key], r.numbers["offered"])
		}
	}
	var ratios, without, with []float64
	for _, seed := range seeds {
		a, b := carried[search{"0", seed}], carried[search{"0.01", seed}]
		if a > 0 && b > 0 {
			ratios, without, with = append(ratios, b/a), append(without, a), append(with, b)
		}
	}
	e, none, few := estimateOf(ratios), estimateOf(without), estimateOf(with)
	if !e.ok {
		return nothing("no search found a load")
	}
	f := part("saturation load with 1 % over without", e, below, 0.9)
	f.Detail += fmt.Sprintf("; %s without, %s with", none.text(), few.text())
	f.Detail = strings.TrimSpace(f.Detail)
	return f
}
