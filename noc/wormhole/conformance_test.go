package wormhole

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestConformance holds the variants of the router to the laws of package noc.
func TestConformance(t *testing.T) {
	variants := map[string]func(*Config){
		"speculative": func(c *Config) { c.Speculative, c.RouteCycles, c.EjectionPerInput = true, 0, true },
		"uneven sets": func(c *Config) { c.VirtualChannels, c.BufferPhits = 13, 3 },
		"labels":      func(c *Config) { c.Routing, c.LinkCycles, c.CreditCycles = Labels, 2, 0 },
	}
	for name, change := range variants {
		c := Default()
		c.MaxPhits = 5
		change(&c)
		slow := c
		slow.EveryCycle = true
		t.Run(name, func(t *testing.T) {
			noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5,
				Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, c, nil) },
				EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, slow, nil) }})
		})
	}
}
