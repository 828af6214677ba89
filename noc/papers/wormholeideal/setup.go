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

// on returns the setup of a network, or tells what does not fit.
func (c Config) on(l topology.Layout, r routing.Function, planner dispatch.Planner) (*setup, error) {
	switch {
	case c.Tree != nil && l.Multistage != nil:
		return c.onStages(*l.Multistage, planner)
	case c.Tree != nil || r == nil && l.Grid == nil:
		return nil, fmt.Errorf("wormholeideal: %s needs a routing function, and no switches that replicate, which are for multistage networks", l)
	case r != nil:
		c.Routing = Labels // not used
	}
	if err := c.Validate(l.Wiring); err != nil {
		return nil, err
	}
	if r == nil {
		named := routing.SnakeLabels
		if c.Routing == DimensionOrder {
			named = routing.DimensionOrder
		}
		var err error
		if r, err = named(*l.Grid, l.Wiring); err != nil {
			return nil, err
		}
	}
	return c.onWiring(l.Wiring, r, planner)
}

// onWiring returns the setup of a network of paths on a wiring.
func (c Config) onWiring(w *topology.Wiring, r routing.Function, planner dispatch.Planner) (*setup, error) {
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
	s := &setup{config: c, wiring: w, routing: r, planner: planner}
	s.adaptive, _ = r.(routing.Adaptive)
	s.resources = newResources(w, c, func(before, c topology.Channel) bool { return s.adaptive != nil })
	return s, nil
}

// newInterfaces makes the network interfaces.
func (s *setup) newInterfaces() dispatch.Interfaces {
	c := &s.config
	return dispatch.New(s.planner, dispatch.Config{Nodes: s.wiring.Nodes(), Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits, Startup: c.Startup,
		Preparation: c.Preparation, CutThrough: c.CutThrough, HeaderPhits: c.HeaderPhits, Ports: c.InjectionPorts,
		PortsOf: []uint32{1<<c.InjectionPorts - 1}, OwnWay: true})
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
	case x.kind == link && s.stages != nil && !s.config.Tree.Adaptive && !s.config.Tree.Dilated:
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

// resources are what headers queue for in a network, as tables: channels, of which one worm has
// each at a time, and tokens. The channels of the wiring come first, in its order.
type resources struct {
	channels []channel
	queues   []queue
	entries  int32   // channel of the first node's first injection port; all others follow
	exits    []int32 // per node: queue for its ejection channels
	outputs  []int32 // per router and port: channel of the wiring
	ports    int     // of a router, in outputs
	tokens   []int32 // per switch: queue for its group's token, or none
	locals   []int32 // per switch: queue for its own token, or none
}

// none is no channel, no queue and no router.
const none = int32(-1)

// channel is a link with the buffer behind it, an injection or ejection channel, or a token.
type channel struct {
	from, to int32 // routers; none at the end of a node, and for tokens
	in       int32 // input port at To
	queue    int32
}

// queue is where headers wait for one of some channels, which follow each other.
type queue struct {
	kind         kind
	first, count int32 // channels
	node         noc.NodeID
	passes       noc.Cycle // time of a free token to a header
}

// kind says what headers queue for.
type kind uint8

// The kinds.
const (
	link      kind = iota // a channel between routers, or one of several
	injection             // the channel from a node into its router
	ejection              // the channels from a router into a node
	token
)

// newResources returns the resources of a network without tokens. Channels that leave a router one
// after the other may have one queue together.
func newResources(w *topology.Wiring, c Config, together func(before, c topology.Channel) bool) resources {
	r := resources{ports: w.Ports(), outputs: slices.Repeat([]int32{none}, w.Routers*w.Ports()),
		tokens: slices.Repeat([]int32{none}, w.Routers), locals: slices.Repeat([]int32{none}, w.Routers)}
	for i, l := range w.Channels {
		r.outputs[int(l.From)*r.ports+int(l.Out)] = int32(i)
		if i == 0 || w.Channels[i-1].From != l.From || !together(w.Channels[i-1], l) {
			r.addQueue(queue{kind: link})
		}
		r.addChannel(channel{from: int32(l.From), to: int32(l.To), in: int32(l.In)})
	}
	r.entries = int32(len(r.channels))
	for node, entry := range w.Entry {
		for range c.InjectionPorts {
			r.addQueue(queue{kind: injection, node: noc.NodeID(node)})
			r.addChannel(channel{from: none, to: int32(entry.Router), in: int32(entry.Port)})
		}
	}
	for node, exit := range w.Exit {
		r.exits = append(r.exits, r.addQueue(queue{kind: ejection, node: noc.NodeID(node)}))
		for range c.EjectionChannels {
			r.addChannel(channel{from: int32(exit.Router), to: none})
		}
	}
	return r
}

func (r *resources) addQueue(q queue) int32 {
	q.first = int32(len(r.channels))
	r.queues = append(r.queues, q)
	return int32(len(r.queues) - 1)
}

// addChannel adds a channel to the queue that was added last.
func (r *resources) addChannel(c channel) {
	c.queue = int32(len(r.queues) - 1)
	r.queues[c.queue].count++
	r.channels = append(r.channels, c)
}

// injectionChannel returns the channel of an injection port of a node.
func (s *setup) injectionChannel(node noc.NodeID, port int32) int32 {
	return s.entries + int32(node)*int32(s.config.InjectionPorts) + port
}

// giver returns the router that gives the channels of a queue away.
func (r *resources) giver(queue int32) int32 {
	c := &r.channels[r.queues[queue].first]
	if c.from != none {
		return c.from
	}
	return c.to
}

// name names a channel or a token.
func (r *resources) name(c int32) string {
	ch := &r.channels[c]
	switch {
	case ch.from != none && ch.to != none:
		return fmt.Sprintf("channel %d-%d", ch.from, ch.to)
	case ch.to != none:
		return fmt.Sprintf("injection channel of router %d", ch.to)
	case ch.from != none:
		return fmt.Sprintf("ejection channel of router %d", ch.from)
	}
	if group := slices.Index(r.tokens, ch.queue); group >= 0 {
		return fmt.Sprintf("token of the group of switch %d", group)
	}
	return fmt.Sprintf("token of switch %d", slices.Index(r.locals, ch.queue))
}
