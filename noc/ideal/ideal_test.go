package ideal

import (
	"maps"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestBoundedSourcesConform holds the variant with source queues to the laws; noc/models tests
// the usual one.
func TestBoundedSourcesConform(t *testing.T) {
	c := Default()
	c.SourceQueue = 8
	noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5,
		Build: func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, c) }})
}

// TestFormula: every copy arrives EndCycles + HopCycles*d + L after its offer, whatever else is
// under way.
func TestFormula(t *testing.T) {
	for _, g := range []topology.Grid{topology.Torus(6, 4), topology.Mesh(3, 3, 3)} {
		c := Default()
		c.HopCycles, c.EndCycles = 3, 7
		n, err := New(g, c)
		if err != nil {
			t.Fatal(err)
		}
		r := random.Stream(1)
		phits := map[noc.Tag]int{}
		seen := 0
		for now := noc.Cycle(0); now < 200 || n.InFlight() > 0; now = n.Step(now + 1) {
			for _, d := range n.Deliveries() {
				seen++
				hops := g.Distance(d.Src, d.At)
				if want := 7 + 3*hops + phits[d.Tag]; int(d.Arrived-d.Offered) != want || int(d.Hops) != hops {
					t.Fatalf("%+v: want %d cycles, %d hops", d, want, hops)
				}
			}
			for i := 0; i < 5 && now < 200; i++ {
				tag := noc.Tag(len(phits))
				p := noc.Packet{Src: noc.NodeID(r.Below(g.Nodes())), Tag: tag, Phits: uint16(1 + r.Below(5)), Class: noc.Class(r.Below(6)),
					Dst: noc.SetOf(g.Nodes(), noc.NodeID(r.Below(g.Nodes())), noc.NodeID(r.Below(g.Nodes())))}
				phits[tag] = int(p.Phits)
				n.Offer(p)
			}
		}
		if seen < 1500 {
			t.Fatalf("only %d deliveries", seen)
		}
	}
}

// TestOrderedDoesNotOvertake: a short ordered packet behind a long one of its flow ends with it,
// one of another flow does not wait.
func TestOrderedDoesNotOvertake(t *testing.T) {
	n, err := New(topology.Torus(4, 4), Default())
	if err != nil {
		t.Fatal(err)
	}
	to := noc.One(1)
	n.Offer(noc.Packet{Src: 0, Dst: to, Tag: 1, Phits: 5, Ordered: true})
	n.Offer(noc.Packet{Src: 0, Dst: to, Tag: 2, Phits: 1, Ordered: true})
	n.Offer(noc.Packet{Src: 0, Dst: to, Tag: 3, Phits: 1})
	n.Offer(noc.Packet{Src: 2, Dst: to, Tag: 4, Phits: 1, Ordered: true})
	want := []struct {
		tag noc.Tag
		at  noc.Cycle
	}{{3, 9}, {4, 9}, {1, 13}, {2, 13}}
	var got []noc.Delivery
	for n.InFlight() > 0 {
		n.Step(n.Now() + 100)
		got = append(got, n.Deliveries()...)
	}
	for i, w := range want {
		if got[i].Tag != w.tag || got[i].Arrived != w.at {
			t.Errorf("delivery %d is %d at %d, want %d at %d", i, got[i].Tag, got[i].Arrived, w.tag, w.at)
		}
	}
}

// TestOrderedSourcesApart: a packet that is held for the order of its source lets no packet of
// another source overtake.
func TestOrderedSourcesApart(t *testing.T) {
	n, err := New(topology.Torus(4, 4), Default())
	if err != nil {
		t.Fatal(err)
	}
	to := noc.One(1)
	n.Offer(noc.Packet{Src: 0, Dst: to, Tag: 1, Phits: 5, Ordered: true})
	n.Offer(noc.Packet{Src: 2, Dst: to, Tag: 2, Phits: 4, Ordered: true})
	n.Step(1)
	n.Offer(noc.Packet{Src: 0, Dst: to, Tag: 3, Phits: 1, Ordered: true})
	n.Offer(noc.Packet{Src: 2, Dst: to, Tag: 4, Phits: 1, Ordered: true})
	arrived := map[noc.Tag]noc.Cycle{}
	for n.InFlight() > 0 {
		n.Step(n.Now() + 100)
		for _, d := range n.Deliveries() {
			arrived[d.Tag] = d.Arrived
		}
	}
	if want := map[noc.Tag]noc.Cycle{1: 13, 2: 12, 3: 13, 4: 12}; !maps.Equal(arrived, want) {
		t.Errorf("the packets arrive in %v, want %v", arrived, want)
	}
}

func TestValidate(t *testing.T) {
	c := Default()
	c.Classes = 9
	if err := c.Validate(); err == nil {
		t.Error("nine classes are accepted")
	}
	if _, err := New(topology.Torus(1, 4), Default()); err == nil {
		t.Error("a torus of one column is accepted")
	}
}
