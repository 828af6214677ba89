package ideal

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/noctest/stories"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestFormula: every copy arrives EndCycles + HopCycles*d + L after its offer, whatever else is
// under way, or just behind one that its source sent earlier to the same node.
func TestFormula(t *testing.T) {
	for _, g := range []topology.Grid{topology.Torus(6, 4), topology.Mesh(3, 3, 3)} {
		c := Default()
		c.HopCycles, c.EndCycles = 3, 7
		n := must.Get(New(g, c))
		r := random.Stream(1)
		phits := map[noc.Tag]int{}
		latest := map[[2]noc.NodeID]noc.Delivery{}
		seen, behind := 0, 0
		for now := noc.Cycle(0); now < 200 || n.InFlight() > 0; now = n.Step(now + 1) {
			for _, d := range n.Deliveries() {
				seen++
				hops := g.Distance(d.Src, d.At)
				pair := [2]noc.NodeID{d.Src, d.At}
				before := latest[pair]
				if d.Offered >= before.Offered {
					latest[pair] = d
				} else {
					t.Fatalf("%+v is overtaken by %+v", d, before)
				}
				took, want := int(d.Arrived-d.Offered), 7+3*hops+phits[d.Tag]
				if took > want && d.Arrived < before.Arrived+noc.Cycle(c.SlotPhits) {
					behind++
				} else if took != want || int(d.Hops) != hops {
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
		if seen < 1500 || behind == 0 {
			t.Fatalf("only %d deliveries, %d of them behind others", seen, behind)
		}
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

// TestTimelines tells what becomes of copies, cycle by cycle, in the scenarios of
// testdata/timelines.
func TestTimelines(t *testing.T) {
	stories.Play(t, "testdata/timelines", func(l topology.Layout, _ *datadriven.TestData) (stories.Network, error) {
		n, err := New(*l.Grid, Default())
		return stories.Network{Network: n, Watch: func() []string { return copies(n) }, Places: true}, err
	})
}

// copies lists where copies are: on their way, or in front of a full sink.
func copies(n *Network) (events []string) {
	for _, f := range n.flying.all {
		events = append(events, fmt.Sprintf("packet %d: flies to node %d, header there in cycle %d", f.packet.Tag, f.at, f.start))
	}
	for _, s := range n.Explain() {
		events = append(events, fmt.Sprintf("packet %d: %s of node %d waits for %s", s.Tag, s.Holds, s.At, s.Waits))
	}
	return events
}

// TestLinks: links of their own add what they take beyond a cycle each, and the narrowest a cycle for each part of
// the further phits.
func TestLinks(t *testing.T) {
	l := must.Get(topology.Mesh(4).Layout().WithLinks(topology.LinksOptions{X: topology.LinkOptions{Link: topology.Link{Cycles: 5, Bits: 64}, Every: 2}}))
	n := must.Get(NewGrid(*l.Grid, l.Wiring, Default()))
	n.Offer(noc.Packet{Src: 0, Dst: noc.One(3), Phits: 3})
	n.Step(100)
	if d := n.Deliveries(); len(d) != 1 || d[0].Arrived != 4+3*4+3+4+1+2 {
		t.Errorf("deliveries are %+v", d)
	}
}

// TestCounts: a copy counts on its links once its header has crossed them, not when it is offered.
func TestCounts(t *testing.T) {
	g := topology.Torus(8, 8)
	n := must.Get(New(g, Default()))
	crossed := func() (sum uint64) {
		for _, l := range n.Links(nil) {
			sum += l.Phits
		}
		if total := n.Totals().PhitHops; total != sum {
			t.Errorf("links have %d phits, totals %d", sum, total)
		}
		return sum
	}
	n.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(64, 1, 36), Phits: 5})
	if got := crossed(); got != 0 {
		t.Errorf("an offered packet has crossed links with %d phits", got)
	}
	for want := uint64(5); n.InFlight() > 0; want += 5 * uint64(g.Distance(0, 36)) {
		n.Step(n.Now() + 1000)
		if got := crossed(); got != want {
			t.Errorf("after %+v: %d phits, want %d", n.Deliveries(), got, want)
		}
		n.Deliveries()
	}
}
