package engine

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// several draws at least two nodes, often few.
func several(rng *rand.Rand, nodes int) (list []noc.NodeID) {
	for _, i := range rng.Perm(nodes)[:2+rng.IntN(1+rng.IntN(nodes-1))] {
		list = append(list, noc.NodeID(i))
	}
	return list
}

// TestOutputsOfSets holds the outputs that serve a set, and the ring on which all of it is met
// first, to what follows from its members one by one, however sets and masks are kept.
func TestOutputsOfSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	for _, g := range []topology.Grid{topology.Torus(8, 8), topology.Mesh(5, 3), topology.Torus(7), topology.Torus(4, 4, 4), topology.Torus(9, 8)} {
		n := build(t, g, extended(rotary.DefaultMRR()))
		for range 500 {
			r, p, list := rng.IntN(g.Nodes()), rng.IntN(g.Ports()), several(rng, g.Nodes())
			outputs, last := uint16(0), [rings]int{}
			for _, d := range list {
				ports := n.routes.profitable(r, int(d))
				outputs |= ports
				for ring, segments := range n.segmentsTo(p, ports) {
					last[ring] = max(last[ring], segments)
				}
			}
			k := n.routed(r, place(n, 0, list...))
			if uint16(k) != outputs || k&severalBit == 0 {
				t.Fatalf("%s: outputs of router %d for %v are %b, want %b", g, r, list, k&served, outputs)
			}
			if got := n.chooseRing(r, p, k); last[0] != last[1] && got != choose(last[1] < last[0]) {
				t.Fatalf("%s: %v segments from input %d of router %d to all of %v, and ring %d is chosen", g, last, p, r, list, got)
			}
		}
	}
}

// TestSplit divides random sets until no output serves a part of what is left: the copy takes what
// the output serves, the original keeps the others, and the last destination is no set.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	for _, g := range []topology.Grid{topology.Torus(8, 8), topology.Torus(3, 2, 3), topology.Torus(9, 8)} {
		n, settled := build(t, g, extended(rotary.DefaultMRR())), 0
		for range 200 {
			r := rng.IntN(g.Nodes())
			k := place(n, 0, several(rng, g.Nodes())...)
			for h := &n.headers[k.header()]; ; {
				k = n.routed(r, k)
				p := bits.TrailingZeros64(uint64(k))
				if some, all := n.compare(r, p, k); !some || all {
					break
				}
				left, taken, part := n.members(h), noc.NewNodeSet(g.Nodes()), header{}
				for d := range noc.NodeID(g.Nodes()) {
					if left.Has(d) && n.routes.profitable(r, int(d))>>p&1 != 0 {
						left.Remove(d)
						taken.Add(d)
					}
				}
				n.split(r, p, h, &part)
				for _, c := range []struct {
					h    *header
					want noc.NodeSet
				}{{h, left}, {&part, taken}} {
					got := n.members(c.h)
					for d := range noc.NodeID(g.Nodes()) {
						if got.Has(d) != c.want.Has(d) {
							t.Fatalf("%s: divided by output %d of router %d, %v instead of %v", g, p, r, got, c.want)
						}
					}
					if one := c.want.Count() == 1; one != (c.h.flags&severalFlag == 0) || n.count(c.h) != c.want.Count() {
						t.Fatalf("%s: %v has flags %b", g, got, c.h.flags)
					} else if one {
						settled++
					}
				}
			}
		}
		if settled < 100 {
			t.Errorf("%s: one destination was left only %d times", g, settled)
		}
	}
}

// TestCopiesShareWorm: all copies of a broadcast are one worm as long as any of them is on its way;
// in the end the arena holds nothing.
func TestCopiesShareWorm(t *testing.T) {
	for _, c := range []Config{extended(rotary.DefaultMRR()), variant(Tree), variant(Path)} {
		for _, g := range []topology.Grid{topology.Torus(8, 8), topology.Torus(9, 8)} {
			n := build(t, g, c)
			broadcast(n, 3)
			worms := 1
			if c.Multicast == Path { // goes two ways, as two packets
				worms = 2
			}
			for n.InFlight() > 0 {
				n.Step(n.Now() + 1)
				n.Deliveries()
				if live := n.worms.Live(); live > worms {
					t.Fatalf("%s on %s: %d worms", c.Multicast, g, live)
				}
				if err := n.CheckInvariants(); err != nil {
					t.Fatal(err)
				}
			}
			if n.worms.Live() != 0 || n.worms.LiveRows() != 0 {
				t.Errorf("%s on %s: %d worms and %d rows are left", c.Multicast, g, n.worms.Live(), n.worms.LiveRows())
			}
		}
	}
}

// TestSinkFull: who waits for a place in the node's sink is at its only destination, whatever a set
// looks like as a number.
func TestSinkFull(t *testing.T) {
	n := build(t, topology.Torus(8, 8), extended(rotary.DefaultMRR()))
	n.LimitSink(3, 0, 0)
	e := explanation{net: n, b: &n.banks[0], r: 3}
	if !e.sinkFull(place(n, 0, 3)) || e.sinkFull(place(n, 0, 4)) || e.sinkFull(place(n, 0, 0, 1)) {
		t.Error("a packet is taken for one that waits for the sink, or not")
	}
}
