package engine

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

func TestValidate(t *testing.T) {
	w := topology.Mesh(4, 4).Wiring()
	for want, spoil := range map[string]func(*wormholeideal.Config){
		"classes is 9":           func(c *wormholeideal.Config) { c.Classes = 9 },
		"max_phits is 0":         func(c *wormholeideal.Config) { c.MaxPhits = 0 },
		"buffer_phits is 0":      func(c *wormholeideal.Config) { c.BufferPhits = 0 },
		"use 4 or more":          func(c *wormholeideal.Config) { c.BufferPhits, c.CreditCycles = 3, 3 },
		"injection_ports is 16":  func(c *wormholeideal.Config) { c.InjectionPorts = 16 },
		`routing is "xy"`:        func(c *wormholeideal.Config) { c.Routing = "xy" },
		"startup is -1":          func(c *wormholeideal.Config) { c.Startup = -1 },
		"source_queue is 100000": func(c *wormholeideal.Config) { c.SourceQueue = 100000 },
	} {
		c := wormholeideal.Default()
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
		"a channel without a worm": func(n *Network) { n.channels[0].holder = 0 },
		"a worm without a channel": func(n *Network) { n.channels[n.run[0].held[1]].holder = none },
		"a lost stop":              func(n *Network) { n.Dispatch.At(0).Stops = nil },
		"a lost ejection channel":  func(n *Network) { n.allocator.queues[n.Exits[3]].free = -1 },
	} {
		n := buildGrid(t, topology.Mesh(4, 4), wormholeideal.Default(), nil)
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
