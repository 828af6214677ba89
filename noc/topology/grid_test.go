package topology

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"pgregory.net/rapid"
)

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
