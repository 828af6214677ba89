package rotary

import (
	"math/rand/v2"
	"testing"

	"github.com/carousel-sim/carousel/noc/topology"
)

// TestLargeNetwork: reading ahead of the steps changes no delivery.
func TestLargeNetwork(t *testing.T) {
	g, c := topology.Torus(23, 23), DefaultRR()
	c.SourceQueue = 2
	const cycles = 120
	s := randomScript(rand.New(rand.NewPCG(5, 6)), g.Nodes(), c, cycles-80)
	far, near := build(t, g, c), build(t, g, c)
	if !far.large {
		t.Fatalf("%d routers are not large", g.Nodes())
	}
	near.large = false
	want := s.play(near, cycles)
	if d := firstDifference(s.play(far, cycles), want); d != "" || len(want) == 0 {
		t.Errorf("of %d deliveries: %s", len(want), d)
	}
	for id, a := range far.Activity(nil) {
		if b := near.activity(id); a != b {
			t.Fatalf("router %d\n got %+v\nwant %+v", id, a, b)
		}
	}
}
