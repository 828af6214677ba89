package paper

import (
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/show/chart"
)

// qgEntries are the figures and tables of the paper about Qualified Groups.
func qgEntries() []claim.Entry {
	sec42 := alone("qg.sec42", "Qualified Groups by threshold, for 10, 20 and 40 destinations, 16x16 mesh, one multicast at a time", "multicast_latency_mean", "mean latency", "")
	sec42.Series, sec42.X = chart.By("multicast_destinations"), chart.Over("threshold", "threshold [thousandths]")
	extra := alone("qg.fig14", "Additional traffic of a multicast", "additional_traffic", "additional traffic", "topology")
	extra.Definition, extra.Unit = "channels crossed less destinations, as the network counts them", "channels"
	largest := alone("qg.fig10-max", "Largest latency of one multicast, 16x16 mesh", "multicast_latency_max", "largest latency", "packet_phits")
	largest.Definition = "of the multicasts of a batch"
	mean := func(name, title, panel string) chart.Chart {
		return alone(name, title, "multicast_latency_mean", "mean latency", panel)
	}
	list := []claim.Entry{
		{ID: "qg.sec42", Figure: "section 4.2", Title: "The threshold of Qualified Groups", Charts: []chart.Chart{sec42}},
		{ID: "qg.table3", Figure: "table 3", Title: "Mean latency of one multicast to 10 destinations", Charts: []chart.Chart{table3()}},
		{ID: "qg.fig10", Figure: "figures 10 and 11", Title: "Latency without contention, 16x16 mesh",
			Charts: []chart.Chart{mean("qg.fig10", "Mean latency of one multicast, 16x16 mesh", "packet_phits"), largest}},
		{ID: "qg.fig12", Figure: "figures 12 and 13", Title: "Latency without contention, larger meshes",
			Charts: []chart.Chart{mean("qg.fig12", "Mean latency of one multicast, larger meshes, 64 flits", "topology")}},
		{ID: "qg.fig14", Figure: "figure 14", Title: "Additional traffic", Charts: []chart.Chart{extra}},
		{ID: "qg.table4", Figure: "tables 4 and 5", Title: "Spread of the arrival times of a multicast", Charts: tables4And5()},
		{ID: "qg.fig15", Figure: "figures 15 and 16", Title: "Latency of multicasts over their load",
			Charts: underLoad("qg.fig15", "Multicasts of all nodes", chart.By("topology", "multicast_destinations"))},
		{ID: "qg.fig17", Figure: "figures 17 and 18, section 4.2", Title: "Latency of multicasts with long preparation",
			Charts: underLoad("qg.fig17", "Multicasts of all nodes, long preparation", chart.By("topology", "preparation"))},
		{ID: "qg.fig19", Figure: "figures 19 and 20", Title: "Latency of multicasts among unicasts",
			Charts: underLoad("qg.fig19", "One multicast in ten messages, 10x10 mesh", chart.By("multicast_destinations"))},
	}
	for i := range list {
		list[i].Paper, list[i].Plan = qg, list[i].ID+".yaml"
	}
	return list
}

// alone is a chart of multicasts that have the network for themselves.
func alone(name, title, measure, quantity, panel string) chart.Chart {
	c := chart.Chart{Name: name, Title: title, Measure: chart.Measure{Column: measure, Quantity: quantity, Unit: "cycles"}, Series: chart.By("scheme"),
		X: chart.Over("multicast_destinations", "destinations"), Names: map[chart.Value]string{{Column: "packet_phits", Value: "32"}: "32 flits", {Column: "packet_phits", Value: "128"}: "128 flits"}}
	if panel != "" {
		c.Panel = chart.By(panel)
	}
	return c
}

// table3 has the printed means and intervals beside the measured ones.
func table3() chart.Chart {
	latency := chart.Chart{Name: "qg.table3", Title: "Latency of one multicast to 10 destinations, 16x16 mesh, 32 flits",
		Measure: chart.Measure{Column: "multicast_latency_mean", Quantity: "latency of a multicast", Unit: "cycles"}, Series: chart.By("preparation"), Label: chart.By("scheme")}
	for _, p := range []struct {
		scheme           string
		value, low, high float64
	}{{"dual-path", 112.621, 107.16, 118.08}, {"multi-path", 92.23, 87.62, 96.84}, {"column-path", 130.701, 124.50, 136.90}, {"qg-cut", 120.760, 114.81, 126.71}} {
		latency.References = append(latency.References, chart.Reference{Place: chart.Place{Label: p.scheme}, Series: "printed", Value: p.value, Low: p.low, High: p.high})
	}
	return latency
}

// tables4And5 are the variations of arrival times as read here with the printed ones beside, and, in
// the table alone, by other readings of the text: other arrivals of multicasts, tails in place of
// headers, and the deviation over the latency.
func tables4And5() []chart.Chart {
	cv := chart.Chart{Name: "qg.table4-readings", Title: "Variation of the arrival times of a multicast, one in 250 cycles, 64 flits",
		Measure: chart.Measure{Column: "arrival_cv_header", Quantity: "CV of arrivals", Definition: "of headers", Unit: "sd/mean"}, Series: chart.By("scheme"), Panel: chart.By("variant"),
		X: chart.Over("multicast_destinations", "destinations")}
	picture, tails, spread := cv, cv, cv
	cv.TableOnly = true
	picture.Name = "qg.table4"
	picture.Only = map[string][]string{"scheme": {"dual-path", "multi-path", "column-path", "qg-cut"}}
	for _, c := range claims()["qg.table4"] {
		for _, part := range c.Parts {
			if part.Printed == nil {
				continue
			}
			panel := part.Where.Panel[0]
			picture.Only["variant"] = append(picture.Only["variant"], panel)
			for _, scheme := range picture.Only["scheme"] {
				for i, v := range part.Printed[scheme] {
					picture.References = append(picture.References, chart.Reference{Place: chart.Place{Panel: panel, X: part.At[i]}, Series: scheme + ", printed", Like: scheme, Value: v, Low: v, High: v})
				}
			}
		}
	}
	tails.Name, tails.Column, tails.Definition = "qg.table4-tails", "arrival_cv", "of tails"
	spread.Name, spread.Column, spread.TableOnly = "qg.table4-spread", "arrival_spread", true
	spread.Definition = "deviation of the arrivals of tails over the latency of the multicast"
	return []chart.Chart{picture, cv, tails, spread}
}
