package traffic

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

func idealOf(t *testing.T, g topology.Grid) noc.Network {
	return must.Get(ideal.New(g, ideal.Default()))
}

// TestNetworksStep: networks stay together, and each delivery is seen in the cycle in which it arrives,
// whatever the others do.
func TestNetworksStep(t *testing.T) {
	n := Networks{idealOf(t, topology.Torus(4, 4)), idealOf(t, topology.Torus(4, 4))}
	must.Do(n.Check())
	if now := n.Step(100); now != 100 || n[1].Now() != 100 {
		t.Fatalf("idle networks step to %d and %d", now, n[1].Now())
	}
	n[0].Offer(noc.Packet{Src: 0, Dst: noc.One(1), Phits: 5})
	n[1].Offer(noc.Packet{Src: 0, Dst: noc.One(10), Phits: 5, Tag: 1})
	seen := 0
	for n.InFlight() > 0 {
		now := n.Step(10_000)
		for i, one := range n {
			if one.Now() != now {
				t.Fatalf("network %d is at %d, not %d", i, one.Now(), now)
			}
			for _, d := range one.Deliveries() {
				if seen++; d.Arrived != now {
					t.Errorf("%+v is seen in cycle %d", d, now)
				}
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d deliveries", seen)
	}
}

func TestNetworksCheck(t *testing.T) {
	late := idealOf(t, topology.Torus(4, 4))
	late.Step(5)
	for want, n := range map[string]Networks{
		"there is no network": {}, "network 1 has 12 nodes": {idealOf(t, topology.Torus(4, 4)), idealOf(t, topology.Torus(4, 3))},
		"is at cycle 5": {idealOf(t, topology.Torus(4, 4)), late},
	} {
		if err := n.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
