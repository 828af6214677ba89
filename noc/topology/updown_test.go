package topology

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// anyGraph is a connected graph of up to 12 switches with up to two processors each.
var anyGraph = rapid.Custom(func(t *rapid.T) Graph {
	n := rapid.IntRange(1, 12).Draw(t, "switches")
	g := Graph{Name: "random", Switches: n}
	joined := map[[2]int]bool{}
	join := func(a, b int) {
		if link := [2]int{min(a, b), max(a, b)}; a != b && !joined[link] {
			joined[link] = true
			g.Links = append(g.Links, link)
		}
	}
	for v := 1; v < n; v++ {
		join(v, rapid.IntRange(0, v-1).Draw(t, "earlier"))
	}
	for range rapid.IntRange(0, n).Draw(t, "chords") {
		join(rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b"))
	}
	for s := range n {
		for range rapid.IntRange(0, 2).Draw(t, "processors") {
			g.Processors = append(g.Processors, s)
		}
	}
	g.Root = rapid.IntRange(0, n-1).Draw(t, "root")
	return g
})

// TestUpDownPaths: every relaxed path follows links, climbs before it descends, keeps to the
// strict path's vertices in their order, and uses at most one link outside the tree; the strict
// and the selected path are among them. Every link climbs in one direction, to the smaller level,
// or on one level to the smaller number.
func TestUpDownPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph.Draw(t, "graph")
		u := must.Get(NewUpDown(g, g.Root))
		for from := range u.ID {
			for _, near := range u.near[from] {
				want := u.Level[from] > u.Level[near] || u.Level[from] == u.Level[near] && u.ID[from] > u.ID[near]
				if u.up(from, near) != want || u.up(near, from) == want {
					t.Fatalf("%d to %d climbs: %v, back: %v", from, near, u.up(from, near), u.up(near, from))
				}
			}
			for to := range u.ID {
				strict, relaxed := u.Strict(from, to), u.Relaxed(from, to)
				for _, want := range [][]int{strict, u.Selected(from, to)} {
					if !slices.ContainsFunc(relaxed, func(p []int) bool { return slices.Equal(p, want) }) {
						t.Fatalf("from %d to %d: %v is not among the relaxed paths %v", from, to, want, relaxed)
					}
				}
				for _, path := range relaxed {
					if fault := faultOfPath(u, strict, path); fault != "" {
						t.Fatalf("from %d to %d: %v, strict %v: %s", from, to, path, strict, fault)
					}
				}
			}
		}
	})
}

// up reports whether the link from a to b climbs: to a smaller level, or on one level to a
// smaller number.
func (u *UpDown) up(a, b int) bool {
	return u.Level[a] > u.Level[b] || u.Level[a] == u.Level[b] && u.ID[a] > u.ID[b]
}

// faultOfPath holds one path to definition 4, or says how it fails.
func faultOfPath(u *UpDown, strict, path []int) string {
	descended, cross, last := false, 0, -1
	for i, v := range path {
		at := slices.Index(strict, v)
		if at <= last {
			return fmt.Sprintf("%d is not on the strict path, or not in its order", v)
		}
		last = at
		if i == 0 {
			continue
		}
		from := path[i-1]
		if _, linked := slices.BinarySearch(u.near[from], v); !linked {
			return fmt.Sprintf("no link from %d to %d", from, v)
		}
		if u.up(from, v) && descended {
			return fmt.Sprintf("it climbs from %d to %d after a descent", from, v)
		}
		descended = descended || !u.up(from, v)
		if u.Parent[from] != v && u.Parent[v] != from {
			cross++
		}
	}
	if cross > 1 {
		return fmt.Sprintf("it uses %d links outside the tree", cross)
	}
	return ""
}

// TestUpDownDependencies: whatever relaxed paths unicasts take, channels cannot wait for each
// other in a cycle. With the rule broken (a path that is the strict one backwards through its
// top) they can, so the test can fail.
func TestUpDownDependencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph.Draw(t, "graph")
		u := must.Get(NewUpDown(g, g.Root))
		var paths [][]int
		for from := range u.ID {
			for to := range u.ID {
				paths = append(paths, u.Relaxed(from, to)...)
			}
		}
		if cycle(paths) {
			t.Fatal("channels wait for each other")
		}
	})
	ring := [][]int{{0, 1, 2}, {1, 2, 3}, {2, 3, 0}, {3, 0, 1}}
	if !cycle(ring) {
		t.Error("four worms round a ring are not found to wait for each other")
	}
}

// cycle reports whether the channels of paths can wait for each other: each for the next one on
// some path.
func cycle(paths [][]int) bool {
	after := map[[2]int]map[[2]int]bool{}
	for _, path := range paths {
		for i := 2; i < len(path); i++ {
			a, b := [2]int{path[i-2], path[i-1]}, [2]int{path[i-1], path[i]}
			if after[a] == nil {
				after[a] = map[[2]int]bool{}
			}
			after[a][b] = true
		}
	}
	return circular(after)
}

// circular reports whether some channels wait for each other.
func circular[C comparable](after map[C]map[C]bool) bool {
	state := map[C]int{} // 1 open, 2 done
	var visit func(c C) bool
	visit = func(c C) bool {
		state[c] = 1
		for next := range after[c] {
			if state[next] == 1 || state[next] == 0 && visit(next) {
				return true
			}
		}
		state[c] = 2
		return false
	}
	for c := range after {
		if state[c] == 0 && visit(c) {
			return true
		}
	}
	return false
}

// TestUnreachable: a tree needs a connected graph and a root that exists.
func TestUnreachable(t *testing.T) {
	g := Graph{Name: "apart", Switches: 3, Links: [][2]int{{0, 1}}}
	if _, err := NewUpDown(g, 0); err == nil || err.Error() != "topology apart: switch 2 cannot be reached from the root 0" {
		t.Errorf("got %v", err)
	}
	if _, err := NewUpDown(g, 3); err == nil {
		t.Error("root 3 of 3 switches is accepted")
	}
	for _, parents := range [][]int{{-1, -1}, {1, 0}, {-1, 2}, {-2, 0}, {1, 2, 1}, {-1, 2, 1}} {
		if _, err := NewUpDownTree(parents, nil); err == nil {
			t.Errorf("parents %v make a tree", parents)
		}
	}
}

// TestSelectedPrefersCrossLinks is section 4 of Libeskind-Hadas, Mazzoni and Rajagopalan: choosing
// the number closest to the destination takes a link outside the tree more often than not, where
// there is one beside a link of the tree.
func TestSelectedPrefersCrossLinks(t *testing.T) {
	cross, tree := 0, 0
	for seed := range uint64(30) {
		g := must.Get(Lattice(30, seed))
		for k := range 10 { // chords, which a lattice has none of
			if a, b := (7*k+int(seed))%30, (13*k+5)%30; a != b && !slices.Contains(g.Neighbours()[a], b) {
				g.Links = append(g.Links, [2]int{a, b})
			}
		}
		u := must.Get(NewUpDown(g, int(seed)%30))
		outside := func(a, b int) bool { return u.Parent[a] != b && u.Parent[b] != a }
		for from := range u.ID {
			for to := range u.ID {
				path := u.Selected(from, to)
				for i := 1; i < len(path); i++ {
					at := path[i-1]
					switch {
					case outside(at, path[i]):
						cross++
					case slices.ContainsFunc(u.Choices(at, to), func(v int) bool { return outside(at, v) }):
						tree++
					}
				}
			}
		}
	}
	if cross <= tree {
		t.Errorf("%d choices leave the tree, %d do not although they could", cross, tree)
	}
}
