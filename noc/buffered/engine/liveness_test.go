package engine

import (
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// overload runs far more traffic than the network can carry, a fifth of it multicasts to so many
// nodes, and reports whether it stopped.
func overload(t *testing.T, g topology.Grid, c buffered.Config, destinations int, cycles noc.Cycle) (n *Network, stopped bool) {
	t.Helper()
	n = build(t, g, c)
	d := noctest.Drive(t, n, g, traffic.Config{Load: 2, Classes: c.Classes, MulticastFraction: 0.2, MulticastDestinations: destinations, Seed: 3})
	return n, noctest.StandsStill(t, n, d, cycles)
}

// waitCycle follows Explain from place to place and returns a circle of packets that wait for
// each other.
func waitCycle(stuck []noc.Stuck) []noc.Stuck {
	type place struct {
		at   noc.NodeID
		name string
	}
	at := map[place]noc.Stuck{}
	for _, s := range stuck {
		if p := (place{s.At, s.Holds}); !strings.Contains(s.Waits, "another packet is ahead") {
			at[p] = s
		}
	}
	for start := range at {
		var path []noc.Stuck
		visited := map[place]int{}
		for p, ok := start, true; ok; {
			if first, again := visited[p]; again {
				return path[first:]
			}
			s, known := at[p]
			if !known {
				break
			}
			visited[p] = len(path)
			path = append(path, s)
			name, _, _ := strings.Cut(s.Waits, ":")
			p, ok = place{s.For, name}, true
		}
	}
	return nil
}

// TestBubblePreventsDeadlock is the claim and its negative control: saturated rings go on with
// the bubble rule, and without it stop, with packets waiting for each other in a
// circle.
func TestBubblePreventsDeadlock(t *testing.T) {
	for _, scheme := range []buffered.Multicast{buffered.Replicate, buffered.Tree} {
		c := buffered.DefaultBase()
		c.Classes, c.Multicast = 2, scheme
		if n, stopped := overload(t, topology.Torus(4, 4), c, 4, 30_000); stopped {
			t.Errorf("%s: standstill at cycle %d: %v", scheme, n.Now(), n.Explain())
		}
		c.Bubble = false
		n, stopped := overload(t, topology.Torus(4, 4), c, 4, 30_000)
		if !stopped {
			t.Fatalf("%s without the bubble rule: no deadlock in 30000 cycles", scheme)
		}
		circle := waitCycle(n.Explain())
		if len(circle) < 2 {
			t.Fatalf("%s: no circle of waiting packets in %v", scheme, n.Explain())
		}
		t.Logf("%s without the bubble: %d packets in a circle, such as %+v", scheme, len(circle), circle[0])
	}
}

// TestMeshNeedsNoBubble: a mesh has no rings; entering asks for one slot and nothing deadlocks.
func TestMeshNeedsNoBubble(t *testing.T) {
	c := baseMC()
	c.ChannelPhits = 5 // one slot
	if n, stopped := overload(t, topology.Mesh(4, 4), c, 15, 20_000); stopped {
		t.Fatalf("standstill at cycle %d: %v", n.Now(), n.Explain())
	}
	if err := c.Validate(topology.Torus(4, 4)); err == nil {
		t.Error("a torus with the bubble rule accepts channels of one slot")
	}
}

// TestInvariantsCanFail: each invariant finds its defect.
func TestInvariantsCanFail(t *testing.T) {
	g := topology.Torus(4, 4)
	for name, spoil := range map[string]func(*Network){
		"a lost credit":      func(n *Network) { n.outputs[1].credits[0]-- },
		"a lost destination": func(n *Network) { n.Packets.Free(n.Sources.Pop(0, 0)) },
		"a doubled packet":   func(n *Network) { n.Packets.New(*n.Packets.At(0), 3) },
		"a forgotten head":   func(n *Network) { n.routers[0].ready ^= 1 },
		"a head too many":    func(n *Network) { n.routers[6].ready ^= 1 },
		"a forgotten router": func(n *Network) { n.regions[0].due[0] = 0 },
		"a full ring": func(n *Network) {
			for node := range 4 { // the x+ ring of row 0, fed over the W inputs
				ch := (node*n.ports + 4) << classBits
				n.channels[ch].size = 2
				n.outputs[n.channelIndex(n.routers[node].output[4].across)>>classBits].credits[0] = 0
			}
		},
	} {
		n := build(t, g, buffered.DefaultBase())
		n.Offer(noc.Packet{Dst: noc.One(3), Phits: 5})
		n.Offer(noc.Packet{Dst: noc.One(3), Phits: 5})
		n.Step(3) // offered in 0, written in 1, routed in 2: the first may ask for the switch in 3
		n.regions[0].takeEvents(3)
		must.Do(n.CheckInvariants())
		spoil(n)
		if err := n.CheckInvariants(); err == nil {
			t.Errorf("%s is not noticed", name)
		} else {
			t.Log(err)
		}
	}
}

// saturate returns the phits per node and cycle delivered at full load.
func saturate(t testing.TB, c buffered.Config, tr traffic.Config, warm, run noc.Cycle) float64 {
	g := topology.Torus(8, 8)
	d := noctest.Drive(t, build(t, g, c), g, tr)
	d.Run(warm)
	d.Clear()
	d.Run(warm + run)
	return d.Window().Delivered
}

// TestSaturationThroughput compares delivered phits per node and cycle at offered load 1.0 with an
// independent model of the same rules, whose numbers have two digits.
func TestSaturationThroughput(t *testing.T) {
	warm, run := noc.Cycle(4000), noc.Cycle(6000)
	if testing.Short() {
		t.Skip("long runs")
	}
	for _, v := range []struct {
		pattern       string
		multicast     float64
		destinations  int
		base, baseMC  float64
		tolerance     float64
		toleranceInMC float64
	}{
		{"uniform", 0, 0, 0.72, 0.72, 0.02, 0.02},
		{"bit-reversal", 0, 0, 0.21, 0.21, 0.02, 0.02},
		{"transpose", 0, 0, 0.13, 0.13, 0.02, 0.02},
		{"perfect-shuffle", 0, 0, 0.43, 0.43, 0.02, 0.02},
		{"tornado", 0, 0, 0.13, 0.13, 0.03, 0.03},
		{"uniform", 0.1, 8, 0.72, 0.77, 0.02, 0.02},
		{"uniform", 0.01, 0, 0.73, 0.84, 0.03, 0.03},
		{"uniform", 0.1, 0, 0.75, 0.96, 0.03, 0.03},
		{"bit-reversal", 0.1, 8, 0.39, 0.39, 0.03, 0.03},
		{"bit-reversal", 0.1, 0, 0.64, 0.79, 0.04, 0.04},
		{"tornado", 0.01, 0, 0.31, 0.22, 0.05, 0.05},
		{"uniform", 1, 0, 0.76, 0.98, 0.03, 0.03},
	} {
		for _, m := range []struct {
			name            string
			c               buffered.Config
			want, tolerance float64
		}{{"base", buffered.DefaultBase(), v.base, v.tolerance}, {"base-mc", baseMC(), v.baseMC, v.toleranceInMC}} {
			got := saturate(t, m.c, traffic.Config{Load: 1, Pattern: v.pattern, MulticastFraction: v.multicast, MulticastDestinations: v.destinations}, warm, run)
			t.Logf("%-8s %-9s multicast %4.2f to %d: %.3f (model %.2f)", m.name, v.pattern, v.multicast, v.destinations, got, m.want)
			if math.Abs(got-m.want) > m.tolerance {
				t.Errorf("%s %s multicast %v to %d: %.3f phits per node and cycle, want %.2f within %.2f",
					m.name, v.pattern, v.multicast, v.destinations, got, m.want, m.tolerance)
			}
		}
	}
}
