package paper

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/tables"
)

func mrrFig6() Entry {
	chart := func(name, title, measure, quantity, unit string) Chart {
		return Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Unit: unit, Series: "router",
			X: "offered", XLabel: "offered load [phits/node/cycle]"}
	}
	distance := chart("mrr.fig6-distance", "Links crossed by the copies of broadcasts, broadcasts only, 8x8 torus", "multicast_path_mean", "average distance", "links")
	latency := chart("mrr.fig6-latency", "Latency of the copies of broadcasts, broadcasts only, 8x8 torus", "latency_mean", "latency", "cycles")
	latency.YMax = 1000
	delivered := chart("mrr.fig6-delivered", "Delivered load, broadcasts only, 8x8 torus", "delivered", "delivered load", "phits/node/cycle")
	return Entry{
		ID: "mrr.fig6", Paper: MRR, Figure: "figure 6", Title: "Broadcasts only: tree, path and MRR", Plan: "mrr.fig6.yaml",
		Charts: []Chart{distance, latency, delivered},
		Claims: []Claim{{
			ID: "S2-11", Text: "With broadcasts only, MRR's copies travel about as far as a tree's at low load, with a similar latency, and clearly farther near saturation, where MRR carries more than the tree.",
			Conditions: "8x8 torus, 100 % broadcasts; tree and path are rotary routers with unlimited output stages, which accept what they cannot deliver: throughput is what arrives", Printed: "close; noticeably higher; better",
			Criterion: "MRR / tree: distance and latency at the smallest load within 15 % of 1, distance at the largest load above 1.1, largest delivered load above 1; " +
				"measured value: ratio of distances at the largest load",
			Judge: func(d *Data) Finding { return adaptiveTree(d, &distance, &latency, &delivered) },
		}},
	}
}

// at chooses the cells at a position of a curve.
func at(x float64) func(*cell) bool { return func(in *cell) bool { return in.x == x } }

// ends are the smallest and the largest position of a chart's curves.
func (d *Data) ends(c *Chart) (least, most float64, ok bool) {
	cells, err := d.cells(c)
	if err != nil || len(cells) == 0 {
		return 0, 0, false
	}
	least, most = cells[0].x, cells[0].x
	for i := range cells {
		least, most = min(least, cells[i].x), max(most, cells[i].x)
	}
	return least, most, true
}

// ratioAt compares two series at one position.
func (d *Data) ratioAt(c *Chart, series, baseline string, x float64) estimate {
	list, _ := d.compare(c, series, baseline, at(x))
	if len(list) == 0 {
		return estimate{}
	}
	return list[0].estimate
}

// bestRatio compares the largest values of two series over all positions.
func (d *Data) bestRatio(c *Chart, series, baseline string) estimate {
	_, a := kept(d, c, "", series)
	_, b := kept(d, c, "", baseline)
	var ratios []float64
	for i := range min(len(a), len(b)) {
		ratios = append(ratios, a[i]/b[i])
	}
	return estimateOf(ratios)
}

// part is an estimate that must be on one side of a threshold, as a part of a claim.
func part(what string, e estimate, side int, threshold float64) Finding {
	f := Finding{Verdict: verdictAt(&e, side, threshold), Detail: what + " was not measured"}
	if e.ok {
		f.some(e)
		f.Detail = fmt.Sprintf("%s %s (%s %g asked)", what, e.text(), asked(side), threshold)
	}
	return f
}

// similar is the largest difference of what is said to be alike.
const similar = 0.15

// alike is an estimate that must be near 1.
func alike(what string, e estimate) Finding {
	f := Finding{Verdict: tables.Open, Detail: what + " was not measured"}
	if e.ok {
		f.some(e)
		f.Detail = fmt.Sprintf("%s %s", what, e.text())
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
func (d *Data) consumed(delivered *Chart, series ...string) string {
	var best []string
	for _, s := range series {
		_, values := kept(d, delivered, "", s)
		if e := estimateOf(values); e.ok {
			best = append(best, fmt.Sprintf("%s %.3f", s, e.Mean))
		}
	}
	return "; largest delivered loads, of 1 phit per node and cycle that nodes consume: " + strings.Join(best, ", ")
}

func adaptiveTree(d *Data, distance, latency, delivered *Chart) Finding {
	low, high, ok := d.ends(distance)
	if !ok {
		return nothing("nothing was measured")
	}
	f := join(
		part("mrr/tree: distance at the largest load", d.ratioAt(distance, "mrr", "rr-tree", high), above, 1.1),
		alike("distance at the smallest load", d.ratioAt(distance, "mrr", "rr-tree", low)),
		alike("latency at the smallest load", d.ratioAt(latency, "mrr", "rr-tree", low)),
		part("largest delivered load", d.bestRatio(delivered, "mrr", "rr-tree"), above, 1),
	)
	f.Detail += d.consumed(delivered, "rr-tree", "rr-path", "mrr")
	return f
}
