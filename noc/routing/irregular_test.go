package routing

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestStepByStep: following Next from router to router gives the whole routes that the topologies
// know.
func TestStepByStep(t *testing.T) {
	for _, spec := range []string{"min:baseline:16:2", "min:baseline:16:4", "min:baseline:4:4", "bimin:butterfly:16:2", "bimin:butterfly:27:3",
		"bimin:butterfly:4:4", "lattice:25:1", "lattice:30:2", "lattice:16:9:4",
		"utorus:4x3", "utorus:5x2x3:-z+x-y"} {
		l := noctest.Must(topology.Open(spec))
		var f Function
		var whole func(a, b noc.NodeID) []noc.NodeID
		switch {
		case l.UniTorus != nil:
			whole = l.UniTorus.Route
			f = noctest.Must(Rings(*l.UniTorus, l.Wiring))
		case l.Multistage != nil:
			whole = l.Multistage.Route
			f = noctest.Must(Stages(*l.Multistage, l.Wiring))
		default:
			u := noctest.Must(topology.NewUpDown(*l.Graph, l.Graph.Switches/2))
			whole = u.Route
			f = noctest.Must(UpDown(u, l.Wiring))
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
	u := noctest.Must(topology.NewUpDown(g, 0))
	if _, err := UpDown(u, mesh); err == nil {
		t.Error("a tree of 9 switches routes a mesh")
	}
}
