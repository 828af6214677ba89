package multicast

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a topology with what schemes derive from it once. It is for one goroutine.
type Network struct {
	topology.Layout
	labelled *Labelled
	upDown   *topology.UpDown
	groups   *SwitchGroups
	channels int // consumption channels that groups was made for
}

// NewNetwork prepares a topology for planning.
func NewNetwork(l topology.Layout) *Network { return &Network{Layout: l} }

// Labelled is the network with labels along a Hamiltonian path: the snake of a grid, or the labels of
// a graph file.
func (n *Network) Labelled() (l *Labelled, err error) {
	if n.labelled == nil {
		switch {
		case n.Grid != nil:
			n.labelled, err = NewLabelled(n.Wiring, n.Grid.Snake())
		case n.Graph != nil && n.Graph.Labels != nil:
			n.labelled, err = NewLabelled(n.Wiring, n.Graph.Labels)
		default:
			err = fmt.Errorf("needs a mesh, a torus, or a graph file with labels, not %s", n.Wiring.Name)
		}
	}
	return n.labelled, err
}

// grid is the mesh or torus of a scheme that works on both.
func (n *Network) grid() (topology.Grid, error) {
	if n.Grid == nil {
		return topology.Grid{}, fmt.Errorf("needs a mesh or torus, not %s", n.Wiring.Name)
	}
	return *n.Grid, nil
}

// mesh is the grid of a scheme that needs one without channels around it.
func (n *Network) mesh() (topology.Grid, error) {
	if n.Grid == nil {
		return topology.Grid{}, fmt.Errorf("needs a mesh, not %s", n.Wiring.Name)
	}
	return *n.Grid, isMesh(*n.Grid)
}

// isMesh refuses a torus.
func isMesh(g topology.Grid) error {
	if g.Wrap {
		return fmt.Errorf("needs a mesh, not %s", g)
	}
	return nil
}

// multistage is the network of a scheme that needs stages.
func (n *Network) multistage() (topology.Multistage, error) {
	if n.Multistage == nil {
		return topology.Multistage{}, fmt.Errorf("needs a multistage network (min:baseline:N:B, min:butterfly:N:B or bimin:butterfly:N:B), not %s", n.Wiring.Name)
	}
	return *n.Multistage, nil
}

// Tree is the spanning tree for up*/down* routing of an irregular network.
func (n *Network) Tree() (*topology.UpDown, error) {
	if n.upDown != nil {
		return n.upDown, nil
	}
	if n.Graph == nil {
		return nil, fmt.Errorf("needs an irregular network (lattice:N:SEED or graph:FILE), not %s", n.Wiring.Name)
	}
	var err error
	n.upDown, err = topology.NewUpDown(*n.Graph, n.Graph.Root)
	return n.upDown, err
}

// Groups are the switch groups of a multistage network.
func (n *Network) Groups(consumption int) (*SwitchGroups, error) {
	m, err := n.multistage()
	if err != nil {
		return nil, err
	}
	if n.groups == nil || n.channels != consumption {
		if n.groups, err = NewSwitchGroups(m, consumption); err != nil {
			n.groups = nil
			return nil, err
		}
		n.channels = consumption
	}
	return n.groups, nil
}

// Route lists the routers after the first one on the route between two nodes.
type Route = func(a, b noc.NodeID) []noc.NodeID

// Route is the network's own unicast routing when nothing is busy: dimension order, destination
// tag, turnaround by the lowest ports, or the selected relaxed up*/down* path.
func (n *Network) Route() (Route, error) {
	switch {
	case n.Grid != nil:
		return func(a, b noc.NodeID) []noc.NodeID { return dimensionOrder(*n.Grid, a, b) }, nil
	case n.UniTorus != nil:
		return n.UniTorus.Route, nil
	case n.Multistage != nil:
		return n.Multistage.Route, nil
	}
	u, err := n.Tree()
	if err != nil {
		return nil, err
	}
	return u.Route, nil
}

// injection is the number of worms that a node sends at a time where the options do not say: as
// many as it has links on a grid (Al-Dubai, Ould-Khaoua and Mackenzie, section 4.2), one elsewhere.
func (n *Network) injection() int {
	if n.Grid != nil {
		return 2 * len(n.Grid.Radix)
	}
	return 1
}

// DefaultTiming is the model of the paper that the kind of network comes from, and its unit of
// time: 32 flits in cycles on grids, 64 flits in ns in multistage networks, 128 flits in ns in
// irregular ones.
func (n *Network) DefaultTiming() (Timing, string) {
	switch {
	case n.Multistage != nil:
		return TreeTiming(64), "ns"
	case n.Graph != nil:
		return PostorderTiming(128), "ns"
	}
	return GroupTiming(32), "cycles"
}
