package multicast

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
	"pgregory.net/rapid"
)

// anyMesh is a mesh of one to three dimensions with up to 60 nodes, lines with sides of one
// included.
var anyMesh = rapid.Custom(func(t *rapid.T) topology.Grid {
	g := topology.Grid{}
	nodes := 1
	for range rapid.IntRange(1, 3).Draw(t, "dimensions") {
		k := rapid.IntRange(1, 7).Draw(t, "radix")
		if nodes*k > 60 {
			break
		}
		nodes *= k
		g.Radix = append(g.Radix, k)
	}
	return g
})

// anyLabelled is a mesh with its snake, or a random graph around a Hamiltonian path.
var anyLabelled = rapid.Custom(func(t *rapid.T) *Labelled {
	if rapid.Bool().Draw(t, "mesh") {
		g := anyMesh.Draw(t, "mesh")
		return must.Get(NewLabelled(g.Wiring(), g.Snake()))
	}
	n := rapid.IntRange(2, 14).Draw(t, "nodes")
	order := rapid.Permutation(upTo[int](n)).Draw(t, "path")
	labels := make([]int, n)
	joined := map[[2]int]bool{}
	for i, v := range order {
		labels[v] = i
		if i > 0 {
			joined[[2]int{min(v, order[i-1]), max(v, order[i-1])}] = true
		}
	}
	for range rapid.IntRange(0, n).Draw(t, "chords") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		if a != b {
			joined[[2]int{min(a, b), max(a, b)}] = true
		}
	}
	g := topology.Graph{Name: "random", Switches: n}
	for a := range n {
		for b := range n {
			if joined[[2]int{a, b}] {
				g.Links = append(g.Links, [2]int{a, b})
			}
		}
	}
	return must.Get(NewLabelled(g.Wiring(), labels))
})

// upTo lists the numbers below n.
func upTo[T ~int | ~uint32](n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(i)
	}
	return list
}

// anyRequest has up to the given number of destinations, with repetitions and perhaps the source.
func anyRequest(t *rapid.T, nodes, most int) Request {
	node := rapid.Custom(func(t *rapid.T) noc.NodeID { return noc.NodeID(rapid.IntRange(0, nodes-1).Draw(t, "node")) })
	return Request{Source: node.Draw(t, "source"), Destinations: rapid.SliceOfN(node, 0, most).Draw(t, "destinations")}
}

// everyStar calls visit with the worm lengths of every star over one side, by giving each
// destination to each port in turn.
func everyStar(l *Labelled, source noc.NodeID, targets, ports []noc.NodeID, rule PortRule, visit func(longest, total int)) {
	lengths, ends := make([]int, len(ports)), make([]noc.NodeID, len(ports))
	used := make([]bool, len(ports))
	var place func(j int)
	place = func(j int) {
		if j == len(targets) {
			total := 0
			for _, n := range lengths {
				total += n
			}
			visit(slices.Max(append(lengths, 0)), total)
			return
		}
		for i, port := range ports {
			was, end, length := used[i], ends[i], lengths[i]
			if used[i] {
				lengths[i] += l.Distance(ends[i], targets[j])
			} else {
				climbs, beyond := l.label[port] > l.label[source], l.label[port] > l.label[targets[j]]
				if climbs == beyond && port != targets[j] || rule == Strict && l.Next(source, targets[j]) != port {
					continue
				}
				lengths[i] = 1 + l.Distance(port, targets[j])
			}
			used[i], ends[i] = true, targets[j]
			place(j + 1)
			used[i], ends[i], lengths[i] = was, end, length
		}
	}
	place(0)
}

// TestStarsAgainstAllStars: no star has fewer channels than OCMS, none a shorter longest worm than
// OTMS, and of those none fewer channels; and the free rule is never worse than dual-path and
// multi-path.
func TestStarsAgainstAllStars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLabelled.Draw(t, "network")
		r := anyRequest(t, l.Wiring.Nodes(), 8)
		rule := PortRule(rapid.IntRange(0, 1).Draw(t, "rule"))
		ocms, otms := must.Get(l.OCMS(r, rule)), must.Get(l.OTMS(r, rule))
		high, low := l.sides(r)
		for i, targets := range [][]noc.NodeID{high, low} {
			if len(targets) == 0 {
				continue
			}
			least, shortest, leastAtShortest := 1<<30, 1<<30, 1<<30
			everyStar(l, r.Source, targets, l.ports(r.Source, i == 0), rule, func(longest, total int) {
				least = min(least, total)
				if longest < shortest || longest == shortest && total < leastAtShortest {
					shortest, leastAtShortest = longest, total
				}
			})
			c, o := []Half{ocms.High, ocms.Low}[i], []Half{otms.High, otms.Low}[i]
			if c.Total() != least || o.Longest() != shortest || o.Total() != leastAtShortest {
				t.Fatalf("side %d: OCMS %d, OTMS %d with %d channels; all stars: %d, %d with %d",
					i, c.Total(), o.Longest(), o.Total(), least, shortest, leastAtShortest)
			}
		}
		for name, p := range map[string]Plan{"ocms": ocms.Plan(l, r.Source), "otms": otms.Plan(l, r.Source)} {
			if err := p.Check(l.Wiring, r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			isMonotone(t, l, p)
		}
		if rule == Free {
			dual, multi := must.Get(DualPath(l, r).Measure(l.Wiring)), must.Get(MultiPath(l, nil, r).Measure(l.Wiring))
			fewest, fastest := must.Get(ocms.Plan(l, r.Source).Measure(l.Wiring)), must.Get(otms.Plan(l, r.Source).Measure(l.Wiring))
			if fewest.Channels > min(dual.Channels, multi.Channels) || fastest.Longest > min(dual.Longest, multi.Longest) {
				t.Fatalf("free OCMS %+v, OTMS %+v, dual-path %+v, multi-path %+v", fewest, fastest, dual, multi)
			}
		}
	})
}

// isMonotone checks that labels only grow or only shrink along every worm.
func isMonotone(t *rapid.T, l *Labelled, p Plan) {
	for i, m := range p {
		at, sign := m.From, 0
		for _, n := range m.Path {
			step := int(l.label[n] - l.label[at])
			if step*sign < 0 {
				t.Fatalf("worm %d turns round at %d: %v", i, at, m.Path)
			}
			at, sign = n, step
		}
	}
}

// TestAssignAgainstAllPermutations: no permutation is lighter than the Hungarian method's.
func TestAssignAgainstAllPermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "size")
		weight := make([][]int64, n)
		for i := range weight {
			weight[i] = rapid.SliceOfN(rapid.Int64Range(-5, 20), n, n).Draw(t, "row")
		}
		var lightest func(row int, used uint) int64
		lightest = func(row int, used uint) int64 {
			if row == n {
				return 0
			}
			best := int64(1 << 40)
			for c := range n {
				if used>>c&1 == 0 {
					best = min(best, weight[row][c]+lightest(row+1, used|1<<c))
				}
			}
			return best
		}
		sum, seen := int64(0), map[int]bool{}
		for row, c := range assign(weight) {
			sum += weight[row][c]
			seen[c] = true
		}
		if len(seen) != n || sum != lightest(0, 0) {
			t.Fatalf("weight %d over %d columns, want %d over %d", sum, len(seen), lightest(0, 0), n)
		}
	})
}

// TestLabelRouting: R climbs or descends to its goal by way of neighbours; in meshes of up to two
// dimensions it is minimal, in three it is not.
func TestLabelRouting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLabelled.Draw(t, "network")
		for u := range noc.NodeID(l.Wiring.Nodes()) {
			for v := range noc.NodeID(l.Wiring.Nodes()) {
				m := Worm{From: u, Stops: nodes{v}, Path: append(nodes{}, l.Route(nil, u, v)...), After: -1}
				if u != v {
					must.Do((Plan{m}).Check(l.Wiring, Request{u, nodes{v}}))
				}
				isMonotone(t, l, Plan{m})
				if len(m.Path) != l.Distance(u, v) {
					t.Fatalf("distance from %d to %d is %d on %v", u, v, l.Distance(u, v), m.Path)
				}
			}
		}
	})
	g := topology.Mesh(9, 5)
	l := must.Get(NewLabelled(g.Wiring(), g.Snake()))
	for u := range noc.NodeID(g.Nodes()) {
		for v := range noc.NodeID(g.Nodes()) {
			if l.Distance(u, v) != g.Distance(u, v) {
				t.Fatalf("from %d to %d: %d channels, distance %d", u, v, l.Distance(u, v), g.Distance(u, v))
			}
		}
	}
	cube := topology.Mesh(2, 2, 2)
	c := must.Get(NewLabelled(cube.Wiring(), cube.Snake()))
	if got := c.Distance(cube.Node(0, 0, 0), cube.Node(1, 0, 1)); got != 4 {
		t.Errorf("from (0,0,0) to (1,0,1): %d channels, the published counterexample has 4", got)
	}
}

// TestGridSchemes: every plan on a mesh serves its request, the worms of label-ordered schemes are
// monotone, and one destination takes one worm.
func TestGridSchemes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyMesh.Draw(t, "mesh")
		w := g.Wiring()
		l := must.Get(NewLabelled(w, g.Snake()))
		r := anyRequest(t, g.Nodes(), 20)
		o := DefaultGroupOptions()
		o.Threshold = rapid.IntRange(0, 2000).Draw(t, "threshold")
		o.ToRepresentatives, o.InGroups = Paths(rapid.IntRange(0, 1).Draw(t, "step 1")), Paths(rapid.IntRange(0, 1).Draw(t, "step 2"))
		q := must.Get(QualifiedGroups(g, r, o))
		plans := map[string]Plan{
			"dual": DualPath(l, r), "multi": MultiPath(l, &g, r), "multi by R": MultiPath(l, nil, r),
			"column": must.Get(ColumnPath(g, r, 4)), "tree": DimensionTree(g, r), "qg": q.Plan(l, &g, r, o),
			"unicast": must.Get(Copies(r, 4, func(a, b noc.NodeID) []noc.NodeID { return dimensionOrder(g, a, b) })),
		}
		targets := len(r.Targets())
		for name, p := range plans {
			if err := p.Check(w, r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if name != "column" && name != "tree" && name != "unicast" {
				isMonotone(t, l, p)
			}
			m := must.Get(p.Measure(l.Wiring))
			switch {
			case targets == 0 && len(p) != 0, targets == 1 && len(p) != 1:
				t.Fatalf("%s: %d worms for %d destinations", name, len(p), targets)
			case name == "qg" && m.Steps > 2, name == "dual" && len(p) > 2, name == "multi" && len(p) > 2*len(g.Radix):
				t.Fatalf("%s: %+v", name, m)
			}
		}
		dual, multi := must.Get(plans["dual"].Measure(l.Wiring)), must.Get(plans["multi"].Measure(l.Wiring))
		if len(g.Radix) <= 2 && multi.Longest > dual.Longest {
			t.Fatalf("multi-path is longer (%d) than dual-path (%d)", multi.Longest, dual.Longest)
		}
		checkGrouping(t, g, r, q, o.Threshold)
	})
}

// checkGrouping holds a grouping to its definition: disjoint groups that cover the targets, at most
// one per orthant and as many parts each, and whatever could be split further is qualified.
func checkGrouping(t *rapid.T, g topology.Grid, r Request, q Grouping, threshold int) {
	var covered nodes
	for _, group := range q.Final {
		covered = append(covered, group.Nodes...)
	}
	slices.Sort(covered)
	if !slices.Equal(covered, r.Targets()) || len(q.Primary) > 1<<len(g.Radix) || len(q.Final) > len(q.Primary)<<len(g.Radix) {
		t.Fatalf("%d primary and %d final groups cover %v of %v", len(q.Primary), len(q.Final), covered, r.Targets())
	}
	for _, primary := range q.Primary {
		parts := slices.DeleteFunc(slices.Clone(q.Final), func(part Group) bool { return !slices.Contains(primary.Nodes, part.Nodes[0]) })
		for _, part := range parts {
			if len(parts) < 1<<len(g.Radix) && len(part.Nodes) > 1 && !q.Qualified(part, threshold) {
				t.Fatalf("%v could be split and weighs %d, average %d/%d", part.Nodes, part.Weight, q.WeightSum(), len(q.Primary))
			}
		}
	}
}

// TestWrongLabels: labels that follow no Hamiltonian path are refused.
func TestWrongLabels(t *testing.T) {
	star := topology.Graph{Name: "star", Switches: 4, Links: [][2]int{{0, 1}, {0, 2}, {0, 3}}}
	for _, labels := range [][]int{{0, 1, 2}, {0, 1, 2, 2}, {0, 1, 2, 4}, {3, 1, 0, 2}} {
		if _, err := NewLabelled(star.Wiring(), labels); err == nil {
			t.Errorf("labels %v are accepted", labels)
		}
	}
}

// BenchmarkOTMS is a broadcast on meshes of 64 and 256 nodes, the widest searches of two ports.
func BenchmarkOTMS(b *testing.B) {
	for _, c := range []struct {
		name   string
		side   int
		source noc.NodeID
	}{{"8x8", 8, 27}, {"16x16", 16, 119}} {
		g := topology.Mesh(c.side, c.side)
		l := must.Get(NewLabelled(g.Wiring(), g.Snake()))
		r := Request{Source: c.source}
		for n := range noc.NodeID(g.Nodes()) {
			r.Destinations = append(r.Destinations, n)
		}
		for rule, name := range PortRules {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					must.Get(l.OTMS(r, PortRule(rule)))
				}
			})
		}
		b.Run(c.name+"/ocms", func(b *testing.B) {
			for b.Loop() {
				must.Get(l.OCMS(r, Strict))
			}
		})
	}
}
