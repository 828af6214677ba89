package rotary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestWiringEqualsGrid: a network wired by a table does in each cycle what that of the grid does, as masks, ports and
// links are the same.
func TestWiringEqualsGrid(t *testing.T) {
	for i, g := range []topology.Grid{topology.Torus(4, 4), topology.Mesh(4, 3), topology.Torus(3, 5), topology.Mesh(2, 3, 2), topology.Torus(7)} {
		for _, scheme := range []Scheme{Replicate, Adaptive} {
			c := mrr()
			c.Multicast, c.Classes = scheme, 2
			n := must.Get(OnWiring(g.Wiring(), c))
			n.grid = &g // for the names of ports
			p := noctest.Pair{Engine: n, Model: must.Get(New(g, c)), Random: random.Stream(i), Classes: 2, Phits: 5, Load: 0.7, Others: 1, Closely: 1}
			p.Run(t, 300)
		}
	}
}

// TestFigure4: on a graph, router 0 sends to the routers 4, 5 and 6. The output to router 1 serves 4 and 5, so a copy
// leaves there; the header keeps 6, and leaves by the output to router 2 a segment later.
func TestFigure4(t *testing.T) {
	g := topology.Graph{Name: "figure 4", Switches: 7, Links: [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {1, 5}, {2, 6}}}
	n := must.Get(OnWiring(g.Wiring(), mrr()))
	n.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(7, 4, 5, 6), Phits: 5})
	var events []string
	before := n.Links(nil)
	for now := noc.Cycle(0); now < 60; now++ {
		n.Step(now + 1)
		for i, l := range n.Links(nil) {
			if l.Phits > before[i].Phits && before[i].Phits%5 == 0 {
				events = append(events, fmt.Sprintf("%d: %d-%d", now, l.From, l.To))
			}
		}
		before = n.Links(nil)
	}
	// The second branch leaves 2 cycles after the first, in both routers that copy.
	if got, want := strings.Join(events, " "), "4: 0-1 6: 0-2 8: 1-4 10: 1-5 10: 2-6"; got != want {
		t.Errorf("headers leave in cycles %q, want %q", got, want)
	}
	for r, want := range map[int]uint64{0: 1, 1: 1, 2: 0} {
		if got := n.Activity(nil)[r].Replications; got != want {
			t.Errorf("router %d makes %d copies, want %d", r, got, want)
		}
	}
	for _, l := range n.Links(nil) {
		if on := l.From == 0 && l.To < 3 || l.From == 1 && l.To > 3 || l.From == 2 && l.To == 6; on != (l.Phits == 5) || !on && l.Phits != 0 {
			t.Errorf("%d phits from router %d to router %d", l.Phits, l.From, l.To)
		}
	}
}

// TestLatency: a link of its own latency delays what crosses it, and nothing else.
func TestLatency(t *testing.T) {
	l := must.Get(topology.Mesh(4).Layout().WithLinks(topology.LinksOptions{X: topology.LinkOptions{Link: topology.Link{Cycles: 9}, Every: 2}}))
	for to, more := range map[noc.NodeID]noc.Cycle{1: 0, 2: 8, 3: 8} {
		var arrived [2]noc.Cycle
		for i, n := range []*Network{must.Get(New(*l.Grid, mrr())), must.Get(OnWiring(l.Wiring, mrr()))} {
			n.Offer(noc.Packet{Src: 0, Dst: noc.One(to), Phits: 5})
			arrived[i] = noctest.Drain(t, n)[0].Arrived
		}
		if arrived[1] != arrived[0]+more {
			t.Errorf("to node %d: cycle %d, and %d where a link takes 9 cycles", to, arrived[0], arrived[1])
		}
	}
}

// TestOnWiringRefuses names what does not fit.
func TestOnWiringRefuses(t *testing.T) {
	path := mrr()
	path.Multicast = Path
	narrow := must.Get(topology.Mesh(4).Layout().WithLinks(topology.LinksOptions{X: topology.LinkOptions{Link: topology.Link{Bits: 64}}}))
	apart := topology.Graph{Name: "apart", Switches: 3, Links: [][2]int{{0, 1}}}
	for want, err := range map[string]error{
		"routers of full:17 have 17 ports":                     problem(OnWiring(must.Get(topology.Open("full:17")).Wiring, DefaultRR())),
		"need one node each, by port 0, unlike those of cmesh": problem(OnWiring(must.Get(topology.Open("cmesh:2x2:2")).Wiring, DefaultRR())),
		"links must lead both ways":                            problem(OnWiring(must.Get(topology.Open("utorus:3x3")).Wiring, DefaultRR())),
		"may not have a width of its own":                      problem(OnWiring(narrow.Wiring, DefaultRR())),
		"the scheme path needs a torus or mesh":                problem(OnWiring(topology.Mesh(4).Wiring(), path)),
		"no links lead from router 2 of apart to router 0":     problem(OnWiring(apart.Wiring(), DefaultRR())),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func problem(_ *Network, err error) error { return err }
