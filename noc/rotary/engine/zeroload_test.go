package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestWorkedExamples are cases of rule 7: T = 2d + 2*(segments) + L + 2.
func TestWorkedExamples(t *testing.T) {
	for _, c := range []struct {
		grid     topology.Grid
		dx, dy   int
		segments int
	}{
		{topology.Torus(8, 8), -1, -1, 4},
		{topology.Torus(8, 8), -3, 0, 7},
		{topology.Torus(8, 8), -3, -3, 8},
		{topology.Torus(16, 2), -7, 0, 15},
		{topology.Torus(8, 8), 1, 0, 3},
		{topology.Torus(8, 8), 0, 1, 3},
		{topology.Torus(8, 8), 0, 0, 5},
		{topology.Mesh(8, 8), 2, 0, 5},
	} {
		for _, phits := range []int{1, 3, 5} {
			for _, config := range []rotary.Config{rotary.DefaultRR(), rotary.DefaultMRR()} {
				n := build(t, c.grid, config)
				src := c.grid.Node(3, 1)
				dst := c.grid.Node(3+c.dx, 1+c.dy)
				n.Step(10)
				n.Offer(noc.Packet{Src: src, Dst: noc.One(dst), Phits: uint16(phits), Tag: 7})
				got := drain(t, n, 1000)
				d := c.grid.Distance(src, dst)
				want := noc.Cycle(10 + 2*d + 2*c.segments + phits + 2)
				if len(got) != 1 || got[0].Arrived != want || int(got[0].Hops) != d || got[0].Injected != 10 {
					t.Errorf("%s (%d,%d), %d phits: %+v, want Arrived %d after %d hops", c.grid, c.dx, c.dy, phits, got, want, d)
				}
			}
		}
	}
}

// Ports of a two-dimensional router.
const portS, portE, portN, portW = 1, 2, 3, 4

// linkPhits is what has left on one link.
func linkPhits(n *Network, from noc.NodeID, port int) uint64 {
	return n.routers[from].port[port].phits
}

// TestCrossingTimes follow from rule 7: a header leaves 6 cycles after it came when it crosses a
// router straight (two segments), 4 when it turns (one).
func TestCrossingTimes(t *testing.T) {
	for _, c := range []struct {
		src, dst noc.NodeID
		through  noc.NodeID
		in, out  int // the link into the router in the middle, by its port at src, and the one out of it
		gap      noc.Cycle
	}{
		{0, 2, 1, portE, portE, 6},
		{0, 16, 8, portN, portN, 6},
		{2, 0, 1, portW, portW, 6},
		{16, 0, 8, portS, portS, 6},
	} {
		n := build(t, topology.Torus(8, 8), rotary.DefaultRR())
		n.Offer(noc.Packet{Src: c.src, Dst: noc.One(c.dst), Phits: 5})
		var in, out noc.Cycle
		for n.Now() < 60 {
			n.Step(n.Now() + 1)
			if in == 0 && linkPhits(n, c.src, c.in) > 0 {
				in = n.Now() - 1
			}
			if out == 0 && linkPhits(n, c.through, c.out) > 0 {
				out = n.Now() - 1
			}
		}
		if in == 0 || out-in != c.gap {
			t.Errorf("%d to %d: in at %d, out at %d, want %d cycles apart", c.src, c.dst, in, out, c.gap)
		}
	}
	// South into the router and west out of it, or east in and north out: the staircase takes 4.
	n := build(t, topology.Torus(8, 8), rotary.DefaultRR())
	n.Offer(noc.Packet{Src: 9, Dst: noc.One(0), Phits: 5})
	if got := drain(t, n, 100); len(got) != 1 || got[0].Arrived != 19 {
		t.Errorf("%+v, want Arrived 19", got)
	}
}

// TestSecondBranch is a worked example: two destinations by S, one by E; the first branch is
// on its link in cycle 4, the second in cycle 6.
func TestSecondBranch(t *testing.T) {
	n := build(t, topology.Torus(8, 8), rotary.DefaultMRR())
	n.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(64, 56, 48, 1), Phits: 5})
	for cycle, want := range [][2]uint64{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {5, 0}, {5, 0}, {5, 5}} {
		n.Step(noc.Cycle(cycle) + 1)
		if got := [2]uint64{linkPhits(n, 0, portS), linkPhits(n, 0, portE)}; got != want {
			t.Errorf("after cycle %d the links S and E carried %v phits, want %v", cycle, got, want)
		}
	}
	got := drain(t, n, 100)
	if len(got) != 3 || got[0].At != 1 || got[0].Arrived != 15 {
		t.Errorf("%+v; node 1 should be first, in cycle 15", got)
	}
	if a := n.Activity(nil)[0]; a.Replications != 1 || a.RingDual != 5 || a.BufferReads[noc.RingSegment] != 10 {
		t.Errorf("source router: %+v", a)
	}
}

// TestMulticastAlone checks T = 2d + 2*(segments) + L + 2 within its bounds for every destination
// of a broadcast, and that nothing is serialised: no branch waits for another.
func TestMulticastAlone(t *testing.T) {
	g := topology.Torus(4, 4)
	n := build(t, g, rotary.DefaultMRR())
	set := noc.NewNodeSet(16)
	for d := range 16 {
		set.Add(noc.NodeID(d))
	}
	n.Offer(noc.Packet{Src: 5, Dst: set, Phits: 5})
	seen := map[noc.NodeID]bool{}
	for _, d := range drain(t, n, 1000) {
		hops := g.Distance(5, d.At)
		low, high := 2*hops+2*(hops+1)+7, 2*hops+2*5*(hops+1)+7
		if at := int(d.Arrived); seen[d.At] || int(d.Hops) != hops || at < low || at > high {
			t.Errorf("%+v: want once, %d hops, %d to %d cycles", d, hops, low, high)
		}
		seen[d.At] = true
	}
	if len(seen) != 16 {
		t.Errorf("%d destinations of 16", len(seen))
	}
}
