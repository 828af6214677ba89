package now

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// nowStartup is the paper's startup of 10 us in cycles of 10 ns, the time of a flit on a channel.
const nowStartup = 1000

const nowConditionsText = "random connected points of a lattice, one processor per switch; 128 flits, startup 10 us, decision 20 ns, channel 10 ns; adaptive; buffers of one flit; " +
	"side of the lattice, root and buffers are not printed"

func nowLatency(name, title string) chart.Chart {
	return chart.Chart{Name: name, Title: title, Measure: "multicast_latency_mean", Quantity: "latency", Unit: "cycles of 10 ns", Series: "scheme",
		Panel: "topology", X: "multicast_destinations", XLabel: "destinations", Names: map[string]string{}}
}

// Fig3 returns the entry of figure 3: one multicast at a time, 64 nodes.
func Fig3() claim.Entry {
	latency := nowLatency("now.fig3", "Latency of one multicast, 64 nodes")
	conditions := "64 nodes, 1 to 63 destinations, three lattices; " + nowConditionsText
	return claim.Entry{
		ID: "now.fig3", Paper: NOW, Figure: "figure 3", Title: "One multicast at a time, 64 nodes", Plan: "now.fig3.yaml",
		Charts: []chart.Chart{latency},
		Claims: []claim.Claim{
			{ID: "S3-09", Text: "Every point is known within 2 %.", Conditions: conditions, Printed: "2 %", Criterion: "half width of the 95 % interval over the mean at every point; measured value: largest",
				Judge: func(d *chart.Data) claim.Finding { return precise(d, &latency) }},
			{ID: "S3-10", Text: "Latency with 64 nodes follows the bound on startups, ceil(log2(d+1)) times 10 us, with a small part for the network.", Conditions: conditions, Printed: "small difference",
				Criterion: "mean over bound above 1 and below 1.25 at every point; measured value: largest", Judge: func(d *chart.Data) claim.Finding { return nearBound(d, &latency) }},
			{ID: "S3-12", Text: "The latency of the network beyond the startups hardly depends on the number of destinations.", Conditions: conditions, Printed: "largely insensitive",
				Criterion: "per communication step: latency beyond the bound, divided by the steps, within 20 % of that for one destination at every point (the whole grows with the steps, see detail); measured value: largest ratio",
				Judge:     func(d *chart.Data) claim.Finding { return perStep(d, &latency) }},
		},
	}
}

// Fig3Larger returns the entry of figure 3: one multicast at a time, 256 nodes.
func Fig3Larger() claim.Entry {
	latency := nowLatency("now.fig3-256", "Latency of one multicast, 256 nodes")
	return claim.Entry{
		ID: "now.fig3-256", Paper: NOW, Figure: "figure 3", Title: "One multicast at a time, 256 nodes", Plan: "now.fig3-256.yaml",
		Charts: []chart.Chart{latency},
		Claims: []claim.Claim{{ID: "S3-11", Text: "Latency with 256 nodes follows the bound on startups, with a small part for the network.",
			Conditions: "256 nodes, 1 to 255 destinations, two lattices; " + nowConditionsText, Printed: "small difference",
			Criterion: "mean over bound above 1 and below 1.25 at every point; measured value: largest", Judge: func(d *chart.Data) claim.Finding { return nearBound(d, &latency) }}},
	}
}

// Multiple returns the entry of section 5: multicasts of all nodes at once.
func Multiple() claim.Entry {
	latency := nowLatency("now.multiple", "Latency of multicasts of all nodes, 64 nodes")
	latency.X, latency.XLabel, latency.Panel = "offered", "offered load [flits/node/cycle]", chart.Join("topology", "multicast_destinations")
	return claim.Entry{
		ID: "now.multiple", Paper: NOW, Figure: "section 5", Title: "Multicasts of all nodes at once", Plan: "now.multiple.yaml",
		Charts: []chart.Chart{latency},
		Claims: []claim.Claim{{ID: "S3-13", Text: "Latency of multiple multicasts grows approximately linearly with their rate.",
			Conditions: "64 nodes, exponential intervals at every node, 7 and 31 destinations; " + nowConditionsText, Printed: "approximately linearly",
			Criterion: "a straight line through the means, up to half the largest load that is carried, explains 95 % of their variance and rises, in every panel; measured value: least share explained",
			Judge:     func(d *chart.Data) claim.Finding { return straight(d, &latency) }}},
	}
}

// Postorder is the series of the paper's algorithm.
const Postorder = "postorder-doubling"

// Bound is the least time that the startups of a multicast take, and its steps.
func Bound(destinations float64) (cycles, steps float64) {
	steps = float64(bits.Len(uint(destinations)))
	return steps * nowStartup, steps
}

// points calls visit for every cell in which a series was measured, and returns their number.
func points(d *chart.Data, c *chart.Chart, series string, visit func(*chart.Cell, chart.Estimate)) (n int) {
	cells, _ := d.Cells(c)
	for i := range cells {
		if e := chart.EstimateOf(c.Values(&cells[i], series)); e.OK {
			visit(&cells[i], e)
			n++
		}
	}
	return n
}

func precise(d *chart.Data, c *chart.Chart) claim.Finding {
	worst, where := 0.0, ""
	n := points(d, c, Postorder, func(in *chart.Cell, e chart.Estimate) {
		if share := e.HalfWidth() / e.Mean; share >= worst {
			worst, where = share, in.Where()
		}
	})
	if n == 0 {
		return claim.Nothing("nothing was measured")
	}
	return claim.Fact(worst <= 0.02, worst, fmt.Sprintf("%d points, the worst is %s", n, where))
}

func nearBound(d *chart.Data, c *chart.Chart) claim.Finding {
	worst, least, detail := 0.0, math.Inf(1), ""
	n := points(d, c, Postorder, func(in *chart.Cell, e chart.Estimate) {
		startups, _ := Bound(in.X)
		worst, least = max(worst, e.Mean/startups), min(least, e.Mean/startups)
		detail += fmt.Sprintf("; %s: %.1f us", in.Where(), e.Mean/100)
	})
	if n == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Fact(worst < 1.25 && least > 1, worst, fmt.Sprintf("%d points, ratios %.3f to %.3f%s", n, least, worst, detail))
	for _, other := range []string{"random-doubling", "unicast"} {
		if list, _ := claim.Compare(d, c, other, Postorder, nil); len(list) > 0 {
			f.Detail += fmt.Sprintf("; %s takes %.2f times as long at most", other, claim.Extreme(list, claim.Above).Mean)
		}
	}
	return f
}

func perStep(d *chart.Data, c *chart.Chart) claim.Finding {
	type excess struct{ whole, step float64 }
	first, worst, growth := map[string]excess{}, 0.0, 0.0
	n := points(d, c, Postorder, func(in *chart.Cell, e chart.Estimate) {
		startups, steps := Bound(in.X)
		at := excess{e.Mean - startups, (e.Mean - startups) / steps}
		if _, known := first[in.Panel]; !known && in.X == 1 {
			first[in.Panel] = at
		}
		if base, known := first[in.Panel]; known {
			if ratio := at.step / base.step; math.Abs(ratio-1) >= math.Abs(worst-1) || worst == 0 {
				worst = ratio
			}
			growth = max(growth, at.whole/base.whole)
		}
	})
	if n == 0 || len(first) == 0 {
		return claim.Nothing("nothing was measured")
	}
	return claim.Fact(math.Abs(worst-1) <= 0.2, worst, fmt.Sprintf("%d points; taken as a whole the part beyond the startups grows up to %.1f-fold", n, growth))
}

func straight(d *chart.Data, c *chart.Chart) claim.Finding {
	type line struct{ x, y []float64 }
	lines := map[string]*line{}
	var panels []string
	points(d, c, Postorder, func(in *chart.Cell, e chart.Estimate) {
		if in.Saturated[Postorder] > 0 {
			return
		}
		if lines[in.Panel] == nil {
			lines[in.Panel] = &line{}
			panels = append(panels, in.Panel)
		}
		l := lines[in.Panel]
		l.x, l.y = append(l.x, in.X), append(l.y, e.Mean)
	})
	least, holds, few, detail := 1.0, true, false, ""
	for _, panel := range panels {
		l := lines[panel]
		k, most := 0, 0.0
		for _, x := range l.x {
			most = max(most, x)
		}
		for k < len(l.x) && l.x[k] <= most/2 {
			k++
		}
		half, slope := explained(l.x[:k], l.y[:k])
		whole, _ := explained(l.x, l.y)
		least, holds, few = min(least, half), holds && half >= 0.95 && slope > 0, few || k < 3
		detail += fmt.Sprintf("; %s: %.3f up to %g, slope %.0f us per flit/node/cycle (over all carried loads, up to %g: %.3f)", panel, half, most/2, slope/100, most, whole)
	}
	if len(panels) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Fact(holds, least, "share of the variance that a line explains"+detail)
	if few {
		f.Verdict = tables.Open // no line can be told from a curve
	}
	return f
}

// explained is the share of the variance of y that a straight line over x explains, and its slope.
func explained(x, y []float64) (share, slope float64) {
	mx, ok := metrics.Mean(x)
	my, _ := metrics.Mean(y)
	if !ok || len(x) < 3 {
		return 0, 0
	}
	var xx, xy, yy float64
	for i := range x {
		xx, xy, yy = xx+(x[i]-mx)*(x[i]-mx), xy+(x[i]-mx)*(y[i]-my), yy+(y[i]-my)*(y[i]-my)
	}
	if xx == 0 || yy == 0 {
		return 0, 0
	}
	return xy * xy / (xx * yy), xy / xx
}
