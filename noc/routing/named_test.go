package routing

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestNamedTopologies: each has the nodes, routers, ports and channels of its definition, and its routes are
// shortest paths, as a search finds them. Those of a dragonfly cross one link between groups, so that they may be
// three links where two links between groups would lead there.
func TestNamedTopologies(t *testing.T) {
	for _, v := range []struct {
		spec                                      string
		nodes, routers, ports, channels, diameter int
	}{
		{"ring:7", 7, 7, 3, 14, 3},
		{"full:6", 6, 6, 6, 30, 1},
		{"full:4:3", 12, 4, 6, 12, 1},
		{"cmesh:4x3:2", 24, 12, 6, 34, 5},
		{"flatfly:4:2:4", 64, 16, 10, 96, 2},
		{"flatfly:3:3:2", 54, 27, 8, 162, 3},
		{"fattree:4:3", 64, 48, 8, 256, 4},
		{"fattree:2:4", 16, 32, 4, 96, 6},
		{"dragonfly:2:4:2", 72, 36, 7, 180, 3},
		{"dragonfly:1:2:1", 6, 6, 3, 12, 3},
		{"dragonfly:3:2:2:1:20", 30, 10, 6, 30, 3},
		{"chiplets:2x2:mesh:4x4", 64, 64, 5, 224, 14},
		{"chiplets:3x1:mesh:2x3", 18, 18, 5, 54, 7},
	} {
		l := must.Get(topology.Open(v.spec))
		w := l.Wiring
		must.Get(topology.NewWiring(w.Name, w.Routers, w.Channels, w.Entry, w.Exit)) // no port is used twice
		if l.Nodes() != v.nodes || w.Routers != v.routers || w.Ports() != v.ports || len(w.Channels) != v.channels {
			t.Errorf("%s: %d nodes, %d routers, %d ports, %d channels", v.spec, l.Nodes(), w.Routers, w.Ports(), len(w.Channels))
		}
		f := Function(nil)
		if l.Grid != nil {
			f = Shortest(*l.Grid, w, false)
		} else {
			f = must.Get(Native(l))
		}
		longest, distance := 0, w.NodeDistances()
		for a := range noc.NodeID(l.Nodes()) {
			for b := range noc.NodeID(l.Nodes()) {
				hops := 0
				for at := w.Entry[a].Router; at != w.Exit[b].Router && hops < 100; hops++ {
					at = w.Channels[f.Next(at, b)].To
				}
				longest = max(longest, hops)
				if d := distance(a, b); hops != d && (l.Dragonfly == nil || hops != 3 || d != 2) {
					t.Fatalf("%s: %d links from %d to %d, the shortest path has %d", v.spec, hops, a, b, d)
				}
			}
		}
		if longest != v.diameter {
			t.Errorf("%s: the longest route has %d links, want %d", v.spec, longest, v.diameter)
		}
	}
	chiplets := must.Get(topology.Open("chiplets:2x2:mesh:4x4"))
	cut := 0
	for _, c := range chiplets.Wiring.Channels {
		if c.Link != nil && c.Link.Class == topology.DieToDie && c.Link.Cycles == topology.DieToDieCycles {
			cut++
		}
	}
	if cut != 2*2*8 {
		t.Errorf("chiplets have %d links between dies", cut)
	}
}

// TestNamedRoutings: on each network that a routing is for every route ends, over shortest paths but for valiant and
// up-down, and no worms can wait for each other in a circle.
func TestNamedRoutings(t *testing.T) {
	for spec, names := range map[string][]string{
		"mesh:5x4":              {"xy", "yx", "west-first", "north-last", "negative-first", "odd-even", "o1turn", "valiant", "adaptive", "up-down"},
		"mesh:3x2x3":            {"xy", "yx", "negative-first", "valiant", "adaptive"},
		"cmesh:4x3:2":           {"xy", "west-first", "odd-even", "o1turn", "adaptive"},
		"flatfly:3:2:2":         {"xy", "valiant", "adaptive", "up-down"},
		"full:5":                {"xy", "adaptive", "shortest"},
		"fattree:2:3":           {"nca", "up-down", "shortest"},
		"lattice:20:1":          {"up-down"},
		"torus:4x4":             {"up-down"},
		"dragonfly:1:2:2":       {"up-down"},
		"chiplets:2x1:mesh:2x3": {"xy", "odd-even", "adaptive"},
	} {
		l := must.Get(topology.Open(spec))
		w := l.Wiring
		for _, name := range names {
			n, err := By(name, l)
			if err == nil {
				err = Check(w, n)
			}
			if err != nil {
				t.Errorf("%s on %s: %v", name, spec, err)
				continue
			}
			used, distance := map[int32]bool{}, w.NodeDistances()
			for a := range noc.NodeID(l.Nodes()) {
				for b := range noc.NodeID(l.Nodes()) {
					for seed := range uint64(6) {
						s, hops, in := n.Start(uint64(a)<<20|uint64(b)<<8|seed), 0, int32(-1)
						for at := w.Entry[a].Router; at != w.Exit[b].Router && hops < 50; hops++ {
							part := s.Part
							list := n.Route(at, in, b, &s, nil)
							if s.Part < part || int(s.Part) >= n.Parts && !n.Escape {
								t.Fatalf("%s on %s: part %d follows %d", name, spec, s.Part, part)
							}
							in = list[int(seed)%len(list)]
							used[in] = true
							at = w.Channels[in].To
						}
						if d := distance(a, b); hops != d && (name != "valiant" && name != "up-down" || hops == 50) {
							t.Fatalf("%s on %s: %d links from %d to %d, the shortest path has %d", name, spec, hops, a, b, d)
						}
					}
				}
			}
			if len(used) != len(w.Channels) && name != "up-down" && name != "shortest" {
				t.Errorf("%s on %s uses %d channels of %d", name, spec, len(used), len(w.Channels))
			}
		}
	}
}

// TestTurns: the turns that a routing leaves out, and no others, are missing from its candidates. Ways are x+, x-,
// y+ and y-; a mesh has no other links.
func TestTurns(t *testing.T) {
	l := must.Get(topology.Open("mesh:6x6"))
	way := func(c int32) string { return l.Direction(int(l.Wiring.Channels[c].Out)) }
	for name, missing := range map[string]func(from, to string, column int) bool{
		"xy":             func(from, to string, _ int) bool { return from[0] == 'y' },
		"yx":             func(from, to string, _ int) bool { return from[0] == 'x' },
		"west-first":     func(from, to string, _ int) bool { return to == "x-" },
		"north-last":     func(from, to string, _ int) bool { return from == "y+" },
		"negative-first": func(from, to string, _ int) bool { return from[1] == '+' && to[1] == '-' },
		"odd-even": func(from, to string, column int) bool {
			return from == "x+" && column%2 == 0 || to == "x-" && column%2 == 1
		},
		"adaptive": func(string, string, int) bool { return false },
	} {
		n := must.Get(By(name, l))
		for in, c := range l.Wiring.Channels {
			seen := map[string]bool{}
			for b := range noc.NodeID(36) {
				if b == c.To || l.Grid.Distance(c.From, b) < l.Grid.Distance(c.To, b) || !slices.Contains(n.candidates(c.From, -1, b, 1, nil), int32(in)) {
					continue // no header to there comes this way
				}
				for _, out := range n.candidates(c.To, int32(in), b, 1, nil) {
					if way(out)[0] != way(int32(in))[0] {
						seen[way(out)] = true
					}
				}
			}
			for _, to := range []string{"x+", "x-", "y+", "y-"} {
				column, x, y := l.Grid.Coordinate(c.To, 0), l.Grid.Coordinate(c.To, 0), l.Grid.Coordinate(c.To, 1)
				if from := way(int32(in)); to[0] != from[0] && missing(from, to, column) && seen[to] {
					t.Errorf("%s turns from %s to %s in column %d", name, from, to, column)
				} else if to[0] != from[0] && !missing(from, to, column) && !seen[to] && x > 1 && x < 4 && y > 1 && y < 4 {
					t.Errorf("%s never turns from %s to %s at (%d,%d)", name, from, to, x, y)
				}
			}
		}
	}
}

// TestCheckNamesCircles: where worms can wait for each other, the check says on which links; a table that leads
// nowhere or astray is refused.
func TestCheckNamesCircles(t *testing.T) {
	ring := must.Get(topology.Open("ring:5"))
	if err := Check(ring.Wiring, must.Get(By("shortest", ring))); err == nil || !strings.Contains(err.Error(), "in a circle of 5 links, from router to router: ") ||
		!strings.Contains(err.Error(), "0-1 1-2 2-3 3-4 4-0") && !strings.Contains(err.Error(), "0-4 4-3 3-2 2-1 1-0") {
		t.Errorf("shortest paths round a ring: %v", err)
	}
	mesh := must.Get(topology.Open("mesh:3x3"))
	free := must.Get(By("adaptive", mesh)) // without its escape
	free.Escape, free.escape = false, nil
	if err := Check(mesh.Wiring, free); err == nil || !strings.Contains(err.Error(), "in a circle of ") {
		t.Errorf("fully adaptive without an escape: %v", err)
	}
	wrong := must.Get(By("adaptive", mesh)) // an escape that turns as it likes
	wrong.escape = pick(func(at, node noc.NodeID) int32 {
		return wrong.candidates(at, -1, node, 1, nil)[int(at+node)%len(wrong.candidates(at, -1, node, 1, nil))]
	})
	if err := Check(mesh.Wiring, wrong); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("an escape that turns as it likes: %v", err)
	}
	row := must.Get(topology.Open("mesh:3"))
	for text, want := range map[string]string{
		"":                           "router 1 of mesh:3 has no channel towards node 0",
		"route 0 1":                  "file: line 1: want route ROUTER NODE NEXT",
		"route 0 9 1":                `line 1: "9" is no node of mesh:3, which are 0 to 2`,
		"route 3 1 1":                `line 1: "3" is no router of mesh:3, which are 0 to 2`,
		"route 0 1 2":                "line 1: no channel leads from router 0 to router 2",
		"\nroute 0 1 1\nroute 0 1 1": "line 3: the route from router 0 to node 1 is given twice",
		"route 0 * 1\nroute 1 * 2 # on\nroute 2 * 1":         "circle of 2 links, from router to router: 1-2 2-1",
		"route 0 * 1\nroute 1 0 0\nroute 1 2 2\nroute 2 * 1": "",
	} {
		n, err := ReadTable("file", strings.NewReader(text), row.Wiring)
		if err == nil {
			err = Check(row.Wiring, n)
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	for name, spec := range map[string]string{"odd-even": "mesh:3x3x3", "xy": "torus:4x4", "valiant": "lattice:9:1", "nca": "mesh:3x3", "west-first": "flatfly:3:2:1", "table": "mesh:3x3", "hot": "mesh:3x3"} {
		if _, err := By(name, must.Get(topology.Open(spec))); err == nil || !strings.Contains(err.Error(), "routing") {
			t.Errorf("%s on %s: %v", name, spec, err)
		}
	}
}
