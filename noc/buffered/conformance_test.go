package buffered

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestConformance holds the variants that noc/models does not list to the laws of package noc.
func TestConformance(t *testing.T) {
	variants := map[string]func(*Config){
		"tree":     func(c *Config) { c.Multicast = Tree },
		"local":    func(c *Config) { c.BubbleAt = AtRouter; c.Multicast = Tree },
		"priority": func(c *Config) { c.ChannelArbiter = Priority },
		"overlap":  func(c *Config) { c.RouteAfterTail = false; c.ChannelPhits = 15 },
	}
	for name, change := range variants {
		c := DefaultBase()
		change(&c)
		slow := c
		slow.EveryCycle = true
		t.Run(name, func(t *testing.T) {
			noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5,
				Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, c) },
				EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, slow) }})
		})
	}
}
