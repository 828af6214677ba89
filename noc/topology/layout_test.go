package topology

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestLattice: a lattice is connected, its switches have at most four links and lie on the points
// that their links need, and the seed alone decides it.
func TestLattice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, seed := rapid.IntRange(1, 80).Draw(t, "switches"), rapid.Uint64().Draw(t, "seed")
		g := must.Get(Lattice(n, seed))
		must.Do(g.Validate())
		if _, err := NewUpDown(g, 0); err != nil {
			t.Fatal(err)
		}
		for s, near := range g.Neighbours() {
			if len(near) > 4 {
				t.Fatalf("switch %d has %d links", s, len(near))
			}
		}
		again, _ := Lattice(n, seed)
		if !slices.Equal(g.Links, again.Links) {
			t.Fatal("the same seed makes another lattice")
		}
	})
	full, err := LatticeOfSide(64, 8, 1, LatticePorts, 5)
	if err != nil || len(full.Links) != 2*8*7 {
		t.Errorf("a full 8x8 lattice has %d links (%v)", len(full.Links), err)
	}
	a, _ := Lattice(64, 1)
	b, _ := Lattice(64, 2)
	if slices.Equal(a.Links, b.Links) {
		t.Error("two seeds make one lattice")
	}
}

// TestNewWiring: the checked constructor makes the tables of every topology there is, and names what does
// not fit.
func TestNewWiring(t *testing.T) {
	for _, name := range []string{"torus:4x3", "mesh:2x3x2", "utorus:4x3", "min:baseline:16:4", "bimin:butterfly:16:2", "lattice:16:1:6:2:8"} {
		w := must.Get(Open(name)).Wiring
		again, err := NewWiring(w.Name, w.Routers, w.Channels, w.Entry, w.Exit)
		if err != nil || !reflect.DeepEqual(again, w) {
			t.Errorf("%s: %v", name, err)
		}
	}
	star := []Place{{0, 0}, {0, 1}, {0, 2}}
	w := must.Get(NewWiring("star:3", 1, nil, star, star))
	if w.Routers != 1 || w.Nodes() != 3 || w.Ports() != 3 || w.Direct() || w.NodeDistances()(0, 2) != 0 || len(w.Out(0)) != 0 || w.Channel(0, 0) != -1 {
		t.Errorf("a star is %+v", w)
	}
	pair := []Place{{0, 0}, {1, 0}}
	both := []Channel{{1, 0, 1, 1, nil}, {0, 1, 1, 1, nil}}
	if w := must.Get(NewWiring("pair", 2, both, pair, pair)); w.Channels[0].From != 0 || both[0].From != 1 || w.NodeDistances()(0, 1) != 1 {
		t.Errorf("a pair is %+v, of %v", w, both)
	}
	other := must.Get(NewWiring("pair", 2, both, []Place{{0, 5}, {1, 0}}, pair))
	if a, b := must.Get(json.Marshal(Layout{Wiring: must.Get(NewWiring("pair", 2, both, pair, pair))})), must.Get(json.Marshal(Layout{Wiring: other})); bytes.Equal(a, b) {
		t.Errorf("two wirings of one name are written as %s", a)
	}
	for want, err := range map[string]error{
		"there are 0 routers":        second(NewWiring("none", 0, nil, pair, pair)),
		"2 nodes send and 1 receive": second(NewWiring("half", 2, both, pair, pair[:1])),
		`topology ""`:                second(NewWiring("", 2, both, pair, pair)),
		"the entry of node 1 is at router 1; routers are 0 to 0":           second(NewWiring("few", 1, nil, pair, pair)),
		"the end of channel 0 is at router 7":                              second(NewWiring("far", 2, []Channel{{0, 7, 1, 1, nil}}, pair, pair)),
		"the start of channel 0 and the start of channel 1 share port 1":   second(NewWiring("fork", 2, []Channel{{0, 1, 1, 1, nil}, {0, 1, 1, 2, nil}}, pair, pair)),
		"the end of channel 0 and the entry of node 1 share port 0":        second(NewWiring("join", 2, []Channel{{0, 1, 1, 0, nil}}, pair, pair)),
		"the exit of node 0 and the exit of node 1 share port 4 of router": second(NewWiring("exit", 2, nil, pair, []Place{{0, 4}, {0, 4}})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

func second(_ *Wiring, err error) error { return err }

// TestGraphWiring: channels come in pairs, no two use one port, and processors have ports of
// their own.
func TestGraphWiring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph.Draw(t, "graph")
		w := g.Wiring()
		if len(w.Channels) != 2*len(g.Links) || w.Nodes() != g.Nodes() {
			t.Fatalf("%d channels for %d links, %d nodes for %d processors", len(w.Channels), len(g.Links), w.Nodes(), g.Nodes())
		}
		used := map[Place]bool{}
		take := func(p Place) {
			if used[p] {
				t.Fatalf("port %d of router %d is used twice", p.Port, p.Router)
			}
			used[p] = true
		}
		for _, c := range w.Channels {
			take(Place{c.From, c.Out})
			back := w.Channels[w.Channel(c.To, c.From)]
			if back.Out != c.In || back.In != c.Out {
				t.Fatalf("%+v and %+v are not one link", c, back)
			}
		}
		for n, p := range w.Entry {
			take(p)
			if w.Exit[n] != p {
				t.Fatalf("node %d enters at %v and leaves at %v", n, p, w.Exit[n])
			}
		}
	})
}

// TestOpen reads every form, and says what is wrong with others.
func TestOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g")
	must.Do(os.WriteFile(file, []byte("switches 3 # a line\nlink 0 1\n\nlink 1 2\nprocessors 0 0\nprocessors 2\nroot 1\n"), 0o644))
	for _, c := range []struct {
		spec           string
		routers, nodes int
		channels       int
	}{
		{"mesh:4x3", 12, 12, 2 * (3*3 + 4*2)}, {"torus:4x4", 16, 16, 64},
		{"min:baseline:16:2", 32, 16, 3 * 16}, {"bimin:butterfly:16:4", 8, 16, 2 * 16},
		{"lattice:9:7:3", 9, 9, 2 * 12}, {"lattice:9:7:3:4", 9, 36, 2 * 12}, {"graph:" + file, 3, 3, 4},
	} {
		l, err := Open(c.spec)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if w := l.Wiring; w.Name != c.spec || w.Routers != c.routers || w.Nodes() != c.nodes || len(w.Channels) != c.channels {
			t.Errorf("%s: %s has %d routers, %d nodes, %d channels; want %+v", c.spec, w.Name, w.Routers, w.Nodes(), len(w.Channels), c)
		}
	}
	for spec, want := range map[string]string{
		"min:baseline:12:2":                     "12 nodes: the number must be 2, 4, 8 or a higher power",
		"min:baseline:16":                       "want min:baseline:N:B",
		"bimin:baseline:16:2":                   "want bimin:butterfly:N:B",
		"min:baseline:16:x":                     `"x" is not a whole number`,
		"min:baseline:16:1":                     "switches with 1 ports to each side",
		"min:baseline:9999999999999999999999:2": "is not a whole number",
		"min:baseline:9223372036854775807:2":    "nodes: the number must be",
		"lattice:9:-1":                          `the seed "-1" is not a whole number`,
		"lattice:9223372036854775807:1":         "switches; 1 to",
		"lattice:9:1:9223372036854775807":       "they must have room for 9 switches",
		"lattice:9":                             "want lattice:N:SEED",
		"lattice:9:1:2":                         "2 x 2 points; they must have room for 9 switches",
		"lattice:4:1:65536":                     "65536 x 65536 points; they must have room for 4 switches and be at most 4096 x 4096",
		"lattice:4097:1":                        "4097 switches and 4097 processors have too many routes for a table",
		"lattice:9:1:3:5":                       "5 processors per switch; 1 to 4 are possible",
		"lattice:9:1:3:1:4":                     "switches of 4 ports; 5 to",
		"lattice:9:1:3:3:6":                     "3 processors per switch; 1 to 2 are possible with 6 ports",
		"lattice:9:1:3:1:8:1":                   "want lattice:N:SEED",
		"lattice:0:1":                           "0 switches; 1 to",
		"hypercube:8":                           "choose from torus:AxB, mesh:AxB, utorus:AxB, min:baseline:N:B",
		"graph:/nowhere":                        "topology graph:/nowhere: open /nowhere: no such file",
		"mesh:0x8":                              "0 routers along a dimension",
		"ring:1":                                "1 routers along a dimension",
		"full:1":                                "one router",
		"full:4:0":                              "size 2 is 0",
		"cmesh:4x4":                             "want cmesh:AxB:C",
		"cmesh:4x4:0":                           "16 routers with 0 nodes each",
		"flatfly:4:2":                           "want flatfly:K:D:C",
		"flatfly:9999:9:1":                      "more than 65536 nodes",
		"fattree:4":                             "want fattree:K:N",
		"fattree:4:99":                          "65537 nodes",
		"dragonfly:2:4:2:1":                     "want dragonfly:P:A:H or",
		"dragonfly:60000:60000:60000":           "at most 65536 nodes",
		"dragonfly:2:4:2:1:999":                 "latency is 999 cycles",
		"chiplets:2x2:torus:4x4":                "want chiplets:AxB:mesh:CxD",
		"chiplets:2x2:mesh:4":                   "the same number of dimensions",
		"chiplets:2x0:mesh:4x4":                 "0 routers along a dimension",
		"anynet:/nowhere":                       "topology anynet:/nowhere: open /nowhere: no such file",
	} {
		if _, err := Open(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", spec, err, want)
		}
	}
}

var anyGrid = rapid.Custom(func(t *rapid.T) Grid {
	g := Grid{Wrap: rapid.Bool().Draw(t, "wrap")}
	for range rapid.IntRange(1, 5).Draw(t, "dimensions") {
		g.Radix = append(g.Radix, rapid.IntRange(2, 6).Draw(t, "radix"))
	}
	for g.Nodes() > 300 {
		g.Radix = g.Radix[:len(g.Radix)-1]
	}
	return g
})

// breadthFirst finds the distances from a node by following links.
func breadthFirst(g Grid, from noc.NodeID) []int {
	distance := make([]int, g.Nodes())
	for i := range distance {
		distance[i] = -1
	}
	distance[from] = 0
	for queue := []noc.NodeID{from}; len(queue) > 0; queue = queue[1:] {
		for port := 1; port < g.Ports(); port++ {
			if peer, _, ok := g.Neighbour(queue[0], port); ok && distance[peer] < 0 {
				distance[peer] = distance[queue[0]] + 1
				queue = append(queue, peer)
			}
		}
	}
	return distance
}

// TestShortestPaths: Distance and Offset agree with breadth-first search.
func TestShortestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGrid.Draw(t, "grid")
		to := noc.NodeID(rapid.IntRange(0, g.Nodes()-1).Draw(t, "to"))
		distance := breadthFirst(g, to) // links go both ways
		for from := range noc.NodeID(g.Nodes()) {
			if got := g.Distance(from, to); got != distance[from] {
				t.Fatalf("%s: distance from %d to %d is %d, want %d", g, from, to, got, distance[from])
			}
			for port := 1; port < g.Ports(); port++ {
				peer, _, ok := g.Neighbour(from, port)
				nearer := ok && distance[peer] < distance[from]
				dim, sign := g.Direction(port)
				hops, tie := g.Offset(from, to, dim)
				if tie != (g.Wrap && 2*hops == g.Radix[dim]) || (tie && hops < 0) || (tie || hops*sign > 0) != nearer {
					t.Fatalf("%s: offset from %d to %d in dimension %d is %d, tie %v; port %s leads nearer: %v", g, from, to, dim, hops, tie, g.PortName(port), nearer)
				}
			}
		}
	})
}

// TestWiring: a link's two ends name each other, every input has one link, and only the edges of
// a mesh have none.
func TestWiring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGrid.Draw(t, "grid")
		fed := map[[2]int]bool{}
		for n := range noc.NodeID(g.Nodes()) {
			for port := 1; port < g.Ports(); port++ {
				dim, sign := g.Direction(port)
				edge := !g.Wrap && ((sign < 0 && g.Coordinate(n, dim) == 0) || (sign > 0 && g.Coordinate(n, dim) == g.Radix[dim]-1))
				peer, entry, ok := g.Neighbour(n, port)
				if ok == edge {
					t.Fatalf("%s: port %s of node %d: a link is %v", g, g.PortName(port), n, ok)
				}
				if !ok {
					continue
				}
				if back, exit, _ := g.Neighbour(peer, entry); back != n || exit != port {
					t.Fatalf("%s: from %d by %d to %d by %d, back to %d by %d", g, n, port, peer, entry, back, exit)
				}
				if g.Coordinate(peer, dim) != (g.Coordinate(n, dim)+sign+g.Radix[dim])%g.Radix[dim] {
					t.Fatalf("%s: port %s of node %d leads to %d", g, g.PortName(port), n, peer)
				}
				if key := [2]int{int(peer), entry}; fed[key] {
					t.Fatalf("%s: two links feed input %d of node %d", g, entry, peer)
				} else {
					fed[key] = true
				}
			}
		}
	})
}

// TestNumbering: ports, directions, coordinates and nodes map back and forth, and Parse reads
// String.
func TestNumbering(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGrid.Draw(t, "grid")
		seen := map[int]bool{}
		names := map[string]bool{g.PortName(Local): true}
		for dim := range g.Radix {
			for _, sign := range []int{-1, +1} {
				port := g.Port(dim, sign)
				if d, s := g.Direction(port); d != dim || s != sign {
					t.Fatalf("%s: port %d is (%d, %d), made of (%d, %d)", g, port, d, s, dim, sign)
				}
				if port <= 0 || port >= g.Ports() || seen[port] || names[g.PortName(port)] {
					t.Fatalf("%s: port %d (%s) is out of range or used twice", g, port, g.PortName(port))
				}
				seen[port], names[g.PortName(port)] = true, true
			}
		}
		for n := range noc.NodeID(g.Nodes()) {
			at := make([]int, len(g.Radix))
			for dim := range at {
				at[dim] = g.Coordinate(n, dim)
			}
			if g.Node(at...) != n {
				t.Fatalf("%s: node %d is at %v, where node %d is", g, n, at, g.Node(at...))
			}
		}
		same, err := Parse(g.String())
		if err != nil || same.String() != g.String() {
			t.Fatalf("%s is read as %s, %v", g, same, err)
		}
	})
}

// TestPortNumbers pins the numbering that the rings of the rotary routers rest on.
func TestPortNumbers(t *testing.T) {
	g := Torus(8, 8)
	for port, want := range []string{"L", "S", "E", "N", "W"} {
		if got := g.PortName(port); got != want {
			t.Errorf("port %d is %s, want %s", port, got, want)
		}
	}
	origin := g.Node(0, 0)
	for port, want := range map[int]noc.NodeID{1: g.Node(0, 7), 2: g.Node(1, 0), 3: g.Node(0, 1), 4: g.Node(7, 0)} {
		if peer, _, _ := g.Neighbour(origin, port); peer != want {
			t.Errorf("port %d of node 0 leads to %d, want %d", port, peer, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"torus":                "want torus:AxB",
		"ring:8":               "want torus:AxB",
		"torus:8xq":            `"q" is not a number`,
		"torus:":               "not a number",
		"mesh:1x1":             "one router",
		"torus:1x8":            "1 routers along a dimension",
		"mesh:-4x4":            "-4 routers",
		"torus:1024x1024":      "more than 65536 nodes",
		"mesh:2x2x2x2x2x2x2x2": "at most 7",
	} {
		if _, err := Parse(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v, want %q", spec, err, want)
		}
	}
	if err := (Grid{}).Validate(); err == nil {
		t.Error("a grid without dimensions is accepted")
	}
}

// FuzzParse: a specification is refused or describes a grid that can be built.
func FuzzParse(f *testing.F) {
	f.Add("torus:8x8")
	f.Add("mesh:4x4x4")
	f.Add("torus:99999999999999999999x2")
	f.Fuzz(func(t *testing.T, spec string) {
		g, err := Parse(spec)
		if err == nil && (g.Validate() != nil || g.Nodes() < 2 || g.Nodes() > MaxNodes) {
			t.Errorf("Parse(%q) = %+v", spec, g)
		}
	})
}

// TestLine: a mesh with one router along a dimension is a line, whichever dimension that is.
func TestLine(t *testing.T) {
	for _, spec := range []string{"mesh:7", "mesh:1x7", "mesh:7x1", "mesh:1x7x1"} {
		g := must.Get(Parse(spec))
		if w := g.Wiring(); g.Nodes() != 7 || len(w.Channels) != 12 || g.Distance(0, 6) != 6 {
			t.Errorf("%s: %d nodes, %d channels, %d from end to end", spec, g.Nodes(), len(w.Channels), g.Distance(0, 6))
		}
	}
}
