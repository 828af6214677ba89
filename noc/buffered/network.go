package buffered

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Indices. A link index is router*ports+port; with an output port it names the link that leaves there,
// with an input port the channels behind it, with the local port the interface's way in (credits) and
// out (requests). A channel index is link<<classBits | class.
const classBits = 3

// inputs is a set of channels of one router: one byte per input port, in it one bit per class. Topology
// allows 15 ports.
type inputs [2]uint64

// everyPort has the lowest bit of each byte set.
const everyPort = 0x0101010101010101

// Network is a BASE or BASE-MC network; it implements [noc.Network].
type Network struct {
	config  Config
	grid    topology.Grid
	nodes   int
	ports   int
	slots   int // packets per channel
	bubble  bool
	local   bool  // bubble tested at the router itself
	toEnter uint8 // credits for the channel downstream that a packet entering a ring needs
	now     noc.Cycle
	order   []int32 // visit routers in this order instead of by wake bits; nil for the usual one

	wheel   *fabric.Wheel
	worms   *fabric.Worms
	sources *fabric.Sources
	sinks   *fabric.Sinks
	routes  routes

	port    []port  // per link, see above
	against []uint8 // per port number: the opposite one, from which a packet goes straight on

	// Per router.
	wanted        []uint16 // outputs with requests
	interfaceBusy []noc.Cycle
	lastClass     []int8
	counters      []counters
	presence      []presence

	// Per channel.
	credits  []uint8 // held by the router (or interface) that sends into the channel across
	channels []channel
	places   []fabric.WormID // slots per channel

	heads   [fabric.Horizon][]int32 // channels whose head may first ask for the switch in that cycle
	busy    uint64                  // bit c%Horizon: heads has entries for cycle c
	returns [4][]int32              // credits usable from that cycle on; ^channel asks for a new bubble test

	grantable [16]inputs // scratch of allocate: requests that an idle output could grant
	nominees  [16]uint16 // scratch of allocate: inputs that ask for an output

	underWay []uint8 // scratch of CheckInvariants

	inside   phitCount
	injected uint64
	phitHops uint64
	bounded  bool // some sink is bounded
}

// port is one port of a router: its output, its input, and the link that leaves there. Together they are
// little more than a cache line, which is what a grant costs.
type port struct {
	asking      inputs // channels whose head wants this output
	open        inputs // channels that the space downstream admits
	busy        noc.Cycle
	inputBusy   noc.Cycle
	phits       uint64 // that left on the link
	across      int32  // link index at the other end: a link and the input it feeds share it; -1 at an edge
	router      int32
	number      uint8
	free        uint8 // at the local port: classes for which the interface has a credit
	lastInput   int8  // granted by the output arbiter
	lastChannel int8  // nominated by the input arbiter
}

// channel is the FIFO of one virtual channel.
type channel struct {
	next     noc.Cycle // first cycle in which the next head may ask for the switch
	branches uint16    // outputs that the head still has to visit; 0 before its route is known
	stage    uint16    // those of them that it may visit next
	head     uint8
	size     uint8
	lastTurn int8
}

// New builds a network on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	nodes, ports := g.Nodes(), g.Ports()
	links := nodes * ports
	n := &Network{config: c, grid: g, nodes: nodes, ports: ports, slots: c.slots(),
		bubble: g.Wrap && c.Bubble, routes: newRoutes(g),
		wheel: fabric.NewWheel(nodes), worms: fabric.NewWorms(nodes, 4*nodes), sinks: fabric.NewSinks(nodes, c.Classes),
		port:   make([]port, links),
		wanted: make([]uint16, nodes), interfaceBusy: make([]noc.Cycle, nodes), lastClass: make([]int8, nodes),
		counters: make([]counters, nodes), presence: make([]presence, nodes),
		credits: make([]uint8, links<<classBits), channels: make([]channel, links<<classBits),
		places: make([]fabric.WormID, (links<<classBits)*c.slots()),
	}
	n.local = n.bubble && c.BubbleAt == AtRouter
	n.toEnter = 1
	if n.bubble && !n.local {
		n.toEnter = 2
	}
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
	n.against = make([]uint8, n.ports)
	for port := 1; port < n.ports; port++ {
		dim, sign := g.Direction(port)
		n.against[port] = uint8(g.Port(dim, -sign))
	}
	for link := range n.port {
		p := &n.port[link]
		router, number := link/n.ports, link%n.ports
		*p = port{router: int32(router), number: uint8(number), across: int32(link), lastInput: -1, lastChannel: -1}
		n.lastClass[router] = -1
		if number != topology.Local {
			p.across = -1
			if peer, entry, ok := g.Neighbour(noc.NodeID(router), number); ok {
				p.across = int32(int(peer)*n.ports + entry)
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
	for ch := range n.credits {
		if n.credits[ch] > 0 {
			n.testSpace(ch)
		}
	}
	for r := range n.nodes {
		n.testSink(r * n.ports)
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
	n.wheel.Wake(p.Src, n.now)
	return true
}

// Deliveries lists what arrived since the last call.
func (n *Network) Deliveries() []noc.Delivery { return n.sinks.Take() }

// LimitSink bounds the sink of a node and class.
func (n *Network) LimitSink(node noc.NodeID, class noc.Class, places int) {
	n.bounded = true
	n.sinks.Limit(node, class, places)
	n.testSink(int(node) * n.ports)
	n.wheel.Wake(node, n.now)
}

// FreeSink gives a place of a bounded sink back.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.sinks.Release(node, class)
	n.testSink(int(node) * n.ports)
	n.wheel.Wake(node, n.now)
}

// Step simulates cycles up to until, or to the first one with news for the client.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.now < until {
		if !n.config.EveryCycle {
			if next := min(n.nextWork(), until); next > n.now {
				n.now = next
				n.wheel.SkipTo(next)
				if n.collect() || n.now == until {
					return n.now
				}
			}
		}
		n.cycle()
		room := n.sources.TakeRoomAgain()
		if n.collect() || room {
			return n.now
		}
	}
	return n.now
}

// nextWork is the next cycle in which a router, a header, a credit or a delivery is due.
func (n *Network) nextWork() noc.Cycle {
	next := min(n.wheel.Next(), n.sinks.Next())
	if n.busy != 0 {
		turned := bits.RotateLeft64(n.busy, -int(n.now%fabric.Horizon))
		next = min(next, n.now+noc.Cycle(bits.TrailingZeros64(turned)))
	}
	for c := n.now; c < n.now+3 && c < next; c++ {
		if len(n.returns[c%4]) > 0 {
			return c
		}
	}
	return next
}

// collect moves the deliveries visible now to the client's list and tells whether there were any.
func (n *Network) collect() bool {
	if n.sinks.Next() > n.now {
		return false
	}
	n.sinks.Collect(n.now)
	return true
}

// cycle simulates the current cycle: what was sent earlier takes effect, then each router with work does
// its part.
func (n *Network) cycle() {
	t := n.now
	n.takeCredits(t)
	n.routeHeads(t)
	due := n.wheel.Due()
	if n.order != nil {
		for _, r := range n.order {
			if n.config.EveryCycle || due[r>>6]>>(r&63)&1 != 0 {
				n.step(int(r), t)
			}
		}
	} else {
		for i := range due {
			for w := due[i]; w != 0; w &= w - 1 {
				n.step(i<<6+bits.TrailingZeros64(w), t)
			}
		}
	}
	n.wheel.Finish()
	n.now++
	if checking {
		if err := n.CheckInvariants(); err != nil {
			panic(err)
		}
	}
}
