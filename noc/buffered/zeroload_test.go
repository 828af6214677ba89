package buffered

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

func build(t testing.TB, g topology.Grid, c Config) *Network { return noctest.Must(New(g, c)) }

// TestUnicastZeroLoad holds every pair of nodes to T = (l+r+a+2)d + L + r + a + 3 (rule 3).
func TestUnicastZeroLoad(t *testing.T) {
	grids := []topology.Grid{topology.Torus(8, 8), topology.Mesh(4, 3), topology.Torus(3, 3, 3), topology.Torus(5), topology.Torus(2, 2),
		topology.Torus(2, 2, 2, 2)}
	if testing.Short() {
		grids = grids[1:]
	}
	for _, g := range grids {
		slow := DefaultBaseMC()
		slow.RouteCycles, slow.AllocationCycles, slow.LinkCycles = 0, 3, 4
		for _, c := range []Config{DefaultBase(), DefaultBaseMC(), slow} {
			if c == slow && g.Nodes() > 16 {
				continue
			}
			inside := c.RouteCycles + c.AllocationCycles
			n := build(t, g, c)
			for src := range noc.NodeID(g.Nodes()) {
				for dst := range noc.NodeID(g.Nodes()) {
					phits := 1 + int(src+dst)%5
					n.Offer(noc.Packet{Src: src, Dst: noc.SetOf(g.Nodes(), dst), Phits: uint16(phits), Class: noc.Class(dst % 6)})
					d := noctest.Drain(t, n)[0]
					hops := g.Distance(src, dst)
					if got, want := int(d.Arrived-d.Offered), (c.LinkCycles+inside+2)*hops+phits+inside+3; got != want || int(d.Hops) != hops || d.At != dst || d.Src != src {
						t.Fatalf("%s %d->%d, %d phits: %d cycles, %d hops; want %d, %d", g, src, dst, phits, got, d.Hops, want, hops)
					}
					if d.Injected != d.Offered {
						t.Fatalf("injected %d, offered %d", d.Injected, d.Offered)
					}
					n.Step(n.Now() + 20) // let credits return and ports fall idle
				}
			}
		}
	}
}

// TestCopiesSevenApart: the copies of a multicast leave BASE's source seven cycles apart, nearest
// number after the source first (rules 3 and 11).
func TestCopiesSevenApart(t *testing.T) {
	g := topology.Torus(8, 8)
	n := build(t, g, DefaultBase())
	n.Offer(noc.Packet{Src: 10, Dst: noc.SetOf(64, 9, 11, 12), Phits: 5})
	arrived := map[noc.NodeID]int{}
	for _, d := range noctest.Drain(t, n) {
		arrived[d.At] = int(d.Arrived)
	}
	for k, dst := range []noc.NodeID{11, 12, 9} {
		if got, at := arrived[dst], 5*g.Distance(10, dst)+10+7*k; got != at {
			t.Errorf("copy %d to node %d arrives at %d, want %d", k, dst, got, at)
		}
	}
}

// TestBackToBack: seven cycles between packets of one channel (five if routing overlaps the
// tail), five between channels.
func TestBackToBack(t *testing.T) {
	for _, v := range []struct {
		after bool
		class noc.Class
		gap   noc.Cycle
	}{{true, 0, 7}, {false, 0, 5}, {true, 1, 5}, {false, 1, 5}} {
		c := DefaultBase()
		c.RouteAfterTail = v.after
		n := build(t, topology.Mesh(4, 4), c) // on a torus the bubble alone would cost as much
		n.Offer(noc.Packet{Src: 0, Dst: noc.One(1), Phits: 5, Class: 0})
		n.Offer(noc.Packet{Src: 0, Dst: noc.One(1), Phits: 5, Class: v.class})
		d := noctest.Drain(t, n)
		if gap := d[1].Arrived - d[0].Arrived; gap != v.gap {
			t.Errorf("%+v: packets arrive %d cycles apart, want %d", v, gap, v.gap)
		}
	}
}

// TestTreeZeroLoad holds a broadcast, the source included, to T = 5d + L + 5 + L*sum(j): branch j
// of each router on the path waits for j others. Branches are local, turns in port order,
// straight.
func TestTreeZeroLoad(t *testing.T) {
	for _, g := range []topology.Grid{topology.Torus(5, 5), topology.Mesh(3, 4), topology.Torus(3, 3, 3)} {
		n := build(t, g, DefaultBaseMC())
		all := noc.NewNodeSet(g.Nodes())
		for i := range noc.NodeID(g.Nodes()) {
			all.Add(i)
		}
		for src := range noc.NodeID(g.Nodes()) {
			start := n.Now()
			n.Offer(noc.Packet{Src: src, Dst: all, Phits: 3, Class: 2})
			want := map[noc.NodeID]int{}
			broadcastTimes(g, src, src, topology.Local, -1, 0, want)
			for _, d := range noctest.Drain(t, n) {
				if got := int(d.Arrived - start); got != want[d.At] {
					t.Fatalf("%s from %d to %d: %d cycles, want %d", g, src, d.At, got, want[d.At])
				}
			}
			n.Step(n.Now() + 50)
		}
	}
}

// broadcastTimes walks the tree by hand: a packet that moves along dim (all dimensions for -1:
// the source) branches here, into each later dimension, and straight on. waited is L times the
// branches waited for.
func broadcastTimes(g topology.Grid, src, at noc.NodeID, entry, dim, waited int, want map[noc.NodeID]int) {
	const phits = 3
	want[at] = 5*g.Distance(src, at) + phits + 5 + waited
	branch := 1
	try := func(port, d int) {
		next, in, ok := g.Neighbour(at, port)
		if !ok || g.Distance(src, next) != g.Distance(src, at)+1 {
			return
		}
		broadcastTimes(g, src, next, in, d, waited+branch*phits, want)
		branch++
	}
	for port := 1; port < g.Ports(); port++ {
		if d, _ := g.Direction(port); d > dim {
			try(port, d)
		}
	}
	if entry != topology.Local {
		d, sign := g.Direction(entry)
		try(g.Port(d, -sign), dim)
	}
}
