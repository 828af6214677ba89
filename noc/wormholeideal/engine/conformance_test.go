package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// TestConformance holds the variants of the engine to the laws of package noc.
func TestConformance(t *testing.T) {
	variants := map[string]func(*wormholeideal.Config){
		"one flit":           func(*wormholeideal.Config) {},
		"deep, slow credits": func(c *wormholeideal.Config) { c.BufferPhits, c.CreditCycles, c.RouteCycles = 8, 1, 1 },
		"startup, one port": func(c *wormholeideal.Config) {
			c.Startup, c.InjectionPorts, c.EjectionChannels, c.InjectionChannels = 3, 1, 1, true
		},
	}
	for name, change := range variants {
		c := wormholeideal.Default()
		c.MaxPhits = 5
		change(&c)
		slow := c
		slow.EveryCycle = true
		t.Run(name, func(t *testing.T) {
			noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5, SharedClasses: true,
				Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return NewGrid(g, c, nil) },
				EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return NewGrid(g, slow, nil) }})
		})
	}
}
