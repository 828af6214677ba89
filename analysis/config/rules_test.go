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

// TestFitMessages: where the width of links is not the default, slots that are not set take a block
// with its header, and buffers have as many slots as by default.
func TestFitMessages(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want map[string]int
	}{
		{nil, map[string]int{"rotary.slot_phits": 5, "rotary.segment_phits": 20, "buffered.channel_phits": 10, "ideal.slot_phits": 5, "ideal.phit_bits": 128}},
		{[]string{"network.rotary.phit_bits=64"}, map[string]int{"rotary.slot_phits": 10, "rotary.input_stage_phits": 20, "rotary.segment_phits": 40,
			"rotary.output_stage_phits": 40, "buffered.slot_phits": 5, "ideal.phit_bits": 128}},
		{[]string{"network.rotary.phit_bits=64", "network.buffered.phit_bits=96"}, map[string]int{"rotary.slot_phits": 10, "buffered.slot_phits": 7,
			"buffered.channel_phits": 14, "ideal.phit_bits": 96, "ideal.slot_phits": 7}},
		{[]string{"network.rotary.phit_bits=256", "routers=mrr,rr"}, map[string]int{"rotary.slot_phits": 3, "rotary.segment_phits": 12, "ideal.phit_bits": 256, "ideal.slot_phits": 3}},
		{[]string{"network.rotary.phit_bits=64", "network.rotary.slot_phits=12", "network.rotary.segment_phits=36", "network.ideal.phit_bits=128"},
			map[string]int{"rotary.slot_phits": 12, "rotary.segment_phits": 36, "rotary.output_stage_phits": 48, "ideal.phit_bits": 128}},
		{[]string{"network.rotary.slot_phits=10"}, map[string]int{"rotary.slot_phits": 10, "rotary.segment_phits": 20}},
		{[]string{"network.rotary.phit_bits=0"}, map[string]int{"rotary.slot_phits": 5}},
	} {
		e := must.Get(load(places{set: c.set}))
		e.FitMessages()
		for key, want := range c.want {
			if got := must.Get(find(allKeys(), "network."+key)).Value(e.Config); got != want {
				t.Errorf("%v: %s is %v, want %d", c.set, key, got, want)
			}
		}
	}
	e := must.Get(load(places{set: []string{"network.rotary.phit_bits=64", "routers=mrr"}}))
	e.FitMessages()
	for key, want := range map[string]string{"network.rotary.segment_phits": "network.rotary.phit_bits", "network.ideal.phit_bits": "network.rotary.phit_bits",
		"network.ideal.slot_phits": "network.ideal.phit_bits", "network.buffered.slot_phits": "default"} {
		if got := e.Origin(key).String(); got != want {
			t.Errorf("%s comes from %q, want %q", key, got, want)
		}
	}
}
