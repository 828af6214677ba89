package buffered

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestConformance holds the plain routers to the laws of package noc.
func TestConformance(t *testing.T) {
	for name, c := range map[string]Config{"base": DefaultBase(), "base-mc": DefaultBaseMC()} {
		slow := c
		slow.EveryCycle = true
		t.Run(name, func(t *testing.T) {
			if testing.Short() && c.Multicast == Tree {
				t.Skip("the other scheme takes as long")
			}
			noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5,
				Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, c) },
				EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, slow) }})
		})
	}
}
