package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestConformance holds the variants that noc/models does not list to the laws of package noc.
func TestConformance(t *testing.T) {
	variants := map[string]func(*buffered.Config){
		"tree":    func(c *buffered.Config) { c.Multicast = buffered.Tree },
		"overlap": func(c *buffered.Config) { c.RouteAfterTail = false; c.ChannelPhits = 15 },
	}
	for name, change := range variants {
		c := buffered.DefaultBase()
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
