package topology

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// TestOrder compares the tables of dimension order with Offset, from every router and for every tie
// rule: legs, hops, datelines, and the outputs of sets with what lies behind each.
func TestOrder(t *testing.T) {
	down := map[Tie]func(g Grid, source noc.NodeID, dim int) bool{
		TieUp:         func(Grid, noc.NodeID, int) bool { return false },
		TieBySum:      func(g Grid, source noc.NodeID, _ int) bool { return g.Odd(source) },
		TieByPosition: func(g Grid, source noc.NodeID, dim int) bool { return g.Coordinate(source, dim)%2 == 1 },
	}
	for _, g := range []Grid{Mesh(5, 3), Mesh(7), Torus(4), Torus(6, 4), Torus(5, 4, 2), Torus(9, 8), Mesh(1, 3)} {
		for tie, down := range down {
			s := NewSectors(g, tie)
			for source := range noc.NodeID(g.Nodes()) {
				at := noc.NodeID((int(source)*7 + 3) % g.Nodes()) // a packet of source is here
				var outputs [1 << 4][]uint64
				all := make([]uint64, noc.SetWords(g.Nodes()))
				for to := range noc.NodeID(g.Nodes()) {
					want := wantedLeg(g, at, to, func(dim int) bool { return down(g, source, dim) })
					got := s.Next(at, to, s.Ties(source))
					if got != want || s.Hops(at, to) != g.Distance(at, to) {
						t.Fatalf("%s, tie %d: a packet of %d at %d goes to %d by %v of %d links, want %v of %d",
							g, tie, source, at, to, got, s.Hops(at, to), want, g.Distance(at, to))
					}
					if g.Wrap && got.Links > 0 {
						checkDateline(t, g, s.Order, at, to, int(got.Port))
					}
					if outputs[want.Port] == nil {
						outputs[want.Port] = make([]uint64, len(all))
					}
					outputs[want.Port][to/64] |= 1 << (to % 64)
					all[to/64] |= 1 << (to % 64)
				}
				behind, bits := make([]uint64, len(all)), uint16(0)
				for output := range g.Ports() {
					if outputs[output] == nil {
						continue
					}
					bits |= 1 << output
					rest := slices.Clone(all)
					s.Divide(at, s.Ties(source), output, rest, behind)
					for w := range behind {
						if behind[w] != outputs[output][w] || rest[w] != all[w]&^behind[w] {
							t.Fatalf("%s, tie %d: behind output %d of router %d are %x, want %x", g, tie, output, at, behind, outputs[output])
						}
					}
					if got := s.Outputs(at, s.Ties(source), behind); got != 1<<output {
						t.Fatalf("%s: outputs %b lead to what is behind output %d", g, got, output)
					}
				}
				if got := s.Outputs(at, s.Ties(source), all); got != bits {
					t.Fatalf("%s: outputs %b lead to all, want %b", g, got, bits)
				}
			}
		}
	}
}

// wantedLeg is the first leg by Offset, where down says how ties of a dimension go.
func wantedLeg(g Grid, at, to noc.NodeID, down func(dim int) bool) Leg {
	for dim := range g.Radix {
		hops, tie := g.Offset(at, to, dim)
		if tie && down(dim) {
			hops = -hops
		}
		if hops != 0 {
			return Leg{uint8(g.Port(dim, hops)), uint16(abs(hops))}
		}
	}
	return Leg{}
}

// checkDateline walks along a port until the coordinate is that of the destination.
func checkDateline(t *testing.T, g Grid, o *Order, at, to noc.NodeID, port int) {
	dim, sign := g.Direction(port)
	crosses, first := false, true
	for here := at; g.Coordinate(here, dim) != g.Coordinate(to, dim); {
		next, _, _ := g.Neighbour(here, port)
		over := (g.Coordinate(next, dim)-g.Coordinate(here, dim))*sign < 0
		if first && o.AtDateline(here, port) != over {
			t.Fatalf("%s: port %d of router %d leads over the dateline: %t", g, port, here, over)
		}
		here, crosses, first = next, crosses || over, false
	}
	if o.Crosses(at, to, port) != crosses {
		t.Fatalf("%s: from %d to %d by port %d a packet crosses the dateline: %t", g, at, to, port, crosses)
	}
}
