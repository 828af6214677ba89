package mrr

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Fig6 returns the entry of figure 6: broadcasts only: tree, path and MRR.
func Fig6() claim.Entry {
	workloadChart := func(name, title, measure, quantity, unit string) chart.Chart {
		return chart.Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Unit: unit, Series: "router",
			X: "offered", XLabel: "offered load [phits/node/cycle]"}
	}
	distance := workloadChart("mrr.fig6-distance", "Links crossed by the copies of broadcasts, broadcasts only, 8x8 torus", "multicast_path_mean", "average distance", "links")
	latency := workloadChart("mrr.fig6-latency", "Latency of the copies of broadcasts, broadcasts only, 8x8 torus", "latency_mean", "latency", "cycles")
	latency.YMax = 1000
	delivered := workloadChart("mrr.fig6-delivered", "Delivered load, broadcasts only, 8x8 torus", "delivered", "delivered load", "phits/node/cycle")
	return claim.Entry{
		ID: "mrr.fig6", Paper: MRR, Figure: "figure 6", Title: "Broadcasts only: tree, path and MRR", Plan: "mrr.fig6.yaml",
		Charts: []chart.Chart{distance, latency, delivered},
		Claims: []claim.Claim{{
			ID: "S2-11", Text: "With broadcasts only, MRR's copies travel about as far as a tree's at low load, with a similar latency, and clearly farther near saturation, where MRR carries more than the tree.",
			Conditions: "8x8 torus, 100 % broadcasts; tree and path are rotary routers with unlimited output stages, which accept what they cannot deliver: throughput is what arrives", Printed: "close; noticeably higher; better",
			Criterion: "MRR / tree: distance and latency at the smallest load within 15 % of 1, distance at the largest load above 1.1, largest delivered load above 1; " +
				"measured value: ratio of distances at the largest load",
			Judge: func(d *chart.Data) claim.Finding { return adaptiveTree(d, &distance, &latency, &delivered) },
		}},
	}
}

// at chooses the cells at a position of a curve.
func at(x float64) func(*chart.Cell) bool { return func(in *chart.Cell) bool { return in.X == x } }

// ratioAt compares two series at one position.
func ratioAt(d *chart.Data, c *chart.Chart, series, baseline string, x float64) chart.Estimate {
	list, _ := claim.Compare(d, c, series, baseline, at(x))
	if len(list) == 0 {
		return chart.Estimate{}
	}
	return list[0].Estimate
}

// bestRatio compares the largest values of two series over all positions.
func bestRatio(d *chart.Data, c *chart.Chart, series, baseline string) chart.Estimate {
	_, a := kept(d, c, "", series)
	_, b := kept(d, c, "", baseline)
	var ratios []float64
	for i := range min(len(a), len(b)) {
		ratios = append(ratios, a[i]/b[i])
	}
	return chart.EstimateOf(ratios)
}

// part is an estimate that must be on one side of a threshold, as a part of a claim.
func part(what string, e chart.Estimate, side int, threshold float64) claim.Finding {
	f := claim.Finding{Verdict: verdictAt(&e, side, threshold), Detail: what + " was not measured"}
	if e.OK {
		f.Some(e)
		f.Detail = fmt.Sprintf("%s %s (%s %g asked)", what, e.Text(), claim.Asked(side), threshold)
	}
	return f
}

// similar is the largest difference of what is said to be alike.
const similar = 0.15

// alike is an estimate that must be near 1.
func alike(what string, e chart.Estimate) claim.Finding {
	f := claim.Finding{Verdict: tables.Open, Detail: what + " was not measured"}
	if e.OK {
		f.Some(e)
		f.Detail = fmt.Sprintf("%s %s", what, e.Text())
		switch {
		case e.Low > 1-similar && e.High < 1+similar:
			f.Verdict = tables.Confirmed
		case e.High < 1-similar || e.Low > 1+similar:
			f.Verdict = tables.NotConfirmed
		}
	}
	return f
}

// consumed says how much of what the nodes can consume, one phit per cycle, each series delivers at most:
// where it is nearly all, no router can do better.
func consumed(d *chart.Data, delivered *chart.Chart, series ...string) string {
	var best []string
	for _, s := range series {
		_, values := kept(d, delivered, "", s)
		if e := chart.EstimateOf(values); e.OK {
			best = append(best, fmt.Sprintf("%s %.3f", s, e.Mean))
		}
	}
	return "; largest delivered loads, of 1 phit per node and cycle that nodes consume: " + strings.Join(best, ", ")
}

func adaptiveTree(d *chart.Data, distance, latency, delivered *chart.Chart) claim.Finding {
	low, high, ok := claim.Ends(d, distance)
	if !ok {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Join(
		part("mrr/tree: distance at the largest load", ratioAt(d, distance, "mrr", "rr-tree", high), claim.Above, 1.1),
		alike("distance at the smallest load", ratioAt(d, distance, "mrr", "rr-tree", low)),
		alike("latency at the smallest load", ratioAt(d, latency, "mrr", "rr-tree", low)),
		carriesMore("largest delivered load", bestRatio(d, delivered, "mrr", "rr-tree")),
	)
	f.Detail += consumed(d, delivered, "rr-tree", "rr-path", "mrr")
	return f
}
