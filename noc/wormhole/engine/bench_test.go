package engine

import (
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// BenchmarkFlitHop is the cost of one flit crossing one link, on the torus of the design's table of
// speeds (six channels of ten flits, packets of five), in both forms, and on the classic mesh (four
// of eight).
//
// Networks without virtual channels can use package wormholeideal, at 2 to 4 ns per flit hop for
// messages of 64 flits.
func BenchmarkFlitHop(b *testing.B) {
	for _, v := range []struct {
		name     string
		g        topology.Grid
		channels int
		buffer   int
		load     float64
		plain    bool
	}{
		{"torus=8x8", topology.Torus(8, 8), 6, 10, 0.05, false},
		{"torus=8x8", topology.Torus(8, 8), 6, 10, 0.3, false},
		{"torus=8x8", topology.Torus(8, 8), 6, 10, 1, false},
		{"mesh=8x8", topology.Mesh(8, 8), 4, 8, 0.1, false},
		{"mesh=8x8", topology.Mesh(8, 8), 4, 8, 0.3, false},
		{"mesh=32x32", topology.Mesh(32, 32), 4, 8, 0.08, false},
		{"plain-torus=8x8", topology.Torus(8, 8), 6, 10, 0.05, true},
		{"plain-torus=8x8", topology.Torus(8, 8), 6, 10, 0.3, true},
		{"plain-torus=8x8", topology.Torus(8, 8), 6, 10, 1, true},
	} {
		b.Run(fmt.Sprintf("%s/load=%v", v.name, v.load), func(b *testing.B) {
			c := wormhole.Default()
			c.Classes, c.VirtualChannels, c.BufferPhits, c.MaxPhits = 1, v.channels, v.buffer, 5
			n := noc.Network(build(b, v.g, c, nil))
			if v.plain {
				n = wormhole.New(must.Get(c.OnLayout(v.g.Layout(), nil)), c, nil)
			}
			noctest.BenchmarkFlitHops(b, noctest.Drive(b, n, v.g, traffic.Config{Load: v.load, Classes: 1}))
		})
	}
}

func build(t testing.TB, g topology.Grid, c wormhole.Config, p dispatch.Planner) *Network {
	return must.Get(onGrid(g, c, p))
}

// onGrid builds a network on a grid.
func onGrid(g topology.Grid, c wormhole.Config, p dispatch.Planner) (*Network, error) {
	return onLayout(g.Layout(), c, p)
}

// onLayout builds a network on the layout of a grid.
func onLayout(l topology.Layout, c wormhole.Config, p dispatch.Planner) (*Network, error) {
	s, err := c.OnLayout(l, p)
	if err != nil {
		return nil, err
	}
	return New(s, c, p)
}
