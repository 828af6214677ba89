package paper

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/workloads"
)

// mrrEntries are the figures of the MRR paper.
func mrrEntries() []claim.Entry {
	usual := setting{rules: "live"}
	other := setting{rules: "paper", variants: []string{"", "buffered", "paper"}}
	broadcasts := setting{rules: "paper", column: "network.rotary.rules", variants: []string{"", "paper"}}
	same := setting{rules: "live", variants: []string{"", "buffered", "live"}}
	knee := func(rules string) setting {
		return setting{rules: rules, knee: 3, variants: []string{"", "buffered, 8 destinations", rules + ", 8 destinations", "buffered, broadcasts", rules + ", broadcasts"}}
	}
	both := func(id string, s setting) []chart.Chart { return append(throughput(id, s), networkEnergy(id, s)...) }
	list := []claim.Entry{
		{ID: "mrr.sec1", Figure: "section 1", Title: "Saturation without multicast support", Plan: "mrr.sec1.yaml"},
		{ID: "mrr.fig1", Figure: "figure 1", Title: "Unicast, tree and path on a 4-ary 2-cube", Plan: "mrr.fig1.yaml", Charts: threeWays()},
		{ID: "mrr.fig6", Figure: "figure 6", Title: "Broadcasts only: tree, path and MRR", Plan: "mrr.fig6.yaml", Charts: broadcastsOnly("mrr.fig6", usual)},
		{ID: "mrr.fig6-rules", Figure: "figure 6", Title: "Figure 6 with rule set paper of the rotary routers", Plan: "mrr.fig6-rules.yaml", Charts: broadcastsOnly("mrr.fig6-rules", broadcasts)},
		{ID: "mrr.fig7", Figure: "figure 7", Title: "Low-load latency, normalised to BASE", Plan: "mrr.lowload.yaml", Charts: lowLoad("mrr.fig7", usual)},
		{ID: "mrr.fig7-rules", Figure: "figure 7", Title: "Figure 7 with rule set paper of the rotary routers", Plan: "mrr.lowload-rules.yaml",
			Charts: append(lowLoad("mrr.fig7-rules", same), lowLoad("mrr.fig7-rules", other)...)},
		{ID: "mrr.fig8", Figure: "figure 8", Title: "Throughput at maximum load, normalised to BASE", Plan: "mrr.maxload.yaml", Charts: throughput("mrr.fig8", usual)},
		{ID: "mrr.fig8-rules", Figure: "figures 8 and 10", Title: "Figures 8 and 10 with rule set paper of the rotary routers", Plan: "mrr.maxload-rules.yaml", Charts: both("mrr.fig8-rules", other)},
		{ID: "mrr.fig9", Figure: "figure 9", Title: "Throughput over the applied load, 10 % broadcasts", Plan: "mrr.loads.yaml", Charts: overLoad("mrr.fig9", usual)},
		{ID: "mrr.fig9-rules", Figure: "figure 9", Title: "Figure 9 with rule set paper of the rotary routers", Plan: "mrr.loads-rules.yaml", Charts: overLoad("mrr.fig9-rules", other)},
		{ID: "mrr.fig10", Figure: "figure 10", Title: "Network ED2P at maximum load, normalised to BASE", Plan: "mrr.maxload.yaml", Charts: networkEnergy("mrr.fig10", usual)},
		{ID: "mrr.knee", Figure: "figures 8 and 10", Title: "Figures 8 and 10 at the knee of latency", Plan: "mrr.knee.yaml", Charts: append(both("mrr.knee", knee("live")), both("mrr.knee", knee("paper"))...)},
		{ID: "mrr.fig11", Figure: "figure 11", Title: "Execution time and network ED2P of a chip, normalised to BASE", Plan: "mrr.fig11.yaml", Charts: chips()},
		{ID: "mrr.fig11-sensitivity", Figure: "figure 11", Title: "Figure 11 with one assumption changed at a time", Plan: "mrr.fig11-sensitivity.yaml", Charts: sensitivity()},
	}
	for i := range list {
		list[i].Paper = mrr
	}
	return list
}

// setting is what figures over patterns and shares are measured under: a rule set of the rotary
// routers, and a load.
type setting struct {
	rules    string
	column   string // that tells rule sets apart; "" is variant
	variants []string
	knee     float64
}

// apply restricts a chart to the setting and names it in name and title.
func (s setting) apply(c chart.Chart) chart.Chart {
	c.Title += ", rotary rules " + s.rules
	if s.variants != nil {
		column := s.column
		if column == "" {
			column = "variant"
		}
		c.Name += "-" + s.rules
		c.Only = map[string][]string{column: s.variants}
	}
	c.Knee = s.knee
	return c
}

// load says at which load the setting measures.
func (s setting) load() string {
	if s.knee > 0 {
		return "at the knee"
	}
	return "at an offered load of 1"
}

// threeWays are the charts of figure 1.
func threeWays() []chart.Chart {
	c := chart.Chart{Series: chart.By("router"), X: offered}
	latency, delivered := c, c
	latency.Name, latency.Title, latency.YMax = "mrr.fig1", "Latency of three ways of multicasting, 10 % broadcasts, 4-ary 2-cube", 400
	latency.Measure = chart.Measure{Column: "latency_mean", Quantity: "latency", Unit: "cycles"}
	delivered.Name, delivered.Title = "mrr.fig1-delivered", "Delivered load of three ways of multicasting, 10 % broadcasts, 4-ary 2-cube"
	delivered.Measure = chart.Measure{Column: "delivered", Quantity: "delivered load", Unit: "phits/node/cycle"}
	return []chart.Chart{latency, delivered}
}

// offered is the axis of offered loads.
var offered = chart.Over("offered", "offered load [phits/node/cycle]")

// broadcastsOnly are the charts of figure 6.
func broadcastsOnly(id string, s setting) (charts []chart.Chart) {
	for _, m := range []struct {
		name, title, measure, quantity, unit string
		most                                 float64
	}{
		{"-distance", "Links crossed by the copies of broadcasts", "multicast_path_mean", "average distance", "links", 0},
		{"-latency", "Latency of the copies of broadcasts", "latency_mean", "latency", "cycles", 1000},
		{"-delivered", "Delivered load", "delivered", "delivered load", "phits/node/cycle", 0},
	} {
		charts = append(charts, s.apply(chart.Chart{Name: id + m.name, Title: m.title + ", broadcasts only, 8x8 torus",
			Measure: chart.Measure{Column: m.measure, Quantity: m.quantity, Unit: m.unit}, Series: chart.By("router"), X: offered, YMax: m.most}))
	}
	return charts
}

// synthetic is what the figures over patterns and shares of multicasts have in common (table 3 of
// the paper).
func synthetic(c chart.Chart) chart.Chart {
	c.Series, c.Baseline = chart.By("router"), "base"
	c.Panel, c.Group, c.Label = chart.By("multicast_destinations"), chart.By("pattern"), chart.By("multicast_fraction")
	c.Names = map[chart.Value]string{
		{Column: "multicast_destinations", Value: "8"}: "multicasts to 8 nodes", {Column: "multicast_destinations", Value: "63"}: "broadcasts",
	}
	for _, percent := range []string{"1", "5", "10", "15"} {
		share, _ := strconv.ParseFloat(percent, 64)
		c.Names[chart.Value{Column: "multicast_fraction", Value: fmt.Sprint(share / 100)}] = percent + " %"
	}
	return c
}

// lowLoad is the chart of figure 7.
func lowLoad(id string, s setting) []chart.Chart {
	return []chart.Chart{s.apply(synthetic(chart.Chart{Name: id, Title: "Latency at a load of 0.01 phits per node and cycle, 8x8 torus",
		Measure: chart.Measure{Column: "latency_mean", Quantity: "latency"}}))}
}

// throughput are the charts of figure 8. Where a router takes unicasts and multicasts in another
// mix than they are offered, what it delivers and what it accepts differ; claims are judged by what
// it delivers.
func throughput(id string, s setting) []chart.Chart {
	one := func(measure, definition string) chart.Chart {
		return s.apply(synthetic(chart.Chart{Name: id + "-" + measure, Measure: chart.Measure{Column: measure, Quantity: measure + " load", Definition: definition},
			Title: fmt.Sprintf("%s load %s, 8x8 torus", strings.ToUpper(measure[:1])+measure[1:], s.load())}))
	}
	return []chart.Chart{one("delivered", "each copy counts"), one("accepted", "a multicast counts once")}
}

// overLoad are the charts of figure 9.
func overLoad(id string, s setting) (charts []chart.Chart) {
	for _, measure := range []string{"delivered", "accepted"} {
		charts = append(charts, s.apply(chart.Chart{Name: id + "-" + measure, Title: "Throughput over offered load, 10 % broadcasts, 8x8 torus: " + measure + " load",
			Measure: chart.Measure{Column: measure, Quantity: measure + " load", Unit: "phits/node/cycle"}, Series: chart.By("router"), Panel: chart.By("pattern"), X: offered}))
	}
	return charts
}

// networkEnergy makes a chart of figure 10 for each way of pricing, and for each way of understanding
// "energy divided by the square of throughput": the literal one, the energy of the measurement
// window, and that of a fixed amount of work. Pictures are drawn of the literal reading with the
// prices of the paper's tool and the usual ones; the others are in the table.
func networkEnergy(id string, s setting) (charts []chart.Chart) {
	for i, prices := range experiment.AllPrices() {
		for _, r := range []struct{ measure, name, definition string }{
			{"ed2p", "window", "energy of the window / throughput^2"}, {"ed2p_per_phit", "phit", "energy per delivered phit / throughput^2"},
		} {
			c := s.apply(synthetic(chart.Chart{Name: fmt.Sprintf("%s-ed2p-%d-%s", id, i+1, r.name),
				Title:   fmt.Sprintf("Network ED2P (%s) %s, 8x8 torus, priced with %s", r.definition, s.load(), prices.Name),
				Measure: chart.Measure{Column: r.measure, Quantity: "ED2P", Definition: r.definition}, Prices: prices.Name}))
			c.TableOnly = r.name != "window" || prices.Name != experiment.PaperPrices && prices.Name != experiment.UsualPrices
			charts = append(charts, c)
		}
	}
	return charts
}

// chipEnergy is a chart of the network's ED2P for each way of pricing.
func chipEnergy(name, title string, c chart.Chart) (charts []chart.Chart) {
	for i, p := range experiment.AllPrices() {
		c.Name, c.Title = fmt.Sprintf("%s-ed2p-%d", name, i+1), title+", priced with "+p.Name
		c.Measure = chart.Measure{Column: "ed2p_js2", Quantity: "network ED2P",
			Definition: "energy x execution time^2 of a fixed amount of work, for which both readings are one"}
		c.Prices = p.Name
		c.TableOnly = p.Name != experiment.PaperPrices && p.Name != experiment.UsualPrices
		charts = append(charts, c)
	}
	return charts
}

// executionTime is the measure of figure 11.
var executionTime = chart.Measure{Column: "cycles", Quantity: "execution time"}

// chips are the charts of figure 11.
func chips() []chart.Chart {
	c := chart.Chart{Measure: executionTime, Series: chart.By("router"), Baseline: "base",
		Panel: chart.By("protocol"), Label: chart.By("workload"), Mean: chart.PlainMean,
		Group: chart.Axis{Columns: []string{"workload"}, Names: map[chart.Value]string{}},
		Names: map[chart.Value]string{{Column: "protocol", Value: "token"}: "token coherence", {Column: "protocol", Value: "directory"}: "directory coherence"}}
	for _, w := range workloads.Table {
		c.Group.Names[chart.Value{Column: "workload", Value: w.Name}] = string(w.Kind) + "s"
	}
	time := c
	time.Name, time.Title = "mrr.fig11-time", "Execution time of a 16-core chip, 8x8 torus, rotary rules live"
	return append([]chart.Chart{time}, chipEnergy("mrr.fig11", "Network ED2P of a 16-core chip, 8x8 torus, rotary rules live", c)...)
}

// sensitivity are the charts of figure 11 with one assumption changed at a time. The paper gives
// neither timeout nor number of tokens nor the places of cores and memory controllers.
func sensitivity() []chart.Chart {
	c := chart.Chart{Measure: executionTime, Series: chart.By("router"), Baseline: "base", Panel: chart.By("workload"), Label: chart.By("variant")}
	time := c
	time.Name, time.Title = "mrr.fig11-sensitivity-time", "Execution time, one assumption changed at a time"
	return append([]chart.Chart{time}, chipEnergy("mrr.fig11-sensitivity", "Network ED2P, one assumption changed at a time", c)...)
}
