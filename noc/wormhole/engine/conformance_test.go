package engine

import (
	"errors"
	"os"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// TestConformance holds the variants of the router to the laws of package noc, in both forms.
func TestConformance(t *testing.T) {
	plain := func(g topology.Grid, c wormhole.Config) (noc.Network, error) { return wormhole.New(g, c, nil) }
	engine := func(g topology.Grid, c wormhole.Config) (noc.Network, error) {
		n, err := New(g, c, nil)
		if errors.Is(err, ErrTooLarge) { // in three dimensions
			return plain(g, c)
		}
		return n, err
	}
	for name, change := range map[string]func(*wormhole.Config){
		"speculative": func(c *wormhole.Config) { c.Speculative, c.RouteCycles, c.EjectionPerInput = true, 0, true },
		"uneven sets": func(c *wormhole.Config) { c.Classes, c.VirtualChannels, c.BufferPhits = 5, 12, 3 },
		"shared":      func(c *wormhole.Config) { c.VirtualChannels = 4 },
		"labels":      func(c *wormhole.Config) { c.Routing, c.LinkCycles, c.CreditCycles = wormhole.Labels, 2, 0 },
	} {
		c := wormhole.Default()
		c.MaxPhits = 5
		change(&c)
		slow := c
		slow.EveryCycle = true
		for form, build := range map[string]func(topology.Grid, wormhole.Config) (noc.Network, error){"plain": plain, "engine": engine} {
			t.Run(name+"/"+form, func(t *testing.T) {
				if os.Getenv("CAROUSEL_LONG") == "" && form == "plain" && name != "speculative" {
					t.Skip("with CAROUSEL_LONG=1; the engine equals the plain router")
				}
				var grids []topology.Grid
				if form == "plain" {
					grids = noctest.FewGrids()
				}
				noctest.Run(t, noctest.Subject{Classes: c.Classes, Phits: 5, SharedClasses: name == "shared", Grids: grids,
					Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return build(g, c) },
					EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return build(g, slow) }})
			})
		}
	}
}
