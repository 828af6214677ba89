package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestNoAllocation: nothing is allocated once the network has warmed up, with sets of destinations
// that are longer than a word. The suite of package noctest has smaller networks.
func TestNoAllocation(t *testing.T) {
	if fabric.Invariants {
		t.Skip("the network checks its invariants in every cycle")
	}
	for _, c := range []rotary.Config{extended(rotary.DefaultMRR()), variant(rotary.Tree), variant(rotary.Path)} {
		g := topology.Torus(9, 8)
		d := drive(t, build(t, g, c), g, "uniform", 0.2, 0.1)
		d.Run(6000)
		if got := testing.AllocsPerRun(20, func() { d.Run(d.Network().Now() + 100) }); got != 0 {
			t.Errorf("%s: %v allocations in 100 cycles", c.Multicast, got)
		}
	}
}

// TestCyclesRunOver: routers keep the low 8 bits of the cycles in which streams end. Traffic that
// comes after a silence, however long, and traffic over which these bits run over while only one
// link is busy, is delivered as the plain router delivers it.
func TestCyclesRunOver(t *testing.T) {
	for _, silence := range []noc.Cycle{100, 190, 200, 222, 224, 230, 256, 290, 448, 512, 1 << 16, 1<<32 - 60} {
		for _, busy := range []noc.Cycle{0, 150, 600} {
			c := extended(rotary.DefaultMRR())
			fast, plain := build(t, topology.Torus(4, 4), c), plainOf(t, topology.Torus(4, 4), c)
			a, b := runOver(fast, silence, busy), runOver(plain, silence, busy)
			if d := firstDifference(a, b); d != "" {
				t.Errorf("%d cycles of silence, %d busy: %s", silence, busy, d)
			}
			if x, y := fast.Totals(), plain.Totals(); x != y {
				t.Errorf("%d cycles of silence, %d busy: totals %+v, want %+v", silence, busy, x, y)
			}
		}
	}
}

func plainOf(t *testing.T, g topology.Grid, c rotary.Config) noc.Network {
	t.Helper()
	n, err := rotary.New(g, c)
	if err != nil {
		t.Fatal(err)
	}
	return n
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
