package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// TestConformance holds the variants of the network to the laws of package noc, in both forms.
func TestConformance(t *testing.T) {
	plain := func(g topology.Grid, c wormholeideal.Config) (noc.Network, error) {
		return wormholeideal.NewGrid(g, c, nil)
	}
	engine := func(g topology.Grid, c wormholeideal.Config) (noc.Network, error) { return NewGrid(g, c, nil) }
	for name, change := range map[string]func(*wormholeideal.Config){
		"one flit": func(*wormholeideal.Config) {},
		"startup, slow credits": func(c *wormholeideal.Config) {
			c.Startup, c.InjectionPorts, c.EjectionChannels, c.InjectionChannels = 3, 1, 1, true
			c.BufferPhits, c.CreditCycles, c.RouteCycles = 8, 1, 1
		},
	} {
		c := wormholeideal.Default()
		c.MaxPhits = 5
		change(&c)
		slow := c
		slow.EveryCycle = true
		for form, build := range map[string]func(topology.Grid, wormholeideal.Config) (noc.Network, error){"plain": plain, "engine": engine} {
			t.Run(name+"/"+form, func(t *testing.T) {
				noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5, SharedClasses: true,
					Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return build(g, c) },
					EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return build(g, slow) }})
			})
		}
	}
}
