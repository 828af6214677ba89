package routing

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Native returns the routing of a network that is not a grid: Rings, Stages or UpDown.
func Native(l topology.Layout) (Function, error) {
	switch {
	case l.UniTorus != nil:
		return Rings(*l.UniTorus, l.Wiring)
	case l.Multistage != nil:
		return Stages(*l.Multistage, l.Wiring)
	case l.Graph != nil:
		u, err := topology.NewUpDown(*l.Graph, l.Graph.Root)
		if err != nil {
			return nil, err
		}
		return UpDown(u, l.Wiring)
	}
	return nil, fmt.Errorf("routing: %s is a grid; follow labels or dimensions", l.Wiring.Name)
}

// Fixed takes the choice from a function that leaves one: headers wait for the channel that they
// prefer.
func Fixed(f Function) Function {
	if _, adaptive := f.(Adaptive); !adaptive {
		return f
	}
	return fixed{f}
}

type fixed struct{ of Function }

func (f fixed) Next(router, node noc.NodeID) int32 { return f.of.Next(router, node) }
