package tables

import (
	"slices"
	"strings"
)

// RuleText returns which rules the routers of a study follow, where options switch rules on and
// off, such as "rules of rr, mrr: live"; several rule sets are separated by semicolons. It is ""
// where no router has such rules.
func (r *Rows) RuleText() string {
	var sets []string
	routers := map[string][]string{}
	note := func(router, rules string) {
		if rules == "" {
			return
		}
		if routers[rules] == nil {
			sets = append(sets, rules)
		}
		if !slices.Contains(routers[rules], router) {
			routers[rules] = append(routers[rules], router)
		}
	}
	for i := range r.Runs {
		note(r.Runs[i].Router, r.Runs[i].Rules)
	}
	for i := range r.Traffic {
		note(r.Traffic[i].Router, r.Traffic[i].Rules)
	}
	for i, rules := range sets {
		sets[i] = "rules of " + strings.Join(routers[rules], ", ") + ": " + rules
	}
	return strings.Join(sets, "; ")
}
