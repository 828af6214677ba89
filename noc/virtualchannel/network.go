package virtualchannel

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Indices. A port index is router*ports+port: as an input it names the buffers there, as an output the link
// that leaves. Packets enter and leave by ports of nodes: on a grid each router has one, port 0, for both. Elsewhere
// a router may have several or none, and a node may leave by another router than the one by which it enters. A channel index
// is a port index of an input times the number of virtual channels, plus the virtual channel; an output's
// virtual channel is named by the input channel that it leads to.

// Network is a network of virtual-channel routers; it implements [noc.Network].
type Network struct {
	config   Config
	wiring   *topology.Wiring
	grid     *topology.Grid // nil elsewhere
	nodes    int
	ports    int
	channels int // virtual channels per port
	flight   int // cycles from a switch grant to the flit's arrival in the next buffer
	back     int // cycles from a switch grant to the credit's use upstream
	now      noc.Cycle

	packets  *fabric.Worms
	sources  *fabric.Sources
	sinks    *fabric.Sinks
	dispatch *dispatch.Dispatcher
	routes   routes
	sets     [noc.MaxClasses][2]uint32

	routers []router
	port    []port
	channel []channel
	credits []int16 // per channel: free places, as known upstream
	owner   []int32 // per channel: the channel upstream whose packet it is for, or none
	behind  []int32 // per channel: worms of the packets behind its front one, BufferPhits places each
	worms   []flight

	entry    []int32          // per node: its port index as an input
	exit     []place          // per node: where packets leave to it
	source   []int32          // per port index of an input: node that sends by it, or none
	feeder   []int32          // per port index of an input: port index of the output that leads to it, or none
	turns    []int16          // per channel: input, router's port and channel, that the allocator gave it to last
	chosen   []int32          // scratch of allocateChannels
	guesses  []int32          // scratch of speculate
	wants    [maxPorts]uint16 // scratch of allocateSwitch: inputs that nominate a channel for an output
	due      []uint64         // routers to be visited, as bits
	agenda   []slot           // by cycle & mask
	sent     *slot            // in which flits that are granted in this cycle arrive
	returned *slot            // in which credits for them do
	mask     uint
	busy     uint64 // bit c&mask: something is due in cycle c
	accepted []grant

	underWay []int16 // scratch of CheckInvariants

	injected, phitHops, inside uint64
}

const none = int32(-1)

// router is what belongs to a router as a whole.
type router struct {
	port    *[maxPorts]port // its own, and beyond them the next router's: masked indices need no check
	ready   uint32          // input ports with a flit that may ask for the switch
	waiting uint32          // input ports with a header that asks for a virtual channel
	exits   uint32          // output ports that lead to nodes
	counters
}

// place is a port of a router.
type place struct{ router, port int32 }

// port is one input and the output of the same number.
type port struct {
	ready     uint32 // virtual channels of the input that ask for the switch
	waiting   uint32 // virtual channels of the input whose header asks for a virtual channel
	free      uint32 // virtual channels of the output that no packet has
	peer      int32  // port index at the other end of the link, or none
	lastIn    int8   // input granted by the output's arbiter
	lastVC    int8   // channel granted by the input's arbiter
	lastSpecV int8   // the same of speculative requests
	lastSpecI int8
	phits     uint64 // that left by the output
}

// stage is what the packet at the front of a channel does.
type stage uint8

const (
	empty    stage = iota // there is none
	unrouted              // its header's route is being computed
	waiting               // for a virtual channel
	active                // it has one
)

// channel is one virtual channel of an input: a FIFO of flits, kept as the front packet and a count. What
// the sender upstream knows of it is kept apart, so that sending a flit does not touch the channel it goes
// to.
type channel struct {
	worm   int32 // front packet
	to     int32 // channel that it goes to; none when it leaves the network
	router int32
	node   int32  // that takes the packet here, or a copy
	left   int16  // flits of the front packet that have not been granted
	count  int16  // flits here
	hops   uint16 // of the front packet up to here
	in     uint8  // input port
	number uint8  // virtual channel
	output uint8
	stage  stage
	first  uint8 // of behind
	queued uint8 // packets behind the front one
	last   int8  // virtual channel of the output that its allocator proposed and was granted
	flags  uint8
	own    bool // the input is a node's
}

// Flags of a channel.
const (
	fresh  = 1 << iota // the front packet's header has not been granted
	copies             // the node takes a copy of it
	leaves             // it goes to the node
	upper              // it takes the upper half of its class's channels, see Config.sets
)

// flight is what the network knows of a worm.
type flight struct {
	hops     uint16
	injected noc.Cycle
}

// slot is what takes effect in a cycle to come.
type slot struct {
	flits   []arrival
	credits []int32 // channels
	heads   []int32 // channels whose header has its route
	ports   []int32 // channels of nodes that can take the next packet
}

// arrival is a flit that reaches a channel; worm is none unless it is a header.
type arrival struct{ channel, worm int32 }

// grant gives a header a virtual channel.
type grant struct{ from, to int32 }

// New builds a network on the grid. planner may be nil: a packet then travels as one worm per destination.
func New(g topology.Grid, c Config, planner dispatch.Planner) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	w := g.Wiring()
	routes, err := newRoutes(g, w, c.Routing)
	if err != nil {
		return nil, err
	}
	return newNetwork(w, &g, g.Ports(), c, c.datelines(g), routes, planner)
}

// NewWiring builds a network on any wiring, with a routing function that is free of deadlock with one channel per link
// and class. Where it leaves a choice, a header takes, when its route is computed, the first permitted output with a
// virtual channel free for it, or else the first.
func NewWiring(w *topology.Wiring, c Config, r routing.Function, planner dispatch.Planner) (*Network, error) {
	if err := c.validate(w.Name, w.Routers, w.Ports(), 1); err != nil {
		return nil, err
	}
	if !dispatch.OneStop(planner) && !w.Direct() {
		return nil, fmt.Errorf("virtualchannel: worms with several stops need a node at every router, unlike %s", w.Name)
	}
	adaptive, _ := r.(routing.Adaptive)
	return newNetwork(w, nil, w.Ports(), c, 1, routes{wiring: w, function: r, adaptive: adaptive}, planner)
}

// newNetwork makes a network of routers with some ports, whose channels are in so many parts.
func newNetwork(w *topology.Wiring, g *topology.Grid, ports int, c Config, parts int, routes routes, planner dispatch.Planner) (*Network, error) {
	if !dispatch.OneStop(planner) && !c.EjectionPerInput {
		return nil, fmt.Errorf("virtualchannel: ejection_per_input is off; worms with several stops hand over copies while they pass, so switch it on")
	}
	nodes, routers, channels := w.Nodes(), w.Routers, c.channels(parts)
	n := &Network{config: c, wiring: w, grid: g, nodes: nodes, ports: ports, channels: channels, routes: routes,
		flight: 1 + c.SwitchCycles + c.LinkCycles, back: 1 + c.CreditCycles,
		packets: fabric.NewWorms(nodes, 4*nodes), sinks: fabric.NewSinks(nodes, c.Classes), sets: c.sets(parts),
		routers: make([]router, routers), port: make([]port, routers*ports+maxPorts), channel: make([]channel, routers*ports*channels),
		credits: make([]int16, routers*ports*channels), owner: make([]int32, routers*ports*channels),
		behind: make([]int32, routers*ports*channels*c.BufferPhits), turns: make([]int16, routers*ports*channels),
		chosen: make([]int32, ports*channels), due: make([]uint64, noc.SetWords(routers))}
	n.mask = 1<<bits.Len(uint(max(n.flight, n.back, c.LinkCycles+c.RouteCycles, 1+c.RouteCycles))) - 1
	n.agenda = make([]slot, n.mask+1)
	n.sources = fabric.NewSources(n.packets, nodes, c.Classes, c.SourceQueue, c.MaxPhits)
	var portsOf []uint32
	for class := range c.Classes {
		portsOf = append(portsOf, n.sets[class][0]|n.sets[class][1])
	}
	n.dispatch = dispatch.New(n.packets, n.sources, n.sinks, nodes, planner, dispatch.Config{Startup: c.Startup,
		Preparation: c.Preparation, CutThrough: c.CutThrough, Ports: bits.OnesCount32(portsOf[0]), PortsOf: portsOf, KeepOrder: true})
	for r := range n.routers {
		n.routers[r].port = (*[maxPorts]port)(n.port[r*ports:])
	}
	n.port = n.port[:routers*ports]
	n.wire()
	return n, nil
}

// wire fills the tables of neighbours and gives every sender its credits.
func (n *Network) wire() {
	for i := range n.port {
		p := &n.port[i]
		*p = port{peer: none, lastIn: -1, lastVC: -1, lastSpecV: -1, lastSpecI: -1}
		r, number := i/n.ports, i%n.ports
		for v := range n.channels {
			ch := i*n.channels + v
			n.channel[ch] = channel{worm: none, to: none, router: int32(r), in: uint8(number), number: uint8(v), last: -1}
			n.credits[ch], n.owner[ch] = int16(n.config.BufferPhits), none
			n.turns[ch] = -1
		}
	}
	n.source, n.feeder = slices.Repeat([]int32{none}, len(n.port)), slices.Repeat([]int32{none}, len(n.port))
	for _, c := range n.wiring.Channels {
		from, to := int(c.From)*n.ports+int(c.Out), int(c.To)*n.ports+int(c.In)
		n.port[from].peer, n.port[from].free = int32(to), 1<<n.channels-1
		n.feeder[to] = int32(from)
	}
	for node := range n.nodes {
		entry, exit := n.wiring.Entry[node], n.wiring.Exit[node]
		at := int32(int(entry.Router)*n.ports + int(entry.Port))
		n.entry, n.source[at] = append(n.entry, at), int32(node)
		n.exit = append(n.exit, place{int32(exit.Router), int32(exit.Port)})
		n.routers[exit.Router].exits |= 1 << exit.Port
		for v := range n.channels {
			n.channel[int(at)*n.channels+v].own = true
		}
	}
}

// Nodes is the number of nodes.
func (n *Network) Nodes() int { return n.nodes }

// Now is the cycle about to be simulated.
func (n *Network) Now() noc.Cycle { return n.now }

// Offer puts a packet into the source queue of its node and class.
func (n *Network) Offer(p noc.Packet) bool {
	if !n.sources.Offer(p, n.now) {
		return false
	}
	n.dispatch.Offered(p.Src, p.Class)
	return true
}

// Deliveries lists what arrived since the last call.
func (n *Network) Deliveries() []noc.Delivery { return dispatch.Sorted(n.sinks.Take()) }

// LimitSink bounds the sink of one node and class.
func (n *Network) LimitSink(node noc.NodeID, class noc.Class, places int) {
	n.sinks.Limit(node, class, places)
}

// FreeSink gives back a place of a bounded sink.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.sinks.Release(node, class)
	n.wake(n.exit[node].router)
}
