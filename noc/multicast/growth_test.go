package multicast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// sorting is v log2 v.
func sorting(v int) float64 { return float64(v) * math.Log2(float64(max(v, 2))) }

// TestPlanningGrowsAsPrinted holds counted steps of planning, not times, to the bounds of the
// papers: over sizes that double, the steps of the heaviest request over the bound grow by at most
// a tenth in the last two doublings. Requests come from node 0, which has the smallest label: all
// destinations are then on one side, which makes one large problem of two small ones.
func TestPlanningGrowsAsPrinted(t *testing.T) {
	square := func(n int) topology.Layout {
		side := 1 << (bitsOf(n) / 2)
		g := topology.Mesh(side, n/side)
		return topology.Layout{Wiring: g.Wiring(), Grid: &g}
	}
	groups := func(l topology.Layout, r Request) float64 {
		q := must(QualifiedGroups(*l.Grid, r, DefaultGroupOptions()))
		largest := 0
		for _, g := range q.Final {
			largest = max(largest, len(g.Nodes))
		}
		return float64(len(q.Final)) + sorting(len(r.Destinations)) + sorting(len(q.Final)) + sorting(largest)
	}
	for _, c := range []struct {
		scheme, printed string // and where
		nodes           func(size int) int
		share           int // of the nodes that are destinations; 0 where the size is their number
		from, to        int
		bound           func(l topology.Layout, r Request) float64
	}{
		{"ocms", "O(k^3), Bouchitté, Cohen and Fleury, section 4", always(1024), 0, 8, 256, func(_ topology.Layout, r Request) float64 { return math.Pow(float64(len(r.Destinations)), 3) }},
		{"ocms", "O(k^3), all nodes", itself, 1, 16, 256, func(_ topology.Layout, r Request) float64 { return math.Pow(float64(len(r.Destinations)), 3) }},
		{"otms", "O(k^2 N^2), section 6", itself, 2, 16, 128, func(l topology.Layout, r Request) float64 {
			return math.Pow(float64(len(r.Destinations)*l.Nodes()), 2)
		}},
		{"dual-path", "O(k log k), Al-Dubai, Ould-Khaoua and Mackenzie, table 1", always(1024), 0, 8, 512, func(_ topology.Layout, r Request) float64 { return sorting(len(r.Destinations)) }},
		{"multi-path", "O(k log k)", always(1024), 0, 8, 512, func(_ topology.Layout, r Request) float64 { return sorting(len(r.Destinations)) }},
		{"qg", "O(m + k log k + g log g + max k_i log k_i)", always(1024), 0, 8, 512, groups},
	} {
		random := rand.New(rand.NewPCG(21, 0))
		var ratios []float64
		for size := c.from; size <= c.to; size *= 2 {
			l := square(c.nodes(size))
			k := size
			if c.share > 0 {
				k = min(l.Nodes()/c.share, l.Nodes()-1)
			}
			n, heaviest := NewNetwork(l), 0.0
			for range 3 {
				var r Request
				for _, d := range random.Perm(l.Nodes() - 1)[:k] {
					r.Destinations = append(r.Destinations, noc.NodeID(d+1))
				}
				_, w := counted(t, n, c.scheme, r)
				heaviest = max(heaviest, float64(w.Steps())/c.bound(l, r))
			}
			ratios = append(ratios, heaviest)
		}
		early := len(ratios) - 2
		if last := slices.Max(ratios[early:]); last > 1.1*slices.Max(ratios[:early]) || ratios[len(ratios)-1] > 1.1*ratios[early-1] {
			t.Errorf("%s, %s: steps over the bound grow: %.3g", c.scheme, c.printed, ratios)
		}
	}
}

func always(v int) func(int) int { return func(int) int { return v } }

func itself(v int) int { return v }

// bitsOf is the logarithm of a power of two.
func bitsOf(n int) (bits int) {
	for ; n > 1; n /= 2 {
		bits++
	}
	return bits
}
