package wormhole

import (
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// BenchmarkFlitHop measures the plain form where the engine's benchmark of the same name measures
// the engine: six channels of ten flits on a torus, packets of five.
func BenchmarkFlitHop(b *testing.B) {
	g := topology.Torus(8, 8)
	for _, load := range []float64{0.05, 0.3, 1} {
		b.Run(fmt.Sprintf("torus=8x8/load=%v", load), func(b *testing.B) {
			c := Default()
			c.Classes, c.VirtualChannels, c.BufferPhits, c.MaxPhits = 1, 6, 10, 5
			n, err := New(g, c, nil)
			if err != nil {
				b.Fatal(err)
			}
			noctest.BenchmarkFlitHops(b, noctest.Drive(b, n, g, traffic.Config{Load: load, Classes: 1}))
		})
	}
}
