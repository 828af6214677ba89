package multicast

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Copies sends every destination a message of its own along route, as many at a time as the source
// has injection channels, each round with its own startup: separate addressing, the baseline of
// software multicast. The route lists the routers after the source's.
func Copies(r Request, injection int, route Route) (Plan, error) {
	if injection < 1 {
		return nil, fmt.Errorf("%d injection channels; at least 1 is needed", injection)
	}
	var p Plan
	for i, d := range r.Targets() {
		p = append(p, Worm{From: r.Source, Stops: []noc.NodeID{d}, Path: route(r.Source, d), After: -1, Round: i / injection})
	}
	return p, nil
}

// DimensionTree is one worm that the routers replicate along the union of the dimension-ordered
// routes from the source: every channel of the tree is crossed once. Routes from one source that
// meet have the same way before, so the union is a tree.
func DimensionTree(g topology.Grid, r Request) Plan {
	targets := r.Targets()
	if len(targets) == 0 {
		return nil
	}
	tree := []Visit{}
	visit := make([]int32, g.Nodes()) // index in tree + 1
	for _, d := range targets {
		parent := int32(-1)
		for _, router := range dimensionOrder(g, r.Source, d) {
			if visit[router] == 0 {
				tree = append(tree, Visit{parent, router})
				visit[router] = int32(len(tree))
			}
			parent = visit[router] - 1
		}
	}
	return Plan{{From: r.Source, Stops: targets, Tree: tree, After: -1}}
}
