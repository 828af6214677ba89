package wormholeideal

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// overload sends more than a 4x4 mesh can carry, a tenth of it multicasts, and reports whether it
// stopped.
func overload(t *testing.T, n *Network, g topology.Grid, cycles noc.Cycle) bool {
	t.Helper()
	return noctest.StandsStill(t, n, noctest.Drive(t, n, g, traffic.Config{Load: 2, PacketPhits: 16, Classes: 1,
		MulticastFraction: 0.1, MulticastDestinations: 5, Seed: 3}), cycles)
}

// TestDeadlock: label-ordered worms are free of deadlock with
// unicasts that follow the labels, and not with unicasts in dimension order; those alone are.
func TestDeadlock(t *testing.T) {
	g := topology.Mesh(4, 4)
	c := Default()
	c.MaxPhits, c.Classes = 16, 1
	worms := noctest.Scheme("dual-path", g)
	for _, v := range []struct {
		name    string
		routing Routing
		planner dispatch.Planner
		stops   bool
	}{
		{"label-ordered worms, unicasts by labels", Labels, worms, false},
		{"unicasts in dimension order", DimensionOrder, nil, false},
		{"label-ordered worms, unicasts in dimension order", DimensionOrder, worms, true},
	} {
		c.Routing = v.routing
		n := buildGrid(t, g, c, v.planner)
		stopped := overload(t, n, g, 100_000)
		circle := n.Deadlock()
		if stopped != v.stops || (len(circle) > 0) != v.stops {
			t.Fatalf("%s: standstill %v at cycle %d, circle %v, want deadlock %v", v.name, stopped, n.Now(), circle, v.stops)
		}
		for i, s := range circle {
			next := circle[(i+1)%len(circle)]
			if name, _, _ := strings.Cut(s.Waits, ":"); !strings.HasPrefix(name, "channel") || s.Tag == next.Tag && len(circle) > 1 {
				t.Errorf("%s: %+v waits for %+v", v.name, s, next)
			}
		}
		if v.stops {
			t.Logf("deadlock by cycle %d: %d worms wait in a circle: %v", n.Now(), len(circle), circle)
		}
	}
}

// TestSingleEjectionChannel: worms with several stops could wait for each other's ejection
// channels, so a network with too few of them takes no planner.
func TestSingleEjectionChannel(t *testing.T) {
	g := topology.Mesh(4, 4)
	c := Default()
	c.EjectionChannels = 1
	if _, err := NewGrid(g, c, noctest.Scheme("dual-path", g)); err == nil || !strings.Contains(err.Error(), "ejection_channels is 1") {
		t.Errorf("one ejection channel: %v", err)
	}
	// What the refusal prevents.
	c.EjectionChannels, c.MaxPhits, c.Classes = 0, 16, 1
	n := buildGrid(t, g, c, noctest.Scheme("dual-path", g))
	for _, p := range n.exits {
		n.queues[p].count, n.waits[p].free = 1, 1
	}
	if !overload(t, n, g, 100_000) || len(n.Deadlock()) == 0 {
		t.Error("worms with several stops do not deadlock on single ejection channels")
	}
}

// TestTorusRings: following the labels keeps a torus free of deadlock with one channel per link.
func TestTorusRings(t *testing.T) {
	g := topology.Torus(4, 4)
	c := Default()
	c.MaxPhits, c.Classes = 16, 1
	n := buildGrid(t, g, c, noctest.Scheme("dual-path", g))
	if overload(t, n, g, 50_000) {
		t.Errorf("standstill: %v", n.Deadlock())
	}
	c.Routing = DimensionOrder
	if _, err := NewGrid(g, c, nil); err == nil || !strings.Contains(err.Error(), "a ring would deadlock") {
		t.Errorf("dimension order on a torus: %v", err)
	}
}
