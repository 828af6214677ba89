package wormholeideal

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// setup is what a network is made of.
type setup struct {
	config   Config // with what 0 stands for
	wiring   *topology.Wiring
	routing  routing.Function     // nil where switches replicate
	adaptive routing.Adaptive     // nil where routes are fixed
	stages   *topology.Multistage // of switches that replicate; nil for paths
	planner  dispatch.Planner
	resources
}

// onWiring returns the setup of a network of paths on a wiring, or tells what does not fit.
func (c Config) onWiring(w *topology.Wiring, r routing.Function, planner dispatch.Planner) (*setup, error) {
	if err := c.Validate(w); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("wormholeideal: no routing for %s", w.Name)
	}
	if _, datelined := r.(routing.Datelined); datelined {
		return nil, fmt.Errorf("wormholeideal: a ring of %s would deadlock with one channel per link; use virtual channels", w.Name)
	}
	ports := mostChannels(w)
	c.InjectionPorts = c.Ports(w)
	if c.EjectionChannels == 0 {
		c.EjectionChannels = ports
	}
	if !dispatch.OneStop(planner) && c.EjectionChannels < ports {
		return nil, fmt.Errorf("wormholeideal: ejection_channels is %d; worms with several stops hold one while they wait for the next channel, so use %d, one per input, or they deadlock",
			c.EjectionChannels, ports)
	}
	c.Tree = nil
	s := &setup{config: c, wiring: w, routing: r, planner: planner}
	s.adaptive, _ = r.(routing.Adaptive)
	s.resources = newResources(w, c, func(before, c topology.Channel) bool { return s.adaptive != nil })
	return s, nil
}

// onGrid returns the setup of a network on a mesh or torus with the routing that the configuration
// names.
func (c Config) onGrid(g topology.Grid, planner dispatch.Planner) (*setup, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	w, route := g.Wiring(), routing.SnakeLabels
	if c.Routing == DimensionOrder {
		route = routing.DimensionOrder
	}
	r, err := route(g, w)
	if err != nil {
		return nil, err
	}
	return c.onWiring(w, r, planner)
}

// onStages returns the setup of a multistage network whose switches replicate worms, or tells what
// does not fit. A node has one channel into its switch, credits take no time, and buffers of 0
// phits take a header of one bit per node.
func (c Config) onStages(m topology.Multistage, planner dispatch.Planner) (*setup, error) {
	if err := c.validateTree(m); err != nil {
		return nil, err
	}
	if c.BufferPhits == 0 {
		c.BufferPhits = (m.Nodes() + c.PhitBits - 1) / c.PhitBits
	}
	c.InjectionChannels, c.InjectionPorts, c.CutThrough, c.CreditCycles = true, 1, false, 0
	s := &setup{config: c, wiring: m.Wiring(), stages: &m, planner: planner}
	s.resources = newResources(s.wiring, c, func(before, c topology.Channel) bool {
		return int(before.Out) >= m.Arity && int(c.Out) >= m.Arity
	})
	return s, s.addTokens(c, m)
}

// newInterfaces makes the network interfaces.
func (s *setup) newInterfaces() dispatch.Interfaces {
	c := &s.config
	return dispatch.New(s.planner, dispatch.Config{Nodes: s.wiring.Nodes(), Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits, Startup: c.Startup,
		Preparation: c.Preparation, CutThrough: c.CutThrough, HeaderPhits: c.HeaderPhits, Ports: c.InjectionPorts,
		PortsOf: []uint32{1<<c.InjectionPorts - 1}, OwnWay: true, Receptions: true})
}

// permitted appends the channels of a queue that the header of a worm may take in a router, in the
// order of preference; it prefers one where it has no choice.
func (s *setup) permitted(queue, prefers int32, router int32, w *dispatch.Worm, into []int32) []int32 {
	x := &s.queues[queue]
	switch {
	case x.kind == link && x.count > 1 && s.stages == nil:
		if w.Routed {
			return s.adaptive.Choices(noc.NodeID(router), w.Stops[w.Next], into)
		}
		return append(into, prefers)
	case x.kind == link && s.stages != nil && !s.config.Tree.Adaptive:
		return append(into, x.first)
	}
	for c := range x.count {
		into = append(into, x.first+c)
	}
	return into
}

// Hardware describes one router, the largest: a buffer per input and a crossbar. A node's own
// channels count as one port.
func (s *setup) Hardware() noc.Hardware {
	ports, inputs := s.wiring.Ports(), make([]int, s.wiring.Routers)
	for _, l := range s.wiring.Channels {
		inputs[l.To]++
	}
	for _, entry := range s.wiring.Entry {
		if s.config.InjectionChannels {
			inputs[entry.Router] += s.config.InjectionPorts
		}
	}
	buffers := slices.Max(inputs)
	if s.stages != nil {
		ports = s.stages.Arity
		if s.stages.Bidirectional {
			ports *= 2
		}
		buffers = ports
	}
	h := noc.Hardware{Ports: ports, PhitBits: s.config.PhitBits, VirtualChannels: 1, Crossbar: true}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = buffers, s.config.BufferPhits
	if s.planner != nil {
		h.DestinationBits = s.wiring.Nodes()
	}
	return h
}

// enough returns the number of forwarded flits beyond which the token of a switch is given back:
// what the buffers from there to the nodes hold, by the paper's count.
func (s *setup) enough(router int32) int {
	stage, _ := s.stages.Place(noc.NodeID(router))
	if s.stages.Bidirectional {
		return s.config.BufferPhits * (stage + 1)
	}
	return s.config.BufferPhits * (s.stages.Stages - stage)
}
