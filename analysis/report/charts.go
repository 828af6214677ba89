package report

import (
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// known are axes whose values are columns of the tables.
var known = []string{"routers", "workload", "chip.protocol", "traffic.pattern", "traffic.load", "traffic.multicast_fraction",
	"traffic.multicast_destinations", "traffic.packet_phits", "traffic.classes", "topology"}

// axesOf lists the axes of a sweep that are no columns, and their values by run key and axis.
func axesOf(rows *tables.Rows) (axes []string, values map[[2]string]string) {
	values = map[[2]string]string{}
	for _, a := range rows.Axes {
		values[[2]string{a.RunKey, a.Key}] = a.Value
		if !slices.Contains(axes, a.Key) && !slices.Contains(known, a.Key) {
			axes = append(axes, a.Key)
		}
	}
	return axes, values
}

// charts chooses pictures for a study by what varies in it.
func charts(rows *tables.Rows) []chart.Chart {
	axes, _ := axesOf(rows)
	if len(rows.Traffic) > 0 {
		return trafficCharts(rows, axes)
	}
	base := baseline(rows)
	compare := func(name, title, measure, quantity string) chart.Chart {
		return chart.Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Series: "router", Baseline: base,
			Panel: "protocol", Group: joined(axes), Label: "workload"}
	}
	return []chart.Chart{
		compare("time", "Execution time", "cycles", "execution time"),
		compare("energy", "Network energy", "energy_j", "network energy"),
		compare("ed2p", "Network ED2P", "ed2p_js2", "network ED2P"),
	}
}

func joined(columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	return chart.Join(columns...)
}

// baseline is the router that values are divided by: base, or else the first.
func baseline(rows *tables.Rows) string {
	first := ""
	see := func(router string) bool {
		if first == "" {
			first = router
		}
		return router == "base"
	}
	for i := range rows.Runs {
		if see(rows.Runs[i].Router) {
			return "base"
		}
	}
	for i := range rows.Traffic {
		if see(rows.Traffic[i].Router) {
			return "base"
		}
	}
	return first
}

// severalLoads is the number of different loads from which on a picture shows curves.
const severalLoads = 3

// trafficCharts shows curves over the load where there are several, and bars otherwise.
func trafficCharts(rows *tables.Rows, axes []string) []chart.Chart {
	varying := append(varyingColumns(rows), axes...)
	loads := map[float64]bool{}
	for i := range rows.Traffic {
		loads[rows.Traffic[i].Offered] = true
	}
	if len(loads) >= severalLoads {
		return curves(rows, varying)
	}
	base := baseline(rows)
	bars := func(name, title, measure, quantity string) chart.Chart {
		c := chart.Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Series: "router", Baseline: base, Label: "offered"}
		if len(varying) > 0 {
			c.Group, c.Label = "", joined(varying[len(varying)-1:])
			c.Panel = joined(varying[:len(varying)-1])
			if len(loads) > 1 {
				c.Group, c.Label = c.Label, "offered"
			}
		}
		return c
	}
	return []chart.Chart{
		bars("accepted", "Accepted load", "accepted", "accepted load"),
		bars("latency", "Latency", "latency_mean", "latency"),
		bars("ed2p", "Network ED2P (energy of the window / throughput^2)", "ed2p", "network ED2P"),
	}
}

func curves(rows *tables.Rows, varying []string) []chart.Chart {
	curve := func(name, title, measure, quantity, unit string) chart.Chart {
		return chart.Chart{Name: name, Title: title, Measure: measure, Quantity: quantity, Unit: unit, Series: "router",
			Panel: joined(varying), X: "offered", XLabel: "offered load [phits/node/cycle]"}
	}
	latency := curve("latency", "Latency over offered load", "latency_mean", "latency", "cycles")
	least := 0.0
	for i := range rows.Traffic {
		if v := rows.Traffic[i].LatencyMean; v.Known && (least == 0 || v.Value < least) {
			least = v.Value
		}
	}
	latency.YMax = 10 * least // beyond, a network is saturated and latency grows with the length of the run
	return []chart.Chart{
		latency,
		curve("accepted", "Accepted load over offered load", "accepted", "accepted load", "phits/node/cycle"),
		curve("energy", "Network energy of the window over offered load", "energy_pj", "network energy", "pJ"),
	}
}

// varyingColumns are the columns of the configuration that differ among the points.
func varyingColumns(rows *tables.Rows) (list []string) {
	for _, column := range []string{"topology", "pattern", "multicast_destinations", "multicast_fraction", "packet_phits", "classes"} {
		first, differs := "", false
		for i := range rows.Traffic {
			texts, numbers := tables.TrafficPoints.Cells(&rows.Traffic[i])
			value := texts[column]
			if value == "" {
				value = formatNumber(numbers[column])
			}
			if i == 0 {
				first = value
			}
			differs = differs || value != first
		}
		if differs {
			list = append(list, column)
		}
	}
	return list
}
