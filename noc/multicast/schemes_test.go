package multicast

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
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
		{"qg", "lattice:16:1", "scheme qg: needs a mesh or torus, not lattice:16:1"},
		{"atbm-multiple", "min:butterfly:16:2", "scheme atbm-multiple: is not for min:butterfly:16:2, in which no worm turns round; there it is called atbm"},
		{"column-path", "torus:4x4x4", "scheme column-path: needs a mesh, not torus:4x4x4"},
		{"column-path", "min:baseline:16:4", "scheme column-path: needs a mesh, not min:baseline:16:4"},
		{"tree", "lattice:16:1", "scheme tree: needs a mesh or torus, not lattice:16:1"},
		{"umin", "min:baseline:16:2", "scheme umin: is not for min:baseline:16:2; there it is called cmin"},
		{"cmin", "bimin:butterfly:16:2", "scheme cmin: is not for bimin:butterfly:16:2; there it is called umin"},
		{"atbm", "mesh:5x4", "scheme atbm: needs a multistage network (min:baseline:N:B, min:butterfly:N:B or bimin:butterfly:N:B), not mesh:5x4"},
		{"postorder-doubling", "mesh:5x4", "scheme postorder-doubling: needs an irregular network (lattice:N:SEED or graph:FILE), not mesh:5x4"},
		{"dual-path", "min:baseline:16:4", "scheme dual-path: needs a mesh, a torus, or a graph file with labels, not min:baseline:16:4"},
	} {
		n := NewNetwork(must.Get(topology.Open(c.topology)))
		if _, err := must.Get(LookupScheme(c.scheme)).Plan(n, Request{0, nodes{3, 5}}, DefaultOptions()); err == nil || err.Error() != c.want {
			t.Errorf("%s on %s: %v; want %s", c.scheme, c.topology, err, c.want)
		}
	}
}

// TestForwards: these schemes have worms that start where others end, and no others have.
func TestForwards(t *testing.T) {
	on := map[string]string{"umin": "bimin:butterfly:16:2", "atbm": "bimin:butterfly:16:2", "atbm-multiple": "bimin:butterfly:16:2", "cmin": "min:baseline:16:2", "postorder-doubling": "lattice:16:1"}
	for _, s := range Schemes {
		spec, ok := on[s.Name]
		if !ok {
			spec = "mesh:4x4"
		}
		p := must.Get(s.Plan(NewNetwork(must.Get(topology.Open(spec))), Request{5, nodes{0, 1, 2, 3, 4, 6, 8, 11, 13, 15}}, DefaultOptions()))
		forwards := slices.ContainsFunc(p, func(w Worm) bool { return w.After >= 0 })
		if forwards != slices.Contains([]string{"qg", "qg-unicast", "umin", "cmin", "postorder-doubling", "random-doubling"}, s.Name) {
			t.Errorf("%s on %s: forwards %v", s.Name, spec, forwards)
		}
	}
}

type nodes = []noc.NodeID

// TestCheckFindsFaults breaks a good plan in every way that Check knows.
func TestCheckFindsFaults(t *testing.T) {
	w := topology.Mesh(4, 3).Wiring()
	request := Request{Source: 5, Destinations: nodes{7, 0, 7, 5, 10}}
	good := func() Plan {
		return Plan{
			{From: 5, Stops: nodes{7}, Path: nodes{6, 7}, After: -1},
			{From: 5, Stops: nodes{0}, Path: nodes{4, 0}, After: -1, Round: 1},
			{From: 7, Stops: nodes{10}, Path: nodes{11, 10}, After: 0},
		}
	}
	must.Do(good().Check(w, request))
	for _, c := range []struct {
		name, want string
		change     func(Plan) Plan
	}{
		{"missing", "destination 10 is not served", func(p Plan) Plan { return p[:2] }},
		{"twice", "worm 2: node 7 is served by worm 0 already", func(p Plan) Plan { p[2].Stops = nodes{7}; return p }},
		{"stranger", "worm 2: node 11 is served but is not a destination", func(p Plan) Plan { p[2].Stops = nodes{11, 10}; return p }},
		{"jump", "no channel leads from router 7 to router 10", func(p Plan) Plan { p[2].Path = nodes{10}; return p }},
		{"beyond", "no channel leads from router 7 to router 12", func(p Plan) Plan { p[2].Path = nodes{12}; return p }},
		{"off the way", "it does not pass stop 10 in its turn", func(p Plan) Plan { p[2].Path = nodes{11}; return p }},
		{"tail", "it ends at router 9, where it has no stop", func(p Plan) Plan { p[2].Path = nodes{11, 10, 9}; return p }},
		{"order", "it does not pass stop 7 in its turn", func(p Plan) Plan {
			return Plan{{From: 5, Stops: nodes{10, 7, 0}, Path: nodes{6, 7, 11, 10, 9, 8, 4, 0}, After: -1}}
		}},
		{"not yet received", "it starts when worm 1 reaches node 7, which that worm does not serve", func(p Plan) Plan { p[2].After = 1; return p }},
		{"later", "it starts after worm 2; -1 to 1 are possible", func(p Plan) Plan { p[2].After = 2; return p }},
		{"from nowhere", "which is not the source 5", func(p Plan) Plan { p[2].After = -1; return p }},
		{"no stops", "no stops", func(p Plan) Plan { p[0].Stops = nil; return p }},
		{"round", "node 5 has round 2 but no round 1", func(p Plan) Plan { p[1].Round = 2; return p }},
		{"first round", "node 7 has round 1 but no round 0", func(p Plan) Plan { p[2].Round = 1; return p }},
		{"round before the first", "node 7 has round -1 but no round 0", func(p Plan) Plan { p[2].Round = -1; return p }},
		{"both ways", "both a path and a tree", func(p Plan) Plan { p[0].Tree = []Visit{{-1, 6}, {0, 7}}; return p }},
		{"parent", "visit 0 of its tree has parent 0", func(p Plan) Plan { p[0].Path, p[0].Tree = nil, []Visit{{0, 6}}; return p }},
		{"unknown stop", "stop 99: the network has nodes 0 to 11", func(p Plan) Plan { p[0].Stops = nodes{99}; return p }},
	} {
		err := c.change(good()).Check(w, request)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if err := (Request{Source: 12}).Validate(12); err == nil {
		t.Error("a source beyond the network passes")
	}
}

// TestTreeEqualsPaths: a tree is checked and sized like the paths that it is made of.
func TestTreeEqualsPaths(t *testing.T) {
	w := topology.Mesh(4, 3).Wiring()
	p := Plan{{From: 5, Stops: nodes{3, 10}, Tree: []Visit{{-1, 6}, {0, 7}, {0, 10}, {1, 3}}, After: -1}}
	must.Do(p.Check(w, Request{5, nodes{10, 3}}))
	m, err := p.Measure(w)
	if want := (Measure{Worms: 1, Steps: 1, Channels: 4, Additional: 2, Longest: 3}); err != nil || m != want {
		t.Errorf("measure is %+v (%v), want %+v", m, err, want)
	}
	times, err := p.Arrivals(w, GroupTiming(32))
	if err != nil || times[0].Tail != 33+3+32 || times[1].Tail != 33+2+32 {
		t.Errorf("arrivals are %+v (%v)", times, err)
	}
}

// TestAdditionalTraffic: where several nodes share a switch, the channels between nodes and switches
// count: one from the sender of each worm and one to each of its stops.
func TestAdditionalTraffic(t *testing.T) {
	var all nodes
	for n := range noc.NodeID(63) {
		all = append(all, n+1)
	}
	for _, c := range []struct {
		topology, scheme string
		to               nodes
		channels, want   int
	}{
		{"bimin:butterfly:64:8", "atbm", all, 9, 9 + 1 + 63 - 63},
		{"bimin:butterfly:64:8", "umin", nodes{1, 2, 9}, 2, 2 + 3 + 3 - 3},
		{"min:baseline:64:8", "atbm", nodes{8}, 1, 1 + 1 + 1 - 1},
		{"lattice:8:1:4:2:8", "unicast", nodes{1}, 0, 0 + 1 + 1 - 1},
		{"lattice:64:1", "postorder-doubling", all, 240, 240 - 63},
		{"mesh:8x8", "dual-path", nodes{9, 60}, 11, 11 - 2},
	} {
		n := NewNetwork(must.Get(topology.Open(c.topology)))
		r := Request{0, c.to}
		m := must.Get(must.Get(must.Get(LookupScheme(c.scheme)).Plan(n, r, DefaultOptions())).Measure(n.Wiring))
		if m.Channels != c.channels || m.Additional != c.want {
			t.Errorf("%s on %s: %d channels between routers, additional traffic %d; want %d and %d", c.scheme, c.topology, m.Channels, m.Additional, c.channels, c.want)
		}
	}
}

// TestTimingOfEachPaper holds the models to hand calculations on a worm of three channels.
func TestTimingOfEachPaper(t *testing.T) {
	w := topology.Mesh(5).Wiring()
	p := Plan{{From: 0, Stops: nodes{1, 3}, Path: nodes{1, 2, 3}, After: -1}}
	for _, c := range []struct {
		name   string
		timing Timing
		want   int64
	}{
		{"tree", TreeTiming(64), 500 + 60*4 + 20*(5+64)},
		{"star", Timing{Startup: 100, Route: 7 - 2, Channel: 2, Flits: 10}, 100 + 3*7 + 9*2},
		{"postorder", PostorderTiming(128), 10_000 + 20*4 + 10*5 + 10*127},
		{"groups", GroupTiming(32), 33 + 3 + 32},
	} {
		if got, err := p.Latency(w, c.timing); err != nil || got != c.want {
			t.Errorf("%s: latency %d (%v), want %d", c.name, got, err, c.want)
		}
	}
	bad := GroupTiming(0)
	if _, err := p.Latency(w, bad); err == nil || !strings.Contains(err.Error(), "flits is 0") {
		t.Errorf("a message without flits: %v", err)
	}
}

// TestRoundsAndSteps: rounds of one sender follow each other, and a second step follows the first.
func TestRoundsAndSteps(t *testing.T) {
	w := topology.Mesh(5).Wiring()
	p := Plan{
		{From: 0, Stops: nodes{2}, Path: nodes{1, 2}, After: -1},
		{From: 0, Stops: nodes{1}, Path: nodes{1}, After: -1, Round: 1},
		{From: 2, Stops: nodes{4}, Path: nodes{3, 4}, After: 0},
	}
	timing := GroupTiming(10)
	for _, c := range []struct {
		start Start
		want  [3]int64
	}{
		{Store, [3]int64{33 + 2 + 10, 33 + 10 + 33 + 1 + 10, 45 + 33 + 2 + 10}},
		{Cut, [3]int64{45, 33 + 33 + 1 + 10, 35 + 33 + 2 + 10}},
	} {
		timing.Start = c.start
		list := must.Get(p.Arrivals(w, timing))
		for i, a := range list {
			if a.Tail != c.want[i] {
				t.Errorf("%s: worm %d arrives at %d, want %d", Starts[c.start], i, a.Tail, c.want[i])
			}
		}
	}
	if m, _ := p.Measure(w); m.Steps != 2 {
		t.Errorf("%d steps, want 2", m.Steps)
	}
	p[0].Path = nil
	if _, err := p.Measure(w); err == nil || !strings.Contains(err.Error(), "the network chooses its route") {
		t.Errorf("a worm without a way is measured: %v", err)
	}
}
