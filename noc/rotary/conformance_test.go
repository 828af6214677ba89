package rotary_test

import (
	"os"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// variant returns a reference of the paper's section 3.3: a multicast scheme with unlimited output
// stages.
func variant(s rotary.Scheme) rotary.Config {
	c := rotary.DefaultRR()
	c.Multicast, c.UnlimitedOutput = s, true
	return c
}

func TestConformance(t *testing.T) {
	for _, c := range []rotary.Config{rotary.DefaultRR(), rotary.DefaultMRR(), variant(rotary.Tree), variant(rotary.Path)} {
		build := func(every bool) func(topology.Grid, uint64) (noc.Network, error) {
			return func(g topology.Grid, seed uint64) (noc.Network, error) {
				c.Seed, c.EveryCycle = seed, every
				return rotary.New(g, c)
			}
		}
		t.Run(string(c.Multicast), func(t *testing.T) {
			if os.Getenv("CAROUSEL_LONG") == "" && c.Multicast != rotary.Adaptive {
				t.Skip("with CAROUSEL_LONG=1; the engine, which is held to the same laws, equals this router")
			}
			noctest.Run(t, noctest.Subject{Grids: noctest.FewGrids(), Build: build(false), EveryCycle: build(true), Classes: c.Classes, Phits: c.SlotPhits})
		})
	}
}
