package mrr

import (
	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// Fig6Rules does figure 6 with the other rule sets of the rotary routers.
func Fig6Rules() claim.Entry {
	e := claim.Entry{ID: "mrr.fig6-rules", Paper: MRR, Figure: "figure 6", Title: "Figure 6 with the other rules of the rotary routers", Plan: "mrr.fig6-rules.yaml"}
	for _, s := range otherRules(e.ID) {
		b := broadcastsOf(&s)
		for _, c := range []*chart.Chart{&b.distance, &b.latency, &b.delivered} {
			c.Only = map[string][]string{"network.rotary.rules": {"", s.rules}}
			e.Charts = append(e.Charts, *c)
		}
		e.Claims = append(e.Claims, treeClaim(&s, &b))
	}
	return e
}

// Fig7Rules does figure 7 with the other rule sets of the rotary routers.
func Fig7Rules() claim.Entry {
	e := claim.Entry{ID: "mrr.fig7-rules", Paper: MRR, Figure: "figure 7", Title: "Figure 7 with the other rules of the rotary routers", Plan: "mrr.lowload-rules.yaml"}
	same := setting{entry: e.ID, rules: usual, variants: []string{"", "buffered", usual}}
	all := []chart.Chart{latencyOf(&same)}
	for _, s := range otherRules(e.ID) {
		latency := latencyOf(&s)
		all = append(all, latency)
		e.Claims = append(e.Claims, lowLoadClaims(&s, &latency)...)
	}
	e.Charts = all
	e.Claims = append(e.Claims, claim.Claim{
		ID: "S2-31", Text: "Below saturation the rule sets of the rotary routers are one.", Conditions: lowLoad, Rules: "paper, live",
		Printed:   "nothing: the paper has one set of rules",
		Criterion: "latency of RR and of MRR, over BASE, with the rules paper within 1 % of that with the rules live in every cell; measured value: the largest difference",
		Judge:     func(d *chart.Data) claim.Finding { return agree(d, all) },
	})
	return e
}

// Fig8Rules does figures 8 and 10 with the other rule sets of the rotary routers.
func Fig8Rules() claim.Entry {
	e := claim.Entry{ID: "mrr.fig8-rules", Paper: MRR, Figure: "figures 8 and 10", Title: "Figures 8 and 10 with the other rules of the rotary routers", Plan: "mrr.maxload-rules.yaml"}
	for _, s := range otherRules(e.ID) {
		addMaximum(&e, s)
	}
	return e
}

// Knee does figures 8 and 10 at the knee, with each rule set of the rotary routers.
func Knee() claim.Entry {
	e := claim.Entry{ID: "mrr.knee", Paper: MRR, Figure: "figures 8 and 10", Title: "Figures 8 and 10 at the knee of latency", Plan: "mrr.knee.yaml"}
	for _, s := range kneeSettings(e.ID) {
		t := addMaximum(&e, s)
		if s.rules == usual {
			e.Claims = append(e.Claims, bufferedThroughput(&s, t)...)
		}
	}
	return e
}

// addMaximum adds the charts and claims of figures 8 and 10 under a setting.
func addMaximum(e *claim.Entry, s setting) *throughput {
	t, charts := throughputOf(&s), energyOf(&s)
	e.Charts = append(append(e.Charts, t.delivered, t.accepted), charts...)
	e.Claims = append(append(e.Claims, rotaryThroughput(&s, &t)...), energyClaims(&s, charts)...)
	return &t
}

// Fig9Rules does figure 9 with the other rule sets of the rotary routers.
func Fig9Rules() claim.Entry {
	e := claim.Entry{ID: "mrr.fig9-rules", Paper: MRR, Figure: "figure 9", Title: "Figure 9 with the other rules of the rotary routers", Plan: "mrr.loads-rules.yaml"}
	for _, s := range otherRules(e.ID) {
		l := overLoad(&s)
		e.Charts = append(e.Charts, l.delivered, l.accepted)
		e.Claims = append(e.Claims, neverFalls(&s, &l))
	}
	return e
}
