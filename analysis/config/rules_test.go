package config

import (
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/rotary"
)

// TestRuleSets: a rule set decides the rules that no key has set, single keys stand, and both are
// visible; a plan may change the rule set of a configuration that has one.
func TestRuleSets(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, "live"},
		{[]string{"network.rotary.rules=paper"}, "paper"},
		{[]string{"network.rotary.rules=paper", "network.rotary.entry_hold=true"}, "paper, entry_hold=true"},
		{[]string{"network.rotary.entry_hold=false", "network.rotary.miss_limit=10"}, "live, entry_hold=false"},
	} {
		e := must.Get(load(places{set: c.set}))
		if got := e.Network.Rotary.RuleText(); got != c.want {
			t.Errorf("%v: the rules are %q, want %q", c.set, got, c.want)
		}
		for _, set := range rotary.RuleSets() {
			axis := must.Get(Assignments([]string{"network.rotary.rules=" + string(set.Name)}))
			must.Do(e.Overlay(axis))
			if len(c.set) < 2 && e.Network.Rotary != rotary.DefaultRR().WithRules(set.Name) {
				t.Errorf("%v and then %s: %+v", c.set, set.Name, e.Network.Rotary)
			}
		}
	}
	e := must.Get(load(places{set: []string{"network.rotary.rules=paper", "network.rotary.entry_hold=true"}}))
	for key, want := range map[string]string{"network.rotary.calm_injection": "network.rotary.rules", "network.rotary.miss_limit": "default",
		"network.rotary.entry_hold": "--set", "network.rotary.hold_after": "default"} {
		if got := e.Origin(key).String(); got != want {
			t.Errorf("%s comes from %q, want %q", key, got, want)
		}
	}
	e = must.Get(load(places{set: []string{"network.rotary.rules=none"}}))
	if err := e.Network.Rotary.Validate(e.Network.Grid); err == nil {
		t.Error("there is no rule set none, and nobody says so")
	}
}
