package now

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Rules returns the entry of sections 2 to 4: up-first paths and postorder recursive doubling.
func Rules() claim.Entry {
	const small = "12 lattices of 5 switches, every second one with a chord and a shared switch, every root; every source and set of destinations"
	const large = "; and 100 lattices of 30 switches with 10 chords, 8 random multicasts each"
	return claim.Entry{
		ID: "now.rules", Paper: NOW, Figure: "sections 2 to 4", Title: "Up-first paths and postorder recursive doubling",
		Claims: []claim.Claim{
			{ID: "S3-01", Text: "Postorder recursive doubling takes the least possible number of steps.", Conditions: small, Printed: "ceil(log2(d+1))",
				Criterion: "the steps of every plan; measured value: plans with another number", Judge: func(*chart.Data) claim.Finding { return nowSteps(multicast.Doubling) }},
			{ID: "S3-02", Text: "In figure 1 the strict path from 1 to 4 is 1,2,8,7,5,4; 1,2,5,4 is relaxed; 1,2,8,3,7,5,4 is not permitted.", Conditions: "figure 1", Printed: "1,2,8,7,5,4",
				Criterion: "the strict path and the set of relaxed ones; measured value: relaxed paths", Judge: func(*chart.Data) claim.Finding { return onFigure1(nowFigure1Paths) }},
			{ID: "S3-03", Text: "Vertex 3 of figure 1 reaches all others in three steps: 7, then 5 and 1, then the rest.", Conditions: "figures 1 and 2", Printed: "3,4,5,6,7,8,1,2",
				Criterion: "the chain, and who sends to whom in which step; measured value: steps", Judge: func(*chart.Data) claim.Finding { return onFigure1(nowFigure2) }},
			{ID: "S3-04", Text: "The postorder circuit of figure 1 visits 8,2,1,2,8,3,8,7,5,4,5,7,6,7,8; a circuit crosses every tree edge once in each direction.", Conditions: "figure 1; 100 lattices of 30 switches", Printed: "once",
				Criterion: "the printed circuit, and every directed edge counted; measured value: circuits that differ", Judge: func(*chart.Data) claim.Finding { return onFigure1(nowCircuits) }},
			{ID: "S3-05", Text: "With strict paths the algorithm is free of depth contention.", Conditions: small + large, Printed: "theorem 3",
				Criterion: "no two unicasts that share a channel unless one always precedes the other; in random order some do in small networks, and more than a tenth in large ones, or nothing is shown; measured value: multicasts that contend",
				Judge:     func(*chart.Data) claim.Finding { return nowContention(strictLinks, multicast.PostorderChain) }},
			{ID: "S3-06", Text: "With any relaxed paths, chosen as one likes, it is too.", Conditions: small + large + "; all channels of all relaxed paths of a unicast together", Printed: "theorem 2",
				Criterion: "the same; measured value: multicasts that contend", Judge: func(*chart.Data) claim.Finding { return nowContention(relaxedLinks, multicast.PostorderChain) }},
			{ID: "S3-07", Text: "Four conditions on pairs of unicasts are sufficient for freedom from depth contention.", Conditions: small + "; postorder and random order", Printed: "theorem 1",
				Criterion: "every pair that meets one of them is safe by who waits for whom; measured value: pairs that are not", Judge: func(*chart.Data) claim.Finding { return nowConditions(fourConditions) }},
			{ID: "S3-08", Text: "Unicasts along relaxed up-first paths do not deadlock.", Conditions: "100 lattices of 30 switches with 10 chords", Printed: "deadlock-free",
				Criterion: "no circle among the channels that follow each other on some path; measured value: networks with a circle", Judge: func(*chart.Data) claim.Finding { return nowDependencies((*topology.UpDown).Choices) }},
			{ID: "S3-14", Text: "The choice of the number closest to the destination's prefers links outside the tree.", Conditions: "100 lattices of 30 switches with 10 chords, all pairs of processors", Printed: "implicitly prefers",
				Criterion: "where a tree link and another are permitted, the other is taken more often than not, and no path has two; measured value: share", Judge: func(*chart.Data) claim.Finding { return nowPreference((*topology.UpDown).Selected) }},
		},
	}
}

// nowCases calls visit for every multicast of small networks.
func nowCases(visit func(g topology.Graph, u *topology.UpDown, r multicast.Request)) {
	for seed := range 12 {
		const switches = 5
		g := claim.Must(topology.Lattice(switches, uint64(seed)))
		if seed%2 == 1 {
			g.Processors[0] = g.Processors[1]
			g = withChord(g, 0, switches-1)
		}
		u := claim.Must(topology.NewUpDown(g, seed%switches))
		for source := range noc.NodeID(switches) {
			for set := range uint64(1) << switches {
				r := multicast.Request{Source: source}
				for ; set != 0; set &= set - 1 {
					r.Destinations = append(r.Destinations, noc.NodeID(bits.TrailingZeros64(set)))
				}
				visit(g, u, r)
			}
		}
	}
}

// withChord adds a link, unless it is there.
func withChord(g topology.Graph, a, b int) topology.Graph {
	if a != b && !slices.Contains(g.Neighbours()[a], b) {
		g.Links = append(g.Links, [2]int{a, b})
	}
	return g
}

// nowLarger calls visit for random networks that have links outside their tree.
func nowLarger(visit func(g topology.Graph, u *topology.UpDown)) {
	random := claim.NewRandoms(31)
	for seed := range uint64(100) {
		g := claim.Must(topology.Lattice(30, seed))
		for range 10 {
			g = withChord(g, random.IntN(30), random.IntN(30))
		}
		u := claim.Must(topology.NewUpDown(g, random.IntN(30)))
		visit(g, u)
	}
}

// nowSteps counts the steps of plans for chains.
func nowSteps(plan func(chain []noc.NodeID, middle multicast.Middle, route func(a, b noc.NodeID) []noc.NodeID) multicast.Plan) claim.Finding {
	other, plans := 0, 0
	nowCases(func(_ topology.Graph, u *topology.UpDown, r multicast.Request) {
		p := plan(multicast.PostorderChain(u, r), multicast.WithSender, u.Route)
		steps := 0
		for i := range p {
			steps = max(steps, p.Step(i))
		}
		if plans++; steps != bits.Len(uint(len(r.Targets()))) {
			other++
		}
	})
	return claim.Fact(other == 0, float64(other), fmt.Sprintf("%d plans", plans))
}

// figure1 is the tree of figure 1 with the links beside it that the text names. Vertex v of the
// paper is v-1 here.
func figure1() (*topology.UpDown, error) {
	return topology.NewUpDownTree([]int{1, 7, 7, 4, 6, 6, 7, -1}, [][2]int{{1, 4}, {2, 6}})
}

// printed adds one to vertices.
func printed(path []int) []int {
	list := make([]int, len(path))
	for i, v := range path {
		list[i] = v + 1
	}
	return list
}

// onFigure1 judges what the paper says of the network of figure 1.
func onFigure1(judge func(*topology.UpDown) claim.Finding) claim.Finding {
	return judge(claim.Must(figure1()))
}

func nowFigure1Paths(u *topology.UpDown) claim.Finding {
	strict := printed(u.Strict(0, 3))
	var relaxed [][]int
	has := func(path ...int) bool {
		return slices.ContainsFunc(relaxed, func(p []int) bool { return slices.Equal(p, path) })
	}
	for _, path := range u.Relaxed(0, 3) {
		relaxed = append(relaxed, printed(path))
	}
	holds := slices.Equal(strict, []int{1, 2, 8, 7, 5, 4}) && has(1, 2, 5, 4) && has(1, 2, 8, 7, 5, 4) && !has(1, 2, 8, 3, 7, 5, 4)
	return claim.Fact(holds, float64(len(relaxed)), fmt.Sprintf("strict %v, relaxed %v", strict, relaxed))
}

func nowFigure2(u *topology.UpDown) claim.Finding {
	chain := make([]noc.NodeID, 8) // from vertex 3 on by postorder number, then round
	for v, id := range u.ID {
		chain[(id-u.ID[2]+8)%8] = noc.NodeID(v)
	}
	var list, sent []string
	for _, v := range chain {
		list = append(list, fmt.Sprint(v+1))
	}
	p := multicast.Doubling(chain, multicast.WithSender, func(a, b noc.NodeID) []noc.NodeID { return nil })
	steps := 0
	for i, m := range p {
		steps = max(steps, p.Step(i))
		sent = append(sent, fmt.Sprintf("%d: %d-%d", p.Step(i), m.From+1, m.Stops[0]+1))
	}
	holds := slices.Equal(list, []string{"3", "4", "5", "6", "7", "8", "1", "2"}) && steps == 3 && len(p) == 7 &&
		sent[0] == "1: 3-7" && slices.Contains(sent, "2: 3-5") && slices.Contains(sent, "2: 7-1")
	return claim.Fact(holds, float64(steps), fmt.Sprintf("chain %v, steps %v", list, sent))
}

// circuit is the postorder circuit of a tree.
func circuit(u *topology.UpDown, root int) []int {
	path := []int{root}
	for v, parent := range u.Parent {
		if parent == root {
			path = append(append(path, circuit(u, v)...), root)
		}
	}
	return path
}

func nowCircuits(u *topology.UpDown) claim.Finding {
	differ := 0
	first := printed(circuit(u, 7))
	if !slices.Equal(first, []int{8, 2, 1, 2, 8, 3, 8, 7, 5, 4, 5, 7, 6, 7, 8}) {
		differ++
	}
	nowLarger(func(_ topology.Graph, u *topology.UpDown) {
		path := circuit(u, slices.Index(u.Parent, -1))
		seen := map[[2]int]bool{}
		for i := 1; i < len(path); i++ {
			edge := [2]int{path[i-1], path[i]}
			if seen[edge] || u.Parent[edge[0]] != edge[1] && u.Parent[edge[1]] != edge[0] {
				differ++
				return
			}
			seen[edge] = true
		}
		if len(seen) != 2*(len(u.Parent)-1) {
			differ++
		}
	})
	return claim.Fact(differ == 0, float64(differ), fmt.Sprintf("figure 1: %v", first))
}

// nowPreference counts what a selection policy takes where it has both kinds of links.
func nowPreference(selected func(u *topology.UpDown, from, to int) []int) claim.Finding {
	cross, tree, two := 0, 0, 0
	nowLarger(func(g topology.Graph, u *topology.UpDown) {
		outside := func(a, b int) bool { return u.Parent[a] != b && u.Parent[b] != a }
		for a := range noc.NodeID(g.Nodes()) {
			for b := range noc.NodeID(g.Nodes()) {
				path, crossed := selected(u, u.Vertex(a), u.Vertex(b)), 0
				for i := 1; i < len(path); i++ {
					if choices := u.Choices(path[i-1], u.Vertex(b)); outside(path[i-1], path[i]) {
						crossed++
						cross++
					} else if slices.ContainsFunc(choices, func(v int) bool { return outside(path[i-1], v) }) {
						tree++
					}
				}
				if crossed > 1 {
					two++
				}
			}
		}
	})
	share := float64(cross) / float64(max(1, cross+tree))
	return claim.Fact(share > 0.5 && two == 0, share, fmt.Sprintf("%d of %d choices leave the tree; %d paths do so twice", cross, cross+tree, two))
}
