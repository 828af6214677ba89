package buffered

import (
	"os"
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
			if os.Getenv("CAROUSEL_LONG") == "" && c.Multicast == Tree {
				t.Skip("with CAROUSEL_LONG=1; the engine, which is held to the same laws, equals this router")
			}
			noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5, Grids: noctest.FewGrids(),
				Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, c) },
				EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, slow) }})
		})
	}
}
