package rotary

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc/fabric"
)

// Rules names a rule set of [RuleSets].
type Rules string

// The rule sets.
const (
	PaperRules Rules = "paper"
	LiveRules  Rules = "live"
)

// RuleSet is a preset of the rules that a router may follow or not. The four rules of the paper and
// the structure are part of every one. See "Rule sets" in the package documentation.
type RuleSet struct {
	Name Rules
	Doc  string // one line

	MissLimit                              int
	ClassLimit, RingTurnBalance, EntryHold bool
	CalmInjection                          bool
}

// RuleSets returns all rule sets, from the fewest rules to the most.
func RuleSets() []RuleSet {
	return []RuleSet{
		{PaperRules, "the four rules of the MRR paper, its class limits, and the turn balance of its authors' simulator; may stop or starve nodes beyond saturation",
			10, true, true, false, false},
		{LiveRules, "the paper's rules, entry_hold and calm_injection; delivers at any load, from every node and in every class",
			10, true, true, true, true},
	}
}

// WithRules returns the configuration with the values of a rule set. It panics when there is none
// of that name; Validate tells users.
func (c Config) WithRules(name Rules) Config {
	for _, s := range RuleSets() {
		if s.Name == name {
			c.Rules = name
			c.MissLimit = s.MissLimit
			c.ClassLimit, c.RingTurnBalance, c.EntryHold = s.ClassLimit, s.RingTurnBalance, s.EntryHold
			c.CalmInjection = s.CalmInjection
			return c
		}
	}
	panic(fmt.Sprintf("rotary: there is no rule set %q", name))
}

// RuleText names the rules that the configuration follows: its rule set, and what differs from it
// and from the default of keys that no rule set decides, such as "live, entry_hold=false". Sizes
// are no rules.
func (c Config) RuleText() string {
	return fabric.RuleText(string(c.Rules), c, DefaultRR().WithRules(c.Rules))
}
