package paper

import "strings"

// QG is the paper of Qualified Groups.
const QG = "Al-Dubai, Ould-Khaoua, Mackenzie: Trade-Offs between Latency, Complexity, and Load Balancing with Multicast Algorithms"

// The conditions of both figures: what the paper says of its simulator, and what it leaves open.
const wormConditions = "wormhole channels with buffers of one flit, 4 injection and 4 ejection channels, messages of 64 flits, startup 33 cycles, " +
	"preparation 0; unicasts follow the labels except beside column-path, because dimension order deadlocks with label-ordered worms; " +
	"messages arrive by chance with equal probability in each cycle"

// multicastLatency is the latency of multicasts over the load, a curve per scheme.
func multicastLatency(name, title, panel string) Chart {
	return Chart{Name: name, Title: title, Measure: "multicast_latency_mean", Quantity: "latency of multicasts",
		Definition: "from generation to the last destination's tail", Unit: "cycles", Series: "scheme", Panel: panel,
		X: "offered", XLabel: "offered load [flits/node/cycle]", YMax: 3000,
		Names: map[string]string{"multicast_destinations=10": "10 destinations", "multicast_destinations=20": "20 destinations"}}
}

// atEnd chooses the cells at the smallest or the largest load of a chart, of panels whose name contains a
// text.
func (d *Data) atEnd(c *Chart, side int, panel string) func(*cell) bool {
	low, high, _ := d.ends(c)
	x := low
	if side == above {
		x = high
	}
	return func(in *cell) bool { return in.x == x && strings.Contains(in.panel, panel) }
}

// inPanels chooses the cells of panels whose name contains a text.
func inPanels(panel string) func(*cell) bool {
	return func(in *cell) bool { return strings.Contains(in.panel, panel) }
}

func qgFig15() Entry {
	latency := multicastLatency("qg.fig15", "Several multicasts at a time", Join("topology", "multicast_destinations"))
	return Entry{
		ID: "qg.fig15", Paper: QG, Figure: "figures 15 and 16", Title: "Latency of multicasts over their load", Plan: "qg.fig15.yaml",
		Charts: []Chart{latency},
		Claims: []Claim{
			{
				ID: "S4-31", Text: "At low load dual-path and multi-path have a lower latency than Qualified Groups and column-path.",
				Conditions: wormConditions + "; 10x10 and 16x16, 10 and 20 destinations", Printed: "lower",
				Criterion: "all four ratios below 1 at the smallest load, in every panel; measured value: geometric mean of dual-path / qg",
				Judge: func(d *Data) Finding {
					return d.everywhere(&latency, d.atEnd(&latency, below, ""), pair{"dual-path", "qg", below}, pair{"multi-path", "qg", below},
						pair{"dual-path", "column-path", below}, pair{"multi-path", "column-path", below})
				},
			},
			{
				ID: "S4-32", Text: "With 10 destinations multi-path is slightly below dual-path.",
				Conditions: wormConditions + "; 10x10 and 16x16, 10 destinations", Printed: "slightly below",
				Criterion: "multi-path / dual-path below 1 at every load; measured value: geometric mean",
				Judge: func(d *Data) Finding {
					return d.everywhere(&latency, inPanels("10 destinations"), pair{"multi-path", "dual-path", below})
				},
			},
			{
				ID: "S4-33", Text: "With 20 destinations, and at high load, Qualified Groups are best.",
				Conditions: wormConditions + "; 10x10 and 16x16", Printed: "best",
				Criterion: "qg / each other below 1 at the largest load, in every panel; measured value: geometric mean of qg / dual-path",
				Judge: func(d *Data) Finding {
					return d.everywhere(&latency, d.atEnd(&latency, above, ""), pair{"qg", "dual-path", below}, pair{"qg", "multi-path", below},
						pair{"qg", "column-path", below})
				},
			},
		},
	}
}

func qgFig19() Entry {
	latency := multicastLatency("qg.fig19", "One multicast in ten messages, 10x10 mesh", "multicast_destinations")
	return Entry{
		ID: "qg.fig19", Paper: QG, Figure: "figures 19 and 20", Title: "Latency of multicasts among unicasts", Plan: "qg.fig19.yaml",
		Charts: []Chart{latency},
		Claims: []Claim{{
			ID: "S4-35", Text: "Among unicasts, column-path is slowest at light load, and at heavy load Qualified Groups are best and column-path comes second.",
			Conditions: wormConditions + "; 10x10, 10 % multicasts, 10 and 20 destinations", Printed: "higher; best, then column-path",
			Criterion: "column-path / each other above 1 at the smallest load; qg / each other, column-path / dual-path and column-path / multi-path below 1 at the largest; " +
				"measured value: geometric mean of column-path / dual-path at the smallest load",
			Judge: func(d *Data) Finding {
				return join(
					d.everywhere(&latency, d.atEnd(&latency, below, ""), pair{"column-path", "dual-path", above}, pair{"column-path", "multi-path", above},
						pair{"column-path", "qg", above}),
					d.everywhere(&latency, d.atEnd(&latency, above, ""), pair{"qg", "dual-path", below}, pair{"qg", "multi-path", below},
						pair{"qg", "column-path", below}, pair{"column-path", "dual-path", below}, pair{"column-path", "multi-path", below}))
			},
		}},
	}
}
