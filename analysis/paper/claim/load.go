package claim

import (
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
)

// UnderLoad is a pair of charts over the load: the latency of multicasts, and the load that is
// completed.
func UnderLoad(name, title, panel string) (latency, accepted chart.Chart) {
	latency = chart.Chart{Name: name, Title: title, Measure: "multicast_latency_mean", Quantity: "latency of multicasts",
		Definition: "from generation to the last destination's tail; none where the network does not carry the load", Unit: "cycles", Series: "scheme", Panel: panel,
		X: "offered", XLabel: "offered load [flits/node/cycle], a multicast counting once", YMax: 1500,
		Names: map[string]string{"multicast_destinations=10": "10 destinations", "multicast_destinations=20": "20 destinations",
			"preparation=captions": "preparation of figures 17 and 18", "preparation=text": "preparation of the text", "preparation=fifty": "50 cycles of preparation for qg"}}
	accepted = latency
	accepted.Name, accepted.Title, accepted.Measure, accepted.Quantity = name+"-accepted", title+": completed", "accepted", "completed load"
	accepted.Definition, accepted.Unit, accepted.YMax = "a multicast counts once, when its last destination has it", "flits/node/cycle", 0
	return latency, accepted
}

// Lightest chooses the cells at the smallest load, of panels whose name contains a text.
func Lightest(d *chart.Data, c *chart.Chart, text string) func(*chart.Cell) bool {
	low, _, _ := Ends(d, c)
	return func(in *chart.Cell) bool { return in.X == low && strings.Contains(in.Panel, text) }
}

// PanelsOf lists the panels of a chart whose name contains a text.
func PanelsOf(d *chart.Data, c *chart.Chart, text string) (list []string) {
	cells, _ := d.Cells(c)
	for i := range cells {
		if p := cells[i].Panel; strings.Contains(p, text) && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// Heaviest chooses, in each panel whose name contains a text, the largest load that all series
// carry.
func Heaviest(d *chart.Data, c *chart.Chart, text string, series ...string) func(*chart.Cell) bool {
	cells, _ := d.Cells(c)
	most := map[string]float64{}
	for i := range cells {
		in := &cells[i]
		all := strings.Contains(in.Panel, text)
		for _, s := range series {
			all = all && len(in.Samples[s]) > 0
		}
		if all {
			most[in.Panel] = max(most[in.Panel], in.X)
		}
	}
	return func(in *chart.Cell) bool { return most[in.Panel] == in.X && in.X > 0 }
}

// OrMore marks the text of a capacity that is only a lower bound, or unknown.
func OrMore(capacity *chart.Estimate, text string) string {
	switch {
	case capacity.N == 0:
		return "(not measured)"
	case !capacity.OK:
		return text + " or more"
	}
	return text
}

// Capacity returns the largest load that a series completes in a panel. It is unknown where the
// series was not saturated at the largest load of the plan, for it may carry more: the estimate is
// then a lower bound, and not OK.
func Capacity(d *chart.Data, accepted *chart.Chart, panel, series string) (best chart.Estimate) {
	cells, _ := d.Cells(accepted)
	last, saturated := 0.0, false
	for i := range cells {
		in := &cells[i]
		e := accepted.Estimate(in, series)
		if in.Panel != panel || !e.OK {
			continue
		}
		if !best.OK || e.Mean > best.Mean {
			best = e
		}
		if in.X >= last {
			last, saturated = in.X, in.Saturated[series] > 0
		}
	}
	best.OK = best.OK && saturated
	return best
}

// Carried chooses the cells at loads that all series carry, of panels whose name contains a text.
func Carried(d *chart.Data, c *chart.Chart, text string, series ...string) func(*chart.Cell) bool {
	return func(in *chart.Cell) bool {
		for _, s := range series {
			if len(in.Samples[s]) == 0 {
				return false
			}
		}
		return strings.Contains(in.Panel, text)
	}
}

// Ends are the smallest and the largest position of a chart's curves.
func Ends(d *chart.Data, c *chart.Chart) (least, most float64, ok bool) {
	cells, err := d.Cells(c)
	if err != nil || len(cells) == 0 {
		return 0, 0, false
	}
	least, most = cells[0].X, cells[0].X
	for i := range cells {
		least, most = min(least, cells[i].X), max(most, cells[i].X)
	}
	return least, most, true
}
