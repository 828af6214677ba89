package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/topology"
)

func build(t testing.TB, g topology.Grid, c buffered.Config) *Network {
	t.Helper()
	n, err := New(g, c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// deliver runs until everything offered has arrived.
func deliver(t testing.TB, n *Network) []noc.Delivery {
	t.Helper()
	var all []noc.Delivery
	for n.InFlight() > 0 {
		if now := n.Now(); n.Step(now+10000) == now+10000 {
			t.Fatalf("nothing arrives in 10000 cycles; stuck: %v", n.Explain())
		}
		all = append(all, n.Deliveries()...)
	}
	return all
}

// TestLongRings: packets whose way straight on is longer than what they can say of it.
func TestLongRings(t *testing.T) {
	for _, g := range []topology.Grid{topology.Mesh(1200), topology.Torus(1200), topology.Mesh(2, 600)} {
		n := build(t, g, buffered.DefaultBase())
		last := noc.NodeID(g.Nodes() - 1)
		for _, d := range []noc.NodeID{last, last - 1, maxLeft + 1, maxLeft, maxLeft - 1, 2*maxLeft + 1, 2 * maxLeft, 1, 0} {
			n.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(g.Nodes(), d), Phits: 5})
			got := deliver(t, n)[0]
			hops := g.Distance(0, d)
			if int(got.Arrived-got.Offered) != 5*hops+10 || int(got.Hops) != hops {
				t.Errorf("%s, to node %d: %d cycles, %d hops; want %d, %d", g, d, got.Arrived-got.Offered, got.Hops, 5*hops+10, hops)
			}
			n.Step(n.Now() + 20)
		}
	}
}
