package multicast

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
	"pgregory.net/rapid"
)

// someLayouts are networks of every kind.
var someLayouts = []string{"mesh:5x4", "mesh:3x3x2", "torus:4x4", "torus:3x5", "mesh:7", "min:baseline:16:2", "min:baseline:16:4",
	"min:baseline:9:3", "bimin:butterfly:16:2", "bimin:butterfly:27:3", "bimin:butterfly:4:4", "lattice:20:3", "lattice:9:1:3"}

// TestSchemesOnEveryNetwork: a scheme either says that it does not fit the network or makes a plan
// that serves the request; the same request gives the same plan, in whatever order its destinations
// come.
func TestSchemesOnEveryNetwork(t *testing.T) {
	networks := map[string]*Network{}
	for _, spec := range someLayouts {
		networks[spec] = NewNetwork(must.Get(topology.Open(spec)))
	}
	planned := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		for _, spec := range someLayouts { // all in every check, so that no scheme is left out by chance
			n := networks[spec]
			r := anyRequest(t, n.Wiring.Nodes(), 12)
			o := DefaultOptions()
			o.Injection = rapid.IntRange(0, 4).Draw(t, "injection")
			for _, s := range Schemes {
				if tryScheme(t, s, n, r, o) {
					planned[s.Name] = true
				}
			}
		}
	})
	for _, s := range Schemes {
		if !planned[s.Name] {
			t.Errorf("%s planned nothing on any network", s.Name)
		}
	}
}

// tryScheme reports whether a scheme makes a plan of a request, and holds it to what a plan must
// be.
func tryScheme(t *rapid.T, s Scheme, n *Network, r Request, o Options) bool {
	p, err := s.Plan(n, r, o)
	if err != nil {
		if !strings.HasPrefix(err.Error(), "scheme "+s.Name+": ") {
			t.Fatalf("%s: %v", s.Name, err)
		}
		return false
	}
	if err := p.Check(n.Wiring, r); err != nil {
		t.Fatalf("%s: %v\n%+v", s.Name, err, p)
	}
	mixed := Request{r.Source, rapid.Permutation(append(r.Destinations, r.Destinations...)).Draw(t, "order")}
	again := must.Get(s.Plan(n, mixed, o))
	same := func(a, b Worm) bool {
		return a.From == b.From && slices.Equal(a.Stops, b.Stops) && slices.Equal(a.Path, b.Path) && slices.Equal(a.Tree, b.Tree) && a.After == b.After && a.Round == b.Round
	}
	if !slices.EqualFunc(p, again, same) {
		t.Fatalf("%s: %+v becomes %+v", s.Name, p, again)
	}
	timing, _ := n.DefaultTiming()
	for _, a := range must.Get(p.Arrivals(n.Wiring, timing)) {
		if a.Header <= 0 || a.Tail < a.Header+timing.Channel*(timing.Flits-1) {
			t.Fatalf("%s: %+v", s.Name, a)
		}
	}
	return true
}

// TestDoublingSteps: recursive doubling takes ceil(log2(d+1)) steps, the fewest possible.
func TestDoublingSteps(t *testing.T) {
	for d := range 70 {
		for _, middle := range []Middle{WithSender, WithReceiver} {
			p := Doubling(upTo[noc.NodeID](d+1), middle, func(_, _ noc.NodeID) []noc.NodeID { return nodes{} })
			steps, want := 0, 0
			for i := range p {
				steps = max(steps, p.Step(i))
			}
			for 1<<want < d+1 {
				want++
			}
			if steps != want || len(p) != d {
				t.Errorf("middle %d, %d destinations: %d unicasts in %d steps, want %d steps", middle, d, len(p), steps, want)
			}
		}
	}
}

// TestMiddle: the node in the middle of a chain of five goes with the sender or with the receiver.
// UMIN and CMIN have the one rule, doubling in irregular networks the other.
func TestMiddle(t *testing.T) {
	to := func(p Plan) noc.NodeID { return p[0].Stops[0] }
	r := Request{0, nodes{1, 2, 3, 4}}
	plan := func(scheme, on string) Plan {
		return must.Get(must.Get(LookupScheme(scheme)).Plan(NewNetwork(must.Get(topology.Open(on))), r, DefaultOptions()))
	}
	irregular := must.Get(topology.Open("lattice:5:1"))
	postorder := PostorderChain(must.Get(NewNetwork(irregular).Tree()), r)
	for name, c := range map[string]struct{ got, want noc.NodeID }{
		"sender":             {to(Doubling(nodes{0, 1, 2, 3, 4}, WithSender, nil)), 3},
		"receiver":           {to(Doubling(nodes{0, 1, 2, 3, 4}, WithReceiver, nil)), 2},
		"umin":               {to(plan("umin", "bimin:butterfly:8:2")), 2},
		"cmin":               {to(plan("cmin", "min:baseline:8:2")), 2},
		"postorder-doubling": {to(plan("postorder-doubling", "lattice:5:1")), postorder[3]},
	} {
		if c.got != c.want {
			t.Errorf("%s: the first unicast goes to node %d, want %d", name, c.got, c.want)
		}
	}
}

func TestLookupScheme(t *testing.T) {
	if s, err := LookupScheme("qg"); err != nil || s.Name != "qg" {
		t.Errorf("qg: %v", err)
	}
	if _, err := LookupScheme("qq"); err == nil || !strings.Contains(err.Error(), `"qq": there are unicast, tree`) {
		t.Errorf("qq: %v", err)
	}
}

// BenchmarkPlan is what an interface pays for each multicast: 16 of 64 destinations on an 8x8 mesh.
func BenchmarkPlan(b *testing.B) {
	n := NewNetwork(must.Get(topology.Open("mesh:8x8")))
	r := Request{Source: 27}
	for i := range noc.NodeID(16) {
		r.Destinations = append(r.Destinations, i*29%64)
	}
	for _, s := range Schemes {
		if _, err := s.Plan(n, r, DefaultOptions()); err != nil {
			continue
		}
		b.Run(s.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must.Get(s.Plan(n, r, DefaultOptions()))
			}
		})
	}
}

// TestWrongTopology: a scheme names the topology that it needs, and the one that it was given.
func TestWrongTopology(t *testing.T) {
	for _, c := range []struct{ scheme, topology, want string }{
		{"qg", "torus:4x4", "scheme qg: needs a mesh, not torus:4x4"},
		{"qg", "lattice:16:1", "scheme qg: needs a mesh, not lattice:16:1"},
		{"column-path", "torus:4x4x4", "scheme column-path: needs a mesh, not torus:4x4x4"},
		{"column-path", "min:baseline:16:4", "scheme column-path: needs a mesh, not min:baseline:16:4"},
		{"tree", "lattice:16:1", "scheme tree: needs a mesh or torus, not lattice:16:1"},
		{"umin", "min:baseline:16:2", "scheme umin: is not for min:baseline:16:2; there it is called cmin"},
		{"cmin", "bimin:butterfly:16:2", "scheme cmin: is not for bimin:butterfly:16:2; there it is called umin"},
		{"atbm", "mesh:5x4", "scheme atbm: needs a multistage network (min:baseline:N:B or bimin:butterfly:N:B), not mesh:5x4"},
		{"postorder-doubling", "mesh:5x4", "scheme postorder-doubling: needs an irregular network (lattice:N:SEED or graph:FILE), not mesh:5x4"},
		{"dual-path", "min:baseline:16:4", "scheme dual-path: topology min:baseline:16:4: labels need a direct network, with one node at each router"},
	} {
		n := NewNetwork(must.Get(topology.Open(c.topology)))
		if _, err := must.Get(LookupScheme(c.scheme)).Plan(n, Request{0, nodes{3, 5}}, DefaultOptions()); err == nil || err.Error() != c.want {
			t.Errorf("%s on %s: %v; want %s", c.scheme, c.topology, err, c.want)
		}
	}
}

// TestForwards: these schemes have worms that start where others end, and no others have.
func TestForwards(t *testing.T) {
	on := map[string]string{"umin": "bimin:butterfly:16:2", "atbm": "bimin:butterfly:16:2", "cmin": "min:baseline:16:2", "postorder-doubling": "lattice:16:1"}
	for _, s := range Schemes {
		spec, ok := on[s.Name]
		if !ok {
			spec = "mesh:4x4"
		}
		p := must.Get(s.Plan(NewNetwork(must.Get(topology.Open(spec))), Request{5, nodes{0, 1, 2, 3, 4, 6, 8, 11, 13, 15}}, DefaultOptions()))
		forwards := slices.ContainsFunc(p, func(w Worm) bool { return w.After >= 0 })
		if forwards != slices.Contains([]string{"qg", "umin", "cmin", "postorder-doubling", "random-doubling"}, s.Name) {
			t.Errorf("%s on %s: forwards %v", s.Name, spec, forwards)
		}
	}
}
