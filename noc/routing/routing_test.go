package routing

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestEveryPairArrives: both functions lead from everywhere to everywhere; labels rise or fall
// all the way, and ways are shortest in dimension order and, on meshes of two dimensions, by
// labels (claims S1-03 and S1-04).
func TestEveryPairArrives(t *testing.T) {
	for _, g := range []topology.Grid{topology.Mesh(5, 4), topology.Mesh(2, 7), topology.Mesh(3, 2, 3), topology.Torus(4, 3)} {
		w, of := g.Wiring(), g.Snake()
		byLabels := must.Get(SnakeLabels(g, w))
		functions := []Function{byLabels}
		if inOrder, err := DimensionOrder(g, w); err == nil {
			functions = append(functions, inOrder)
		} else if !g.Wrap || !strings.Contains(err.Error(), "a ring would deadlock") {
			t.Fatal(err)
		}
		for i, f := range functions {
			for from := range noc.NodeID(w.Nodes()) {
				for to := range noc.NodeID(w.Nodes()) {
					at, hops := from, 0
					for at != to {
						next := w.Channels[f.Next(at, to)].To
						if i == 0 && (of[next] > of[at]) != (of[to] > of[from]) {
							t.Fatalf("%s: from %d to %d, router %d follows %d", g, from, to, next, at)
						}
						if at, hops = next, hops+1; hops > w.Nodes() {
							t.Fatalf("%s: function %d does not lead from %d to %d", g, i, from, to)
						}
					}
					if minimal := i == 1 || !g.Wrap && len(g.Radix) == 2; minimal && hops != g.Distance(from, to) {
						t.Errorf("%s: function %d takes %d hops from %d to %d", g, i, hops, from, to)
					}
				}
			}
		}
	}
}

// TestStepByStep: following Next from router to router gives the whole routes that the topologies
// know.
func TestStepByStep(t *testing.T) {
	for _, spec := range []string{"min:baseline:16:2", "min:baseline:16:4", "min:butterfly:16:2", "min:butterfly:27:3", "min:baseline:4:4", "bimin:butterfly:16:2", "bimin:butterfly:27:3",
		"bimin:butterfly:4:4", "lattice:25:1", "lattice:30:2", "lattice:16:9:4",
		"utorus:4x3", "utorus:5x2x3:-z+x-y"} {
		l := must.Get(topology.Open(spec))
		var f Function
		var whole func(a, b noc.NodeID) []noc.NodeID
		switch {
		case l.UniTorus != nil:
			whole = l.UniTorus.Route
			f = must.Get(Rings(*l.UniTorus, l.Wiring))
		case l.Multistage != nil:
			whole = l.Multistage.Route
			f = must.Get(Stages(*l.Multistage, l.Wiring))
		default:
			u := must.Get(topology.NewUpDown(*l.Graph, l.Graph.Switches/2))
			whole = u.Route
			f = must.Get(UpDown(u, l.Wiring))
		}
		for a := range noc.NodeID(l.Wiring.Nodes()) {
			for b := range noc.NodeID(l.Wiring.Nodes()) {
				path := []noc.NodeID{}
				for at := l.Wiring.Entry[a].Router; at != l.Wiring.Exit[b].Router && len(path) < l.Wiring.Routers; {
					at = l.Wiring.Channels[f.Next(at, b)].To
					path = append(path, at)
				}
				if want := whole(a, b); !slices.Equal(path, want) {
					t.Fatalf("%s: from %d to %d: %v, want %v", spec, a, b, path, want)
				}
			}
		}
	}
}

// TestForeignWiring: a routing function refuses the tables of another network.
func TestForeignWiring(t *testing.T) {
	mesh := topology.Mesh(4, 4).Wiring()
	m, _ := topology.NewMultistage(false, 16, 4)
	if _, err := Stages(m, mesh); err == nil {
		t.Error("a multistage function routes a mesh")
	}
	g, _ := topology.Lattice(9, 1)
	u := must.Get(topology.NewUpDown(g, 0))
	if _, err := UpDown(u, mesh); err == nil {
		t.Error("a tree of 9 switches routes a mesh")
	}
}

// TestDatelines: no circle of channels can wait for itself, because the half of a channel and its
// place give an order that every way climbs; without halves there are circles.
func TestDatelines(t *testing.T) {
	for _, spec := range []string{"utorus:5", "utorus:4x3", "utorus:3x5:-y+x", "utorus:2x3x4:+z-x-y"} {
		l := must.Get(topology.Open(spec))
		for _, halves := range []bool{true, false} {
			if got := circular(t, l, halves); got == halves {
				t.Errorf("%s, halves %v: waits in a circle: %v", spec, halves, got)
			}
		}
	}
}

// circular reports whether channels can wait for each other in a circle.
func circular(t *testing.T, l topology.Layout, halves bool) bool {
	f := must.Get(Rings(*l.UniTorus, l.Wiring))
	waits := map[[2]int32]map[[2]int32]bool{} // by channel and half
	for a := range noc.NodeID(l.Nodes()) {
		for b := range noc.NodeID(l.Nodes()) {
			before := [2]int32{-1, 0}
			for at := a; at != b; {
				here := [2]int32{f.Next(at, b), 0}
				if halves {
					here[1] = int32(f.(Datelined).Half(at, b))
				}
				if waits[here] == nil {
					waits[here] = map[[2]int32]bool{}
				}
				if before[0] >= 0 {
					waits[before][here] = true
				}
				at, before = l.Wiring.Channels[here[0]].To, here
			}
		}
	}
	for len(waits) > 0 { // remove channels that wait for none that is left
		free := 0
		for c, others := range waits {
			for o := range others {
				if waits[o] == nil {
					delete(others, o)
				}
			}
			if len(others) == 0 {
				delete(waits, c)
				free++
			}
		}
		if free == 0 {
			return true
		}
	}
	return false
}
