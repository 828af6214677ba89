package now

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

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

// fig3Picture has the paper's curves in one panel: both sizes and the bound on the startups, in
// microseconds. A second panel has lattices without gaps. Chains in random order and separate
// messages, which take several times as long, are in the table alone.
func fig3Picture(latency chart.Chart) chart.Chart {
	c := latency
	c.Unit, c.Scale, c.Series, c.Names = "us", 0.01, chart.Join("topology", "scheme"), map[string]string{}
	c.Only = map[string][]string{"topology": {"lattice:64:1", "lattice:256:1", "lattice:64:1:8", "lattice:256:1:16"}, "scheme": {Postorder}}
	for _, nodes := range []string{"64", "256"} {
		for i, form := range []string{"lattice:" + nodes + ":1", map[string]string{"64": "lattice:64:1:8", "256": "lattice:256:1:16"}[nodes]} {
			c.Names["panel:topology="+form] = []string{"Random points of a lattice", "All points of a lattice"}[i]
			c.Names["series:topology="+form] = nodes + " nodes"
		}
	}
	c.Names["series:scheme="+Postorder] = ""
	for _, panel := range []string{"Random points of a lattice", "All points of a lattice"} {
		for d := 1; d < 256; d++ {
			cycles, _ := Bound(float64(d))
			us := cycles * c.Scale
			c.Beside = append(c.Beside, chart.Reference{Panel: panel, X: float64(d), Series: "bound: ceil(log2(d+1)) x 10 us", Value: us, Low: us, High: us})
		}
	}
	return c
}

// Fig3 returns the entry of figure 3: one multicast at a time.
func Fig3() claim.Entry {
	latency := nowLatency("now.fig3", "Latency of one multicast")
	sizes := map[string]chart.Chart{}
	for nodes, forms := range map[string][]string{"64": {"lattice:64:1", "lattice:64:2", "lattice:64:1:8"}, "256": {"lattice:256:1", "lattice:256:1:16"}} {
		c := latency
		c.Only = map[string][]string{"topology": forms}
		sizes[nodes] = c
	}
	small, large := sizes["64"], sizes["256"]
	conditions := "64 nodes, 1 to 63 destinations, three lattices; " + nowConditionsText
	return claim.Entry{
		ID: "now.fig3", Paper: NOW, Figure: "figure 3", Title: "One multicast at a time", Plan: "now.fig3.yaml",
		Charts: []chart.Chart{fig3Picture(latency)},
		Claims: []claim.Claim{
			{ID: "S3-09", Text: "Every point is known within 2 %.", Conditions: "64 and 256 nodes, five lattices; " + nowConditionsText, Printed: "2 %", Criterion: "half width of the 95 % interval over the mean at every point; measured value: largest",
				Judge: func(d *chart.Data) claim.Finding { return precise(d, &latency) }},
			{ID: "S3-10", Text: "Latency with 64 nodes follows the bound on startups, ceil(log2(d+1)) times 10 us, with a small part for the network.", Conditions: conditions, Printed: "small difference",
				Criterion: "mean over bound above 1 and below 1.25 at every point; measured value: largest", Judge: func(d *chart.Data) claim.Finding { return nearBound(d, &small) }},
			{ID: "S3-11", Text: "Latency with 256 nodes follows the bound on startups, with a small part for the network.",
				Conditions: "256 nodes, 1 to 255 destinations, two lattices; " + nowConditionsText, Printed: "small difference",
				Criterion: "mean over bound above 1 and below 1.25 at every point; measured value: largest", Judge: func(d *chart.Data) claim.Finding { return nearBound(d, &large) }},
			{ID: "S3-12", Text: "The latency of the network beyond the startups hardly depends on the number of destinations.", Conditions: "64 and 256 nodes, five lattices; " + nowConditionsText, Printed: "largely insensitive",
				Criterion: "latency beyond the bound, largest over that for one destination, below 1.5 in every panel; measured value: largest ratio. Per communication step it is nearly constant, see detail",
				Judge:     func(d *chart.Data) claim.Finding { return insensitive(d, &latency) }},
		},
	}
}

// Multiple returns the entry of section 5: multicasts of all nodes at once.
func Multiple() claim.Entry {
	latency := nowLatency("now.multiple", "Latency of multicasts of all nodes, 64 nodes")
	latency.X, latency.XLabel, latency.Panel = "offered", "offered load [flits/node/cycle]", chart.Join("topology", "multicast_destinations")
	picture := latency
	picture.Unit, picture.Scale, picture.YMax = "us", 0.01, 200
	picture.Names = map[string]string{"multicast_destinations=7": "7 destinations", "multicast_destinations=31": "31 destinations"}
	return claim.Entry{
		ID: "now.multiple", Paper: NOW, Figure: "section 5", Title: "Multicasts of all nodes at once", Plan: "now.multiple.yaml",
		Charts: []chart.Chart{picture},
		Claims: []claim.Claim{{ID: "S3-13", Text: "Latency of multiple multicasts grows approximately linearly with their rate.",
			Conditions: "64 nodes, exponential intervals at every node, 7 and 31 destinations; " + nowConditionsText, Printed: "approximately linearly",
			Criterion: "over all loads that are carried, the slope of a line through the upper half of them is below 1.5 times, and above half, that through the lower half, which rises, in every panel; measured value: largest ratio of slopes",
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
		if e := c.Estimate(&cells[i], series); e.OK {
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

// insensitive judges by how much the latency beyond the startups grows with the destinations, and
// tells of it per step.
func insensitive(d *chart.Data, c *chart.Chart) claim.Finding {
	type excess struct{ whole, step float64 }
	first, worst, growth, where := map[string]excess{}, 1.0, 0.0, ""
	n := points(d, c, Postorder, func(in *chart.Cell, e chart.Estimate) {
		startups, steps := Bound(in.X)
		at := excess{e.Mean - startups, (e.Mean - startups) / steps}
		if _, known := first[in.Panel]; !known && in.X == 1 {
			first[in.Panel] = at
		}
		if base, known := first[in.Panel]; known {
			if ratio := at.step / base.step; math.Abs(ratio-1) >= math.Abs(worst-1) {
				worst = ratio
			}
			if ratio := at.whole / base.whole; ratio > growth {
				growth, where = ratio, in.Where()
			}
		}
	})
	if n == 0 || len(first) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Fact(growth < 1.5, growth, fmt.Sprintf("%d points, most in %s; divided by the steps it is at most %.3f times that of one destination", n, where, worst))
	f.Reason = fmt.Sprintf("what is not startup grows to %.2f times that of one destination, in %s", growth, where)
	return f
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
	worst, holds, few, detail := 0.0, true, false, ""
	for _, panel := range panels {
		l := lines[panel]
		half := (len(l.x) + 1) / 2
		_, lower := explained(l.x[:half], l.y[:half])
		_, upper := explained(l.x[half-1:], l.y[half-1:])
		whole, _ := explained(l.x, l.y)
		few = few || len(l.x) < 5
		ratio := upper / lower
		if lower <= 0 {
			ratio, holds = 0, false
		}
		holds = holds && ratio < 1.5 && ratio > 0.5
		worst = max(worst, ratio)
		detail += fmt.Sprintf("; %s: slopes %.0f and %.0f us per flit/node/cycle below and above %g, a line explains %.3f of the variance", panel, lower/100, upper/100, l.x[half-1], whole)
	}
	if len(panels) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Fact(holds, worst, strings.TrimPrefix(detail, "; "))
	f.Reason = fmt.Sprintf("the upper half of a curve is up to %.2f times as steep as the lower one", worst)
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
