package buffered

import (
	"os"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

func TestHardware(t *testing.T) {
	h := build(t, topology.Torus(8, 8), baseMC()).Hardware()
	if h.StoragePhits() != 300 || h.VirtualChannels != 6 || h.Ports != 5 || !h.Crossbar || h.DestinationBits != 64 {
		t.Errorf("the router of the paper has 300 phits in 5 ports of 6 channels: %+v", h)
	}
}

func TestValidate(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		"classes is 9":         func(c *Config) { c.Classes = 9 },
		"slot_phits is 0":      func(c *Config) { c.SlotPhits = 0 },
		"multiple of":          func(c *Config) { c.ChannelPhits = 12 },
		"needs 2 slots":        func(c *Config) { c.ChannelPhits = 5 },
		"route_cycles is -1":   func(c *Config) { c.RouteCycles = -1 },
		"allocation_cycles is": func(c *Config) { c.AllocationCycles = 0 },
		"link_cycles is 16":    func(c *Config) { c.LinkCycles = 16 },
		"source_queue is 0":    func(c *Config) { c.SourceQueue = 0 },
		`multicast is "trees"`: func(c *Config) { c.Multicast = "trees" },
	} {
		c := DefaultBase()
		spoil(&c)
		if err := c.Validate(topology.Torus(4, 4)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if n, err := New(topology.Torus(4, 4), c); err == nil || n != nil {
			t.Errorf("New accepts what Validate refuses: %q", want)
		}
	}
	if err := DefaultBase().Validate(topology.Torus(1)); err == nil {
		t.Error("a torus of one node is accepted")
	}
}

// TestConformance holds the plain routers to the laws of package noc.
func TestConformance(t *testing.T) {
	for name, c := range map[string]Config{"base": DefaultBase(), "base-mc": baseMC()} {
		slow := c
		slow.EveryCycle = true
		t.Run(name, func(t *testing.T) {
			if os.Getenv("CAROUSEL_LONG") == "" && c.Multicast == Tree {
				t.Skip("with CAROUSEL_LONG=1; the engine, which is held to the same laws, equals this router")
			}
			noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5, Grids: noctest.FewGrids(),
				Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, c) },
				EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, slow) }})
		})
	}
}
