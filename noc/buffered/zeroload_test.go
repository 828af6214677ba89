package buffered

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/noctest/stories"
	"github.com/carousel-sim/carousel/noc/topology"
)

// baseMC is BASE with tree multicast.
func baseMC() Config {
	c := DefaultBase()
	c.Multicast = Tree
	return c
}

func build(t testing.TB, g topology.Grid, c Config) *Network { return must.Get(New(g, c)) }

// TestUnicastZeroLoad holds every pair of nodes to T = (l+r+a+2)d + L + r + a + 3 (rule 3).
func TestUnicastZeroLoad(t *testing.T) {
	for _, g := range []topology.Grid{topology.Torus(6, 4), topology.Mesh(4, 3), topology.Torus(3, 3, 3), topology.Torus(5), topology.Torus(2, 2),
		topology.Torus(2, 2, 2, 2)} {
		slow := baseMC()
		slow.RouteCycles, slow.AllocationCycles, slow.LinkCycles = 0, 3, 4
		for _, c := range []Config{DefaultBase(), baseMC(), slow} {
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
		n := build(t, g, baseMC())
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

// TestTimelines tells where the headers of packets are, cycle by cycle, in the scenarios of
// testdata/timelines: of BASE or, with the word tree, of BASE-MC.
func TestTimelines(t *testing.T) {
	stories.Play(t, "testdata/timelines", func(l topology.Layout, d *datadriven.TestData) (stories.Network, error) {
		c := DefaultBase()
		if d.HasArg("tree") {
			c = baseMC()
		}
		n := build(t, *l.Grid, c)
		return stories.Network{Network: n, Watch: func() []string { return headers(n) }, Places: true}, nil
	})
}

// headers lists where the header of each packet is after the last cycle, by the stages of rule 3.
func headers(n *Network) (list []string) {
	t := n.Now() - 1
	say := func(p packet, format string, args ...any) {
		list = append(list, fmt.Sprintf("packet %d: ", n.Packets.At(p.id).Tag)+fmt.Sprintf(format, args...))
	}
	for i := range n.routers {
		r := &n.routers[i]
		for port := range r.inputs {
			in, out, name := &r.inputs[port], &r.outputs[port], n.grid.PortName(port)
			if in.wire.present() && in.wire.index == 0 {
				if port == topology.Local {
					say(in.wire.packet, "leaves the interface of node %d", i)
				} else {
					say(in.wire.packet, "LT  into node %d by %s", i, name)
				}
			}
			if out.crossed.present() && out.crossed.index == 0 {
				say(out.crossed.packet, "ST  node %d, to %s", i, name)
			}
			if s := &in.stream; s.active() && s.next == 0 {
				say(s.packet, "SA  node %d, granted %s", i, n.grid.PortName(s.output))
			}
			for class := range in.channels {
				for j := range in.channels[class].entries {
					switch e := &in.channels[class].entries[j]; {
					case e.leaving || in.stream.active() && in.stream.class == class && j == 0:
					case e.written == t:
						say(e.packet, "BW  node %d, input %s channel %d", i, name, class)
					case e.routed == t:
						say(e.packet, "RC  node %d", i)
					case e.routed == noc.Never:
						say(e.packet, "waits in node %d for the packet ahead", i)
					default:
						say(e.packet, "SA  node %d, not granted", i)
					}
				}
			}
		}
	}
	return list
}
