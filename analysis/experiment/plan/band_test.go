package plan

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestBand: each variant changes one thing, what changes nothing is left out, and all are runs of
// their own.
func TestBand(t *testing.T) {
	band := func(texts ...string) map[string]string {
		c := must.Get(config.New(must.Get(config.Assignments(append(texts, "workload=producer-consumer", "synthetic.records=10", "runs=2", "windows=1")))))
		keys, names := map[string]string{}, map[string]string{}
		for _, p := range must.Get(Band(c, must.Get(Chips(context.Background(), c)), "assumption")) {
			name := p.Axes[len(p.Axes)-1].Value
			if other, twice := keys[p.Key]; twice || !strings.HasSuffix(p.Label, name) {
				t.Errorf("%s and %s are the same run, %s", name, other, p.Label)
			}
			keys[p.Key], names[name] = name, p.Key
		}
		return names
	}
	usual := []string{"chip.cold=true", "chip.core.dependences=keep"} // what is so in any case
	copies := []string{"network.copies=home-first", "network.copies=home-last"}
	buffered := []string{"network.buffered.slots=longest", "network.buffered.slots=reserved", "network.buffered.route_after_tail=false"}
	rotary := []string{"network.rotary.rules=paper"}
	tokens := []string{"chip.token.adaptive=false", "chip.token.adaptive=false chip.token.timeout=1024", "chip.token.adaptive=false chip.token.timeout=300 chip.token.issues=1",
		"chip.token.issues=0", "chip.token.tokens=17", "chip.token.tokens=64"}
	for _, c := range []struct {
		set     []string
		without []string
	}{
		{[]string{"routers=base"}, rotary},
		{[]string{"routers=ideal"}, slices.Concat(copies, buffered, rotary)},
		{[]string{"routers=rr"}, buffered},
		{[]string{"routers=base-mc", "chip.protocol=directory"}, slices.Concat(copies, tokens, rotary)},
		{[]string{"routers=base", "chip.core.window=32"}, append(rotary, "chip.core.window=32")},
	} {
		names := band(c.set...)
		for _, name := range append(c.without, usual...) {
			if names[name] != "" {
				t.Errorf("%v: %s changes nothing", c.set, name)
			}
		}
		if names[""] == "" || len(names)+len(c.without)+len(usual) != len(assumptions)+1 {
			t.Errorf("%v: %d variants: %v", c.set, len(names), names)
		}
	}
}

// TestBandDerives: an assumption also changes the keys that follow from it, and replaces what excludes it.
func TestBandDerives(t *testing.T) {
	c := must.Get(config.New(must.Get(config.Assignments([]string{"workload=producer-consumer", "synthetic.records=10", "chip.memory.latency_ns=50", "routers=mrr"}))))
	study := must.Get(Chips(context.Background(), c))
	must.Get(Band(c, study, "assumption"))
	for _, a := range assumptions {
		layer := must.Get(a.layer())
		other := must.Get(c.Extra.New(c.Settings(), layer))
		if key := layer[0].Key.Name; key == "network.rotary.rules" && other.Network.Rotary.EntryHold || key == "chip.memory.latency" && other.Chip.ReadLatency() == 200 {
			t.Errorf("%s: rotary %+v, memory %d cycles", a.set, other.Network.Rotary, other.Chip.ReadLatency())
		}
	}
}

// TestPlanOfAssumptions: a plan may name the assumptions of a band instead of a list of its own.
func TestPlanOfAssumptions(t *testing.T) {
	p := must.Get(Parse("p.yaml", []byte("kind: run\nset: {workload: producer-consumer, synthetic.records: 10}\nvariants: assumptions\n"), false))
	if len(p.Variants) != len(assumptions)+1 {
		t.Fatalf("%d variants", len(p.Variants))
	}
	x := must.Get(p.Expand(nil, nil))
	if len(x.Points) < 4*len(assumptions)/2 || x.Points[0].Axes[0].Value != "as configured" {
		t.Errorf("%d points, the first %v", len(x.Points), x.Points[0].Axes)
	}
}
