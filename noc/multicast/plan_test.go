package multicast

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

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
	if err := good().Check(w, request); err != nil {
		t.Fatal(err)
	}
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
	if err := p.Check(w, Request{5, nodes{10, 3}}); err != nil {
		t.Fatal(err)
	}
	m, err := p.Measure()
	if want := (Measure{Worms: 1, Steps: 1, Channels: 4, Additional: 2, Longest: 3}); err != nil || m != want {
		t.Errorf("measure is %+v (%v), want %+v", m, err, want)
	}
	times, err := p.Arrivals(w, GroupTiming(32))
	if err != nil || times[0].Tail != 33+3+32 || times[1].Tail != 33+2+32 {
		t.Errorf("arrivals are %+v (%v)", times, err)
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
	if m, _ := p.Measure(); m.Steps != 2 {
		t.Errorf("%d steps, want 2", m.Steps)
	}
	p[0].Path = nil
	if _, err := p.Measure(); err == nil || !strings.Contains(err.Error(), "the network chooses its route") {
		t.Errorf("a worm without a way is measured: %v", err)
	}
}
