package mrr

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// throughput holds the two charts of figure 8. Where a router takes unicasts and multicasts in
// another mix than they are offered, what it delivers and what it accepts differ; claims are judged
// by what it delivers.
type throughput struct{ delivered, accepted chart.Chart }

// throughputOf makes the charts of figure 8 under a setting.
func throughputOf(s *setting) throughput {
	one := func(measure, definition string) chart.Chart {
		return s.apply(synthetic(chart.Chart{Name: s.entry + "-" + measure, Measure: measure, Quantity: measure + " load", Definition: definition,
			Title: fmt.Sprintf("%s load %s, 8x8 torus", strings.ToUpper(measure[:1])+measure[1:], s.load())}))
	}
	return throughput{one("delivered", "each copy counts"), one("accepted", "a multicast counts once")}
}

// Fig8 returns the entry of figure 8: throughput at an offered load of 1 phit per node and cycle,
// 8x8 torus.
func Fig8() claim.Entry {
	s := setting{entry: "mrr.fig8", rules: usual}
	t := throughputOf(&s)
	claims := append(append(rotaryThroughput(&s, &t), bufferedThroughput(&s, &t)...), linkUse(&s))
	return claim.Entry{
		ID: s.entry, Paper: MRR, Figure: "figure 8", Title: "Throughput at maximum load, normalised to BASE", Plan: "mrr.maxload.yaml",
		Charts: []chart.Chart{t.delivered, t.accepted}, Claims: claims,
	}
}

// rotaryThroughput are the claims of figure 8 that depend on the rules of the rotary routers.
func rotaryThroughput(s *setting, t *throughput) []claim.Claim {
	conditions := s.conditions()
	few := func(in *chart.Cell) bool { return broadcasts(in) && in.Label == "1 %" }
	const also = "; accepted load beside it"
	return underRules(s.rules, []claim.Claim{
		{
			ID: "S2-16" + s.id, Text: "MRR carries most in every pattern.", Conditions: conditions, Printed: "best",
			Criterion: "delivered load of MRR above that of each other router in every cell; measured value: geometric mean of MRR / RR" + also,
			Judge: t.judge(func(d *chart.Data, c *chart.Chart) claim.Finding {
				return claim.Everywhere(d, c, nil, claim.Higher("mrr", "rr"), claim.Higher("mrr", "base-mc"), claim.Higher("mrr", "base"))
			}),
		},
		{
			ID: "S2-16 tree" + s.id, Text: "BASE-MC carries less than RR in every pattern.", Conditions: conditions, Printed: "below",
			Criterion: "delivered load of BASE-MC below that of RR in every cell; measured value: geometric mean of BASE-MC / RR" + also,
			Judge: t.judge(func(d *chart.Data, c *chart.Chart) claim.Finding {
				return claim.Everywhere(d, c, nil, claim.Lower("base-mc", "rr"))
			}),
		},
		{
			ID: "S2-17" + s.id, Text: "Multicast support raises the throughput of the rotary router by up to a fifth.", Conditions: conditions + "; 8 destinations", Printed: "up to 20 %",
			Criterion: "largest MRR / RR of delivered load over the cells with 8 destinations; a gain of half to twice the printed one confirms" + also,
			Judge:     t.judge(func(d *chart.Data, c *chart.Chart) claim.Finding { return largest(d, c, multicasts, 0.20) }),
		},
		{
			ID: "S2-18" + s.id, Text: "With 1 % of broadcasts MRR carries up to a third more than RR.", Conditions: conditions + "; 1 % broadcasts", Printed: "up to 33 %",
			Criterion: "largest MRR / RR of delivered load over the patterns at 1 % broadcasts; a gain of half to twice the printed one confirms" + also,
			Judge:     t.judge(func(d *chart.Data, c *chart.Chart) claim.Finding { return largest(d, c, few, 0.33) }),
		},
		{
			ID: "S2-18 each" + s.id, Text: "With 1 % of broadcasts MRR carries more than RR, whatever the pattern.", Conditions: conditions + "; 1 % broadcasts", Printed: "outperforms",
			Criterion: "delivered load of MRR above that of RR in every pattern at 1 % broadcasts; measured value: the least MRR / RR" + also,
			Judge: t.judge(func(d *chart.Data, c *chart.Chart) claim.Finding {
				return claim.InEveryCell(d, c, few, claim.Higher("mrr", "rr"))
			}),
		},
		{
			ID: "S2-19" + s.id, Text: "The advantage of the adaptive routers is largest for tornado.", Conditions: conditions, Printed: "maximal",
			Criterion: "for each share and number of destinations, RR / BASE of delivered load is larger for tornado than for each other pattern, where " + tieRule + "; measured value: geometric mean of RR / BASE for tornado" + also,
			Judge:     t.judge(tornadoFirst),
		},
	})
}

// bufferedThroughput are the claims of figure 8 about input-buffered routers alone.
func bufferedThroughput(s *setting, t *throughput) []claim.Claim {
	conditions := s.conditions()
	return []claim.Claim{
		{
			ID: "S2-20" + s.id, Text: "For some patterns other than uniform, BASE-MC carries less than BASE.", Conditions: conditions, Printed: "worse in some",
			Criterion: "BASE-MC / BASE of delivered load below 1 with 95 % confidence in at least one cell of another pattern than uniform; measured value: the smallest ratio; accepted load beside it",
			Judge:     t.judge(somewhereBelow),
		},
		{
			ID: "S2-29" + s.id, Text: "BASE-MC gains on BASE as multicasts and their destinations become more.", Conditions: conditions, Printed: "slightly improves",
			Criterion: "BASE-MC / BASE of delivered load is larger at the largest share than at 1 % and for broadcasts than for 8 destinations, in every pattern, where " + tieRule +
				"; measured value: share of such pairs of cells; accepted load beside it",
			Judge: t.judge(func(d *chart.Data, c *chart.Chart) claim.Finding {
				return trend(d, c, "base-mc", "base", claim.Above)
			}),
		},
	}
}

// linkUse is the claim of figure 8 that what BASE-MC loses it does not lose for want of links.
func linkUse(s *setting) claim.Claim {
	measure := func(name string) *chart.Chart {
		c := s.apply(synthetic(chart.Chart{Name: s.entry + "-" + name, Measure: name}))
		return &c
	}
	crossed, delivered := measure("phit_hops"), measure("delivered_phits")
	return claim.Claim{
		ID: "S2-33" + s.id, Text: "BASE-MC makes better use of links than RR, which sends copies.", Conditions: s.conditions(), Printed: "more efficient", Rules: s.rules,
		Criterion: "links that phits cross over phits delivered, of BASE-MC over RR, below 1 in every cell; measured value: geometric mean",
		Judge: func(d *chart.Data) claim.Finding {
			list, missing := claim.Compare(d, crossed, "base-mc", "rr", nil)
			arrived, _ := claim.Compare(d, delivered, "base-mc", "rr", nil)
			if len(list) == 0 || len(list) != len(arrived) {
				return claim.Nothing("nothing was measured")
			}
			for i := range list {
				for k := range list[i].Ratios {
					list[i].Ratios[k] /= arrived[i].Ratios[k]
				}
				list[i].Estimate = metrics.MeanOf(list[i].Ratios)
			}
			return claim.EveryRatio(list, missing, claim.Lower("base-mc", "rr"))
		},
	}
}

// judge judges by delivered load, and says what accepted load would say: it depends on who is
// admitted, too.
func (t *throughput) judge(by func(*chart.Data, *chart.Chart) claim.Finding) func(*chart.Data) claim.Finding {
	return func(d *chart.Data) claim.Finding {
		f, other := by(d, &t.delivered), by(d, &t.accepted)
		f.Detail += fmt.Sprintf("; by accepted load %s: %s", other.Verdict, other.Detail)
		return f
	}
}

// largest judges a claim of "up to" about MRR over RR.
func largest(d *chart.Data, c *chart.Chart, keep func(*chart.Cell) bool, printed float64) claim.Finding {
	list, _ := claim.Compare(d, c, "mrr", "rr", keep)
	at := claim.Extreme(list, claim.Above)
	if at == nil {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Gain(at.Estimate, printed)
	where := fmt.Sprintf("largest at %s: ", at.Cell.Where())
	f.Detail, f.Reason = where+f.Detail, where+f.Reason
	return f
}

// tornadoFirst compares tornado with each other pattern in the same mix.
func tornadoFirst(d *chart.Data, c *chart.Chart) claim.Finding {
	n, exceptions := inPairs(d, c, "rr", "base", claim.Above, func(a, b *chart.Cell) bool {
		return a.Panel == b.Panel && a.Label == b.Label && a.Group != "tornado" && b.Group == "tornado"
	})
	measured := n.Hold + n.Contradict + n.Undecided
	if measured == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("rr/base is larger for tornado in %d of %d comparisons with another pattern", n.Hold, measured) + rest(n, exceptions)}
	tornado, _ := claim.Compare(d, c, "rr", "base", func(in *chart.Cell) bool { return in.Group == "tornado" })
	f.Some(claim.Overall(tornado))
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
