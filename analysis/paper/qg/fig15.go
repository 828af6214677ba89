package qg

import (
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// loadConditions are those of the figures with many messages at a time: what the paper says of its
// simulator, and what it leaves open.
const loadConditions = "64 flits, exponential intervals at every node, unbounded first-come first-served queues, startup 33, buffers of one flit, " +
	"4 injection and 4 ejection channels; unicasts follow the labels except beside column-path, because dimension order deadlocks with label-ordered worms; " +
	"representatives start when they have the tail"

const bestCriterion = "at the largest load that all carry, qg over each other below 1; the largest load that qg completes above that of each other, " +
	outside + "; measured value: the largest ratio of latencies to the first"

// outside ends the criteria about largest loads.
const outside = "outside the intervals, where a scheme that was never saturated completes as much as it did or more"

// bestClaims judges where Qualified Groups are best, apart for meshes, which differ, and for
// column-path, which is not the paper's.
func bestClaims(latency, accepted *chart.Chart, id, text, conditions, words string) (list []claim.Claim) {
	for _, c := range []struct {
		suffix, panel string
		rivals        []string
	}{
		{"", "mesh:16x16", []string{"dual-path", "multi-path"}}, {" 10x10", "mesh:10x10", []string{"dual-path", "multi-path"}},
		{" column-path", "", []string{"column-path"}},
	} {
		one := claim.Claim{ID: id + c.suffix, Text: text, Conditions: conditions, Printed: "better", Criterion: bestCriterion,
			Judge: func(d *chart.Data) claim.Finding { return best(d, latency, accepted, c.panel+words, c.rivals...) }}
		if one.Conditions += "; " + c.panel; c.panel == "" {
			one.Conditions = conditions + slowColumns
		}
		one.Conditions += "; against " + strings.Join(c.rivals, " and ")
		list = append(list, one)
	}
	return list
}

// Fig15 returns the entry of figures 15 and 16: latency of multicasts over their load.
func Fig15() claim.Entry {
	latency, accepted := claim.UnderLoad("qg.fig15", "Multicasts of all nodes", chart.Join("topology", "multicast_destinations"))
	const conditions = "10x10 and 16x16, preparation 2, 2, 4, 16; " + loadConditions
	twenty := latency
	twenty.Only = map[string][]string{"multicast_destinations": {"20"}}
	completed := accepted
	completed.Only = twenty.Only
	return claim.Entry{
		ID: "qg.fig15", Paper: QG, Figure: "figures 15 and 16", Title: "Latency of multicasts over their load", Plan: "qg.fig15.yaml",
		Charts: []chart.Chart{latency, accepted},
		Claims: append(bestClaims(&twenty, &completed, "S4-33", "With 20 destinations Qualified Groups are best in latency and throughput at high load.", conditions+"; 20 destinations", ""), []claim.Claim{
			{
				ID: "S4-33 less sensitive", Text: "Column-path carries more than dual-path and multi-path with 20 destinations.", Conditions: conditions + "; 20 destinations" + slowColumns, Printed: "less sensitive",
				Criterion: "the largest load that column-path completes above that of both on both meshes, " + outside + "; measured value: that load on the first mesh where it was saturated",
				Judge: func(d *chart.Data) claim.Finding {
					return carries(d, &completed, "", "column-path", "dual-path", "multi-path")
				},
			},
			{
				ID: "S4-31", Text: "At low load dual-path and multi-path have a lower latency than Qualified Groups and column-path.",
				Conditions: conditions + "; 10 and 20 destinations" + slowColumns, Printed: "lower",
				Criterion: "all four ratios below 1 at the smallest load, in every panel; measured value: geometric mean of dual-path / qg",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Everywhere(d, &latency, claim.Lightest(d, &latency, ""), shorter("qg", "column-path")...)
				},
			},
			{
				ID: "S4-32", Text: "With 10 destinations multi-path is slightly below dual-path.", Conditions: conditions + "; 10 destinations", Printed: "slightly below",
				Criterion: "multi-path / dual-path below 1 at every load that both carry; measured value: geometric mean",
				Judge: func(d *chart.Data) claim.Finding {
					both := claim.Carried(d, &latency, "10 destinations", "multi-path", "dual-path")
					return claim.Everywhere(d, &latency, both, claim.Lower("multi-path", "dual-path"))
				},
			},
		}...),
	}
}

// Fig17 returns the entry of figures 17 and 18, section 4.2: latency of multicasts with long
// preparation.
func Fig17() claim.Entry {
	latency, accepted := claim.UnderLoad("qg.fig17", "Multicasts of all nodes, long preparation", chart.Join("topology", "preparation"))
	const conditions = "10x10 and 16x16, 10 destinations; " + loadConditions
	long, completed := latency, accepted
	long.Only = map[string][]string{"preparation": {"captions"}}
	completed.Only = long.Only
	return claim.Entry{
		ID: "qg.fig17", Paper: QG, Figure: "figures 17 and 18, section 4.2", Title: "Latency of multicasts with long preparation", Plan: "qg.fig17.yaml",
		Charts: []chart.Chart{latency, accepted},
		Claims: append(bestClaims(&long, &completed, "S4-34", "Preparing Qualified Groups in 45 cycles does not change the conclusion that they are best at high load.",
			"preparation 2, 2, 8, 45; "+conditions, ""), []claim.Claim{
			{
				ID: "S4-30", Text: "Results change little when Qualified Groups take up to 50 cycles of preparation instead of 16.", Conditions: conditions,
				Printed: "2, 2, 4 and 16 cycles; not substantially",
				Criterion: "the largest load that qg completes with 50 cycles is within 5 % of that with 16, on both meshes, and at every load that all carry it is on the same side of dual-path, multi-path and column-path with both, where a tie is on neither; " +
					"measured value: least ratio of the largest completed loads. By arithmetic alone an idle multicast takes 34 cycles more",
				Judge: func(d *chart.Data) claim.Finding { return littleChange(d, &latency, &accepted) },
			},
		}...),
	}
}

// Fig19 returns the entry of figures 19 and 20: latency of multicasts among unicasts.
func Fig19() claim.Entry {
	latency, accepted := claim.UnderLoad("qg.fig19", "One multicast in ten messages, 10x10 mesh", "multicast_destinations")
	const conditions = "10x10, 10 % multicasts to 10 or 20 nodes among unicasts, preparation 2, 2, 4, 16; " + loadConditions
	return claim.Entry{
		ID: "qg.fig19", Paper: QG, Figure: "figures 19 and 20", Title: "Latency of multicasts among unicasts", Plan: "qg.fig19.yaml",
		Charts: []chart.Chart{latency, accepted},
		Claims: []claim.Claim{
			{
				ID: "S4-35", Text: "Among unicasts, at heavy load Qualified Groups are best in latency and throughput.", Conditions: conditions, Printed: "best",
				Criterion: bestCriterion,
				Judge: func(d *chart.Data) claim.Finding {
					return best(d, &latency, &accepted, "destinations", "dual-path", "multi-path")
				},
			},
			{
				ID: "S4-35 light", Text: "Among unicasts, multi-path is lowest at light load.", Conditions: conditions, Printed: "comparable, slightly lower",
				Criterion: "at the smallest load multi-path / dual-path and multi-path / qg below 1; measured value: the largest ratio to dual-path",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.InEveryCell(d, &latency, claim.Lightest(d, &latency, ""), claim.Lower("multi-path", "dual-path"), claim.Lower("multi-path", "qg"))
				},
			},
			{
				ID: "S4-35 column-path", Text: "Column-path is highest at light load; at heavy load it follows Qualified Groups, before dual-path and multi-path.", Conditions: conditions + slowColumns,
				Printed:   "higher; followed by column-path",
				Criterion: "at the smallest load column-path / each other above 1; it completes more than dual-path and multi-path and less than qg, " + outside + "; measured value: the least ratio to dual-path",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.Join(claim.InEveryCell(d, &latency, claim.Lightest(d, &latency, ""), claim.Higher("column-path", "dual-path"), claim.Higher("column-path", "multi-path"), claim.Higher("column-path", "qg")),
						carries(d, &accepted, "destinations", "column-path", "dual-path", "multi-path"), carries(d, &accepted, "destinations", "qg", "column-path"))
				},
			},
			{
				ID: "S4-36", Text: "The advantage of Qualified Groups over column-path grows with the number of destinations.", Conditions: conditions + slowColumns, Printed: "more noticeable",
				Criterion: "qg / column-path is lower with 20 destinations than with 10 at every load that all carry, outside the intervals; measured value: geometric mean of qg / column-path at 20",
				Judge:     func(d *chart.Data) claim.Finding { return advantageGrows(d, &latency) },
			},
		},
	}
}
