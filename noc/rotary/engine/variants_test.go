package engine

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// mrr is the multicast rotary router.
func mrr() rotary.Config {
	c := rotary.DefaultRR()
	c.Multicast = rotary.Adaptive
	return c
}

// variant is a reference of the paper's section 3.3: a multicast scheme with unlimited output
// stages.
func variant(s rotary.Scheme) rotary.Config {
	c := rotary.DefaultRR()
	c.Multicast, c.UnlimitedOutput = s, true
	return c
}

// broadcast offers one packet for all nodes but the source.
func broadcast(n *Network, src noc.NodeID) {
	p := noc.Packet{Src: src, Dst: noc.NewNodeSet(n.Nodes()), Phits: 5}
	for d := range noc.NodeID(n.Nodes()) {
		if d != src {
			p.Dst.Add(d)
		}
	}
	n.Offer(p)
}

// TestPathServesOneNodePerLink: a broadcast alone on a torus goes half the way round in each
// direction and crosses one link for every node it serves.
func TestPathServesOneNodePerLink(t *testing.T) {
	for _, g := range []topology.Grid{topology.Torus(8, 8), topology.Torus(3, 4), topology.Torus(3, 3, 2)} {
		for _, src := range []noc.NodeID{0, 7, noc.NodeID(g.Nodes() - 1)} {
			n := build(t, g, variant(rotary.Path))
			broadcast(n, src)
			nodes := g.Nodes()
			got := noctest.Drain(t, n)
			if len(got) != nodes-1 {
				t.Fatalf("%s: %d deliveries", g, len(got))
			}
			for _, d := range got {
				k := (int(n.regions[0].routes.tour.Position[d.At]-n.regions[0].routes.tour.Position[src]) + nodes) % nodes
				if want := min(k, nodes-k); int(d.Hops) != want {
					t.Errorf("%s: %d links from %d to %d, want %d", g, d.Hops, src, d.At, want)
				}
			}
			if tot := n.Totals(); tot.PhitHops != 5*uint64(nodes-1) || tot.Injected != 1 {
				t.Errorf("%s: %d phits crossed links, of %d packets", g, tot.PhitHops, tot.Injected)
			}
		}
	}
}

// TestTreeAloneIsMRR: in an empty network rule 4 never refuses, so MRR and the tree do the same,
// along shortest paths.
func TestTreeAloneIsMRR(t *testing.T) {
	for _, g := range []topology.Grid{topology.Torus(8, 8), topology.Mesh(4, 5), topology.Torus(3, 3, 3)} {
		var runs [2][]noc.Delivery
		for i, c := range []rotary.Config{mrr(), variant(rotary.Tree)} {
			n := build(t, g, c)
			broadcast(n, 9)
			runs[i] = noctest.Drain(t, n)
		}
		if !slices.Equal(runs[0], runs[1]) {
			t.Errorf("%s: the tree differs from MRR", g)
		}
		for _, d := range runs[1] {
			if int(d.Hops) != g.Distance(d.Src, d.At) {
				t.Errorf("%s: %d links from %d to %d", g, d.Hops, d.Src, d.At)
			}
		}
	}
}

// TestVariantsLive offers broadcasts only, as many as the sources can take: the tree and the path
// deliver as long as they run, as much as the nodes can consume.
func TestVariantsLive(t *testing.T) {
	for _, s := range []rotary.Scheme{rotary.Tree, rotary.Path} {
		g := topology.Torus(8, 8)
		n := build(t, g, variant(s))
		delivered := measureFrom(t, drive(t, n, g, "uniform", 1, 1), 2000, 4000).Delivered
		if err := n.CheckInvariants(); err != nil {
			t.Error(err)
		}
		if delivered < 0.8 {
			t.Errorf("%s: %.3f phits per node and cycle", s, delivered)
		}
	}
}

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
			for _, config := range []rotary.Config{rotary.DefaultRR(), mrr()} {
				n := build(t, c.grid, config)
				src := c.grid.Node(3, 1)
				dst := c.grid.Node(3+c.dx, 1+c.dy)
				n.Step(10)
				n.Offer(noc.Packet{Src: src, Dst: noc.One(dst), Phits: uint16(phits), Tag: 7})
				got := noctest.Drain(t, n)
				d := c.grid.Distance(src, dst)
				want := noc.Cycle(10 + 2*d + 2*c.segments + phits + 2)
				if len(got) != 1 || got[0].Arrived != want || int(got[0].Hops) != d || got[0].Injected != 10 {
					t.Errorf("%s (%d,%d), %d phits: %+v, want Arrived %d after %d hops", c.grid, c.dx, c.dy, phits, got, want, d)
				}
			}
		}
	}
}

// TestIdleForLong: after any time without traffic a packet takes as long as before. Of the cycles in
// which streams end only the low bits are kept.
func TestIdleForLong(t *testing.T) {
	n, at := build(t, topology.Torus(4, 4), rotary.DefaultRR()), noc.Cycle(0)
	for _, gap := range []noc.Cycle{0, forgetEvery - 20, forgetEvery, halfAround - 20, halfAround, 2*halfAround - 20, 2 * halfAround, 3 * halfAround, 5_000_000} {
		for extra := range noc.Cycle(40) {
			at = n.Now() + gap + extra
			for n.Now() < at {
				n.Step(at)
			}
			n.Offer(noc.Packet{Dst: noc.One(5), Phits: 5})
			if d := noctest.Drain(t, n); len(d) != 1 || d[0].Arrived-at > 40 {
				t.Fatalf("after %d cycles without traffic: %+v", gap+extra, d)
			}
		}
	}
}
