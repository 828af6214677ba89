package routing

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// stages routes multistage networks.
type stages struct {
	of      topology.Multistage
	channel [][]int32 // [router][output port]
}

// Stages routes a multistage network: by destination tag, or up by the lowest ports and round at the first
// switch that lies above the destination. Whether a header is on its way up follows from where it is: the
// switches above its destination are those where it turns or descends.
func Stages(m topology.Multistage, w *topology.Wiring) (Function, error) {
	if w.Routers != m.Stages*m.Rows() || w.Nodes() != m.Nodes() {
		return nil, fmt.Errorf("routing: %s is not the wiring of %s", w.Name, m)
	}
	s := &stages{m, make([][]int32, w.Routers)}
	for i, c := range w.Channels {
		if s.channel[c.From] == nil {
			s.channel[c.From] = make([]int32, 2*m.Arity)
		}
		s.channel[c.From][c.Out] = int32(i)
	}
	return s, nil
}

// Next leads up by the lowest port or down, and to the right in a unidirectional network.
func (s *stages) Next(router, node noc.NodeID) int32 {
	out, _ := s.of.Outputs(router, 0, node) // as if it came from below
	return s.channel[router][out]
}

// upDown routes irregular networks by a table.
type upDown struct {
	nodes int
	next  []int32 // [router*nodes + node]: channel, or -1 at the node's own switch
}

// UpDown routes an irregular network along relaxed up*/down* paths, by the choice of topology.UpDown.Selected.
// A way depends on where it is and where it goes alone, because the tree's path from a vertex on the way is
// the rest of the tree's path from its start.
func UpDown(u *topology.UpDown, w *topology.Wiring) (Function, error) {
	if len(u.ID) != w.Routers+w.Nodes() || u.Switches != w.Routers {
		return nil, fmt.Errorf("routing: the tree of %d switches and %d processors is not one of %s", u.Switches, len(u.ID)-u.Switches, w.Name)
	}
	f := &upDown{w.Nodes(), make([]int32, w.Routers*w.Nodes())}
	for router := range w.Routers {
		for node := range w.Nodes() {
			f.next[router*f.nodes+node] = -1
			path := u.Selected(router, u.Vertex(noc.NodeID(node)))
			if len(path) > 2 {
				f.next[router*f.nodes+node] = int32(w.Channel(noc.NodeID(router), noc.NodeID(path[1])))
			}
		}
	}
	return f, nil
}

// Next looks up the table.
func (f *upDown) Next(router, node noc.NodeID) int32 { return f.next[int(router)*f.nodes+int(node)] }
