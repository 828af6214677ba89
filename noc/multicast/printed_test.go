package multicast

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestEquation13: as printed it gives about 208 cycles where table 3 prints 130.7: column-path
// takes two or three rounds here, and a round costs 33 + 32 and the longest of up to 30 channels.
func TestEquation13(t *testing.T) {
	if got := equation13(); got < 205 || got > 212 {
		t.Errorf("equation 13 gives %g cycles", got)
	}
}

// TestAlgorithm2AsPrinted: its loops begin behind the only element of the array that is set.
func TestAlgorithm2AsPrinted(t *testing.T) {
	if got := algorithm2(2, 2, 2); got != 0 {
		t.Errorf("algorithm 2 as printed finds a star for %g of the multicasts", got)
	}
	if got := algorithm2(1, 0, 0); got != 1 {
		t.Errorf("algorithm 2 with bounds from the first element finds a star for %g of the multicasts", got)
	}
}

// draws is the number of multicasts over which a quantity is a mean.
const draws = 2000

// drawRequest draws a multicast to some nodes of a network.
func drawRequest(r *random.Stream, nodes, destinations int) Request {
	q := Request{Source: noc.NodeID(r.Below(nodes))}
	for set := noc.SetOf(nodes, q.Source); len(q.Destinations) < destinations; {
		if d := noc.NodeID(r.Below(nodes)); !set.Has(d) {
			set.Add(d)
			q.Destinations = append(q.Destinations, d)
		}
	}
	return q
}

// equation13 is the mean of lambda (startup + flits + longest path) for column-path under the
// conditions of table 3 of Al-Dubai, Ould-Khaoua and Mackenzie. Lambda is the number of rounds of
// as many copies as a node has ports, so each round pays for the longest path of all.
func equation13() float64 {
	const startup, flits, ports = 33, 32, 4
	g, r, sum := topology.Mesh(16, 16), random.Stream(1), 0
	for range draws {
		p, err := ColumnPath(g, drawRequest(&r, g.Nodes(), 10), ports)
		if err != nil {
			panic(err) // the mesh and the ports are constants
		}
		rounds, longest := 0, 0
		for _, w := range p {
			rounds, longest = max(rounds, w.Round+1), max(longest, len(w.Path))
		}
		sum += rounds * (startup + flits + longest)
	}
	return float64(sum) / draws
}

// algorithm2 is how often the loops of algorithm 2 of Bouchitté, Cohen and Fleury set an element
// of the array that stands for a star of all destinations, if i1, i2 and the lengths begin at
// first, second and length. The paper prints 2 for each; the first element is (1, 0, 0, 0).
// Destinations have larger labels than the source; distances are those of a mesh, which labels
// keep.
func algorithm2(first, second, length int) float64 {
	type element struct{ i1, i2, k1, k2 int }
	g, r, found := topology.Mesh(8, 4), random.Stream(1), 0
	labels := g.Snake()
	for stars := 0; stars < draws/20; {
		q := drawRequest(&r, g.Nodes(), 2+r.Below(8))
		path := []noc.NodeID{q.Source, q.Source} // of both paths, and the destinations with larger labels, ascending
		for label := labels[q.Source] + 1; label < g.Nodes(); label++ {
			for _, d := range q.Destinations {
				if labels[d] == label {
					path = append(path, d)
				}
			}
		}
		k := len(path) - 2
		if k == 0 {
			continue
		}
		stars++
		set := map[element]bool{{1, 0, 0, 0}: true}
		for i1 := first; i1 <= k; i1++ {
			for i2 := second; i2 <= i1; i2++ {
				for k1 := length; k1 < g.Nodes(); k1++ {
					for k2 := length; k2 < g.Nodes(); k2++ {
						if set[element{i1, i2, k1, k2}] {
							set[element{i1 + 1, i2, k1 + g.Distance(path[i1], path[i1+1]), k2}] = true
							set[element{i1 + 1, i1, k2 + g.Distance(path[i2], path[i1+1]), k1}] = true
						}
					}
				}
			}
		}
		for e := range set {
			if e.i1 == k+1 {
				found++
				break
			}
		}
	}
	return float64(found) / (draws / 20)
}
