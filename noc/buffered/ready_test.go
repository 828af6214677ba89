package buffered

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/noc/topology"
	"pgregory.net/rapid"
)

// TestManyPortsEqualReference compares the engine with the phit-by-phit model where the channels of a
// router take two words: nine ports and more.
func TestManyPortsEqualReference(t *testing.T) {
	takeLong(t)
	rapid.Check(t, func(t *rapid.T) {
		// What comes in at the ninth port leaves the network there, goes straight on, or turns.
		radix := rapid.SampledFrom([][]int{{2, 2, 2, 2}, {2, 2, 2, 4}, {2, 2, 2, 2, 2}}).Draw(t, "radix")
		g := topology.Grid{Radix: radix, Wrap: rapid.Bool().Draw(t, "torus")}
		c := DefaultBaseMC()
		c.Classes = 3
		c.BubbleAt = rapid.SampledFrom([]BubblePlace{Downstream, AtRouter}).Draw(t, "bubble")
		n, err := New(g, c)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "as in a large network") {
			n.routes.near = nil
		}
		p := pair{t: t, g: g, c: c, engine: n, model: newReference(g, c), random: random.Stream(rapid.Uint64().Draw(t, "seed"))}
		p.run(1.5, 30)
	})
}

// TestReadyIsChecked: a head noted as ready that is not, one that is forgotten, and a router that is, are
// found.
func TestReadyIsChecked(t *testing.T) {
	n := build(t, topology.Torus(4, 4), DefaultBase())
	n.Offer(noc.Packet{Src: 5, Dst: noc.One(6), Phits: 5})
	n.Step(3) // offered in 0, written in 1, routed in 2: it may ask for the switch in 3
	n.takeEvents(3)
	if err := n.checkReady(); err != nil || n.routers[5].ready == (inputs{}) {
		t.Fatalf("ready are %x: %v", n.routers[5].ready, err)
	}
	for _, r := range []int{5, 6} {
		n.routers[r].ready[0] ^= 1
		if err := n.CheckInvariants(); err == nil {
			t.Errorf("router %d: a wrong set of ready heads is not noticed", r)
		}
		n.routers[r].ready[0] ^= 1
	}
	n.due[0] = 0
	if err := n.CheckInvariants(); err == nil {
		t.Error("nobody misses the router")
	}
}
