package paper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/show/chart"
)

// atbmEntries are the figures of the paper about tree worms.
func atbmEntries() []claim.Entry {
	list := []claim.Entry{{ID: "atbm.fig14", Figure: "figure 14, section 5.2", Title: "Contention-free multicasts, tree worms against software",
		Charts: []chart.Chart{alonePicture()}}}
	fifth, longer := map[string][]string{"multicast_fraction": {"0.2"}}, map[string][]string{"packet_phits": {"128"}}
	for _, f := range []struct {
		id, figure, title string
		pictures          []picture
	}{
		{"atbm.fig15", "figure 15, section 5.3.1", "Multicasts and unicasts over the load, 2x2 switches",
			[]picture{{title: "2x2 switches, 50 % multicast", arities: []int{2}, scheme: "variant", highest: 60}}},
		{"atbm.fig16", "figure 16, section 5.3.1", "Multicasts and unicasts over the load, 4x4 switches",
			[]picture{{title: "4x4 switches, 50 % multicast", arities: []int{4}, highest: 60}}},
		{"atbm.fig17", "figure 17, section 5.3.1", "Multicasts and unicasts over the load, 8x8 switches",
			[]picture{{title: "8x8 switches, 50 % multicast", arities: []int{8}, highest: 60}}},
		{"atbm.switches", "section 5.3.1", "The same number of nodes with larger switches",
			[]picture{{title: "64 nodes, switches of 2x2, 4x4 and 8x8, 50 % multicast", arities: arities, nodes: []int{64}, bySwitch: true, highest: 60},
				{suffix: "-256", title: "256 nodes, switches of 2x2 and 4x4, 50 % multicast", arities: []int{2, 4}, nodes: []int{256}, bySwitch: true, highest: 60}}},
		{"atbm.tokens", "section 5.3.1", "The time of tokens and unicasts under heavy load", nil},
		{"atbm.fig18", "figure 18, section 5.3.2", "Fewer multicasts, 2x2 switches",
			[]picture{{title: "2x2 switches, 20 % multicast", arities: []int{2}, highest: 60, only: fifth}}},
		{"atbm.fig19", "figures 19 and 20, section 5.3.2", "Fewer multicasts, 4x4 and 8x8 switches",
			[]picture{{title: "4x4 switches, 20 % multicast", arities: []int{4}, highest: 60}, {suffix: "-8x8", title: "8x8 switches, 20 % multicast", arities: []int{8}, highest: 60}}},
		{"atbm.fig21", "figure 21, section 5.3.3", "Messages of 128 flits",
			[]picture{{title: "128 flits, 50 % multicast", arities: []int{4, 8}, byMulticasts: true, highest: 100, only: longer}}},
		{"atbm.fig22", "figure 22, section 5.3.3", "Messages of 256 flits",
			[]picture{{title: "256 flits, 50 % multicast", arities: []int{4, 8}, byMulticasts: true, highest: 200}}},
		{"atbm.fig23", "figure 23, section 5.3.4", "Several consumption channels",
			[]picture{{title: "Four consumption channels, 4x4 switches, 50 % multicast", arities: []int{4}, highest: 60, only: map[string][]string{"consumption": {"4"}}}}},
	} {
		e := claim.Entry{ID: f.id, Figure: f.figure, Title: f.title}
		for _, r := range readings {
			for _, p := range f.pictures {
				e.Charts = append(e.Charts, p.charts(f.id, r)...)
			}
		}
		list = append(list, e)
	}
	for i := range list {
		list[i].Paper, list[i].Plan = atbm, list[i].ID+".yaml"
	}
	return list
}

// reading is what the paper's ratio of multicasts is of, see the package.
type reading struct{ name, suffix string }

var readings = []reading{{"copies", ""}, {"messages", "-messages"}}

// microseconds of a cycle, the time of a flit.
const cycleTime = 0.02

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
	name := id + p.suffix + r.suffix
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
		load.Measure, load.YMax = chart.Measure{Column: "accepted", Quantity: "delivered load", Definition: "copies, in the unit of the load", Unit: "of buffer-time"}, 0
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
	c := chart.Chart{Measure: chart.Measure{Column: measure, Quantity: "latency", Definition: "from generation to the last destination's tail; none where the network does not carry the load",
		Unit: "us", Scale: cycleTime}, Series: curves(cmp.Or(p.scheme, "scheme")), Panel: chart.Axis{Columns: []string{"topology"}, Names: map[chart.Value]string{}},
		X: chart.Over("offered", "normalized load"), YMax: p.highest, Only: map[string][]string{"mix": {r.name}}}
	for column, values := range p.only {
		c.Only[column] = values
	}
	for _, n := range sizes {
		for _, b := range arities {
			if p.nodes != nil && !slices.Contains(p.nodes, n) {
				continue
			}
			spec := w.spec(n, b)
			at := chart.Value{Column: "topology", Value: spec}
			c.Panel.Names[at], c.Series.Names[at] = title, fmt.Sprintf("%d nodes", n)
			if p.bySwitch {
				c.Series.Names[at] = fmt.Sprintf("%dx%d", b, b)
			}
			c.Only["topology"] = append(c.Only["topology"], spec)
		}
	}
	return c
}

// curves tell networks and schemes apart, which have the paper's names; the legend is the same for all panels.
func curves(scheme string) chart.Axis {
	return chart.Axis{Columns: []string{"topology", scheme}, Names: map[chart.Value]string{
		{Column: scheme, Value: "atbm"}: "ATBM", {Column: scheme, Value: "atbm-once"}: "ATBM, token time once", {Column: scheme, Value: "software"}: "CMIN / UMIN"}}
}

// alonePicture is figure 14. It has a panel for each kind and size of network, and a curve for each size of switches
// and scheme.
func alonePicture() chart.Chart {
	var panels []chart.Chart
	for _, w := range ways {
		for _, n := range []int{64, 256} {
			c := chart.Chart{Measure: chart.Measure{Column: "multicast_latency_mean", Quantity: "latency of a multicast", Definition: "from its start to the tail at the last destination",
				Unit: "us", Scale: cycleTime}, Series: curves("variant"), Panel: chart.Axis{Columns: []string{"topology"}, Names: map[chart.Value]string{}},
				X: chart.Over("multicast_destinations", "destinations"), Only: map[string][]string{}}
			for _, b := range arities {
				spec := w.spec(n, b)
				c.Only["topology"] = append(c.Only["topology"], spec)
				at := chart.Value{Column: "topology", Value: spec}
				c.Series.Names[at] = fmt.Sprintf("%dx%d", b, b)
				c.Panel.Names[at] = fmt.Sprintf("(%c) %d nodes, %s (%s)", 'a'+len(panels), n, w.name, w.software)
			}
			panels = append(panels, c)
		}
	}
	return joined("atbm.fig14", "One multicast at a time, 64 flits", panels)
}
