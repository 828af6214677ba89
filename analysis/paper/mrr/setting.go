package mrr

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// setting is what the figures over patterns and shares are measured under: a rule set of the rotary
// routers, and a load.
type setting struct {
	entry string // names of charts begin with it
	rules string // rule set
	id    string // stands behind the identifiers of the claims
	// variants are those of the plan that belong to the rule set; nil where the plan has no other.
	variants []string
	knee     bool
}

// usual is the rule set that the routers have unless they are told otherwise.
const usual = "live"

// kneeOf is the multiple of the latency of an empty network that makes a knee.
const kneeOf = 3

// otherRules are the settings of a plan that has the other rule sets, too.
func otherRules(entry string) (list []setting) {
	for _, rules := range []string{"paper"} {
		list = append(list, setting{entry: entry, rules: rules, id: " " + rules, variants: []string{"", "buffered", rules}})
	}
	return list
}

// kneeSettings are those of the plan that searches knees.
func kneeSettings(entry string) (list []setting) {
	for _, rules := range []string{usual, "paper"} {
		s := setting{entry: entry, rules: rules, id: " knee " + rules, knee: true, variants: []string{""}}
		for _, sort := range []string{"8 destinations", "broadcasts"} {
			s.variants = append(s.variants, "buffered, "+sort, rules+", "+sort)
		}
		list = append(list, s)
	}
	return list
}

// apply restricts a chart to the setting and names it in name and title.
func (s *setting) apply(c chart.Chart) chart.Chart {
	c.Title += ", rotary rules " + s.rules
	if s.variants != nil {
		c.Name += "-" + s.rules
		c.Only = map[string][]string{"variant": s.variants}
	}
	if s.knee {
		c.Knee = kneeOf
	}
	return c
}

// load says at which load the setting measures.
func (s *setting) load() string {
	if s.knee {
		return "at the knee"
	}
	return "at an offered load of 1"
}

// conditions says what is measured, and under which rules.
func (s *setting) conditions() string {
	load := "offered load 1"
	if s.knee {
		load = fmt.Sprintf("at the knee, the largest load at which latency is at most %d times that of the lightest", kneeOf)
	}
	return "8x8 torus, 5-phit messages, patterns and shares of table 3, multicasts to 8 nodes or all, " + load
}

// underRules marks claims that depend on the rules of the rotary routers.
func underRules(rules string, claims []claim.Claim) []claim.Claim {
	for i := range claims {
		claims[i].Rules = rules
	}
	return claims
}
