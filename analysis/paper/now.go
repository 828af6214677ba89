package paper

import (
	"math/bits"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/show/chart"
)

// postorder is the series of the algorithm of the paper about networks of workstations.
const postorder = "postorder-doubling"

// nowEntries are the figures of that paper.
func nowEntries() []claim.Entry {
	latency := chart.Chart{Measure: chart.Measure{Column: "multicast_latency_mean", Quantity: "latency", Unit: "us", Scale: 0.01}}
	multiple := latency
	multiple.Name, multiple.Title = "now.multiple", "Latency of multicasts of all nodes, 64 nodes"
	multiple.Series, multiple.Panel = chart.By("scheme"), chart.By("topology", "multicast_destinations")
	multiple.X, multiple.YMax = chart.Over("offered", "offered load [flits/node/cycle]"), 200
	multiple.Names = map[chart.Value]string{{Column: "multicast_destinations", Value: "7"}: "7 destinations", {Column: "multicast_destinations", Value: "31"}: "31 destinations"}
	return []claim.Entry{
		{ID: "now.fig3", Paper: now, Figure: "figure 3", Title: "One multicast at a time", Plan: "now.fig3.yaml", Charts: []chart.Chart{stepsPicture(latency)}},
		{ID: "now.multiple", Paper: now, Figure: "section 5", Title: "Multicasts of all nodes at once", Plan: "now.multiple.yaml", Charts: []chart.Chart{multiple}},
	}
}

// stepsPicture is figure 3. It has the paper's curves in one panel: both sizes and the bound on the startups, in
// microseconds. A second panel has lattices without gaps. Chains in random order and separate
// messages, which take several times as long, are in the table alone.
func stepsPicture(c chart.Chart) chart.Chart {
	c.Name, c.Title, c.X = "now.fig3", "Latency of one multicast", chart.Over("multicast_destinations", "destinations")
	c.Panel, c.Series = chart.By("topology"), chart.By("topology", "scheme")
	c.Panel.Names, c.Series.Names = map[chart.Value]string{}, map[chart.Value]string{{Column: "scheme", Value: postorder}: ""}
	c.Only = map[string][]string{"topology": {"lattice:64:1", "lattice:256:1", "lattice:64:1:8", "lattice:256:1:16"}, "scheme": {postorder}}
	for _, nodes := range []string{"64", "256"} {
		for i, form := range []string{"lattice:" + nodes + ":1", map[string]string{"64": "lattice:64:1:8", "256": "lattice:256:1:16"}[nodes]} {
			at := chart.Value{Column: "topology", Value: form}
			c.Panel.Names[at] = []string{"Random points of a lattice", "All points of a lattice"}[i]
			c.Series.Names[at] = nodes + " nodes"
		}
	}
	for _, panel := range []string{"Random points of a lattice", "All points of a lattice"} {
		for d := 1; d < 256; d++ {
			us := 10 * float64(bits.Len(uint(d))) // ceil(log2(d+1)) is the length of d in bits
			c.References = append(c.References, chart.Reference{Place: chart.Place{Panel: panel, X: float64(d)}, Series: "bound: ceil(log2(d+1)) x 10 us", Value: us, Low: us, High: us})
		}
	}
	return c
}
