package routing

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestEveryPairArrives: both functions lead from everywhere to everywhere; labels rise or fall
// all the way, and ways are shortest in dimension order and, on meshes of two dimensions, by
// labels (claims S1-03 and S1-04).
func TestEveryPairArrives(t *testing.T) {
	for _, g := range []topology.Grid{topology.Mesh(5, 4), topology.Mesh(2, 7), topology.Mesh(3, 2, 3), topology.Torus(4, 3)} {
		w, of := g.Wiring(), multicast.SnakeLabels(g)
		byLabels := noctest.Must(SnakeLabels(g, w))
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
