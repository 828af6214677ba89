package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
)

// QG is the paper of Qualified Groups.
const QG = "Al-Dubai, Ould-Khaoua, Mackenzie: Trade-Offs between Latency, Complexity, and Load Balancing with Multicast Algorithms"

// loadConditions are those of the figures with many messages at a time: what the paper says of its
// simulator, and what it leaves open.
const loadConditions = "64 flits, exponential intervals at every node, unbounded first-come first-served queues, startup 33, buffers of one flit, " +
	"4 injection and 4 ejection channels; unicasts follow the labels except beside column-path, because dimension order deadlocks with label-ordered worms; " +
	"representatives start when they have the tail"

// underLoad is a pair of charts over the load: the latency of multicasts, and the load that is completed.
func underLoad(name, title, panel string) (latency, accepted Chart) {
	latency = Chart{Name: name, Title: title, Measure: "multicast_latency_mean", Quantity: "latency of multicasts",
		Definition: "from generation to the last destination's tail; none where the network does not carry the load", Unit: "cycles", Series: "scheme", Panel: panel,
		X: "offered", XLabel: "offered load [flits/node/cycle], a multicast counting once", YMax: 1500,
		Names: map[string]string{"multicast_destinations=10": "10 destinations", "multicast_destinations=20": "20 destinations",
			"preparation=captions": "preparation of figures 17 and 18", "preparation=text": "preparation of the text", "preparation=fifty": "50 cycles of preparation for qg"}}
	accepted = latency
	accepted.Name, accepted.Title, accepted.Measure, accepted.Quantity = name+"-accepted", title+": completed", "accepted", "completed load"
	accepted.Definition, accepted.Unit, accepted.YMax = "a multicast counts once, when its last destination has it", "flits/node/cycle", 0
	return latency, accepted
}

// lightest chooses the cells at the smallest load, of panels whose name contains a text.
func (d *Data) lightest(c *Chart, text string) func(*cell) bool {
	low, _, _ := d.ends(c)
	return func(in *cell) bool { return in.x == low && strings.Contains(in.panel, text) }
}

// panelsOf lists the panels of a chart whose name contains a text.
func (d *Data) panelsOf(c *Chart, text string) (list []string) {
	cells, _ := d.cells(c)
	for i := range cells {
		if p := cells[i].panel; strings.Contains(p, text) && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// heaviest chooses, in each panel whose name contains a text, the largest load that all series carry.
func (d *Data) heaviest(c *Chart, text string, series ...string) func(*cell) bool {
	cells, _ := d.cells(c)
	most := map[string]float64{}
	for i := range cells {
		in := &cells[i]
		all := strings.Contains(in.panel, text)
		for _, s := range series {
			all = all && len(in.samples[s]) > 0
		}
		if all {
			most[in.panel] = max(most[in.panel], in.x)
		}
	}
	return func(in *cell) bool { return most[in.panel] == in.x && in.x > 0 }
}

// throughput is the largest load that a series completes in a panel.
func (d *Data) throughput(accepted *Chart, panel, series string) (best estimate) {
	cells, _ := d.cells(accepted)
	for i := range cells {
		if cells[i].panel != panel {
			continue
		}
		if e := estimateOf(accepted.values(&cells[i], series)); e.ok && (!best.ok || e.Mean > best.Mean) {
			best = e
		}
	}
	return best
}

// carries judges whether one series completes more than others in every panel whose name contains a text.
func carries(d *Data, accepted *Chart, text, series string, than ...string) Finding {
	var n count
	var details []string
	f := Finding{}
	for _, panel := range d.panelsOf(accepted, text) {
		own := d.throughput(accepted, panel, series)
		line := fmt.Sprintf("%s completes %.4f in %s", series, own.Mean, panel)
		for _, other := range than {
			e := d.throughput(accepted, panel, other)
			if !own.ok || !e.ok {
				n.missing++
				continue
			}
			n = n.add(lower(&e, &own))
			line += fmt.Sprintf(", %s %.4f", other, e.Mean)
		}
		if !f.Measured.Known {
			f.some(own)
		}
		details = append(details, line)
	}
	if len(details) == 0 {
		return nothing("nothing was measured")
	}
	f.Verdict, f.Detail = n.verdict(), strings.Join(details, "; ")
	return f
}

// best asks for the lowest latency of qg at the largest load that all four carry, and for the largest
// throughput.
func best(d *Data, latency, accepted *Chart, text string) Finding {
	all := []string{"qg", "dual-path", "multi-path", "column-path"}
	heavy := d.heaviest(latency, text, all...)
	f := join(
		d.everywhere(latency, heavy, pair{"qg", "dual-path", below}, pair{"qg", "multi-path", below}, pair{"qg", "column-path", below}),
		carries(d, accepted, text, "qg", all[1:]...))
	f.Detail += "; with four paths: " + d.everywhere(latency, heavy, pair{"qg-multi", "dual-path", below}, pair{"qg-multi", "multi-path", below}).Detail +
		"; " + carries(d, accepted, text, "qg-multi", all[1:]...).Detail
	return f
}

const bestCriterion = "at the largest load that all four carry, qg over each other below 1 in every panel; the largest load that qg completes above that of each other, " +
	"outside the intervals; measured value: geometric mean of qg / dual-path"

func qgFig15() Entry {
	latency, accepted := underLoad("qg.fig15", "Multicasts of all nodes", Join("topology", "multicast_destinations"))
	const conditions = "10x10 and 16x16, preparation 2, 2, 4, 16; " + loadConditions
	return Entry{
		ID: "qg.fig15", Paper: QG, Figure: "figures 15 and 16", Title: "Latency of multicasts over their load", Plan: "qg.fig15.yaml",
		Charts: []Chart{latency, accepted},
		Claims: []Claim{
			{
				ID: "S4-31", Text: "At low load dual-path and multi-path have a lower latency than Qualified Groups and column-path.",
				Conditions: conditions + "; 10 and 20 destinations", Printed: "lower",
				Criterion: "all four ratios below 1 at the smallest load, in every panel; measured value: geometric mean of dual-path / qg",
				Judge: func(d *Data) Finding {
					return d.everywhere(&latency, d.lightest(&latency, ""), shorter("qg", "column-path")...)
				},
			},
			{
				ID: "S4-32", Text: "With 10 destinations multi-path is slightly below dual-path.", Conditions: conditions + "; 10 destinations", Printed: "slightly below",
				Criterion: "multi-path / dual-path below 1 at every load that both carry; measured value: geometric mean",
				Judge: func(d *Data) Finding {
					both := d.carried(&latency, "10 destinations", "multi-path", "dual-path")
					return d.everywhere(&latency, both, pair{"multi-path", "dual-path", below})
				},
			},
			{
				ID: "S4-33", Text: "With 20 destinations Qualified Groups are best in latency and throughput at high load; they and column-path carry more than dual-path and multi-path.",
				Conditions: conditions + "; 20 destinations", Printed: "better; less sensitive",
				Criterion: bestCriterion + "; column-path completes more than dual-path and multi-path",
				Judge: func(d *Data) Finding {
					return join(best(d, &latency, &accepted, "20 destinations"), carries(d, &accepted, "20 destinations", "column-path", "dual-path", "multi-path"))
				},
			},
		},
	}
}

// carried chooses the cells at loads that all series carry, of panels whose name contains a text.
func (d *Data) carried(c *Chart, text string, series ...string) func(*cell) bool {
	return func(in *cell) bool {
		for _, s := range series {
			if len(in.samples[s]) == 0 {
				return false
			}
		}
		return strings.Contains(in.panel, text)
	}
}

func qgFig17() Entry {
	latency, accepted := underLoad("qg.fig17", "Multicasts of all nodes, long preparation", Join("topology", "preparation"))
	const conditions = "10x10 and 16x16, 10 destinations; " + loadConditions
	long := "figures 17 and 18"
	return Entry{
		ID: "qg.fig17", Paper: QG, Figure: "figures 17 and 18, section 4.2", Title: "Latency of multicasts with long preparation", Plan: "qg.fig17.yaml",
		Charts: []Chart{latency, accepted},
		Claims: []Claim{
			{
				ID: "S4-34", Text: "Preparing Qualified Groups in 45 cycles does not change the conclusion that they are best at high load.",
				Conditions: "preparation 2, 2, 8, 45; " + conditions, Printed: "same conclusion", Criterion: bestCriterion,
				Judge: func(d *Data) Finding { return best(d, &latency, &accepted, long) },
			},
			{
				ID: "S4-30", Text: "Results change little when Qualified Groups take up to 50 cycles of preparation instead of 16.", Conditions: conditions,
				Printed: "2, 2, 4 and 16 cycles; not substantially",
				Criterion: "latency of qg with 50 cycles over that with 16 below 1.1 at every load that both carry, and the largest completed loads overlap within 5 %; " +
					"measured value: largest ratio of latencies",
				Judge: func(d *Data) Finding { return littleChange(d, &latency, &accepted) },
			},
		},
	}
}

// littleChange compares qg with 50 and with 16 cycles of preparation; the panels of a chart differ in it.
func littleChange(d *Data, latency, accepted *Chart) Finding {
	var n count
	worst, text := estimate{}, ""
	for _, panel := range d.panelsOf(latency, "50 cycles") {
		mesh, _, _ := strings.Cut(panel, ", ")
		usual := mesh + ", preparation of the text"
		cells, _ := d.cells(latency)
		for i := range cells {
			in := &cells[i]
			if in.panel != panel || len(in.samples["qg"]) == 0 {
				continue
			}
			for k := range cells {
				if cells[k].panel != usual || cells[k].x != in.x {
					continue
				}
				both := cell{panel: mesh, x: in.x, samples: cells[k].samples}
				e := estimateOf((&cell{samples: map[string][]metrics.Sample{"fifty": in.samples["qg"], "usual": both.samples["qg"]}}).ratios("fifty", "usual"))
				if !e.ok {
					continue
				}
				n = n.add(one(&e, below, 1.1))
				if !worst.ok || e.Mean > worst.Mean {
					worst, text = e, both.where()
				}
			}
		}
		a, b := d.throughput(accepted, panel, "qg"), d.throughput(accepted, usual, "qg")
		if a.ok && b.ok {
			ratio := estimate{a.Interval, true}
			ratio.Mean, ratio.Low, ratio.High = a.Mean/b.Mean, a.Low/b.High, a.High/b.Low
			n = n.add(one(&ratio, above, 0.95))
			text += fmt.Sprintf("; largest completed load in %s: %.4f with 50 cycles, %.4f with 16", mesh, a.Mean, b.Mean)
		}
	}
	if !worst.ok {
		return nothing("nothing was measured")
	}
	f := Finding{Verdict: n.verdict(), Detail: fmt.Sprintf("largest ratio %s at %s", worst.text(), text)}
	f.some(worst)
	return f
}

func qgFig19() Entry {
	latency, accepted := underLoad("qg.fig19", "One multicast in ten messages, 10x10 mesh", "multicast_destinations")
	const conditions = "10x10, 10 % multicasts to 10 or 20 nodes among unicasts, preparation 2, 2, 4, 16; " + loadConditions
	return Entry{
		ID: "qg.fig19", Paper: QG, Figure: "figures 19 and 20", Title: "Latency of multicasts among unicasts", Plan: "qg.fig19.yaml",
		Charts: []Chart{latency, accepted},
		Claims: []Claim{
			{
				ID: "S4-35", Text: "Among unicasts, multi-path is lowest and column-path highest at light load; at heavy load Qualified Groups are best in latency and throughput, then column-path.",
				Conditions: conditions, Printed: "comparable, slightly lower, higher; best, followed by column-path",
				Criterion: "at the smallest load multi-path / each other below 1 and column-path / each other above 1; " + bestCriterion +
					"; column-path completes more than dual-path and multi-path",
				Judge: func(d *Data) Finding {
					f := best(d, &latency, &accepted, "destinations")
					return join(f, d.everywhere(&latency, d.lightest(&latency, ""), pair{"multi-path", "dual-path", below}, pair{"multi-path", "qg", below},
						pair{"column-path", "dual-path", above}, pair{"column-path", "multi-path", above}, pair{"column-path", "qg", above}),
						carries(d, &accepted, "destinations", "column-path", "dual-path", "multi-path"))
				},
			},
			{
				ID: "S4-36", Text: "The advantage of Qualified Groups over column-path grows with the number of destinations.", Conditions: conditions, Printed: "more noticeable",
				Criterion: "qg / column-path is lower with 20 destinations than with 10 at every load that all carry, outside the intervals; measured value: geometric mean of qg / column-path at 20",
				Judge:     func(d *Data) Finding { return advantageGrows(d, &latency) },
			},
		},
	}
}

// advantageGrows compares ratios with 10 and with 20 destinations at equal loads.
func advantageGrows(d *Data, c *Chart) Finding {
	ten, _ := d.compare(c, "qg", "column-path", d.carried(c, "10 destinations", "qg", "column-path"))
	twenty, _ := d.compare(c, "qg", "column-path", d.carried(c, "20 destinations", "qg", "column-path"))
	var n count
	var details []string
	for i := range twenty {
		for k := range ten {
			if ten[k].cell.x == twenty[i].cell.x {
				n = n.add(lower(&twenty[i].estimate, &ten[k].estimate))
				details = append(details, fmt.Sprintf("at %g: %s with 10, %s with 20", ten[k].cell.x, ten[k].text(), twenty[i].text()))
			}
		}
	}
	if len(details) == 0 {
		return nothing("nothing was measured")
	}
	f := Finding{Verdict: n.verdict(), Detail: strings.Join(details, "; ")}
	f.some(overall(twenty))
	return f
}
