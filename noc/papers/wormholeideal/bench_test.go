package wormholeideal

import (
	"testing"

	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// buildGrid makes a network on a grid or ends the test.
func buildGrid(t testing.TB, g topology.Grid, c Config, p dispatch.Planner) *Network {
	return must.Get(New(g.Layout(), c, nil, p))
}

// BenchmarkFlitHop is the cost of one flit crossing one channel: long messages on large meshes as
// in the studies of multicasting, and short packets on the chip. Dual-path worms stand for all
// label-ordered schemes.
func BenchmarkFlitHop(b *testing.B) {
	for _, v := range []struct {
		name  string
		g     topology.Grid
		load  float64
		phits int
		share float64
	}{
		{"mesh=32x32/flits=64/unicast", topology.Mesh(32, 32), 0.05, 64, 0},
		{"mesh=32x32/flits=64/multicast=10%", topology.Mesh(32, 32), 0.02, 64, 0.1},
		{"mesh=8x8/flits=5/unicast", topology.Mesh(8, 8), 0.2, 5, 0},
	} {
		b.Run(v.name, func(b *testing.B) {
			c := Default()
			c.MaxPhits = v.phits
			n := buildGrid(b, v.g, c, noctest.Scheme("dual-path", v.g))
			noctest.BenchmarkFlitHops(b, noctest.Drive(b, n, v.g, traffic.Config{Load: v.load, PacketPhits: v.phits, Classes: 1,
				MulticastFraction: v.share, MulticastDestinations: 20}))
		})
	}
}
