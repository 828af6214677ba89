package models

import (
	"slices"

	"github.com/carousel-sim/carousel/noc/rotary"
)

// RuleSets lists the rule sets of the rotary routers.
func RuleSets() []rotary.RuleSet { return rotary.RuleSets() }

// WithRules returns the options with the values of the rule set that Rotary.Rules names, and
// reports whether there is one of that name.
func (o Options) WithRules() (Options, bool) {
	name := o.Rotary.Rules
	if !slices.ContainsFunc(RuleSets(), func(s rotary.RuleSet) bool { return s.Name == name }) {
		return o, false
	}
	o.Rotary = o.Rotary.WithRules(name)
	return o, true
}
