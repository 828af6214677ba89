package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

func build(t testing.TB, g topology.Grid, c buffered.Config) *Network { return noctest.Must(New(g, c)) }

// TestLongRings: packets whose way straight on is longer than what they can say of it.
func TestLongRings(t *testing.T) {
	for _, g := range []topology.Grid{topology.Mesh(1200), topology.Torus(1200), topology.Mesh(2, 600)} {
		n := build(t, g, buffered.DefaultBase())
		last := noc.NodeID(g.Nodes() - 1)
		for _, d := range []noc.NodeID{last, last - 1, maxLeft + 1, maxLeft, maxLeft - 1, 2*maxLeft + 1, 2 * maxLeft, 1, 0} {
			n.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(g.Nodes(), d), Phits: 5})
			n.Step(n.Now() + 10_000)
			got, hops := n.Deliveries(), g.Distance(0, d)
			if len(got) != 1 || int(got[0].Arrived-got[0].Offered) != 5*hops+10 || int(got[0].Hops) != hops {
				t.Fatalf("%s, to node %d: %+v; want %d cycles, %d hops", g, d, got, 5*hops+10, hops)
			}
			n.Step(n.Now() + 20)
		}
	}
}
