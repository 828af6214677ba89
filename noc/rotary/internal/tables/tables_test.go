package tables_test

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

var grids = []topology.Grid{topology.Torus(8, 8), topology.Torus(3, 4), topology.Mesh(4, 5), topology.Torus(7), topology.Mesh(3),
	topology.Torus(3, 2, 3), topology.Torus(9, 8), topology.Torus(5, 3, 4), topology.Torus(2, 2, 2, 2)}

// leadsNearer reports whether a port of a router starts a shortest path to a node; the local port does
// in its own router only.
func leadsNearer(g topology.Grid, router noc.NodeID, port int, to noc.NodeID) bool {
	if port == topology.Local {
		return router == to
	}
	peer, _, linked := g.Neighbour(router, port)
	return linked && g.Distance(peer, to) < g.Distance(router, to)
}

// TestMasks: an output serves what the grid says is profitable, for single destinations and sets.
func TestMasks(t *testing.T) {
	for _, g := range grids {
		m := tables.NewMasks(g)
		for r := range g.Nodes() {
			for p := range g.Ports() {
				set, served := make([]uint64, m.Words()), 0
				for d := range g.Nodes() {
					want := leadsNearer(g, noc.NodeID(r), p, noc.NodeID(d))
					if got := m.Serves(r, p, d); got != want {
						t.Fatalf("%s: output %d of router %d serves %d: %v, want %v", g, p, r, d, got, want)
					}
					set[d/64] |= 1 << (d % 64)
					if want {
						served++
					}
				}
				some, all := m.Compare(r, p, set)
				if some != (served > 0) || all {
					t.Errorf("%s: output %d of router %d serves some of all nodes: %v, all: %v", g, p, r, some, all)
				}
				taken := make([]uint64, m.Words())
				m.Divide(r, p, set, taken)
				if _, all := m.Compare(r, p, taken); !all {
					t.Errorf("%s: output %d of router %d does not serve what it took", g, p, r)
				}
				if some, _ := m.Compare(r, p, set); some {
					t.Errorf("%s: output %d of router %d serves some of what it left", g, p, r)
				}
			}
		}
	}
}

// TestTour: the tour visits every node once and goes from neighbour to neighbour; it closes to a
// cycle on a torus whose last dimension is even.
func TestTour(t *testing.T) {
	for _, g := range grids {
		tour := tables.NewTour(g)
		seen := noc.NewNodeSet(g.Nodes())
		for k, at := range tour.Node {
			if seen.Add(at); tour.Position[at] != int32(k) {
				t.Errorf("%s: node %d is number %d, not %d", g, at, k, tour.Position[at])
			}
			last, even := k == g.Nodes()-1, g.Radix[len(g.Radix)-1]%2 == 0
			if d := g.Distance(at, tour.Node[(k+1)%g.Nodes()]); d != 1 && (!last || (even && g.Wrap)) {
				t.Errorf("%s: %d links from number %d to the next", g, d, k)
			}
		}
		if seen.Count() != g.Nodes() {
			t.Errorf("%s: %d of %d nodes", g, seen.Count(), g.Nodes())
		}
		for src := range noc.NodeID(g.Nodes()) {
			ahead := 0
			for d := range noc.NodeID(g.Nodes()) {
				if tour.Ahead(src, d) {
					ahead++
				}
			}
			want := g.Nodes()/2 + 1
			if !g.Wrap {
				want = g.Nodes() - int(tour.Position[src])
			}
			if ahead != want {
				t.Errorf("%s: %d nodes are ahead of %d, want %d", g, ahead, src, want)
			}
			set := make([]uint64, noc.SetWords(g.Nodes()))
			far := tour.Node[(int(tour.Position[src])+g.Nodes()/2)%g.Nodes()]
			set[far/64] |= 1 << (far % 64)
			if got := tour.Next(set, src, src%2 == 0); got != far {
				t.Errorf("%s: next from %d is %d, want %d", g, src, got, far)
			}
		}
	}
}
