package claim

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/noc/topology"
)

// CountMatching counts OCMS in meshes of two dimensions: O(k^3).
func CountMatching() ([]Growth, error) {
	bound := func(a trial) float64 { return math.Pow(float64(a.k), 3) }
	large := fixed(plane(4096))
	const corner, apart = "from a corner", "from anywhere"
	return countAll([]counting{
		{Growth: Growth{Where: "k of 64x64 nodes", Series: apart, Size: "k"}, scheme: "ocms", from: 8, to: 512, layout: large, k: itself, draw: Anywhere, bound: bound},
		{Growth: Growth{Where: "k of 64x64 nodes", Series: corner, Size: "k"}, scheme: "ocms", from: 8, to: 512, layout: large, k: itself, draw: FromCorner, bound: bound},
		{Growth: Growth{Where: "k of 64x64 nodes", Series: "from a corner, evenly spread", Size: "k"}, scheme: "ocms", from: 8, to: 512, layout: large, k: itself, draw: evenly, bound: bound},
		{Growth: Growth{Where: "all of N nodes", Series: corner, Size: "N"}, scheme: "ocms", from: 16, to: 512, layout: plane, k: share(1), draw: FromCorner, bound: bound},
		{Growth: Growth{Where: "48 of N nodes", Series: apart, Size: "N"}, scheme: "ocms", from: 64, to: 8192, layout: plane, k: always(48), draw: Anywhere, bound: bound},
		{Growth: Growth{Where: "48 of N nodes", Series: corner, Size: "N"}, scheme: "ocms", from: 64, to: 8192, layout: plane, k: always(48), draw: FromCorner, bound: bound},
	})
}

// CountProgramme counts OTMS in meshes of two dimensions: O(k^2 N^2).
func CountProgramme() ([]Growth, error) {
	bound := func(a trial) float64 { return math.Pow(float64(a.k)*float64(a.nodes), 2) }
	const corner, apart = "from a corner", "from anywhere"
	return countAll([]counting{
		{Growth: Growth{Where: "all of N nodes", Series: corner, Size: "N"}, scheme: "otms", from: 16, to: 256, layout: plane, k: share(1), draw: FromCorner, bound: bound},
		{Growth: Growth{Where: "half of N nodes", Series: corner, Size: "N"}, scheme: "otms", from: 16, to: 256, layout: plane, k: share(2), draw: FromCorner, bound: bound, few: true},
		{Growth: Growth{Where: "half of N nodes", Series: apart, Size: "N"}, scheme: "otms", from: 16, to: 256, layout: plane, k: share(2), draw: Anywhere, bound: bound, few: true},
		{Growth: Growth{Where: "32 of N nodes", Series: corner, Size: "N"}, scheme: "otms", from: 64, to: 4096, layout: plane, k: always(32), draw: FromCorner, bound: bound},
		{Growth: Growth{Where: "32 of N nodes", Series: apart, Size: "N"}, scheme: "otms", from: 64, to: 4096, layout: plane, k: always(32), draw: Anywhere, bound: bound},
		{Growth: Growth{Where: "k of 16x16 nodes", Series: corner, Size: "k", Ends: true}, scheme: "otms", from: 8, to: 128, layout: fixed(plane(256)), k: itself, draw: FromCorner, bound: bound},
	})
}

// chords is a Hamiltonian path of n nodes with p-1 more links at its first node, to nodes evenly
// far apart, and with a random link at every other node.
func chords(n, p int) topology.Layout {
	g := topology.Graph{Name: fmt.Sprintf("path with chords, %d nodes, %d ports", n, p), Switches: n}
	linked := map[[2]int]bool{}
	link := func(a, b int) {
		if a, b = min(a, b), max(a, b); a != b && !linked[[2]int{a, b}] {
			linked[[2]int{a, b}] = true
			g.Links = append(g.Links, [2]int{a, b})
		}
	}
	random := NewRandoms(uint64(n))
	for i := range n {
		g.Labels = append(g.Labels, i)
		if i > 0 {
			link(i-1, i)
		}
		if i%2 == 1 {
			link(i, 1+random.IntN(n-1))
		}
	}
	for port := 1; port < p; port++ {
		link(0, port*n/p)
	}
	return topology.Layout{Wiring: g.Wiring(), Graph: &g}
}

// CountGraphs counts both on graphs and in meshes of more dimensions: O((k+p)^3) and O((kN)^p). The
// requests come from node 0, which has p ports.
func CountGraphs() ([]Growth, error) {
	matching := func(ports func(int) int) func(trial) float64 {
		return func(a trial) float64 { return math.Pow(float64(a.k+ports(a.size)), 3) }
	}
	programme := func(ports func(int) int) func(trial) float64 {
		return func(a trial) float64 { return math.Pow(float64(a.k)*float64(a.nodes), float64(ports(a.size))) }
	}
	list := []counting{
		{Growth: Growth{Where: "64 of 512 nodes, a path with chords and p ports", Series: "OCMS", Size: "p"}, scheme: "ocms", from: 2, to: 128,
			layout: func(p int) topology.Layout { return chords(512, p) }, k: always(64), draw: FromCorner, bound: matching(itself)},
		{Growth: Growth{Where: "k of 1,024 nodes, a path with chords and 8 ports", Series: "OCMS", Size: "k"}, scheme: "ocms", from: 8, to: 512,
			layout: fixed(chords(1024, 8)), k: itself, draw: FromCorner, bound: matching(always(8))},
		{Growth: Growth{Where: "16 of 128 nodes, a path with chords and p ports", Series: "OTMS", Size: "p"}, scheme: "otms", from: 2, to: 16,
			layout: func(p int) topology.Layout { return chords(128, p) }, k: always(16), draw: FromCorner, bound: programme(itself)},
	}
	for p := 2; p <= 4; p++ {
		list = append(list,
			counting{Growth: Growth{Where: "a quarter of N nodes, a path with chords", Series: fmt.Sprintf("OTMS, %d ports", p), Size: "N"}, scheme: "otms", from: 16, to: 128,
				layout: func(n int) topology.Layout { return chords(n, p) }, k: share(4), draw: FromCorner, bound: programme(always(p))},
			counting{Growth: Growth{Where: "an eighth of N nodes, a mesh with a dimension for each port", Series: fmt.Sprintf("OTMS, %d ports", p), Size: "N"}, scheme: "otms", from: 16, to: 128,
				layout: func(n int) topology.Layout { return Box(n, p) }, k: share(8), draw: FromCorner, bound: programme(always(p))})
	}
	return countAll(list)
}
