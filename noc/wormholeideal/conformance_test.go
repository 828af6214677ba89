package wormholeideal

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestConformance holds the variants of the network to the laws of package noc.
func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"one flit": func(*Config) {},
		"startup, slow credits": func(c *Config) {
			c.Startup, c.InjectionPorts, c.EjectionChannels, c.InjectionChannels = 3, 1, 1, true
			c.BufferPhits, c.CreditCycles, c.RouteCycles = 8, 1, 1
		},
	} {
		c := Default()
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
