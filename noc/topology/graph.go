package topology

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// Graph is an irregular network: switches joined by links, each link a channel in both
// directions, and processors at switches. In a graph without a list of processors every switch
// has one with its own number, so that the network is direct.
type Graph struct {
	Name     string
	Switches int
	Links    [][2]int
	// Processors names the switch of each processor; several may share one.
	Processors []int
	Root       int // switch at the root of the tree for up*/down* routing
	// Labels numbers the switches along a Hamiltonian path, for label-ordered multicast; nil where
	// none is given.
	Labels []int
}

// Validate tells which entry cannot be built.
func (g Graph) Validate() error {
	if g.Switches < 1 || g.Switches > MaxNodes {
		return fmt.Errorf("topology %s: %d switches; 1 to %d are allowed", g.Name, g.Switches, MaxNodes)
	}
	if len(g.Processors) > MaxNodes {
		return fmt.Errorf("topology %s: %d processors; at most %d are allowed", g.Name, len(g.Processors), MaxNodes)
	}
	seen := make(map[[2]int]bool, len(g.Links))
	for i, link := range g.Links {
		a, b := min(link[0], link[1]), max(link[0], link[1])
		switch {
		case a < 0 || b >= g.Switches:
			return fmt.Errorf("topology %s: link %d joins %d and %d; switches are 0 to %d", g.Name, i, link[0], link[1], g.Switches-1)
		case a == b:
			return fmt.Errorf("topology %s: link %d joins switch %d to itself", g.Name, i, a)
		case seen[[2]int{a, b}]:
			return fmt.Errorf("topology %s: link %d joins %d and %d again; two switches have at most one link", g.Name, i, link[0], link[1])
		}
		seen[[2]int{a, b}] = true
	}
	if g.Root < 0 || g.Root >= g.Switches {
		return fmt.Errorf("topology %s: root %d; switches are 0 to %d", g.Name, g.Root, g.Switches-1)
	}
	if g.Labels != nil && len(g.Labels) != g.Switches {
		return fmt.Errorf("topology %s: %d labels for %d switches", g.Name, len(g.Labels), g.Switches)
	}
	for i, s := range g.Processors {
		if s < 0 || s >= g.Switches {
			return fmt.Errorf("topology %s: processor %d is at switch %d; switches are 0 to %d", g.Name, i, s, g.Switches-1)
		}
	}
	return nil
}

// Nodes returns the number of processors.
func (g Graph) Nodes() int {
	if g.Processors == nil {
		return g.Switches
	}
	return len(g.Processors)
}

// Switch returns the switch of a processor.
func (g Graph) Switch(n noc.NodeID) int {
	if g.Processors == nil {
		return int(n)
	}
	return g.Processors[n]
}

// Neighbours lists the switches linked to each switch, ascending.
func (g Graph) Neighbours() [][]int {
	near := make([][]int, g.Switches)
	for _, link := range g.Links {
		near[link[0]] = append(near[link[0]], link[1])
		near[link[1]] = append(near[link[1]], link[0])
	}
	for _, list := range near {
		slices.Sort(list)
	}
	return near
}

// Wiring returns the graph as tables. At each switch ports start with those of its processors,
// ascending, and go on with those of its neighbours, ascending.
func (g Graph) Wiring() *Wiring {
	near := g.Neighbours()
	local := make([]int, g.Switches)
	places := make([]Place, g.Nodes())
	for n := range places {
		s := g.Switch(noc.NodeID(n))
		places[n] = Place{noc.NodeID(s), uint16(local[s])}
		local[s]++
	}
	var channels []Channel
	for s, list := range near {
		for i, to := range list {
			back, _ := slices.BinarySearch(near[to], s)
			channels = append(channels, Channel{noc.NodeID(s), noc.NodeID(to), uint16(local[s] + i), uint16(local[to] + back)})
		}
	}
	return newWiring(g.Name, g.Switches, channels, places, places)
}
