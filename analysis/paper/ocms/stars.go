package ocms

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// measure is what an optimal star has least of: half is that of one side, and join puts two parts
// together.
type measure struct {
	half func(multicast.Half) int
	join func(a, b int) int
}

var (
	total   = measure{multicast.Half.Total, func(a, b int) int { return a + b }}
	longest = measure{multicast.Half.Longest, func(a, b int) int { return max(a, b) }}
)

// of is the measure of paths of some lengths.
func (m measure) of(lengths []int) (all int) {
	for _, n := range lengths {
		all = m.join(all, n)
	}
	return all
}

// againstAllStars compares stars, which have to be optimal, with all divisions of the destinations
// among the source's ports.
func againstAllStars(solve func(*multicast.Labelled, multicast.Request, multicast.PortRule) (multicast.Star, error), m measure) claim.Finding {
	random, differ, divisions := claim.NewRandoms(9), 0, 0
	const tries = 500
	for i := range tries {
		g := topology.Mesh(2+i%6, 2+i/6%5)
		l := claim.Must(multicast.NewLabelled(g.Wiring(), multicast.SnakeLabels(g)))
		r := random.Request(g.Nodes(), 1+random.IntN(min(7, g.Nodes()-1)))
		star := claim.Must(solve(l, r, multicast.Strict))
		want := 0
		for side, nodes := range starNodes(l, r) {
			best := -1
			ports := neighbours(l, r.Source, side == 0)
			divide(len(nodes), len(ports), func(port []int) {
				divisions++
				if lengths := starLengths(l, r.Source, nodes, ports, port); lengths != nil && (best < 0 || m.of(lengths) < best) {
					best = m.of(lengths)
				}
			})
			want = m.join(want, max(best, 0))
		}
		if m.join(m.half(star.High), m.half(star.Low)) != want {
			differ++
		}
	}
	return claim.Fact(differ == 0, float64(differ), fmt.Sprintf("%d of %d multicasts differ, %d divisions tried", differ, tries, divisions))
}

// neighbours of a node with larger or smaller labels.
func neighbours(l *multicast.Labelled, n noc.NodeID, high bool) (list []noc.NodeID) {
	for _, c := range l.Wiring.Out(n) {
		if (l.Label(c.To) > l.Label(n)) == high {
			list = append(list, c.To)
		}
	}
	return list
}

// divide calls visit with every way to give n things one of p places.
func divide(n, p int, visit func([]int)) {
	place := make([]int, n)
	for p > 0 {
		visit(place)
		i := 0
		for ; i < n; i++ {
			if place[i]++; place[i] < p {
				break
			}
			place[i] = 0
		}
		if i == n {
			return
		}
	}
}

// starLengths are the lengths of one side of a star whose nodes are divided among ports; nil when R
// does not lead to the first node of a port through that port.
func starLengths(l *multicast.Labelled, source noc.NodeID, nodes, ports []noc.NodeID, port []int) []int {
	lengths := make([]int, len(ports))
	last := make([]noc.NodeID, len(ports))
	used := make([]bool, len(ports))
	for i, n := range nodes {
		q := port[i]
		if !used[q] {
			if l.Next(source, n) != ports[q] {
				return nil
			}
			used[q], last[q] = true, source
		}
		lengths[q] += l.Distance(last[q], n)
		last[q] = n
	}
	return lengths
}

// asPrinted runs algorithm 2 with loops that begin with i1 and i2 at given values, and counts the
// multicasts for which it finds a star. The paper begins both with 2, although only the element (1,
// 0, 0, 0) is true at first; with 1 and 0 lengths begin with 0, too, and end with the number of
// nodes.
func asPrinted(first1, first2 int) claim.Finding {
	random := claim.NewRandoms(17)
	solved, examined := 0, 0
	for i := range 500 {
		g := topology.Mesh(3+i%6, 3+i/6%5)
		l := claim.Must(multicast.NewNetwork(topology.Layout{Wiring: g.Wiring(), Grid: &g}).Labelled())
		r := random.Request(g.Nodes(), 1+random.IntN(min(7, g.Nodes()-1)))
		for _, side := range starNodes(l, r) {
			if len(side) == 0 {
				continue
			}
			examined++
			if algorithm2(l, r.Source, side, g.Radix[0], first1, first2) {
				solved++
			}
		}
	}
	return claim.Fact(solved == examined, float64(solved), fmt.Sprintf("a star for %d of %d sides", solved, examined))
}

// algorithm2 fills the table of algorithm 2 and reports whether an element for all destinations is
// true.
func algorithm2(l *multicast.Labelled, source noc.NodeID, nodes []noc.NodeID, columns, first1, first2 int) bool {
	k, longest := len(nodes), l.Wiring.Routers
	type state struct{ i1, i2, k1, k2 int }
	table := map[state]bool{{1, 0, 0, 0}: true}
	cost := func(q, next int) int { // q 0 and 1 are the source on either port
		if q < 2 {
			return l.Distance(source, nodes[next])
		}
		return l.Distance(nodes[q-2], nodes[next])
	}
	least := 2 // of lengths, as printed; the corrected loops begin with 0
	if first1 < 2 {
		least, columns = 0, longest
	}
	for i1 := first1; i1 <= k; i1++ {
		for i2 := first2; i2 <= i1; i2++ {
			for k1 := least; k1 <= columns; k1++ {
				for k2 := least; k2 <= columns; k2++ {
					if !table[state{i1, i2, k1, k2}] {
						continue
					}
					table[state{i1 + 1, i2, k1 + cost(i1, i1-1), k2}] = true
					table[state{i1 + 1, i1, k2 + cost(i2, i1-1), k1}] = true
				}
			}
		}
	}
	for s, reached := range table {
		if reached && s.i1 == k+1 {
			return true
		}
	}
	return false
}
