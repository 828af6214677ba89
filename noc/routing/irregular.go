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

// Stages routes a multistage network: by destination tag, or up by the lowest ports and round at
// the first switch that lies above the destination. Whether a header is on its way up follows
// from where it is: the switches above its destination are those where it turns or descends.
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

// Choices are, on the way up, the channels to all switches above, the lowest port first.
func (s *stages) Choices(router, node noc.NodeID, into []int32) []int32 {
	out, count := s.of.Outputs(router, 0, node)
	return append(into, s.channel[router][out:out+count]...)
}

// upDown routes irregular networks by a table.
type upDown struct {
	nodes   int
	first   []int32 // [router*nodes + node]: index in channel of the first choice, and one past the last entry
	channel []int32
}

// UpDown routes an irregular network along relaxed up*/down* paths, in the order of
// topology.UpDown.Choices.
func UpDown(u *topology.UpDown, w *topology.Wiring) (Function, error) {
	if len(u.ID) != w.Routers+w.Nodes() || u.Switches != w.Routers {
		return nil, fmt.Errorf("routing: the tree of %d switches and %d processors is not one of %s", u.Switches, len(u.ID)-u.Switches, w.Name)
	}
	f := &upDown{nodes: w.Nodes()}
	for router := range w.Routers {
		for node := range w.Nodes() {
			f.first = append(f.first, int32(len(f.channel)))
			for _, vertex := range u.Choices(router, u.Vertex(noc.NodeID(node))) {
				for c := w.Channel(noc.NodeID(router), noc.NodeID(vertex)); vertex < w.Routers && c < len(w.Channels); c++ { // else it is the node itself
					if l := w.Channels[c]; int(l.From) != router || int(l.To) != vertex {
						break // parallel links stand one behind the other
					}
					f.channel = append(f.channel, int32(c))
				}
			}
		}
	}
	f.first = append(f.first, int32(len(f.channel)))
	return f, nil
}

// Next looks up the first choice.
func (f *upDown) Next(router, node noc.NodeID) int32 {
	return f.channel[f.first[int(router)*f.nodes+int(node)]]
}

// Choices looks up all of them.
func (f *upDown) Choices(router, node noc.NodeID, into []int32) []int32 {
	i := int(router)*f.nodes + int(node)
	return append(into, f.channel[f.first[i]:f.first[i+1]]...)
}

// table routes by the next channel of each router towards each node.
type table struct {
	nodes   int
	channel []int32 // [router*nodes + node]
}

// Next looks up the channel.
func (f *table) Next(router, node noc.NodeID) int32 { return f.channel[int(router)*f.nodes+int(node)] }

// newTable makes the table of a network where a function tells which router follows another on the way to a third.
func newTable(w *topology.Wiring, next func(at, to noc.NodeID) noc.NodeID) *table {
	f := &table{nodes: w.Nodes(), channel: make([]int32, 0, w.Routers*w.Nodes())}
	for router := range noc.NodeID(w.Routers) {
		for node := range w.Nodes() {
			channel := int32(-1) // the node is here
			if to := w.Exit[node].Router; to != router {
				channel = int32(w.Channel(router, next(router, to)))
			}
			f.channel = append(f.channel, channel)
		}
	}
	return f
}

// dragonfly routes a dragonfly by shortest paths. It is free of deadlock in two halves of channels: links of the
// first group are in the lower ones, those between groups and of the last group in the upper ones.
type dragonfly struct {
	table
	of     topology.Dragonfly
	wiring *topology.Wiring
}

// Half returns 1 between groups and in the last one, else 0.
func (f *dragonfly) Half(router, node noc.NodeID) uint8 {
	here, there := f.of.Group(router), f.of.Group(f.wiring.Exit[node].Router)
	if here == there || f.of.Group(f.wiring.Channels[f.Next(router, node)].To) != here {
		return 1
	}
	return 0
}
