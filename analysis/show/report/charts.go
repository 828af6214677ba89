package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// known are axes whose values are columns of the tables.
var known = []string{"routers", "workload", "chip.protocol", "traffic.pattern", "traffic.load", "traffic.multicast_fraction",
	"traffic.multicast_destinations", "traffic.packet_phits", "traffic.classes", "topology", "scheme", "load", "destinations"}

// charts chooses pictures for a study by what varies in it.
func (o *overview) charts() []chart.Chart {
	if o.alone {
		return o.trafficCharts()
	}
	one := chart.Chart{Series: chart.By("router"), Panel: chart.By(o.protocol...), Group: chart.By(o.axes...), Label: chart.By("workload"), Mean: chart.GeometricMean}
	stacked := one
	if o.workloads > fewWorkloads {
		one.Forest = true
		stacked.Panel, stacked.Label = chart.By(append([]string{"workload"}, o.protocol...)...), chart.Axis{}
	}
	show := func(c chart.Chart, name, title, measure, quantity string, parts *tables.Parts) chart.Chart {
		c.Name, c.Title, c.Parts = name, title, parts
		c.Measure = chart.Measure{Column: measure, Quantity: quantity, Baseline: o.base}
		return o.perSetting(c)
	}
	return []chart.Chart{
		show(one, "time", "Execution time", "cycles", "execution time", nil),
		show(stacked, "cycles", "Where the cycles went, mean over cores", tables.Cycles.Whole, "execution time", &tables.Cycles),
		show(stacked, "energy-parts", "Where the energy went", tables.Energies.Whole, "network energy", &tables.Energies),
		show(one, "energy", "Network energy", "energy_j", "network energy", nil),
		show(one, "ed2p", "Network ED2P", "ed2p_js2", "network ED2P", nil),
	}
}

// divide chooses what pictures of chips divide by: the fastest router, as the tables of comparisons do;
// none where it is not the same under each setting.
func (o *overview) divide() {
	for i := range o.comparisons {
		if first := o.comparisons[i].Routers[0]; i == 0 {
			o.base = first
		} else if first != o.base {
			o.base = ""
			return
		}
	}
}

// perSetting divides each setting by its own fastest router, in panels of its own, where there is no
// common one.
func (o *overview) perSetting(c chart.Chart) chart.Chart {
	if o.base != "" || o.comparisons == nil {
		return c
	}
	var all []chart.Chart
	for i := range o.comparisons {
		one, own := c, &o.comparisons[i]
		one.Baseline, one.Only, one.Panel.Names = own.Routers[0], map[string][]string{}, map[chart.Value]string{}
		named := own.Title()
		for _, s := range own.Setting {
			one.Only[s.Key], one.Panel.Names[chart.Value{Column: s.Key, Value: s.Value}] = []string{s.Value}, named
			named = "" // one of its values stands for all
			drop := func(column string) bool { return column == s.Key }
			one.Panel.Columns = append(slices.DeleteFunc(slices.Clone(one.Panel.Columns), drop), s.Key)
			one.Group.Columns = slices.DeleteFunc(slices.Clone(one.Group.Columns), drop)
		}
		all = append(all, one)
	}
	all[0].With = all[1:]
	return all[0]
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
func (o *overview) measured() (list []measure) {
	records := o.At(experiment.AsSimulated)
	has := func(column string) bool {
		return slices.ContainsFunc(records, func(r tables.Record) bool { _, ok := r.Numbers[column]; return ok })
	}
	for _, m := range measures {
		if has(m.Column) && (m.Column != "unicast_latency_mean" || has("multicast_latency_mean")) {
			list = append(list, m)
		}
	}
	return list
}

// trafficCharts shows curves over the load, or whatever else has several values, and bars
// otherwise.
func (o *overview) trafficCharts() (list []chart.Chart) {
	for _, m := range o.measured() {
		c := chart.Chart{Name: m.name, Title: m.title, Measure: m.Measure, Series: chart.By(o.series)}
		if o.x != "" {
			c.Panel, c.X, c.Knees = chart.By(o.varying...), chart.Axis{Columns: []string{o.x}, Title: o.xLabel}, o.x == "offered" && m.name != "energy"
			if m.steep {
				c.YMax = 10 * o.least(&c) // beyond, a network is saturated and latency grows with the length of the run
			}
		} else {
			c.Label = chart.By("offered")
			if n := len(o.varying); n > 0 {
				c.Panel, c.Group = chart.By(o.varying[:n-1]...), chart.By(o.varying[n-1])
				if o.loads <= 1 {
					c.Group, c.Label = chart.Axis{}, c.Group
				}
			}
		}
		list = append(list, c)
	}
	load, _ := commonLoad(o.rows)
	return append(list, chart.Chart{Name: "energy-parts", Title: fmt.Sprintf("Where the energy went at load %.4g", load),
		Measure: chart.Measure{Column: tables.Energies.Whole, Quantity: "network energy", Baseline: o.base}, Parts: &tables.Energies,
		Series: chart.By(o.series), Panel: chart.By(o.varying...), Only: map[string][]string{"offered": {strconv.FormatFloat(load, 'g', -1, 64)}}})
}

// least is the smallest value of a chart's measure.
func (o *overview) least(c *chart.Chart) (value float64) {
	records := o.At(experiment.AsSimulated)
	for i := range records {
		if v, ok := records[i].Numbers[c.Column]; ok && v > 0 && (value == 0 || v < value) {
			value = v
		}
	}
	return value * cmp.Or(c.Scale, 1)
}

// shape is what varies in a study.
type shape struct {
	alone    bool     // it is of networks alone
	series   string   // the column of what is compared: router or scheme
	base     string   // the series that values are divided by, see overview.look; "" where that differs
	protocol []string // the column protocol, where there are several
	x        string   // the column that curves are drawn over; "" for bars
	xLabel   string   //
	varying  []string // columns and axes that tell panels apart
	axes     []string // axes of a sweep that are no columns
	loads    int      // different loads
	// workloads is how many applications chips replay.
	workloads int
}

// look finds the shape of a study. Values are divided by those of base, or else of the first router.
func (o *overview) look() {
	columns := []string{"topology", "pattern", "scheme", "multicast_destinations", "multicast_fraction", "packet_phits", "classes"}
	o.alone, o.series, o.axes = len(o.rows.Traffic) > 0, "router", o.rows.AxisKeys(known...)
	count := func(column string) int { return len(tables.Distinct(o.All, column)) }
	if o.alone && count("router") < 2 && count("scheme") > 1 {
		o.series = "scheme"
	}
	if names := o.distinct(o.series); len(names) > 0 {
		if o.base = names[0]; slices.Contains(names, "base") {
			o.base = "base"
		}
	}
	if count("protocol") > 1 {
		o.protocol = []string{"protocol"}
	}
	o.loads, o.workloads = count("offered"), count("workload")
	if !o.alone {
		return
	}
	for _, p := range over {
		if count(p.column) >= severalValues && o.x == "" {
			o.x, o.xLabel = p.column, p.label
		}
	}
	for _, axis := range o.axes { // a number that a sweep varies
		values := o.distinct(axis)
		words := slices.ContainsFunc(values, func(v string) bool { _, err := strconv.ParseFloat(v, 64); return err != nil })
		if o.x == "" && len(values) >= severalValues && !words {
			o.x, o.xLabel = axis, axis
		}
	}
	for _, c := range append(columns, "offered") {
		if count(c) > 1 && c != o.series && c != o.x && (c != "offered" || o.x != "") && !(c == "scheme" && count("router") > 1) {
			o.varying = append(o.varying, c)
		}
	}
	for _, axis := range o.axes {
		if axis != o.x {
			o.varying = append(o.varying, axis)
		}
	}
}
