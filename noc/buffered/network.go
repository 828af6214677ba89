package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Indices. A link index is router*ports+port; with an output port it names the link that leaves there,
// with an input port the channels behind it, with the local port the interface's way in (credits) and
// out (requests). A channel index is link<<classBits | class.
const classBits = 3

// inputs is a set of channels of one router: one byte per input port, in it one bit per class. Topology
// allows 15 ports; up to eight, the second half is empty.
type inputs [2]uint64

const (
	halfBits  = 6                  // channel port<<classBits|class of a router is in half channel>>halfBits
	everyPort = 0x0101010101010101 // the lowest bit of each byte
	everyOne  = ^uint64(0)
)

// maxPorts is a power of two above the ports of any grid, so that masked indices need no check.
const maxPorts = 1 << portBits

// address is a channel without a table: router<<addressBits | port<<classBits | class.
type address int32

const (
	portBits    = 4
	addressBits = portBits + classBits
)

func (a address) router() int { return int(a >> addressBits) }
func (a address) port() uint  { return uint(a>>classBits) & (maxPorts - 1) }
func (a address) class() uint { return uint(a) & (1<<classBits - 1) }

// link and channel are the indices of an address.
func (n *Network) link(a address) int    { return a.router()*n.ports + int(a.port()) }
func (n *Network) channel(a address) int { return n.link(a)<<classBits | int(a.class()) }

// Network is a BASE or BASE-MC network; it implements [noc.Network].
type Network struct {
	config    Config
	grid      topology.Grid
	nodes     int
	ports     int
	slots     int // packets per channel
	further   int // of which behind the second
	bubble    bool
	local     bool // bubble tested at the router itself
	priority  bool // of the highest class at the input arbiters
	afterTail bool // routing waits for the tail ahead
	now       noc.Cycle
	order     []int32 // visit routers in this order instead of by due bits; nil for the usual one

	worms   *fabric.Worms
	sources *fabric.Sources
	sinks   *fabric.Sinks
	news    uint64 // bit c%Horizon: a delivery becomes visible in cycle c
	routes  routes
	agendas agendas

	due   []uint64 // routers with something to grant, as bits
	feeds []uint64 // routers whose interface has something to send

	routers []router
	port    []port            // per link, see above
	space   [maxPorts]pattern // per port number
	against [maxPorts]uint8   // per port number: the opposite one, from which a packet goes straight on

	// Per channel.
	credits  []uint8 // held by the router (or interface) that sends into the channel across
	channels []channel
	waiting  []packet // behind the second: further per channel

	sent     []shipment       // in the current cycle
	touched  uint8            // keeps the reading loop of receive alive
	nominees [maxPorts]uint16 // scratch of allocate: inputs that ask for an output

	underWay []uint8 // scratch of CheckInvariants

	inside   phitCount
	injected uint64
	phitHops uint64
	bounded  bool // some sink is bounded
}

// router is what belongs to a router as a whole. In every cycle in which ready and idle have a channel in
// common, and in no other, the switch grants something.
type router struct {
	ready   inputs // channels whose head asks for an idle output with space for it
	idle    inputs // those of the input ports that are not streaming a packet
	several inputs // channels whose head may take one of several outputs
	counters
	presence
}

// port is one port of a router: its output, its input, and the link that leaves there. It is a cache line.
type port struct {
	asking      inputs  // channels whose head wants this output
	open        inputs  // channels that the space downstream admits
	idle        uint64  // every bit while the output is idle, else none
	phits       uint64  // that left on the link, or were consumed by the node
	across      int32   // link index at the other end: a link and the input it feeds share it; -1 at an edge
	far         address // of class 0 there
	router      int32
	number      uint8
	lastInput   int8 // granted by the output arbiter
	lastChannel int8 // nominated by the input arbiter
}

// packet is the part of a worm that moves from channel to channel.
type packet struct {
	written noc.Cycle // into the channel where it is
	worm    fabric.WormID
	to      uint16 // destination, if there is one
	left    uint16 // links up to the next turn or the destination
	port    uint8  // output to take, or severalPorts
	phits   uint8
	odd     uint8 // parity of the source, see routes
}

// shipment is a packet on its way to a channel.
type shipment struct {
	packet
	to      address
	channel int32 // the same as an index
}

// channel is the FIFO of one virtual channel. Its first two packets are kept here, which with the slots of
// the paper's router are all: a channel is a cache line.
type channel struct {
	head, second packet
	next         noc.Cycle // first cycle in which the next head may ask for the switch
	branches     uint16    // outputs that the head still has to visit; 0 before its route is known
	stage        uint16    // those of them that it may visit next
	first        uint8     // of the packets behind the second
	size         uint8
	lastTurn     int8
}

// New builds a network on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	nodes, ports := g.Nodes(), g.Ports()
	links := nodes * ports
	n := &Network{config: c, grid: g, nodes: nodes, ports: ports, slots: c.slots(), further: max(0, c.slots()-2),
		bubble: g.Wrap && c.Bubble, priority: c.ChannelArbiter == Priority, afterTail: c.RouteAfterTail,
		routes: newRoutes(g), agendas: newAgendas(c.SlotPhits),
		worms: fabric.NewWorms(nodes, 4*nodes), sinks: fabric.NewSinks(nodes, c.Classes),
		due: make([]uint64, noc.SetWords(nodes)), feeds: make([]uint64, noc.SetWords(nodes)),
		routers: make([]router, nodes), port: make([]port, links),
		credits: make([]uint8, links<<classBits), channels: make([]channel, links<<classBits),
		waiting: make([]packet, (links<<classBits)*max(0, c.slots()-2)),
	}
	n.local = n.bubble && c.BubbleAt == AtRouter
	n.sources = fabric.NewSources(n.worms, nodes, c.Classes, c.SourceQueue, c.SlotPhits)
	n.wire()
	if c.EveryCycle {
		n.visitInOrder(nil)
	}
	return n, nil
}

// wire fills the tables of neighbours and gives every sender its credits.
func (n *Network) wire() {
	g := n.grid
	for port := 1; port < n.ports; port++ {
		dim, sign := g.Direction(port)
		n.against[port] = uint8(g.Port(dim, -sign))
	}
	n.space = patterns(n.against, n.bubble)
	for r := range n.routers {
		n.routers[r].idle = inputs{everyOne, everyOne}
		n.routers[r].lastClass = -1
	}
	for link := range n.port {
		p := &n.port[link]
		router, number := link/n.ports, link%n.ports
		*p = port{router: int32(router), number: uint8(number), across: int32(link), idle: everyOne, lastInput: -1, lastChannel: -1}
		if number != topology.Local {
			p.across = -1
			if peer, entry, ok := g.Neighbour(noc.NodeID(router), number); ok {
				p.across = int32(int(peer)*n.ports + entry)
				p.far = address(int(peer)<<addressBits | entry<<classBits)
			}
		}
		for class := range n.config.Classes {
			ch := link<<classBits | class
			n.channels[ch].lastTurn = -1
			if p.across >= 0 {
				n.credits[ch] = uint8(n.slots)
			}
		}
	}
	for r := range n.nodes {
		n.routers[r].free = uint8(1<<n.config.Classes - 1)
		for a := address(r<<addressBits | 1<<classBits); a.port() < uint(n.ports); a++ {
			n.testSpace(a)
		}
		n.testSink(r)
	}
}

// visitInOrder makes the network visit its routers in the given order (nil: by number), every one of
// them in every cycle when the configuration says so. Results do not depend on it.
func (n *Network) visitInOrder(order []int32) {
	n.order = order
	for r := 0; order == nil && r < n.nodes; r++ {
		n.order = append(n.order, int32(r))
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
	n.feeds[p.Src>>6] |= 1 << (p.Src & 63)
	return true
}

// Deliveries lists what arrived since the last call.
func (n *Network) Deliveries() []noc.Delivery { return n.sinks.Take() }

// LimitSink bounds the sink of a node and class.
func (n *Network) LimitSink(node noc.NodeID, class noc.Class, places int) {
	n.bounded = true
	n.sinks.Limit(node, class, places)
	n.testSink(int(node))
}

// FreeSink gives a place of a bounded sink back.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.sinks.Release(node, class)
	n.testSink(int(node))
}
