package wormholeideal

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Setup is what a network is made of, in both forms.
type Setup struct {
	Config   Config // with what 0 stands for
	Wiring   *topology.Wiring
	Routing  routing.Function     // nil where switches replicate
	Adaptive routing.Adaptive     // nil where ways are fixed
	Stages   *topology.Multistage // of switches that replicate; nil for paths
	planner  dispatch.Planner
	Resources
}

// OnWiring returns the setup of a network of paths on a wiring, or tells what does not fit.
func (c Config) OnWiring(w *topology.Wiring, r routing.Function, planner dispatch.Planner) (*Setup, error) {
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
	if c.InjectionPorts == 0 {
		c.InjectionPorts = min(ports, maxPorts)
	}
	if c.EjectionChannels == 0 {
		c.EjectionChannels = ports
	}
	if !dispatch.OneStop(planner) && c.EjectionChannels < ports {
		return nil, fmt.Errorf("wormholeideal: ejection_channels is %d; worms with several stops hold one while they wait for the next channel, so use %d, one per input, or they deadlock",
			c.EjectionChannels, ports)
	}
	c.Tree = nil
	s := &Setup{Config: c, Wiring: w, Routing: r, planner: planner}
	s.Adaptive, _ = r.(routing.Adaptive)
	s.Resources = newResources(w, c, func(before, c topology.Channel) bool { return s.Adaptive != nil })
	return s, nil
}

// OnGrid returns the setup of a network on a mesh or torus with the routing that the configuration
// names.
func (c Config) OnGrid(g topology.Grid, planner dispatch.Planner) (*Setup, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	w := g.Wiring()
	if err := c.Validate(w); err != nil {
		return nil, err
	}
	route := routing.SnakeLabels
	if c.Routing == DimensionOrder {
		route = routing.DimensionOrder
	}
	r, err := route(g, w)
	if err != nil {
		return nil, err
	}
	return c.OnWiring(w, r, planner)
}

// OnStages returns the setup of a multistage network whose switches replicate worms, or tells what
// does not fit. A node has one channel into its switch, credits take no time, and buffers of 0
// phits take a header of one bit per node.
func (c Config) OnStages(m topology.Multistage, planner dispatch.Planner) (*Setup, error) {
	if err := c.validateTree(m); err != nil {
		return nil, err
	}
	if c.BufferPhits == 0 {
		c.BufferPhits = (m.Nodes() + c.PhitBits - 1) / c.PhitBits
	}
	c.InjectionChannels, c.InjectionPorts, c.CutThrough, c.CreditCycles = true, 1, false, 0
	s := &Setup{Config: c, Wiring: m.Wiring(), Stages: &m, planner: planner}
	s.Resources = newResources(s.Wiring, c, func(before, c topology.Channel) bool {
		return int(before.Out) >= m.Arity && int(c.Out) >= m.Arity
	})
	return s, s.addTokens(c, m)
}

// NewInterfaces makes the network interfaces.
func (s *Setup) NewInterfaces() dispatch.Interfaces {
	c := &s.Config
	return dispatch.New(s.planner, dispatch.Config{Nodes: s.Wiring.Nodes(), Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits, Startup: c.Startup,
		Preparation: c.Preparation, CutThrough: c.CutThrough, HeaderPhits: c.HeaderPhits, Ports: c.InjectionPorts,
		PortsOf: []uint32{1<<c.InjectionPorts - 1}, OwnWay: true, Receptions: true})
}

// Permitted appends the channels of a queue that the header of a worm may take in a router, in the
// order of preference; it prefers one where it has no choice.
func (s *Setup) Permitted(queue, prefers int32, router int32, w *dispatch.Worm, into []int32) []int32 {
	x := &s.Queues[queue]
	switch {
	case x.Kind == Link && x.Count > 1 && s.Stages == nil:
		if w.Routed && !w.Ordered {
			return s.Adaptive.Choices(noc.NodeID(router), w.Stops[w.Next], into)
		}
		return append(into, prefers)
	case x.Kind == Link && s.Stages != nil && (!s.Config.Tree.Adaptive || w.Ordered):
		return append(into, x.First)
	}
	for c := range x.Count {
		into = append(into, x.First+c)
	}
	return into
}

// Hardware describes one router, the largest: a buffer per input and a crossbar. A node's own
// channels count as one port.
func (s *Setup) Hardware() noc.Hardware {
	ports, inputs := s.Wiring.Ports(), make([]int, s.Wiring.Routers)
	for _, l := range s.Wiring.Channels {
		inputs[l.To]++
	}
	for _, entry := range s.Wiring.Entry {
		if s.Config.InjectionChannels {
			inputs[entry.Router] += s.Config.InjectionPorts
		}
	}
	buffers := slices.Max(inputs)
	if s.Stages != nil {
		ports = s.Stages.Arity
		if s.Stages.Bidirectional {
			ports *= 2
		}
		buffers = ports
	}
	h := noc.Hardware{Ports: ports, PhitBits: s.Config.PhitBits, VirtualChannels: 1, Crossbar: true}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = buffers, s.Config.BufferPhits
	if s.planner != nil {
		h.DestinationBits = s.Wiring.Nodes()
	}
	return h
}

// Enough returns the number of forwarded flits beyond which the token of a switch is given back:
// what the buffers from there to the nodes hold, by the paper's count.
func (s *Setup) Enough(router int32) int {
	stage, _ := s.Stages.Place(noc.NodeID(router))
	if s.Stages.Bidirectional {
		return s.Config.BufferPhits * (stage + 1)
	}
	return s.Config.BufferPhits * (s.Stages.Stages - stage)
}
