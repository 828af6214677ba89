package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

func TestConformance(t *testing.T) {
	for _, c := range []rotary.Config{rotary.DefaultRR(), rotary.DefaultMRR(), variant(rotary.Tree), variant(rotary.Path)} {
		make := func(every bool) func(topology.Grid, uint64) (noc.Network, error) {
			return func(g topology.Grid, seed uint64) (noc.Network, error) {
				c.Seed, c.EveryCycle = seed, every
				return New(g, c)
			}
		}
		t.Run(string(c.Multicast), func(t *testing.T) {
			noctest.Run(t, noctest.Subject{Build: make(false), EveryCycle: make(true), Classes: c.Classes, Phits: c.SlotPhits})
		})
	}
}
