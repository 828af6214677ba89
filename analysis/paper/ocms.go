package paper

import (
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/show/chart"
)

// ocmsEntries are the figures of the paper about optimal stars.
func ocmsEntries() []claim.Entry {
	channels := chart.Chart{Name: "ocms", Title: "Channels of one multicast", Measure: chart.Measure{Column: "multicast_channels", Quantity: "channels", Unit: "channels",
		Definition: "strict: the first hop is the one that R takes, as in the paper; free: any that labels allow, an extension"},
		Series: chart.By("scheme"), Panel: chart.By("topology"), X: chart.Over("multicast_destinations", "destinations")}
	latency := channels
	latency.Name, latency.Title = "ocms-latency", "Latency of one multicast, 64 flits: 33 + 64 and the longest path"
	latency.Column, latency.Quantity, latency.Unit = "multicast_latency_mean", "latency", "cycles"
	return []claim.Entry{
		{ID: "ocms", Paper: ocms, Figure: "sections 3, 4 and 6", Title: "Optimal stars against dual-path and multi-path", Plan: "ocms.yaml", Charts: []chart.Chart{channels, latency}},
		{ID: "ocms.load", Paper: ocms, Figure: "section 2.2", Title: "Optimal stars against dual-path and multi-path under load", Plan: "ocms.load.yaml",
			Charts: underLoad("ocms.load", "Optimal stars under load", chart.By("topology", "multicast_destinations"))},
	}
}

// underLoad is a pair of charts over the load: the latency of multicasts, and the load that is
// completed.
func underLoad(name, title string, panel chart.Axis) []chart.Chart {
	latency := chart.Chart{Name: name, Title: title, Measure: chart.Measure{Column: "multicast_latency_mean", Quantity: "latency of multicasts",
		Definition: "from generation to the last destination's tail; none where the network does not carry the load", Unit: "cycles"}, Series: chart.By("scheme"), Panel: panel,
		X: chart.Over("offered", "offered load [flits/node/cycle], a multicast counting once"), YMax: 1500,
		Names: map[chart.Value]string{{Column: "multicast_destinations", Value: "10"}: "10 destinations", {Column: "multicast_destinations", Value: "20"}: "20 destinations",
			{Column: "preparation", Value: "captions"}: "preparation of figures 17 and 18", {Column: "preparation", Value: "text"}: "preparation of the text",
			{Column: "preparation", Value: "fifty"}: "50 cycles of preparation for qg"}}
	accepted := latency
	accepted.Name, accepted.Title, accepted.Column, accepted.Quantity = name+"-accepted", title+": completed", "accepted", "completed load"
	accepted.Definition, accepted.Unit, accepted.YMax = "a multicast counts once, when its last destination has it", "flits/node/cycle", 0
	return []chart.Chart{latency, accepted}
}
