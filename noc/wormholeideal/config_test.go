package wormholeideal

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

func TestValidate(t *testing.T) {
	w := topology.Mesh(4, 4).Wiring()
	for want, spoil := range map[string]func(*Config){
		"classes is 9":           func(c *Config) { c.Classes = 9 },
		"max_phits is 0":         func(c *Config) { c.MaxPhits = 0 },
		"buffer_phits is 0":      func(c *Config) { c.BufferPhits = 0 },
		"use 4 or more":          func(c *Config) { c.BufferPhits, c.CreditCycles = 3, 3 },
		"injection_ports is 16":  func(c *Config) { c.InjectionPorts = 16 },
		`routing is "xy"`:        func(c *Config) { c.Routing = "xy" },
		"startup is -1":          func(c *Config) { c.Startup = -1 },
		"source_queue is 100000": func(c *Config) { c.SourceQueue = 100000 },
	} {
		c := Default()
		spoil(&c)
		if err := c.Validate(w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if n, err := NewGrid(topology.Mesh(4, 4), c, nil); err == nil || n != nil {
			t.Errorf("NewGrid accepts what Validate refuses: %q", want)
		}
	}
}

// TestInvariantsCanFail: each invariant finds its defect.
func TestInvariantsCanFail(t *testing.T) {
	for name, spoil := range map[string]func(*Network){
		"a channel without a worm": func(n *Network) { n.holdings[n.injectionChannel(15, 0)].holder = 0 },
		"a worm without a channel": func(n *Network) { n.holdings[n.positions.at(1).channel].holder = none },
		"a lost stop":              func(n *Network) { n.Dispatch.At(0).Stops = nil },
		"a lost ejection channel":  func(n *Network) { n.waits[n.exits[3]].free-- },
		"a free channel that is not given": func(n *Network) {
			n.ask(n.exits[3], request{position: 1, copies: true}, 1, n.Clock)
			n.waits[n.exits[3]].listed = false
		},
	} {
		n := buildGrid(t, topology.Mesh(4, 4), Default(), nil)
		n.Offer(noc.Packet{Dst: noc.One(15), Phits: 20}) // is on its way
		n.Step(4)
		if err := n.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		if spoil(n); n.CheckInvariants() == nil {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// TestValidateTree: what cannot be built of switches is refused with its key.
func TestValidateTree(t *testing.T) {
	m := topology.Multistage{Arity: 4, Stages: 2}
	for want, change := range map[string]func(*Config, *topology.Multistage){
		"classes is 0":            func(c *Config, _ *topology.Multistage) { c.Classes = 0 },
		"max_phits is 20000":      func(c *Config, _ *topology.Multistage) { c.MaxPhits = 20_000 },
		"release is \"soon\"":     func(c *Config, _ *topology.Multistage) { c.Tree.Release = "soon" },
		"arbitration is \"any\"":  func(c *Config, _ *topology.Multistage) { c.Tree.Arbitration = "any" },
		"ejection_channels: 3":    func(c *Config, _ *topology.Multistage) { c.EjectionChannels = 3 },
		"128 ports to each side":  func(_ *Config, m *topology.Multistage) { m.Arity = 128 },
		"token_hop is -1":         func(c *Config, _ *topology.Multistage) { c.Tree.TokenHop = -1 },
		"source_queue is 0; use ": func(c *Config, _ *topology.Multistage) { c.SourceQueue = 0 },
	} {
		c, of := DefaultTree(), m
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
	n := build(t, topology.Multistage{Arity: 2, Stages: 4}, DefaultTree())
	for stage, want := range []noc.Cycle{4, 2, 1, 0} {
		if got := n.queues[n.tokens[n.stages.Router(stage, 0)]].passes; got != want {
			t.Errorf("the token of stage %d comes after %d cycles, want %d", stage, got, want)
		}
	}
}
