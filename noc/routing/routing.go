package routing

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// A Function says where a worm without a path of its own goes.
//
// Next is the channel, an index into the wiring's Channels, by which a header in a router goes on
// towards a node that is attached to another router.
type Function interface {
	Next(router, node noc.NodeID) int32
}

// Adaptive is a Function that leaves a choice. Choices appends all channels by which a header may
// go on, in the order of preference: Next is the first. Whichever are taken, headers never wait
// in a circle.
type Adaptive interface {
	Function
	Choices(router, node noc.NodeID, into []int32) []int32
}

// Labels routes by the labels of a Hamiltonian path.
func Labels(l *multicast.Labelled) Function { return labels{l} }

type labels struct{ *multicast.Labelled }

// Next leads to the neighbour whose label comes nearest to the destination's without passing it.
func (l labels) Next(router, node noc.NodeID) int32 {
	return int32(l.Wiring.Channel(router, l.Labelled.Next(router, node)))
}

// SnakeLabels routes on a grid by the labels that go row by row, every other one backwards.
func SnakeLabels(g topology.Grid, w *topology.Wiring) (Function, error) {
	l, err := multicast.NewLabelled(w, g.Snake())
	if err != nil {
		return nil, err
	}
	return Labels(l), nil
}

// DimensionOrder routes on a mesh along one dimension after the other.
func DimensionOrder(g topology.Grid, w *topology.Wiring) (Function, error) {
	if g.Wrap {
		return nil, fmt.Errorf("routing: dimension order on %s: with one channel per link a ring would deadlock; follow the labels, or use a mesh", g)
	}
	return Shortest(g, w, false), nil
}

// Shortest routes along one dimension after the other, on a torus by the shorter way round each ring.
// Where both are shortest it goes up, or down for the sources that are called odd.
func Shortest(g topology.Grid, w *topology.Wiring, odd bool) Function {
	s := &dimensions{topology.NewOrder(g, topology.TieUp), 0, g.Ports(), slices.Repeat([]int32{-1}, g.Nodes()*g.Ports())}
	if odd {
		s.ties = 1<<len(g.Radix) - 1
	}
	for i, c := range w.Channels {
		s.channel[int(c.From)*s.ports+int(c.Out)] = int32(i)
	}
	return s
}

// dimensions routes along x, then y, and so on.
type dimensions struct {
	order   *topology.Order
	ties    uint8
	ports   int
	channel []int32 // per router and port
}

// Next corrects the first dimension in which router and node differ.
func (s *dimensions) Next(router, node noc.NodeID) int32 {
	return s.channel[int(router)*s.ports+int(s.order.Next(router, node, s.ties).Port)]
}

// Native returns the routing of a network that is not a grid: Rings, Stages, UpDown, or shortest paths where the
// network has coordinates or groups.
func Native(l topology.Layout) (Function, error) {
	switch {
	case l.UniTorus != nil:
		return Rings(*l.UniTorus, l.Wiring)
	case l.Multistage != nil:
		return Stages(*l.Multistage, l.Wiring)
	case l.Hyper != nil:
		return newTable(l.Wiring, l.Hyper.Next), nil
	case l.Dragonfly != nil:
		return &dragonfly{*newTable(l.Wiring, l.Dragonfly.Next), *l.Dragonfly, l.Wiring}, nil
	case l.Graph != nil:
		u, err := topology.NewUpDown(*l.Graph, l.Graph.Root)
		if err != nil {
			return nil, err
		}
		return UpDown(u, l.Wiring)
	case l.Grid == nil:
		return nil, fmt.Errorf("routing: %s has no routing of its own; build its networks with a routing function", l.Wiring.Name)
	}
	return nil, fmt.Errorf("routing: %s is a grid; follow labels or dimensions", l.Wiring.Name)
}

// OfScheme returns the routing on a network that is no grid that goes together with a scheme: by labels
// for label-ordered worms, else that of the network, with the choices that it leaves or fixed.
func OfScheme(p multicast.Planner, fixed bool) (Function, error) {
	if p.Scheme.Way == multicast.ByLabels {
		l, err := p.Network.Labelled()
		if err != nil {
			return nil, err
		}
		return Labels(l), nil
	}
	r, err := Native(p.Network.Layout)
	if err == nil && fixed {
		r = Fixed(r)
	}
	return r, err
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
