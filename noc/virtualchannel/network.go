package virtualchannel

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Indices. Routers are kept in banks of 64 (bank.go). A port index is (bank*ports+port)<<6 | router&63: as an input it
// names the buffers there, as an output the link that leaves. Packets enter and leave by ports of nodes: on a grid each
// router has one, port 0, for both. Elsewhere a router may have several or none, and a node may leave by another router
// than the one by which it enters. A channel index is (bank*places+place)<<6 | router&63, where the place of a virtual
// channel in its router is its input times the number of virtual channels, plus its number; an output's virtual channel
// is named by the input channel that it leads to. The node behind an exit is the channel [Network.nowhere], which always
// has room and belongs to nobody for long.

// Network is a network of virtual-channel routers; it implements [noc.Network].
type Network struct {
	dispatch.Interfaces
	config   Config
	wiring   *topology.Wiring
	grid     *topology.Grid // nil elsewhere
	ports    int
	channels int // virtual channels per port
	places   int // virtual channels of the inputs of a router
	flight   int // cycles from a switch grant to the flit's arrival in the next buffer
	back     int // cycles from a switch grant to the credit's use upstream
	nowhere  uint32
	few      int  // flits of a bank that are dealt with one by one
	bounded  bool // some sink is
	routes   routes
	sets     [noc.MaxClasses][2]uint32

	routers []router
	port    []port
	worms   []flight
	// What a channel is made of, apart by what is touched together: by flits, by headers, and as sets.
	front   []front
	credits []int32  // free places, as known upstream
	owner   []uint32 // the channel upstream whose packet it is for, or nowhere
	channel []channel
	behind  []int32  // worms of the packets behind its front one, BufferPhits places each
	turns   []int16  // place that the allocator gave it to last
	chosen  []uint32 // scratch of allocateChannels: the channel that is to have it, or nowhere
	banks   []bank
	lanes   []lane   // by channel index >> 6
	lucky   []uint64 // likewise: headers that have got a virtual channel in this cycle, with a free place; for speculation

	exit     []place  // per node: where packets leave to it
	entry    []uint32 // per node: channel index of its first channel
	asking   []uint32 // channels whose headers may get a virtual channel in this cycle
	asked    []uint32 // the list of the cycle before, for reuse
	proposed []grant  // scratch of allocateChannels
	accepted []uint32 // channels whose headers have got one in this cycle
	match    matching // scratch of the switch's allocators
	moving   moving   // scratch of move
	due      []uint64 // banks to be visited, as bits
	agenda   []slot   // by cycle & mask
	sent     *slot    // in which flits that are granted in this cycle arrive
	returned *slot    // in which credits for them do
	mask     uint
	busy     uint64 // bit c&mask: something is due in cycle c

	underWay []int    // scratch of CheckInvariants
	pending  []uint64 // scratch of Activity and Links

	moved, entered, ejected uint64 // flits that a switch let pass, from nodes, to nodes
}

const none = ^uint32(0)

// router is what belongs to a router as a whole.
type router struct {
	injected         uint64 // flits from its nodes, see Network.countPending
	copied, branched uint64 // flits and packets of which a node takes a copy
	lookups          uint64
	fabric.Presence  // of packets: from the arrival of a header to the grant of the tail
}

// place is a port of a router: its index, and its number there.
type place struct {
	port, router uint32
	number       uint8
}

// port is what an output knows, and from where flits come to the input of the same number.
type port struct {
	down    uint32 // channel index of the first virtual channel that the output leads to, or none
	free    uint32 // virtual channels of the output that no packet has
	sleeper uint32 // first of the channels whose headers wait until one is free, or the node behind has room; or nowhere
	feeder  uint32 // port index of the output that leads to the input, or none
	node    uint32 // that sends by the input, or none
	phits   uint64 // of the packets that left by the output, see Network.countPending
}

// stage is what the packet at the front of a channel does.
type stage uint8

const (
	empty    stage = iota // there is none
	unrouted              // its header's route is being computed
	waiting               // for a virtual channel
	active                // it has one
)

// front is what flits of a channel need to come and go: the number of flits that are there in the lowest 16 bits, the
// number of those of the front packet that have not been granted in the next 15, a bit while its header is among them,
// and in the upper half the channel that it goes to.
type front uint64

const (
	oneHere front = 1
	oneLeft front = 1 << 16
	fresh   front = 1 << 31
)

func (f front) here() int  { return int(f & (oneLeft - 1)) }
func (f front) left() int  { return int(f & (fresh - 1) >> 16) }
func (f front) fresh() int { return int(f >> 31 & 1) }
func (f front) to() uint32 { return uint32(f >> 32) }

// start is the front when another packet of some flits has come to it.
func (f front) start(phits uint16, nowhere uint32) front {
	return f&(oneLeft-1) | front(phits)*oneLeft | fresh | front(nowhere)<<32
}

// via is the front when its packet has got a channel to go to.
func (f front) via(to uint32) front { return f&(1<<32-1) | front(to)<<32 }

// channel is the rest of a virtual channel of an input: what headers and tails need.
type channel struct {
	worm    int32 // front packet
	router  uint32
	base    uint32 // port index of its router's port 0
	out     uint32 // port index by which it leaves
	node    uint32 // that takes the packet here, or a copy
	next    uint32 // the channel behind it in the list of port.sleeper, or nowhere
	allowed uint32 // virtual channels of the output that it may take
	place   int16
	input   uint8  // port number
	hops    uint16 // of the front packet up to here
	number  uint8  // virtual channel
	output  uint8  // number of out
	stage   stage
	first   uint8 // of behind
	queued  uint8 // packets behind the front one
	last    int8  // virtual channel of the output that its allocator proposed and was granted
	flags   uint8
	own     bool // the input is a node's
}

// Flags of a channel.
const (
	copies = 1 << iota // the node takes a copy of the front packet
	leaves             // it goes to the node
)

// flight is what the network knows of a worm.
type flight struct {
	from, stop uint32 // nodes
	hops       uint16
	phits      uint16
	class      noc.Class
	ordered    bool
	simple     bool // it has one stop, and the network routes it
}

// slot is what takes effect in a cycle to come.
type slot struct {
	flits   []uint32  // channels that one reaches
	headers []arrival // those of them that are headers
	credits []uint32  // channels that have a place again
	heads   []uint32  // channels whose header has its route
	ports   []uint32  // channels of nodes that can take the next packet
	banks   []uint64  // those that flits or credits may come to
}

// arrival is a header that reaches a channel.
type arrival struct {
	channel uint32
	worm    int32
}

// grant gives a header a virtual channel.
type grant struct{ from, to uint32 }

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
	channels, sets := c.channels(parts), c.sets(parts)
	var portsOf []uint32
	for class := range c.Classes {
		portsOf = append(portsOf, sets[class][0]|sets[class][1])
	}
	n := &Network{config: c, wiring: w, grid: g, ports: ports, channels: channels, places: ports * channels, routes: routes, few: fewFlits,
		flight: 1 + c.SwitchCycles + c.LinkCycles, back: 1 + c.CreditCycles, sets: sets, routers: make([]router, w.Routers),
		Interfaces: dispatch.New(planner, dispatch.Config{Nodes: w.Nodes(), Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits,
			Startup: c.Startup, Preparation: c.Preparation, CutThrough: c.CutThrough, Ports: bits.OnesCount32(portsOf[0]), PortsOf: portsOf, KeepOrder: true})}
	n.mask = 1<<bits.Len(uint(max(n.flight, n.back, c.LinkCycles+c.RouteCycles, 1+c.RouteCycles))) - 1
	n.makeBanks()
	n.makeChannels()
	n.wire()
	return n, nil
}

// makeChannels makes the ports and channels of all routers, with their lists.
func (n *Network) makeChannels() {
	ports := len(n.banks) * n.ports << 6
	all := ports * n.channels
	n.nowhere = uint32(all)
	n.port, n.front, n.channel = make([]port, ports), make([]front, all+1), make([]channel, all)
	n.credits, n.owner, n.turns = make([]int32, all+1), slices.Repeat([]uint32{n.nowhere}, all+1), slices.Repeat([]int16{-1}, all)
	n.credits[n.nowhere] = math.MaxInt32
	n.behind, n.chosen = make([]int32, all*n.config.BufferPhits), slices.Repeat([]uint32{n.nowhere}, all)
	for i := range n.port {
		n.port[i] = port{down: none, sleeper: n.nowhere, feeder: none, node: none}
	}
	n.agenda = make([]slot, n.mask+1)
	for i := range n.agenda {
		n.agenda[i] = slot{flits: make([]uint32, 0, ports), credits: make([]uint32, 0, ports), banks: make([]uint64, len(n.due))}
	}
	for r := range n.routers {
		for place := range n.places {
			p, v := place/n.channels, place%n.channels
			n.channel[n.channelAt(r, p, v)] = channel{worm: dispatch.None, router: uint32(r), base: n.portAt(r, 0), last: -1,
				place: int16(place), input: uint8(p), number: uint8(v)}
		}
	}
}

// wire fills the tables of neighbours and gives every sender its credits.
func (n *Network) wire() {
	for _, c := range n.wiring.Channels {
		from, to := n.portAt(int(c.From), int(c.Out)), n.portAt(int(c.To), int(c.In))
		n.port[from].down, n.port[from].free = n.channelAt(int(c.To), int(c.In), 0), 1<<n.channels-1
		n.port[to].feeder = from
		for v := range n.channels {
			n.credits[n.channelAt(int(c.To), int(c.In), v)] = int32(n.config.BufferPhits)
		}
		n.banks[c.From>>6].near[c.To>>12] |= 1 << (c.To >> 6 & 63)
		n.banks[c.To>>6].near[c.From>>12] |= 1 << (c.From >> 6 & 63)
	}
	for node := range n.Nodes() {
		entry, exit := n.wiring.Entry[node], n.wiring.Exit[node]
		n.port[n.portAt(int(entry.Router), int(entry.Port))].node = uint32(node)
		n.entry = append(n.entry, n.channelAt(int(entry.Router), int(entry.Port), 0))
		n.exit = append(n.exit, place{n.portAt(int(exit.Router), int(exit.Port)), uint32(exit.Router), uint8(exit.Port)})
		n.banks[entry.Router>>6].entries[entry.Port] |= 1 << (entry.Router & 63)
		n.banks[exit.Router>>6].exits[exit.Port] |= 1 << (exit.Router & 63)
		for v := range n.channels {
			n.channel[n.channelAt(int(entry.Router), int(entry.Port), v)].own = true
		}
	}
}

// LimitSink bounds the sink of one node and class.
func (n *Network) LimitSink(node noc.NodeID, class noc.Class, places int) {
	n.Interfaces.LimitSink(node, class, places)
	n.bounded = true
}

// FreeSink gives back a place of a bounded sink.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.Sinks.Release(node, class)
	n.wakeSleepers(&n.port[n.exit[node].port])
}
