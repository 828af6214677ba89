package ocms

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment/messages"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Rules returns the entry of sections 2 to 6: labels, routing and optimal stars.
func Rules() claim.Entry {
	matching := claim.NewCount("S1-09", "Steps of the matching (OCMS) over k^3", "k^3", claim.CountMatching)
	programme := claim.NewCount("S1-11", "Steps of the dynamic programme (OTMS) over k^2 N^2", "k^2 N^2", claim.CountProgramme)
	graphs := claim.NewCount("S1-12", "Steps with p ports over (k+p)^3 (OCMS) and (kN)^p (OTMS)", "(k+p)^3 or (kN)^p", claim.CountGraphs)
	const meshes = "meshes of 1x1 to 8x8 nodes, all pairs of nodes"
	return claim.Entry{
		ID: "ocms.rules", Paper: OCMS, Figure: "sections 2 to 6", Title: "Labels, routing and optimal stars",
		Counts: []claim.Count{matching, programme, graphs},
		Claims: []claim.Claim{
			{ID: "S1-01", Text: "Without contention a star takes alpha + d delta + (L-1) tau, d being its longest path.", Conditions: "16x16 mesh, otms to 10 nodes, 200 multicasts, delta and tau 1, alpha 34",
				Printed: "formula", Criterion: "exact whenever no two paths of the star share a channel; measured value: multicasts that differ", Judge: func(*chart.Data) claim.Finding { return starTimes(multicast.StarTiming(34, 1, 1, 32)) }},
			{ID: "S1-02", Text: "The labels go along a Hamiltonian path.", Conditions: meshes, Printed: "0 to mn-1", Criterion: "every label once, and neighbours in labels are neighbours in the mesh; measured value: meshes examined",
				Judge: func(*chart.Data) claim.Finding {
					return snakes(multicast.SnakeLabels, (*multicast.Labelled).Route).labels
				}},
			{ID: "S1-03", Text: "R moves monotonically in labels and arrives.", Conditions: meshes, Printed: "always", Criterion: "for all pairs; measured value: pairs that fail",
				Judge: func(*chart.Data) claim.Finding {
					return snakes(multicast.SnakeLabels, (*multicast.Labelled).Route).monotone
				}},
			{ID: "S1-04", Text: "With these labels R is minimal.", Conditions: meshes, Printed: "always", Criterion: "the length of R equals the distance for all pairs; measured value: pairs that fail",
				Judge: func(*chart.Data) claim.Finding {
					return snakes(multicast.SnakeLabels, (*multicast.Labelled).Route).minimal
				}},
			{ID: "S1-05", Text: "With any other labelling R is not minimal.", Conditions: "3x3 and 4x3 meshes, all Hamiltonian paths", Printed: "only this one, up to symmetry",
				Criterion: "exactly the eight snakes along rows or columns from each corner are minimal; measured value: minimal labellings of 4x3", Judge: func(*chart.Data) claim.Finding { return onlySnakes(shortestEverywhere) }},
			{ID: "S1-06", Text: "The algorithms work in meshes of more dimensions and in graphs with a Hamiltonian path.", Conditions: "3x3x3, 2x3x2x3 and an irregular lattice, 200 multicasts each", Printed: "apply",
				Criterion: "both optimal stars reach every destination once along existing channels; measured value: stars examined", Judge: func(*chart.Data) claim.Finding { return otherNetworks(multicast.Scheme.Plan) }},
			{ID: "S1-08", Text: "The star with the fewest channels follows from a perfect matching of least weight.", Conditions: "2-D meshes, up to 7 destinations, 500 multicasts", Printed: "optimal",
				Criterion: "the total equals the least over all divisions of the destinations among ports; measured value: differences",
				Judge:     func(*chart.Data) claim.Finding { return againstAllStars((*multicast.Labelled).OCMS, total) }},
			matching.AsClaim("The matching takes O(k^3).", "2-D meshes, 8 to 512 destinations of 16 to 8,192 nodes, random ones, the most on one side, and evenly spread ones"),
			{ID: "S1-17", Text: "Algorithm 2, as printed, finds the star with the shortest longest path.", Conditions: "2-D meshes, sides with 1 to 7 destinations and two ports, 500 multicasts; loops i1 = 2..k, i2 = 2..i1, k1 and k2 = 2..n", Printed: "optimal",
				Cause:     "the loops begin where no element of the table is true",
				Criterion: "every table has a true element for all destinations; measured value: multicasts for which it has one", Judge: func(*chart.Data) claim.Finding { return asPrinted(2, 2) }},
			{ID: "S1-10", Text: "The dynamic programme finds the star with the shortest longest path.", Conditions: "2-D meshes, up to 7 destinations, 500 multicasts; with corrected loop bounds: as printed it visits no state",
				Printed: "optimal", Criterion: "the longest path equals the least over all divisions; measured value: differences",
				Judge: func(*chart.Data) claim.Finding { return againstAllStars((*multicast.Labelled).OTMS, longest) }},
			programme.AsClaim("The dynamic programme takes O(k^2 N^2) time.", "2-D meshes, square or twice as long as high, 8 to 255 destinations of 16 to 4,096 nodes, half or all of at most 256: a broadcast to 512 has more than the two million partial stars "+
				"that the implementation keeps; it keeps only undominated ones, at most N for each pair of ends"),
			graphs.AsClaim("On graphs the two take O((k+p)^3) and O((kN)^p), p ports being useful.", "OCMS: a path with chords, 2 to 128 ports, 8 to 512 destinations; OTMS: the same with 2 to 16 ports, and meshes of 2 to 4 dimensions, "+
				"2 to 32 destinations of 16 to 128 nodes, since partial stars become too many beyond"),
			{ID: "S1-13", Text: "In a mesh of two dimensions each side of a star has at most two paths.", Conditions: "2,000 random multicasts", Printed: "two", Criterion: "for every star; measured value: most paths of a side",
				Judge: func(*chart.Data) claim.Finding { return pathsPerSide("otms") }},
			{ID: "S1-16", Text: "The paths of a star need not be disjoint.", Conditions: "random multicasts on small meshes", Printed: "need not be", Criterion: "a star with two paths that share a channel exists; measured value: stars examined until one was found",
				Judge: func(*chart.Data) claim.Finding { return sharedChannel(20_000, "ocms", "otms") }},
		},
	}
}

// starTimes compares simulated stars with a timing.
func starTimes(timing multicast.Timing) claim.Finding {
	layout := claim.Must(topology.Open("mesh:16x16"))
	exact, differ, met := 0, 0, 0
	claim.Planned("otms", 33, 7, func(_ multicast.Request, p multicast.Plan, s messages.Sent) {
		want, pairs := claim.Must(p.Latency(layout.Wiring, timing)), claim.Must(p.Contending(layout.Wiring))
		switch {
		case s.Latency != want && len(pairs) == 0:
			differ++
		case len(pairs) > 0:
			met++
		default:
			exact++
		}
	})
	return claim.Fact(differ == 0 && exact > 0, float64(differ), fmt.Sprintf("%d exact, %d with shared channels left out", exact, met))
}

// snakeFindings are what all pairs of nodes of small meshes say.
type snakeFindings struct{ labels, monotone, minimal claim.Finding }

// snakes routes between all pairs of nodes of small meshes with some labels.
func snakes(labels func(topology.Grid) []int, route func(l *multicast.Labelled, to []noc.NodeID, u, v noc.NodeID) []noc.NodeID) snakeFindings {
	meshes, pairs, bad, stray, long := 0, 0, 0, 0, 0
	for rows := 1; rows <= 8; rows++ {
		for columns := 1; columns <= 8; columns++ {
			g := topology.Mesh(columns, rows)
			meshes++
			l, err := multicast.NewLabelled(g.Wiring(), labels(g))
			if err != nil { // it refuses labels that are not along a Hamiltonian path
				bad++
				continue
			}
			for u := range noc.NodeID(g.Nodes()) {
				for v := range noc.NodeID(g.Nodes()) {
					pairs++
					path := route(l, nil, u, v)
					if !climbs(l, u, v, path) {
						stray++
					}
					if len(path) != g.Distance(u, v) {
						long++
					}
				}
			}
		}
	}
	return snakeFindings{
		labels:   claim.Fact(bad == 0, float64(meshes), fmt.Sprintf("%d meshes, %d without a Hamiltonian path", meshes, bad)),
		monotone: claim.Fact(stray == 0, float64(stray), fmt.Sprintf("%d of %d pairs", stray, pairs)),
		minimal:  claim.Fact(long == 0, float64(long), fmt.Sprintf("%d of %d pairs; in three dimensions it is not: 2x2x2 has a pair two apart that R connects in %d", long, pairs, cubeDetour())),
	}
}

// climbs reports whether a route goes towards its end in every step, in labels, and gets there.
func climbs(l *multicast.Labelled, u, v noc.NodeID, path []noc.NodeID) bool {
	at := u
	for _, n := range path {
		a, b, end := l.Label(at), l.Label(n), l.Label(v)
		if !(a < b && b <= end || a > b && b >= end) {
			return false
		}
		at = n
	}
	return at == v
}

// cubeDetour is the length of R from (0,0,0) to (1,0,1).
func cubeDetour() int {
	g := topology.Mesh(2, 2, 2)
	l, err := multicast.NewLabelled(g.Wiring(), multicast.SnakeLabels(g))
	if err != nil {
		return 0
	}
	return l.Distance(0, 5)
}

// onlySnakes counts the labellings of two meshes that are minimal.
func onlySnakes(minimal func(topology.Grid, *multicast.Labelled) bool) claim.Finding {
	var counts [2]int
	total := 0
	for i, g := range []topology.Grid{topology.Mesh(3, 3), topology.Mesh(4, 3)} {
		w := g.Wiring()
		labels := make([]int, g.Nodes())
		for n := range labels {
			labels[n] = -1
		}
		var extend func(at noc.NodeID, label int)
		extend = func(at noc.NodeID, label int) {
			labels[at] = label
			if label == g.Nodes()-1 {
				total++
				if l, err := multicast.NewLabelled(w, labels); err == nil && minimal(g, l) {
					counts[i]++
				}
			}
			for _, c := range w.Out(at) {
				if labels[c.To] < 0 {
					extend(c.To, label+1)
				}
			}
			labels[at] = -1
		}
		for start := range noc.NodeID(g.Nodes()) {
			extend(start, 0)
		}
	}
	return claim.Fact(counts == [2]int{8, 8}, float64(counts[1]), fmt.Sprintf("%d and %d of %d labellings are minimal", counts[0], counts[1], total))
}

func shortestEverywhere(g topology.Grid, l *multicast.Labelled) bool {
	for u := range noc.NodeID(g.Nodes()) {
		for v := range noc.NodeID(g.Nodes()) {
			if l.Distance(u, v) != g.Distance(u, v) {
				return false
			}
		}
	}
	return true
}

// planner makes a plan of a scheme.
type planner func(s multicast.Scheme, n *multicast.Network, r multicast.Request, o multicast.Options) (multicast.Plan, error)

// otherNetworks checks stars on networks that are no meshes of two dimensions.
func otherNetworks(plan planner) claim.Finding {
	random, examined := claim.NewRandoms(8), 0
	irregular := claim.Must(hamiltonianLattice())
	for _, spec := range []string{"mesh:3x3x3", "mesh:2x3x2x3", irregular} {
		layout := claim.Must(topology.Open(spec))
		network := multicast.NewNetwork(layout)
		for range 200 {
			r := random.Request(layout.Wiring.Nodes(), 1+random.IntN(8))
			for _, name := range []string{"ocms", "otms"} {
				s := claim.Must(multicast.LookupScheme(name))
				p, err := plan(s, network, r, multicast.DefaultOptions())
				if err == nil {
					err = p.Check(layout.Wiring, r)
				}
				if err != nil {
					return claim.Fact(false, float64(examined), fmt.Sprintf("%s on %s: %v", name, spec, err))
				}
				examined++
			}
		}
	}
	return claim.Fact(examined == 1200, float64(examined), fmt.Sprintf("%d stars, the last third on %s; in three dimensions R need not be shortest: %d channels for two nodes that are 2 apart", examined, irregular, cubeDetour()))
}

// hamiltonianLattice is the first irregular network of 12 switches that has a Hamiltonian path.
func hamiltonianLattice() (string, error) {
	for seed := range 200 {
		spec := fmt.Sprintf("lattice:12:%d", seed)
		layout := claim.Must(topology.Open(spec))
		if _, err := multicast.NewNetwork(layout).Labelled(); err == nil {
			return spec, nil
		}
	}
	return "", fmt.Errorf("no lattice of 12 switches has a Hamiltonian path")
}

// smallStar plans a random multicast on a small mesh.
func smallStar(random claim.Randoms, i int, scheme string) (multicast.Plan, *multicast.Network) {
	g := topology.Mesh(3+i%8, 2+i/8%7)
	network := multicast.NewNetwork(topology.Layout{Wiring: g.Wiring(), Grid: &g})
	r := random.Request(g.Nodes(), 1+random.IntN(min(12, g.Nodes()-2)))
	return claim.Must(claim.Must(multicast.LookupScheme(scheme)).Plan(network, r, multicast.DefaultOptions())), network
}

// pathsPerSide counts the paths that a scheme sends to either side.
func pathsPerSide(scheme string) claim.Finding {
	random, most := claim.NewRandoms(10), 0
	for i := range 2000 {
		p, network := smallStar(random, i, scheme)
		l := claim.Must(network.Labelled())
		sides := map[bool]int{}
		for _, m := range p {
			up := l.Label(m.Stops[0]) > l.Label(m.From)
			sides[up]++
			most = max(most, sides[up])
		}
	}
	return claim.Fact(most <= 2, float64(most), "stars of at most two paths per side")
}

// sharedChannel looks for plans of some schemes whose paths share a channel.
func sharedChannel(tries int, schemes ...string) claim.Finding {
	random := claim.NewRandoms(12)
	for i := range tries {
		for _, scheme := range schemes {
			p, network := smallStar(random, i, scheme)
			if pairs := claim.Must(p.Contending(network.Wiring)); len(pairs) > 0 {
				return claim.Fact(true, float64(i+1), fmt.Sprintf("%s on %s: paths %v and %v share a channel", scheme, network.Wiring.Name, p[pairs[0][0]].Path, p[pairs[0][1]].Path))
			}
		}
	}
	return claim.Fact(false, float64(tries), "no star with a shared channel was found")
}
