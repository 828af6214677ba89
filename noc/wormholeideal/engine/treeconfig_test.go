package engine

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// TestValidate: what cannot be built is refused with its key.
func TestValidateTree(t *testing.T) {
	m := topology.Multistage{Arity: 4, Stages: 2}
	for want, change := range map[string]func(*wormholeideal.Config, *topology.Multistage){
		"classes is 0":            func(c *wormholeideal.Config, _ *topology.Multistage) { c.Classes = 0 },
		"max_phits is 20000":      func(c *wormholeideal.Config, _ *topology.Multistage) { c.MaxPhits = 20_000 },
		"release is \"soon\"":     func(c *wormholeideal.Config, _ *topology.Multistage) { c.Tree.Release = "soon" },
		"arbitration is \"any\"":  func(c *wormholeideal.Config, _ *topology.Multistage) { c.Tree.Arbitration = "any" },
		"ejection_channels: 3":    func(c *wormholeideal.Config, _ *topology.Multistage) { c.EjectionChannels = 3 },
		"128 ports to each side":  func(_ *wormholeideal.Config, m *topology.Multistage) { m.Arity = 128 },
		"token_hop is -1":         func(c *wormholeideal.Config, _ *topology.Multistage) { c.Tree.TokenHop = -1 },
		"source_queue is 0; use ": func(c *wormholeideal.Config, _ *topology.Multistage) { c.SourceQueue = 0 },
	} {
		c, of := wormholeideal.DefaultTree(), m
		if _, err := NewStages(of, c, nil); err != nil {
			t.Fatal(err)
		}
		change(&c, &of)
		if _, err := NewStages(of, c, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// TestTokenTime: half a round of the group, and nothing for a switch alone.
func TestTokenTime(t *testing.T) {
	n := build(t, topology.Multistage{Arity: 2, Stages: 4}, wormholeideal.DefaultTree())
	for stage, want := range []noc.Cycle{4, 2, 1, 0} {
		if got := n.Queues[n.Tokens[n.switches.Router(stage, 0)]].Passes; got != want {
			t.Errorf("the token of stage %d comes after %d cycles, want %d", stage, got, want)
		}
	}
}
