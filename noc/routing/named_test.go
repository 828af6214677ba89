package routing

import (
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
		longest := 0
		for a := range noc.NodeID(l.Nodes()) {
			for b := range noc.NodeID(l.Nodes()) {
				hops := 0
				for at := w.Entry[a].Router; at != w.Exit[b].Router && hops < 100; hops++ {
					at = w.Channels[f.Next(at, b)].To
				}
				longest = max(longest, hops)
				if d := w.Distance(a, b); hops != d && (l.Dragonfly == nil || hops != 3 || d != 2) {
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
