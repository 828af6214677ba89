package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// col has the columns of records; none is no column.
var (
	col  = tables.Col
	none tables.Name
)

// known are axes whose values are columns of the tables.
var known = []string{"routers", "workload", "chip.protocol", "traffic.pattern", "traffic.load", "traffic.multicast_fraction",
	"traffic.multicast_destinations", "traffic.packet_phits", "traffic.classes", "topology", "scheme", "load", "destinations"}

// charts chooses pictures for a study by what varies in it.
func (o *overview) charts() []chart.Chart {
	if o.alone {
		return o.trafficCharts()
	}
	one := chart.Chart{Series: chart.By(col.Router), Panel: chart.By(o.protocol...), Group: chart.By(o.axes...), Label: chart.By(col.Workload), Mean: result.GeometricMean}
	stacked := one
	if o.workloads > fewWorkloads {
		one.Forest = true
		stacked.Panel, stacked.Label = chart.By(append([]tables.Name{col.Workload}, o.protocol...)...), chart.Axis{}
	}
	show := func(c chart.Chart, name, title string, measure tables.Name, quantity string, parts *tables.Parts) chart.Chart {
		c.Name, c.Title, c.Parts = name, title, parts
		c.Measure = chart.Measure{Column: measure, Quantity: quantity, Baseline: o.base}
		return o.perSetting(c)
	}
	list := []chart.Chart{
		show(one, "time", "Execution time", col.Cycles, "execution time", nil),
		show(stacked, "cycles", "Where the cycles went, mean over cores", tables.Cycles.Whole, "execution time", &tables.Cycles),
		show(stacked, "energy-parts", "Where the energy went", tables.Energies.Whole, "network energy", &tables.Energies),
		show(one, "energy", "Network energy", col.EnergyJ, "network energy", nil),
		show(one, "ed2p", "Network ED2P", col.ED2PJs2, "network ED2P", nil),
	}
	if slices.ContainsFunc(o.rows.Runs, func(r tables.Run) bool { return r.ChipEnergy.Known }) {
		list = append(list, show(stacked, "chip-parts", "Where the energy of the chip went", tables.Chips.Whole, "energy of the chip", &tables.Chips))
	}
	return list
}

// divide chooses what values of chips are divided by: the fastest router, as the tables of comparisons do;
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
		one.Baseline, one.Only, one.Panel.Names = own.Routers[0], map[tables.Name][]string{}, map[chart.Value]string{}
		named := own.Title()
		for _, s := range own.Setting {
			key := tables.AxisName(s.Key)
			one.Only[key], one.Panel.Names[chart.Value{Column: key, Value: s.Value}] = []string{s.Value}, named
			named = "" // one of its values stands for all
			drop := func(v tables.Name) bool { return v == key }
			one.Panel.Columns = append(slices.DeleteFunc(slices.Clone(one.Panel.Columns), drop), key)
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

// position is what curves are drawn over; the zero value stands for bars.
type position struct {
	column         tables.Name
	quantity, unit string
}

// axis is the axis of a picture.
func (p *position) axis() chart.Axis {
	a := chart.Axis{Columns: []tables.Name{p.column}, Title: p.quantity}
	if p.unit != "" {
		a.Title += " [" + p.unit + "]"
	}
	return a
}

// over are columns that curves are drawn over, if they have several values.
var over = []position{
	{col.Offered, "offered load", "phits/node/cycle"}, {col.MulticastDestinations, "destinations of a multicast", ""},
	{col.PacketPhits, "length of a packet", "phits"}, {col.MulticastFraction, "share of multicasts", ""},
}

// measured lists the measures that a study of networks has. Where all messages are unicasts, theirs
// is the latency.
func (o *overview) measured() (list []tables.Picture) {
	runs := o.At(experiment.AsSimulated)
	has := func(v tables.Name) bool {
		return slices.ContainsFunc(runs, func(o tables.Observation) bool { _, ok := o.Number(v); return ok })
	}
	for _, m := range tables.Pictures {
		if has(m.Column) && (m.Column != col.UnicastLatencyMean || has(col.MulticastLatencyMean)) {
			list = append(list, m)
		}
	}
	return list
}

// trafficCharts shows curves over the load, or whatever else has several values, and bars
// otherwise.
func (o *overview) trafficCharts() (list []chart.Chart) {
	for _, m := range o.measured() {
		c := chart.Chart{Name: m.Name, Title: m.Title, Series: chart.By(o.series),
			Measure: chart.Measure{Column: m.Column, Quantity: m.Quantity, Unit: m.Unit, Scale: m.Scale}}
		if o.x != (position{}) {
			c.Panel, c.X, c.Knees = chart.By(o.varying...), o.x.axis(), o.x.column == col.Offered && m.Name != "energy"
			if m.Steep {
				c.YMax = 10 * o.least(&c) // beyond, a network is saturated and latency grows with the length of the run
			}
		} else {
			c.Label = chart.By(col.Offered)
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
		Series: chart.By(o.series), Panel: chart.By(o.varying...), Only: map[tables.Name][]string{col.Offered: {strconv.FormatFloat(load, 'g', -1, 64)}}})
}

// least is the smallest value of a chart's measure.
func (o *overview) least(c *chart.Chart) (value float64) {
	runs := o.At(experiment.AsSimulated)
	for i := range runs {
		if v, ok := runs[i].Number(c.Column); ok && v > 0 && (value == 0 || v < value) {
			value = v
		}
	}
	return value * cmp.Or(c.Scale, 1)
}

// shape is what varies in a study.
type shape struct {
	alone    bool          // it is of networks alone
	series   tables.Name   // what is compared: router or scheme
	base     string        // the series that values are divided by, see overview.look; "" where that differs
	protocol []tables.Name // the column protocol, where there are several
	x        position
	varying  []tables.Name // columns and axes that tell panels apart
	axes     []tables.Name // axes of a sweep that are no columns
	loads    int           // different loads
	// workloads is how many applications chips replay.
	workloads int
}

// look finds the shape of a study. Values of networks alone are divided by those of base, or else of the
// first router.
func (o *overview) look() {
	columns := []tables.Name{col.Topology, col.Pattern, col.Scheme, col.MulticastDestinations, col.MulticastFraction, col.PacketPhits, col.Classes}
	o.alone, o.series, o.axes = len(o.rows.Traffic) > 0, col.Router, o.rows.AxisNames(known...)
	count := func(v tables.Name) int { return len(o.All.Distinct(v)) }
	if o.alone && count(col.Router) < 2 && count(col.Scheme) > 1 {
		o.series = col.Scheme
	}
	if names := o.distinct(o.series); len(names) > 0 {
		if o.base = names[0]; slices.Contains(names, "base") {
			o.base = "base"
		}
	}
	if count(col.Protocol) > 1 {
		o.protocol = []tables.Name{col.Protocol}
	}
	o.loads, o.workloads = count(col.Offered), count(col.Workload)
	if !o.alone {
		return
	}
	for _, p := range over {
		if count(p.column) >= severalValues && o.x == (position{}) {
			o.x = p
		}
	}
	for _, axis := range o.axes { // a number that a sweep varies
		values := o.distinct(axis)
		words := slices.ContainsFunc(values, func(v string) bool { _, err := strconv.ParseFloat(v, 64); return err != nil })
		if o.x == (position{}) && len(values) >= severalValues && !words {
			o.x = position{axis, axis.String(), ""}
		}
	}
	for _, c := range append(columns, col.Offered) {
		if count(c) > 1 && c != o.series && c != o.x.column && (c != col.Offered || o.x != (position{})) && !(c == col.Scheme && count(col.Router) > 1) {
			o.varying = append(o.varying, c)
		}
	}
	for _, axis := range o.axes {
		if axis != o.x.column {
			o.varying = append(o.varying, axis)
		}
	}
}
