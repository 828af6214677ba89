package plan

import (
	"context"
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
	buffered := []string{"network.buffered.slots=reserved", "network.buffered.route_after_tail=false"}
	for _, c := range []struct {
		set     []string
		without []string
	}{
		{[]string{"routers=base"}, copies},
		{[]string{"routers=ideal"}, append(copies, buffered...)},
		{[]string{"routers=rr"}, buffered},
		{[]string{"routers=base-mc", "chip.protocol=directory"}, append(copies, "chip.token.adaptive=false")},
		{[]string{"routers=base", "chip.core.window=32"}, append(copies, "chip.core.window=32")},
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
