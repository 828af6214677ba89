package topology

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// LatticePorts is the number of ports of a switch in the paper's runs: room for four links and as
// many processors.
const LatticePorts = 8

// Lattice returns an irregular network of switches at random points of a square lattice, linked to
// their neighbours on it: at most four links each, and one processor, as in the paper's runs.
// (Libeskind-Hadas, Mazzoni and Rajagopalan, section 4.)
//
// The paper gives neither the side of its lattice nor how points are drawn so that they are
// connected. Here a cluster grows from a random point: each further switch takes one of the free
// points next to it, all with the same probability. The default side leaves about half of the
// points free. Switches are numbered by rows of the lattice, and the root is switch 0.
func Lattice(switches int, seed uint64) (Graph, error) {
	side := 1
	for side*side < 2*min(switches, MaxNodes) {
		side++
	}
	return LatticeOfSide(switches, side, 1, LatticePorts, seed)
}

// LatticeOfSide returns a Lattice on side x side points with a number of processors at each switch,
// whose ports must have room for them beside four links; processor p is at switch p / processors.
func LatticeOfSide(switches, side, processors, ports int, seed uint64) (Graph, error) {
	g := Graph{Name: fmt.Sprintf("lattice:%d:%d", switches, seed), Switches: switches}
	if switches < 1 || switches > MaxNodes {
		return g, fmt.Errorf("topology %s: %d switches; 1 to %d are allowed", g.Name, switches, MaxNodes)
	}
	if side < 1 || side > MaxNodes || side*side < switches {
		return g, fmt.Errorf("topology %s: %d switches do not fit on %d x %d points", g.Name, switches, side, side)
	}
	const links = 4
	if ports <= links || ports > MaxNodes {
		return g, fmt.Errorf("topology %s: switches of %d ports; %d to %d are allowed, for %d links and a processor at least", g.Name, ports, links+1, MaxNodes, links)
	}
	if processors < 1 || processors > ports-links {
		return g, fmt.Errorf("topology %s: %d processors per switch; 1 to %d are possible with %d ports", g.Name, processors, ports-links, ports)
	}
	taken := make([]bool, side*side)
	waiting := make([]bool, side*side)
	counter := random.Stream(seed)
	edge := []int{counter.Below(side * side)} // free points next to the cluster, in the order of their discovery
	for range switches {
		i := counter.Below(len(edge))
		point := edge[i]
		edge = slices.Delete(edge, i, i+1)
		taken[point] = true
		for _, next := range around(point, side) {
			if !taken[next] && !waiting[next] {
				waiting[next] = true
				edge = append(edge, next)
			}
		}
	}
	number := make([]int, side*side)
	count := 0
	for point, is := range taken {
		if is {
			number[point] = count
			count++
		}
	}
	for point, is := range taken {
		for _, next := range around(point, side) {
			if is && next > point && taken[next] {
				g.Links = append(g.Links, [2]int{number[point], number[next]})
			}
		}
	}
	g.Processors = make([]int, switches*processors)
	for p := range g.Processors {
		g.Processors[p] = p / processors
	}
	return g, nil
}

// around lists the lattice points next to one.
func around(point, side int) []int {
	var list []int
	x, y := point%side, point/side
	if y > 0 {
		list = append(list, point-side)
	}
	if x > 0 {
		list = append(list, point-1)
	}
	if x < side-1 {
		list = append(list, point+1)
	}
	if y < side-1 {
		list = append(list, point+side)
	}
	return list
}
