package mrr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Fig8 returns the entry of figure 8: accepted load at an offered load of 1 phit per node and
// cycle, 8x8 torus.
func Fig8() claim.Entry {
	accepted := synthetic(chart.Chart{Name: "mrr.fig8", Title: "Accepted load at an offered load of 1 phit per node and cycle, 8x8 torus",
		Measure: "accepted", Quantity: "accepted load"})
	// Where a router takes unicasts and multicasts in another mix than they are offered, the two differ.
	delivered := synthetic(chart.Chart{Name: "mrr.fig8-delivered", Title: "Delivered load, each copy counting, at an offered load of 1, 8x8 torus",
		Measure: "delivered", Quantity: "delivered load"})
	const conditions = "8x8 torus, 5-phit messages, 5 patterns, 1 to 15 % multicasts to 8 nodes or all, offered load 1"
	return claim.Entry{
		ID: "mrr.fig8", Paper: MRR, Figure: "figure 8", Title: "Throughput at maximum load, normalised to BASE", Plan: "mrr.maxload.yaml",
		Charts: []chart.Chart{accepted, delivered},
		Claims: []claim.Claim{
			{
				ID: "S2-13", Text: "The synthetic traffic is that of table 3.", Conditions: "as measured",
				Printed:   "8-ary 2-cube, 5 phits, 1/5/10/15 % multicasts, 8 or 64 destinations, five patterns, 200,000 cycles with 20,000 warm-up",
				Criterion: "every value of the table is in the plan; measured value: cycles of a run",
				Judge:     func(d *chart.Data) claim.Finding { return table3(d, &accepted) },
			},
			{
				ID: "S2-16", Text: "At maximum load MRR carries most in every pattern.", Conditions: conditions, Printed: "best",
				Criterion: "delivered load of MRR above that of each other router in every cell; measured value: geometric mean of MRR / RR",
				Judge: func(d *chart.Data) claim.Finding {
					return byDelivered(d, &delivered, &accepted, claim.Higher("mrr", "rr"), claim.Higher("mrr", "base-mc"), claim.Higher("mrr", "base"))
				},
			},
			{
				ID: "S2-16 tree", Text: "At maximum load BASE-MC carries less than RR in every pattern.", Conditions: conditions, Printed: "below",
				Criterion: "delivered load of BASE-MC below that of RR in every cell; measured value: geometric mean of BASE-MC / RR",
				Judge: func(d *chart.Data) claim.Finding {
					return byDelivered(d, &delivered, &accepted, claim.Lower("base-mc", "rr"))
				},
			},
			{
				ID: "S2-17", Text: "Multicast support raises the throughput of the rotary router by up to a fifth.", Conditions: conditions + "; 8 destinations", Printed: "up to 20 %",
				Criterion: "largest MRR / RR over the cells with 8 destinations; a gain of half to twice the printed one confirms",
				Judge: func(d *chart.Data) claim.Finding {
					return largest(d, &accepted, multicasts, 0.20)
				},
			},
			{
				ID: "S2-18", Text: "With broadcasts MRR beats RR already at a share of 1 %, by up to a third.", Conditions: conditions + "; broadcasts", Printed: "up to 33 %, at 1 % already",
				Criterion: "largest MRR / RR over the cells with broadcasts, a gain of half to twice the printed one confirms; and MRR / RR above 1 in every pattern at 1 %",
				Judge: func(d *chart.Data) claim.Finding {
					few := func(in *chart.Cell) bool { return broadcasts(in) && in.Label == "1 %" }
					return claim.Join(largest(d, &accepted, broadcasts, 0.33), claim.Everywhere(d, &accepted, few, claim.Higher("mrr", "rr")))
				},
			},
			{
				ID: "S2-19", Text: "The advantage of the adaptive routers is largest for tornado.", Conditions: conditions, Printed: "maximal",
				Criterion: "for each share and number of destinations, RR / BASE is largest for tornado; measured value: geometric mean of RR / BASE for tornado",
				Judge:     func(d *chart.Data) claim.Finding { return tornadoFirst(d, &accepted) },
			},
			{
				ID: "S2-20", Text: "For some patterns other than uniform, BASE-MC carries less than BASE.", Conditions: conditions, Printed: "worse in some",
				Criterion: "BASE-MC / BASE below 1 with 95 % confidence in at least one cell of another pattern than uniform; measured value: the smallest ratio",
				Judge:     func(d *chart.Data) claim.Finding { return somewhereBelow(d, &accepted) },
			},
		},
	}
}

// byDelivered judges an order by delivered load: accepted load depends on who is admitted, too, as a
// router may take few of the multicasts that it is offered. What it says is in the detail.
func byDelivered(d *chart.Data, delivered, accepted *chart.Chart, pairs ...claim.Pair) claim.Finding {
	f := claim.Everywhere(d, delivered, nil, pairs...)
	f.Detail += "; by accepted load: " + claim.Everywhere(d, accepted, nil, pairs...).Detail
	return f
}

// largest judges a claim of "up to" about MRR over RR.
func largest(d *chart.Data, c *chart.Chart, keep func(*chart.Cell) bool, printed float64) claim.Finding {
	list, _ := claim.Compare(d, c, "mrr", "rr", keep)
	at := claim.Extreme(list, claim.Above)
	if at == nil {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Gain(at.Estimate, printed)
	f.Detail = fmt.Sprintf("largest at %s: %s", at.Cell.Where(), f.Detail)
	return f
}

// tornadoFirst compares tornado with the other patterns.
func tornadoFirst(d *chart.Data, c *chart.Chart) claim.Finding {
	list, _ := claim.Compare(d, c, "rr", "base", nil)
	mixes, first := 0, 0
	var other []string
	for i := range list {
		if list[i].Cell.Group != "tornado" {
			continue
		}
		mixes++
		best := &list[i]
		for k := range list {
			if list[k].Cell.Panel == best.Cell.Panel && list[k].Cell.Label == list[i].Cell.Label && list[k].Mean > best.Mean {
				best = &list[k]
			}
		}
		if best == &list[i] {
			first++
		} else {
			other = append(other, fmt.Sprintf("%s: %s, tornado %s", best.Cell.Where(), best.Text(), list[i].Text()))
		}
	}
	if mixes == 0 {
		return claim.Nothing("nothing was measured")
	}
	tornado, _ := claim.Compare(d, c, "rr", "base", func(in *chart.Cell) bool { return in.Group == "tornado" })
	f := claim.Fact(first == mixes, 0, fmt.Sprintf("tornado is first in %d of %d mixes", first, mixes))
	f.Measured = tables.Maybe[float64]{}
	f.Some(claim.Overall(tornado))
	if len(other) > 0 {
		f.Detail += " (" + claim.ShortList(other) + ")"
	}
	return f
}

// somewhereBelow looks for cells in which multicast support costs throughput.
func somewhereBelow(d *chart.Data, c *chart.Chart) claim.Finding {
	list, _ := claim.Compare(d, c, "base-mc", "base", func(in *chart.Cell) bool { return in.Group != "uniform" })
	at := claim.Extreme(list, claim.Below)
	if at == nil {
		return claim.Nothing("nothing was measured")
	}
	var found []string
	for i := range list {
		if list[i].Side(1) == claim.Below {
			found = append(found, fmt.Sprintf("%s: %s", list[i].Cell.Where(), list[i].Text()))
		}
	}
	f := claim.Finding{Verdict: tables.NotConfirmed, Detail: fmt.Sprintf("below 1 in %d of %d cells", len(found), len(list))}
	f.Some(at.Estimate)
	if len(found) > 0 {
		f.Verdict, f.Detail = tables.Confirmed, f.Detail+": "+claim.ShortList(found)
	} else if at.Mean < 1 {
		f.Verdict = tables.Open
	}
	return f
}

// table3 compares what was measured with the paper's configuration.
func table3(d *chart.Data, c *chart.Chart) claim.Finding {
	list, err := d.At(chart.AsSimulated)
	if err != nil || len(list) == 0 {
		return claim.Nothing("nothing was measured")
	}
	var missing []string
	for column, values := range map[string][]string{
		"topology": {"torus:8x8"}, "packet_phits": {"5"}, "multicast_fraction": {"0.01", "0.05", "0.1", "0.15"},
		"multicast_destinations": {"8", "63"}, "pattern": {"uniform", "bit-reversal", "perfect-shuffle", "transpose", "tornado"},
		"cycles": {"200000"}, "warmup": {"20000"},
	} {
		for _, v := range values {
			found := false
			for i := range list {
				found = found || list[i].Label(column) == v
			}
			if !found {
				missing = append(missing, column+" "+v)
			}
		}
	}
	cycles := list[0].Numbers["cycles"]
	f := claim.Fact(len(missing) == 0, cycles, "every value of the table; 64 destinations are the 63 other nodes")
	if len(missing) > 0 {
		slices.Sort(missing)
		f.Verdict, f.Detail = tables.Open, "not in this run: "+strings.Join(missing, ", ")
	}
	return f
}
