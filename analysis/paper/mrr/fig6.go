package mrr

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// broadcastsOnly holds the charts of figure 6.
type broadcastsOnly struct{ distance, latency, delivered chart.Chart }

// broadcastsOf makes the charts of figure 6 under a setting.
func broadcastsOf(s *setting) broadcastsOnly {
	one := func(name, title, measure, quantity, unit string) chart.Chart {
		c := chart.Chart{Name: s.entry + name, Title: title + ", broadcasts only, 8x8 torus", Measure: measure, Quantity: quantity, Unit: unit, Series: "router",
			X: "offered", XLabel: "offered load [phits/node/cycle]"}
		return s.apply(c)
	}
	b := broadcastsOnly{
		one("-distance", "Links crossed by the copies of broadcasts", "multicast_path_mean", "average distance", "links"),
		one("-latency", "Latency of the copies of broadcasts", "latency_mean", "latency", "cycles"),
		one("-delivered", "Delivered load", "delivered", "delivered load", "phits/node/cycle"),
	}
	b.latency.YMax = 1000
	return b
}

// Fig6 returns the entry of figure 6: broadcasts only: tree, path and MRR.
func Fig6() claim.Entry {
	s := setting{entry: "mrr.fig6", rules: usual}
	b := broadcastsOf(&s)
	return claim.Entry{
		ID: s.entry, Paper: MRR, Figure: "figure 6", Title: "Broadcasts only: tree, path and MRR", Plan: "mrr.fig6.yaml",
		Charts: []chart.Chart{b.distance, b.latency, b.delivered},
		Claims: []claim.Claim{treeClaim(&s, &b)},
	}
}

// treeClaim is the claim of figure 6.
func treeClaim(s *setting, b *broadcastsOnly) claim.Claim {
	return claim.Claim{
		ID: "S2-11" + s.id, Text: "With broadcasts only, MRR's copies travel about as far as a tree's at low and medium load, with a similar latency, and clearly farther near saturation, where MRR carries more than the tree.",
		Conditions: "8x8 torus, 100 % broadcasts; tree and path are rotary routers with unlimited output stages, which accept what they cannot deliver: throughput is what arrives",
		Printed:    "close; noticeably higher; better", Rules: s.rules,
		Criterion: "at the smallest load and at that next to half of the tree's knee: MRR's distance nearer to the tree's than to the path's, latency of MRR / tree within 15 % of 1; " +
			"distance of MRR / tree at the largest load above 1.1; MRR / tree above 1: " + throughputRule + "; measured value: ratio of distances at the largest load",
		Judge: func(d *chart.Data) claim.Finding { return adaptiveTree(d, b) },
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

// part is an estimate that must be on one side of a threshold, as a part of a claim.
func part(what string, e chart.Estimate, side int, threshold float64) claim.Finding {
	if !e.OK {
		return claim.Nothing(what + " was not measured")
	}
	return claim.OneSide(e, side, threshold, fmt.Sprintf("%s %s (%s %g asked)", what, e.Text(), claim.Asked(side), threshold))
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

// consumed says how much of what the nodes can consume, one phit per cycle, each series delivers at
// most: where it is nearly all, no router can do better.
func consumed(d *chart.Data, delivered *chart.Chart, series ...string) string {
	var best []string
	for _, s := range series {
		_, values := kept(d, delivered, "", s)
		if e := metrics.MeanOf(values); e.OK {
			best = append(best, fmt.Sprintf("%s %.3f", s, e.Mean))
		}
	}
	return "; largest delivered loads, of 1 phit per node and cycle that nodes consume: " + strings.Join(best, ", ")
}

// nearerToTree judges whether MRR's distance is nearer to the tree's than to the path's at a load.
func nearerToTree(d *chart.Data, distance *chart.Chart, x float64) claim.Finding {
	tree, path := ratioAt(d, distance, "rr-tree", "mrr", x), ratioAt(d, distance, "rr-path", "mrr", x)
	if !tree.OK || !path.OK {
		return claim.Nothing(fmt.Sprintf("the distances at %g were not measured", x))
	}
	treeLeast, treeMost := fromOne(&tree)
	pathLeast, pathMost := fromOne(&path)
	f := claim.Finding{Verdict: tables.Open, Measured: tables.Some(1 / tree.Mean),
		Detail: fmt.Sprintf("distance at %g: mrr/tree %.3f, mrr/path %.3f", x, 1/tree.Mean, 1/path.Mean)}
	switch {
	case treeMost < pathLeast:
		f.Verdict = tables.Confirmed
	case pathMost <= treeLeast:
		f.Verdict = tables.NotConfirmed
	}
	return f
}

// fromOne is how far a ratio is from 1, at least and at most.
func fromOne(e *chart.Estimate) (least, most float64) {
	low, high := math.Abs(e.Low-1), math.Abs(e.High-1)
	if e.Low < 1 && e.High > 1 {
		return 0, max(low, high)
	}
	return min(low, high), max(low, high)
}

// medium is the measured load next to half of the tree's knee; 0 where the tree has none.
func medium(d *chart.Data, latency *chart.Chart) (load float64) {
	knee := metrics.MeanOf(kneeLoad(d, latency, "", "rr-tree"))
	if !knee.OK {
		return 0
	}
	cells, _ := d.Cells(latency)
	for i := range cells {
		if x := cells[i].X; math.Abs(x-knee.Mean/2) < math.Abs(load-knee.Mean/2) {
			load = x
		}
	}
	return load
}

func adaptiveTree(d *chart.Data, b *broadcastsOnly) claim.Finding {
	low, high, ok := claim.Ends(d, &b.distance)
	if !ok {
		return claim.Nothing("nothing was measured")
	}
	parts := []claim.Finding{part("mrr/tree: distance at the largest load", ratioAt(d, &b.distance, "mrr", "rr-tree", high), claim.Above, 1.1)}
	loads := []float64{low}
	if between := medium(d, &b.latency); between > low {
		loads = append(loads, between)
	}
	for _, x := range loads {
		parts = append(parts, nearerToTree(d, &b.distance, x), alike(fmt.Sprintf("latency of mrr/tree at %g", x), ratioAt(d, &b.latency, "mrr", "rr-tree", x)))
	}
	f := claim.Join(append(parts, carriesMore(d, "mrr/tree", &b.delivered, &b.latency, "mrr", "rr-tree"))...)
	f.Detail += consumed(d, &b.delivered, "rr-tree", "rr-path", "mrr")
	return f
}
