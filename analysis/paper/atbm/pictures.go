package atbm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
)

// microseconds of a cycle, the time of a flit.
const cycleTime = 0.02

// stageNames are the multistage networks as the paper calls them.
func stageNames() map[string]string {
	names := map[string]string{"consumption=1": "one consumption channel", "consumption=4": "four consumption channels",
		"multicast_fraction=0.2": "20 % multicast", "multicast_fraction=0.5": "50 % multicast", "packet_phits=64": "64 flits",
		"packet_phits=128": "128 flits", "packet_phits=256": "256 flits"}
	for _, n := range sizes {
		for _, b := range arities {
			for _, way := range ways {
				names["topology="+way.spec(n, b)] = fmt.Sprintf("%s %d nodes %dx%d", way.name, n, b, b)
			}
		}
	}
	return names
}

// The networks of the paper.
var (
	sizes   = []int{16, 64, 256, 512}
	arities = []int{2, 4, 8}
	ways    = []way{{"UNI", "min:baseline", "CMIN"}, {"BI", "bimin:butterfly", "UMIN"}}
)

// way is a kind of network and what software multicasts are called in it.
type way struct{ name, form, software string }

func (w way) spec(nodes, arity int) string { return fmt.Sprintf("%s:%d:%d", w.form, nodes, arity) }

// picture is one figure of the paper: four panels with a curve for each size and scheme.
type picture struct {
	suffix, title string
	arities       []int // of the switches
	nodes         []int // nil takes all
	// bySwitch has a curve for each size of switches, where curves are else told apart by the
	// number of nodes.
	bySwitch bool
	// byMulticasts has panels for the sizes of switches, all of multicasts, instead of multicasts
	// and unicasts.
	byMulticasts bool
	scheme       string  // column that tells schemes apart; "" is scheme
	highest      float64 // microseconds
	only         map[string][]string
}

// charts makes the picture of latencies under a reading, and that of the load that is delivered.
func (p picture) charts(id string, r reading) []chart.Chart {
	name := id + p.suffix + strings.ReplaceAll(r.suffix, " ", "-")
	var panels, delivered []chart.Chart
	for i, w := range ways {
		if p.byMulticasts {
			for k, b := range p.arities {
				panels = append(panels, p.panel(w, []int{b}, r, "multicast_latency_mean", fmt.Sprintf("(%c) Multicasts, %s %dx%d (%s)", 'a'+2*i+k, w.name, b, b, w.software)))
			}
		} else {
			panels = append(panels, p.panel(w, p.arities, r, "multicast_latency_mean", fmt.Sprintf("(%c) Multicasts, %s (%s)", 'a'+2*i, w.name, w.software)),
				p.panel(w, p.arities, r, "unicast_latency_mean", fmt.Sprintf("(%c) Unicasts, %s (%s)", 'b'+2*i, w.name, w.software)))
		}
		load := p.panel(w, p.arities, r, "accepted", fmt.Sprintf("%s (%s)", w.name, w.software))
		load.Quantity, load.Definition, load.Unit, load.Scale, load.YMax = "delivered load", "copies, in the unit of the load", "of buffer-time", 0, 0
		delivered = append(delivered, load)
	}
	return []chart.Chart{joined(name, p.title+", multicast fraction of "+r.name, panels), joined(name+"-delivered", p.title+", fraction of "+r.name+": delivered load", delivered)}
}

// joined makes one picture of the charts of its panels.
func joined(name, title string, panels []chart.Chart) chart.Chart {
	for i := range panels {
		panels[i].Name, panels[i].Title = name, title
	}
	whole := panels[0]
	whole.With = panels[1:]
	return whole
}

// panel is the chart of one panel.
func (p picture) panel(w way, arities []int, r reading, measure, title string) chart.Chart {
	c := chart.Chart{Measure: measure, Quantity: "latency", Definition: "from generation to the last destination's tail; none where the network does not carry the load",
		Unit: "us", Scale: cycleTime, Series: chart.Join("topology", cmp.Or(p.scheme, "scheme")), Panel: "topology", X: "offered", XLabel: "normalized load", YMax: p.highest,
		Names: curveNames(), Only: map[string][]string{"mix": {r.name}}}
	for column, values := range p.only {
		c.Only[column] = values
	}
	for _, n := range sizes {
		for _, b := range arities {
			if p.nodes != nil && !slices.Contains(p.nodes, n) {
				continue
			}
			spec := w.spec(n, b)
			c.Names["panel:topology="+spec] = title
			c.Names["series:topology="+spec] = fmt.Sprintf("%d nodes", n)
			if p.bySwitch {
				c.Names["series:topology="+spec] = fmt.Sprintf("%dx%d", b, b)
			}
			c.Only["topology"] = append(c.Only["topology"], spec)
		}
	}
	return c
}

// curveNames are the schemes as the paper calls them; the legend is the same for all panels.
func curveNames() map[string]string {
	return map[string]string{"series:scheme=atbm": "ATBM", "series:scheme=software": "CMIN / UMIN",
		"series:variant=atbm": "ATBM", "series:variant=atbm-once": "ATBM, token time once", "series:variant=software": "CMIN / UMIN"}
}
