package engine

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestCyclesRunOver: routers keep the low 8 bits of the cycles in which streams end. Traffic that
// comes after a silence, however long, and traffic over which these bits run over while only one
// link is busy, is delivered as the plain router delivers it.
func TestCyclesRunOver(t *testing.T) {
	for _, silence := range []noc.Cycle{100, 190, 200, 222, 224, 230, 256, 290, 448, 512, 1 << 16, 1<<32 - 60} {
		for _, busy := range []noc.Cycle{0, 150, 600} {
			c := rotary.DefaultMRR()
			fast, plain := build(t, topology.Torus(4, 4), c), plainOf(t, topology.Torus(4, 4), c)
			a, b := runOver(fast, silence, busy), runOver(plain, silence, busy)
			if !slices.Equal(a, b) {
				t.Errorf("%d cycles of silence, %d busy: %+v, want %+v", silence, busy, a, b)
			}
			if x, y := fast.Totals(), plain.Totals(); x != y {
				t.Errorf("%d cycles of silence, %d busy: totals %+v, want %+v", silence, busy, x, y)
			}
		}
	}
}

func plainOf(t *testing.T, g topology.Grid, c rotary.Config) noc.Network {
	return noctest.Must(rotary.New(g, c))
}

// runOver has traffic, silence, one busy link for some cycles, and the same traffic again.
func runOver(n noc.Network, silence, busy noc.Cycle) (all []noc.Delivery) {
	to := func(until noc.Cycle) {
		for n.Now() < until {
			n.Step(until)
			all = append(all, n.Deliveries()...)
		}
	}
	burst := func() {
		for i := range noc.Cycle(40) {
			n.Offer(noc.Packet{Src: noc.NodeID(i * 7 % 16), Phits: uint16(1 + i%2*4),
				Dst: noc.SetOf(16, noc.NodeID(i*5%16), noc.NodeID(i*3%16), noc.NodeID(i%16))})
			to(n.Now() + 1)
		}
	}
	burst()
	to(n.Now() + silence)
	for end := n.Now() + busy; n.Now() < end; to(n.Now() + 5) {
		n.Offer(noc.Packet{Src: 1, Phits: 5, Dst: noc.One(2)})
	}
	burst()
	to(n.Now() + 400)
	return all
}
