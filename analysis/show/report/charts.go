package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// known are axes whose values are columns of the tables.
var known = []string{"routers", "workload", "chip.protocol", "traffic.pattern", "traffic.load", "traffic.multicast_fraction",
	"traffic.multicast_destinations", "traffic.packet_phits", "traffic.classes", "topology", "scheme", "load", "destinations"}

// axesOf lists the axes of a sweep that are no columns.
func axesOf(rows *tables.Rows) (axes []string) {
	for _, a := range rows.Axes {
		if !slices.Contains(axes, a.Key) && !slices.Contains(known, a.Key) {
			axes = append(axes, a.Key)
		}
	}
	return axes
}

// drawn is a picture that a study may have: a chart or a stack.
type drawn interface {
	Draw(*chart.Data) (*figures.Figure, []tables.FigurePoint, error)
}

// charts chooses pictures for a study by what varies in it.
func charts(d *chart.Data, shape *shape) []drawn {
	if len(d.Tables().Traffic) > 0 {
		return trafficCharts(d, shape)
	}
	one := chart.Chart{Series: chart.By("router"), Baseline: shape.base, Panel: chart.By(shape.protocol...), Group: chart.By(shape.axes...),
		Label: chart.By("workload"), Mean: chart.GeometricMean}
	compare := func(name, title, measure, quantity string) chart.Chart {
		c := one
		c.Name, c.Title, c.Measure = name, title, chart.Measure{Column: measure, Quantity: quantity}
		return c
	}
	stacked := one
	if shape.workloads > fewWorkloads {
		one.Forest = true
		stacked.Panel, stacked.Label = chart.By(append([]string{"workload"}, shape.protocol...)...), chart.Axis{}
	}
	time, energy, ed2p := compare("time", "Execution time", "cycles", "execution time"), compare("energy", "Network energy", "energy_j", "network energy"),
		compare("ed2p", "Network ED2P", "ed2p_js2", "network ED2P")
	one = stacked
	cycles := chart.Stack{Chart: compare("cycles", "Where the cycles went, mean over cores", "", "execution time"), Parts: chart.Cycles}
	parts := chart.Stack{Chart: compare("energy-parts", "Where the energy went", "", "network energy"), Parts: chart.Energies}
	return []drawn{&time, &cycles, &parts, &energy, &ed2p}
}

// fewWorkloads is the number of workloads up to which bars for all of them fit side by side.
const fewWorkloads = 2

// severalValues is the number of different values of a column from which on a picture shows curves
// over it.
const severalValues = 3

// over are columns that curves are drawn over, if they have several values.
var over = []struct{ column, label string }{
	{"offered", "offered load [phits/node/cycle]"}, {"multicast_destinations", "destinations of a multicast"}, {"packet_phits", "length of a packet [phits]"},
	{"multicast_fraction", "share of multicasts"},
}

// measure is a column of the tables of networks that is drawn where it was measured.
type measure struct {
	name, title string
	chart.Measure
	steep bool // it has no bound where a network is saturated
}

var measures = []measure{
	{"latency", "Latency", chart.Measure{Column: "latency_mean", Quantity: "latency", Unit: "cycles"}, true},
	{"multicast-latency", "Latency of multicasts", chart.Measure{Column: "multicast_latency_mean", Quantity: "latency to the last destination", Unit: "cycles"}, true},
	{"unicast-latency", "Latency of unicasts", chart.Measure{Column: "unicast_latency_mean", Quantity: "latency", Unit: "cycles"}, true},
	{"accepted", "Accepted load", chart.Measure{Column: "accepted", Quantity: "accepted load", Unit: "phits/node/cycle"}, false},
	{"multicast-channels", "Traffic of a multicast", chart.Measure{Column: "multicast_channels", Quantity: "channels crossed", Unit: "channels"}, false},
	{"arrival-spread", "Spread of arrivals", chart.Measure{Column: "arrival_spread", Quantity: "deviation of arrivals / latency", Unit: "1"}, false},
	{"energy", "Network energy of the window", chart.Measure{Column: "energy_pj", Quantity: "network energy", Unit: "uJ", Scale: 1e-6}, false},
	{"ed2p", "Network ED2P (energy of the window / throughput^2)", chart.Measure{Column: "ed2p", Quantity: "network ED2P", Unit: "uJ/(phits/node/cycle)^2", Scale: 1e-6}, true},
}

// measured lists the measures that a study of networks has. Where all messages are unicasts, theirs
// is the latency.
func measured(rows *tables.Rows) (list []measure) {
	seen := map[string]bool{}
	see := func(numbers map[string]float64) {
		for column := range numbers {
			seen[column] = true
		}
	}
	for _, r := range rows.Records() {
		see(r.Numbers)
	}
	for i := range rows.Batches {
		_, numbers := tables.Batches.Cells(&rows.Batches[i])
		see(numbers)
	}
	seen["unicast_latency_mean"] = seen["unicast_latency_mean"] && seen["multicast_latency_mean"]
	for _, m := range measures {
		if seen[m.Column] {
			list = append(list, m)
		}
	}
	return list
}

// trafficCharts shows curves over the load, or whatever else has several values, and bars
// otherwise.
func trafficCharts(d *chart.Data, shape *shape) (list []drawn) {
	for _, m := range measured(d.Tables()) {
		c := chart.Chart{Name: m.name, Title: m.title, Measure: m.Measure, Series: chart.By(shape.series)}
		if shape.x != "" {
			c.Panel, c.X, c.Knees = chart.By(shape.varying...), chart.Over(shape.x, shape.xLabel), shape.x == "offered" && m.name != "energy"
			if m.steep {
				c.YMax = 10 * least(d, &c) // beyond, a network is saturated and latency grows with the length of the run
			}
		} else {
			c.Label = chart.By("offered")
			if n := len(shape.varying); n > 0 {
				c.Panel, c.Group = chart.By(shape.varying[:n-1]...), chart.By(shape.varying[n-1])
				if shape.loads <= 1 {
					c.Group, c.Label = chart.Axis{}, c.Group
				}
			}
		}
		list = append(list, &c)
	}
	load, _ := commonLoad(d.Tables())
	parts := chart.Stack{Parts: chart.Energies, Chart: chart.Chart{Name: "energy-parts", Title: fmt.Sprintf("Where the energy went at load %.4g", load), Measure: chart.Measure{Quantity: "network energy"},
		Series: chart.By(shape.series), Baseline: shape.base, Panel: chart.By(shape.varying...), Only: map[string][]string{"offered": {strconv.FormatFloat(load, 'g', -1, 64)}}}}
	return append(list, &parts)
}

// least is the smallest value of a chart's measure.
func least(d *chart.Data, c *chart.Chart) (value float64) {
	records, err := d.At(experiment.AsSimulated)
	if err != nil {
		return 0
	}
	for i := range records {
		if v, ok := records[i].Numbers[c.Column]; ok && v > 0 && (value == 0 || v < value) {
			value = v
		}
	}
	return value * cmp.Or(c.Scale, 1)
}

// shape is what varies in a study.
type shape struct {
	series   string   // the column of what is compared: router or scheme
	base     string   // the series that values are divided by: base, or else the first
	protocol []string // the column protocol, where there are several
	x        string   // the column that curves are drawn over; "" for bars
	xLabel   string   //
	varying  []string // columns and axes that tell panels apart
	axes     []string // axes of a sweep that are no columns
	loads    int      // different loads
	// workloads is how many applications chips replay.
	workloads int
}

// shapeOf looks at what varies.
func shapeOf(rows *tables.Rows) *shape {
	s := &shape{series: "router", axes: axesOf(rows)}
	columns := []string{"topology", "pattern", "scheme", "multicast_destinations", "multicast_fraction", "packet_phits", "classes"}
	seen := append(columns[:len(columns):len(columns)], "router", "offered")
	if len(rows.Traffic) == 0 {
		seen = []string{"router", "protocol", "workload"}
	}
	values := map[string][]string{}
	for _, r := range rows.Records() {
		for _, c := range seen {
			if v := r.Label(c); !slices.Contains(values[c], v) {
				values[c] = append(values[c], v)
			}
		}
	}
	if len(values["router"]) < 2 && len(values["scheme"]) > 1 {
		s.series = "scheme"
	}
	if names := values[s.series]; len(names) > 0 {
		if s.base = names[0]; slices.Contains(names, "base") {
			s.base = "base"
		}
	}
	if len(values["protocol"]) > 1 {
		s.protocol = []string{"protocol"}
	}
	s.loads, s.workloads = len(values["offered"]), len(values["workload"])
	for _, o := range over {
		if len(values[o.column]) >= severalValues && s.x == "" {
			s.x, s.xLabel = o.column, o.label
		}
	}
	for _, axis := range s.axes { // a number that a sweep varies
		if s.x == "" && len(rows.Traffic) > 0 && severalNumbers(rows, axis) {
			s.x, s.xLabel = axis, axis
		}
	}
	for _, c := range append(columns[:len(columns):len(columns)], "offered") {
		if len(values[c]) > 1 && c != s.series && c != s.x && (c != "offered" || s.x != "") && !(c == "scheme" && len(values["router"]) > 1) {
			s.varying = append(s.varying, c)
		}
	}
	for _, axis := range s.axes {
		if axis != s.x {
			s.varying = append(s.varying, axis)
		}
	}
	return s
}

// severalNumbers reports whether an axis has several values, all of them numbers.
func severalNumbers(rows *tables.Rows, axis string) bool {
	values := map[string]bool{}
	for _, a := range rows.Axes {
		if a.Key == axis {
			if _, err := strconv.ParseFloat(a.Value, 64); err != nil {
				return false
			}
			values[a.Value] = true
		}
	}
	return len(values) >= severalValues
}
