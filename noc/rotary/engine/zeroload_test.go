package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestWorkedExamples are cases of rule 7: T = 2d + 2*(segments) + L + 2.
func TestWorkedExamples(t *testing.T) {
	for _, c := range []struct {
		grid     topology.Grid
		dx, dy   int
		segments int
	}{
		{topology.Torus(8, 8), -1, -1, 4},
		{topology.Torus(8, 8), -3, 0, 7},
		{topology.Torus(8, 8), -3, -3, 8},
		{topology.Torus(16, 2), -7, 0, 15},
		{topology.Torus(8, 8), 1, 0, 3},
		{topology.Torus(8, 8), 0, 1, 3},
		{topology.Torus(8, 8), 0, 0, 5},
		{topology.Mesh(8, 8), 2, 0, 5},
	} {
		for _, phits := range []int{1, 3, 5} {
			for _, config := range []rotary.Config{rotary.DefaultRR(), rotary.DefaultMRR()} {
				n := build(t, c.grid, config)
				src := c.grid.Node(3, 1)
				dst := c.grid.Node(3+c.dx, 1+c.dy)
				n.Step(10)
				n.Offer(noc.Packet{Src: src, Dst: noc.One(dst), Phits: uint16(phits), Tag: 7})
				got := noctest.Drain(t, n)
				d := c.grid.Distance(src, dst)
				want := noc.Cycle(10 + 2*d + 2*c.segments + phits + 2)
				if len(got) != 1 || got[0].Arrived != want || int(got[0].Hops) != d || got[0].Injected != 10 {
					t.Errorf("%s (%d,%d), %d phits: %+v, want Arrived %d after %d hops", c.grid, c.dx, c.dy, phits, got, want, d)
				}
			}
		}
	}
}
