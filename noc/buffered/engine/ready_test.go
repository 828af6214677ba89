package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestReadyIsChecked: a head noted as ready that is not, one that is forgotten, and a router that
// is, are found.
func TestReadyIsChecked(t *testing.T) {
	n := build(t, topology.Torus(4, 4), buffered.DefaultBase())
	n.Offer(noc.Packet{Src: 5, Dst: noc.One(6), Phits: 5})
	n.Step(3) // offered in 0, written in 1, routed in 2: it may ask for the switch in 3
	n.takeEvents(3)
	if err := n.checkReady(); err != nil || n.routers[5].ready == 0 {
		t.Fatalf("ready are %x: %v", n.routers[5].ready, err)
	}
	for _, r := range []int{5, 6} {
		n.routers[r].ready ^= 1
		if err := n.CheckInvariants(); err == nil {
			t.Errorf("router %d: a wrong set of ready heads is not noticed", r)
		}
		n.routers[r].ready ^= 1
	}
	n.due[0] = 0
	if err := n.CheckInvariants(); err == nil {
		t.Error("nobody misses the router")
	}
}
