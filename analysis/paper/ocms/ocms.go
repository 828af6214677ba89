package ocms

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Paths returns the entry of sections 3, 4 and 6: optimal stars against dual-path and multi-path.
func Paths() claim.Entry {
	const note = "strict: the first hop is the one that R takes, as in the paper; free: any that labels allow, an extension"
	channels := chart.Chart{Name: "ocms", Title: "Channels of one multicast", Measure: "multicast_channels", Quantity: "channels", Definition: note, Unit: "channels",
		Series: "scheme", Panel: "topology", X: "multicast_destinations", XLabel: "destinations"}
	latency := chart.Chart{Name: "ocms-latency", Title: "Latency of one multicast, 64 flits: 33 + 64 and the longest path", Measure: "multicast_latency_mean", Quantity: "latency",
		Definition: note, Unit: "cycles", Series: "scheme", Panel: "topology", X: "multicast_destinations", XLabel: "destinations"}
	const conditions = "stars whose first hops follow R, as equation 5 asks, which those of dual-path do and those of multi-path need not; 8x8 and 16x16 meshes, 5 to 60 destinations, one at a time; and 2,000 random multicasts on small meshes"
	return claim.Entry{
		ID: "ocms", Paper: OCMS, Figure: "sections 3, 4 and 6", Title: "Optimal stars against dual-path and multi-path", Plan: "ocms.yaml",
		Charts: []chart.Chart{channels, latency},
		Claims: []claim.Claim{
			{
				ID: "S1-14", Text: "The star with the fewest channels uses no more than any other path-based star.", Conditions: conditions, Printed: "optimal",
				Criterion: "mean channels of ocms over dual-path below 1 in every cell, and no random multicast for which dual-path uses fewer; measured value: the largest ratio. All divisions are compared in S1-08; multi-path stands beside",
				Judge: func(d *chart.Data) claim.Finding {
					return optimal(d, &channels, "ocms")
				},
			},
			{
				ID: "S1-15", Text: "The star with the shortest longest path has none longer than any other path-based star.", Conditions: conditions, Printed: "optimal",
				Criterion: "mean latency of otms over dual-path below 1 in every cell, although paths of a star may share channels and wait for each other, and no random multicast for which dual-path has a shorter longest path; " +
					"measured value: the largest ratio. All divisions are compared in S1-10; multi-path stands beside",
				Judge: func(d *chart.Data) claim.Finding {
					return optimal(d, &latency, "otms")
				},
			},
		},
	}
}

// optimal compares a scheme with dual-path, whose worms are a star of the same kind: what was
// measured, and multicast by multicast. Multi-path, whose first hops are free, stands beside.
func optimal(d *chart.Data, c *chart.Chart, scheme string) claim.Finding {
	f := claim.InEveryCell(d, c, nil, claim.Lower(scheme, "dual-path"))
	if !f.Measured.Known {
		return f
	}
	f.Detail += "; beside: " + claim.Everywhere(d, c, nil, claim.Lower(scheme, "multi-path")).Detail +
		"; free first hops: " + claim.Everywhere(d, c, nil, claim.Lower(scheme+"-free", "multi-path")).Detail
	return f
}

// Load returns the entry of section 2.2: optimal stars against dual-path and multi-path under load.
func Load() claim.Entry {
	latency, accepted := claim.UnderLoad("ocms.load", "Optimal stars under load", chart.Join("topology", "multicast_destinations"))
	return claim.Entry{
		ID: "ocms.load", Paper: OCMS, Figure: "section 2.2", Title: "Optimal stars against dual-path and multi-path under load", Plan: "ocms.load.yaml",
		Charts: []chart.Chart{latency, accepted},
		Claims: []claim.Claim{{
			ID: "S1-07", Text: "Label-ordered worms do not deadlock.", Conditions: "10x10 and 16x16 meshes, multicasts of all nodes to 10 and 20 others, 64 flits, buffers of one flit, loads beyond saturation",
			Printed: "deadlock-free", Criterion: "every scheme completes messages at every load, far above saturation too; measured value: least load completed at the largest load",
			FailureRefutes: true,
			Judge:          func(d *chart.Data) claim.Finding { return alwaysMoves(d, &latency, &accepted) },
		}},
	}
}

// alwaysMoves looks for points that a deadlock has ended: they have no completed load.
func alwaysMoves(d *chart.Data, latency, accepted *chart.Chart) claim.Finding {
	cells, _ := d.Cells(accepted)
	_, high, ok := claim.Ends(d, accepted)
	series := chart.SeriesOf(d, accepted)
	if !ok {
		return claim.Nothing("nothing was measured")
	}
	least, stopped, saturated, points := chart.Estimate{}, 0, 0, 0
	for i := range cells {
		for _, s := range series {
			points++
			e := accepted.Estimate(&cells[i], s)
			if !e.OK || e.Mean == 0 {
				stopped++
				continue
			}
			saturated += min(cells[i].Saturated[s], 1)
			if cells[i].X == high && (!least.OK || e.Mean < least.Mean) {
				least = e
			}
		}
	}
	f := claim.Fact(stopped == 0 && saturated > 0, least.Mean, fmt.Sprintf("%d of %d points stopped, %d were saturated", stopped, points, saturated))
	if stopped == 0 && saturated == 0 {
		f.Verdict = tables.Open // an idle network proves nothing
	}
	f.Some(least)
	best := claim.Heaviest(d, latency, "", "otms-free", "multi-path", "dual-path")
	f.Detail += "; latency at the largest load that all carry: " + claim.Everywhere(d, latency, best, claim.Lower("otms-free", "multi-path"), claim.Lower("otms", "dual-path")).Detail
	return f
}
