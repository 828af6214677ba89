package wormhole

import (
	"strings"
	"testing"

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

// TestLabelsMustBeAPath: labels that are no Hamiltonian path are refused.
func TestLabelsMustBeAPath(t *testing.T) {
	w := topology.Mesh(3, 3).Wiring()
	of := Snake(topology.Mesh(3, 3))
	for want, spoil := range map[string]func([]int32) []int32{
		"8 labels for the 9 routers":        func(l []int32) []int32 { return l[:8] },
		"router 3 of mesh:3x3 has label 0;": func(l []int32) []int32 { l[3] = 0; return l },
		"no channels both ways":             func(l []int32) []int32 { l[0], l[8] = l[8], l[0]; return l },
	} {
		if _, err := NewLabels(w, spoil(append([]int32(nil), of...))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestLabelRouting: on a two-dimensional mesh the labels lead along shortest paths, everywhere they rise or
// fall all the way (claims S1-03 and S1-04).
func TestLabelRouting(t *testing.T) {
	for _, g := range []topology.Grid{topology.Mesh(5, 4), topology.Mesh(2, 7), topology.Mesh(3, 2, 3), topology.Torus(4, 3)} {
		w, of := g.Wiring(), Snake(g)
		r, err := NewLabels(w, of)
		if err != nil {
			t.Fatal(err)
		}
		for from := range w.Entry {
			for to := range w.Exit {
				at, hops := w.Entry[from].Router, 0
				for int(at) != to {
					next := w.Channels[r.Next(at, w.Entry[to].Router)].To
					if (of[next] > of[at]) != (of[to] > of[from]) {
						t.Fatalf("%s: from %d to %d, router %d follows %d", g, from, to, next, at)
					}
					at, hops = next, hops+1
				}
				if !g.Wrap && len(g.Radix) == 2 && hops != g.Distance(w.Entry[from].Router, at) {
					t.Errorf("%s: %d hops from %d to %d", g, hops, from, to)
				}
			}
		}
	}
}

// TestInvariantsCanFail: each invariant finds its defect.
func TestInvariantsCanFail(t *testing.T) {
	for name, spoil := range map[string]func(*Network){
		"a channel without a worm": func(n *Network) { n.channels[0].holder = 0 },
		"a worm without a channel": func(n *Network) { n.channels[n.worms[0].held[1]].holder = none },
		"a lost stop":              func(n *Network) { n.dispatch.At(0).Stops = nil },
		"a lost ejection channel":  func(n *Network) { n.receivers[3].idle = -1 },
	} {
		n, w := network(t)
		if err := n.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		if spoil(n); n.CheckInvariants() == nil {
			t.Errorf("%s is not noticed on %s", name, w.Name)
		}
	}
}

// network is one with a worm on its way.
func network(t *testing.T) (*Network, *topology.Wiring) {
	t.Helper()
	n, err := NewGrid(topology.Mesh(4, 4), Default(), nil)
	if err != nil {
		t.Fatal(err)
	}
	n.Offer(packetTo(15, 20))
	n.Step(4)
	return n, n.wiring
}
