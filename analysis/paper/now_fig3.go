package paper

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// nowStartup is the paper's startup of 10 us in cycles of 10 ns, the time of a flit on a channel.
const nowStartup = 1000

const nowConditionsText = "random connected points of a lattice, one processor per switch; 128 flits, startup 10 us, decision 20 ns, channel 10 ns; adaptive; buffers of one flit; " +
	"side of the lattice, root and buffers are not printed"

func nowLatency(name, title string) Chart {
	return Chart{Name: name, Title: title, Measure: "multicast_latency_mean", Quantity: "latency", Unit: "cycles of 10 ns", Series: "scheme",
		Panel: "topology", X: "multicast_destinations", XLabel: "destinations", Names: map[string]string{}}
}

func nowFig3() Entry {
	latency := nowLatency("now.fig3", "Latency of one multicast, 64 nodes")
	conditions := "64 nodes, 1 to 63 destinations, three lattices; " + nowConditionsText
	return Entry{
		ID: "now.fig3", Paper: NOW, Figure: "figure 3", Title: "One multicast at a time, 64 nodes", Plan: "now.fig3.yaml",
		Charts: []Chart{latency},
		Claims: []Claim{
			{ID: "S3-09", Text: "Every point is known within 2 %.", Conditions: conditions, Printed: "2 %", Criterion: "half width of the 95 % interval over the mean at every point; measured value: largest",
				Judge: func(d *Data) Finding { return precise(d, &latency) }},
			{ID: "S3-10", Text: "Latency with 64 nodes follows the bound on startups, ceil(log2(d+1)) times 10 us, with a small part for the network.", Conditions: conditions, Printed: "small difference",
				Criterion: "mean over bound above 1 and below 1.25 at every point; measured value: largest", Judge: func(d *Data) Finding { return nearBound(d, &latency) }},
			{ID: "S3-12", Text: "The latency of the network beyond the startups hardly depends on the number of destinations.", Conditions: conditions, Printed: "largely insensitive",
				Criterion: "per communication step: latency beyond the bound, divided by the steps, within 20 % of that for one destination at every point (the whole grows with the steps, see detail); measured value: largest ratio",
				Judge:     func(d *Data) Finding { return perStep(d, &latency) }},
		},
	}
}

func nowFig3Larger() Entry {
	latency := nowLatency("now.fig3-256", "Latency of one multicast, 256 nodes")
	return Entry{
		ID: "now.fig3-256", Paper: NOW, Figure: "figure 3", Title: "One multicast at a time, 256 nodes", Plan: "now.fig3-256.yaml",
		Charts: []Chart{latency},
		Claims: []Claim{{ID: "S3-11", Text: "Latency with 256 nodes follows the bound on startups, with a small part for the network.",
			Conditions: "256 nodes, 1 to 255 destinations, two lattices; " + nowConditionsText, Printed: "small difference",
			Criterion: "mean over bound above 1 and below 1.25 at every point; measured value: largest", Judge: func(d *Data) Finding { return nearBound(d, &latency) }}},
	}
}

func nowMultiple() Entry {
	latency := nowLatency("now.multiple", "Latency of multicasts of all nodes, 64 nodes")
	latency.X, latency.XLabel, latency.Panel = "offered", "offered load [flits/node/cycle]", Join("topology", "multicast_destinations")
	return Entry{
		ID: "now.multiple", Paper: NOW, Figure: "section 5", Title: "Multicasts of all nodes at once", Plan: "now.multiple.yaml",
		Charts: []Chart{latency},
		Claims: []Claim{{ID: "S3-13", Text: "Latency of multiple multicasts grows approximately linearly with their rate.",
			Conditions: "64 nodes, exponential intervals at every node, 7 and 31 destinations; " + nowConditionsText, Printed: "approximately linearly",
			Criterion: "a straight line through the means, up to half the largest load that is carried, explains 95 % of their variance and rises, in every panel; measured value: least share explained",
			Judge:     func(d *Data) Finding { return straight(d, &latency) }}},
	}
}

// postorder is the series of the paper's algorithm.
const postorder = "postorder-doubling"

// bound is the least time that the startups of a multicast take, and its steps.
func bound(destinations float64) (cycles, steps float64) {
	steps = float64(bits.Len(uint(destinations)))
	return steps * nowStartup, steps
}

// points calls visit for every cell in which a series was measured, and returns their number.
func (d *Data) points(c *Chart, series string, visit func(*cell, estimate)) (n int) {
	cells, _ := d.cells(c)
	for i := range cells {
		if e := estimateOf(c.values(&cells[i], series)); e.ok {
			visit(&cells[i], e)
			n++
		}
	}
	return n
}

func precise(d *Data, c *Chart) Finding {
	worst, where := 0.0, ""
	n := d.points(c, postorder, func(in *cell, e estimate) {
		if share := e.HalfWidth() / e.Mean; share >= worst {
			worst, where = share, in.where()
		}
	})
	if n == 0 {
		return nothing("nothing was measured")
	}
	return fact(worst <= 0.02, worst, fmt.Sprintf("%d points, the worst is %s", n, where))
}

func nearBound(d *Data, c *Chart) Finding {
	worst, least, detail := 0.0, math.Inf(1), ""
	n := d.points(c, postorder, func(in *cell, e estimate) {
		startups, _ := bound(in.x)
		worst, least = max(worst, e.Mean/startups), min(least, e.Mean/startups)
		detail += fmt.Sprintf("; %s: %.1f us", in.where(), e.Mean/100)
	})
	if n == 0 {
		return nothing("nothing was measured")
	}
	f := fact(worst < 1.25 && least > 1, worst, fmt.Sprintf("%d points, ratios %.3f to %.3f%s", n, least, worst, detail))
	for _, other := range []string{"random-doubling", "unicast"} {
		if list, _ := d.compare(c, other, postorder, nil); len(list) > 0 {
			f.Detail += fmt.Sprintf("; %s takes %.2f times as long at most", other, extreme(list, above).Mean)
		}
	}
	return f
}

func perStep(d *Data, c *Chart) Finding {
	type excess struct{ whole, step float64 }
	first, worst, growth := map[string]excess{}, 0.0, 0.0
	n := d.points(c, postorder, func(in *cell, e estimate) {
		startups, steps := bound(in.x)
		at := excess{e.Mean - startups, (e.Mean - startups) / steps}
		if _, known := first[in.panel]; !known && in.x == 1 {
			first[in.panel] = at
		}
		if base, known := first[in.panel]; known {
			if ratio := at.step / base.step; math.Abs(ratio-1) >= math.Abs(worst-1) || worst == 0 {
				worst = ratio
			}
			growth = max(growth, at.whole/base.whole)
		}
	})
	if n == 0 || len(first) == 0 {
		return nothing("nothing was measured")
	}
	return fact(math.Abs(worst-1) <= 0.2, worst, fmt.Sprintf("%d points; taken as a whole the part beyond the startups grows up to %.1f-fold", n, growth))
}

func straight(d *Data, c *Chart) Finding {
	type line struct{ x, y []float64 }
	lines := map[string]*line{}
	var panels []string
	d.points(c, postorder, func(in *cell, e estimate) {
		if in.saturated[postorder] > 0 {
			return
		}
		if lines[in.panel] == nil {
			lines[in.panel] = &line{}
			panels = append(panels, in.panel)
		}
		l := lines[in.panel]
		l.x, l.y = append(l.x, in.x), append(l.y, e.Mean)
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
		return nothing("nothing was measured")
	}
	f := fact(holds, least, "share of the variance that a line explains"+detail)
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
