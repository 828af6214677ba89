package engine

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Indices. A link index is router*ports+port; with an output port it names the link that leaves
// there, with an input port the channels behind it, with the local port the interface's way in
// (credits) and out (requests). A channel index is link<<classBits | class.
const classBits = 3

// A set of channels of one router is a word: one byte per input port, in it one bit per class.
const (
	everyPort  = 0x0101010101010101 // the lowest bit of each byte
	everyClass = 0xff               // the byte of port 0
)

// maxPorts is a power of two above the ports of a router, so that masked indices need no check.
const maxPorts = 1 << portBits

// MaxPorts is the most ports of a router.
const MaxPorts = maxPorts - 1

// A localVC is a virtual channel of a router: port<<classBits | class. A globalVC is one of any
// router: router<<globalBits | localVC. A peerVC is the number of the channel across a link among
// all channels of the network: link<<classBits | class.
type globalVC int32

const (
	portBits   = 3
	globalBits = portBits + classBits
	localMask  = maxPorts<<classBits - 1
)

func (a globalVC) localVC() uint { return uint(a) & localMask }

// at returns the router of a channel.
func (n *Network) at(a globalVC) *router { return n.routers[uint(a)>>globalBits] }

// Network is a BASE or BASE-MC network; it implements [noc.Network].
type Network struct {
	config  buffered.Config
	grid    topology.Grid
	nodes   int
	ports   int
	space   [1 << classBits]buffered.Space // of the channels of each class
	further int                            // packets of a channel behind the second
	bubble  bool
	// reserved tells that headers wait for other numbers of slots than one and two.
	reserved  bool
	afterTail bool // routing waits for the tail ahead
	delays    delays

	fabric.Interfaces
	routes routes

	wheel    fabric.Wheel[events]
	freedNow *events // where the credits of slots that are freed in the current cycle go

	due   []uint64 // routers that have something to grant, and perhaps others, as bits
	feeds []uint64 // routers whose interface has something to send, as bits

	routers  []*router         // one after the other in memory: a pointer needs one register, an index two
	port     []port            // per link, see above
	admits   [maxPorts]pattern // per port number
	opposite [maxPorts]uint8   // per port: the one from which a packet goes straight on

	channels []channel // per link and class
	waiting  []stored  // behind the second: further per channel

	entering  []shipment      // those that interfaces send in the current cycle
	sent      []shipment      // places of those of the current cycle: each output of a router sends at most one
	sending   int             // how many there are
	touched   uint8           // keeps the reading loop of receive alive
	nominees  [maxPorts]uint8 // scratch of allocate: inputs that ask for an output
	nominated [maxPorts]uint8 // and the channels that inputs nominate

	mirror    *buffered.Mirror // made on demand
	returning []uint8          // scratch of mirrored: credits on their way, per channel
	heads     []uint64         // and the channels of each router whose heads may ask for the switch

	copied uint64 // phits of packets copied in routers
}

// router is what belongs to a router as a whole. In every cycle in which ready and idleLines have
// a channel in common, and in no other, the switch grants something.
//
// Its arrays are windows of the arrays of all routers, as long as those of the largest router: in a
// smaller one, the rest belongs to the next router. A masked index into an array needs no bounds
// check and no sum of indices, which took an eighth of the instructions of a grant.
type router struct {
	port      *[maxPorts]port
	channel   *[maxPorts << classBits]channel
	ready     uint64  // channels whose head asks for an idle output with space for it
	idleLines uint64  // every bit of the input ports that are not streaming a packet
	several   uint64  // channels whose head may take one of several outputs
	turn      uint64  // classes above the one that the port nominated last
	due       *uint64 // the word of Network.due with the router, and its bit
	bit       uint64
	base      globalVC // its own
	id        int32
	firstVC   int32          // its first channel among all
	lastInput [maxPorts]int8 // granted by each output arbiter
	sender
	counters
	// Presence is of heads whose route is known, and of granted packets in the crossbar. Other packets
	// that are written become heads delays.ready cycles later, in the order of the writes, so a gap is
	// counted at the first head after it.
	fabric.Presence
}

// port is one port of a router: its output, its input, and the link that leaves there.
type port struct {
	asking  uint64                // channels whose head wants this output
	open    uint64                // channels that the space downstream admits
	idle    uint64                // every bit while the output is idle, else none
	phits   uint64                // that left on the link, or were consumed by the node
	credits [1 << classBits]uint8 // per class, for the channel across; of the local port the interface's
	far     globalVC              // of class 0 across; negative at an edge. A link and the input it feeds share it
	peerVC  int32                 // the same among all channels
}

// shipment is a packet on its way to a channel, which is named twice: by its globalVC, and by its
// place among all.
type shipment struct {
	packet packet
	to     globalVC
	peerVC int32
}

// stored is a packet in a channel, and the lower half of the cycle in which its header is written
// there.
type stored struct {
	packet  packet
	written uint32
}

// channel is the FIFO of one virtual channel. Its first two packets are kept here, which with the
// slots of the paper's router are all. It is half a cache line.
type channel struct {
	front    [2]packet // while there is none: next
	written  [2]uint32 // when their headers are written here: the lower halves of the cycles
	branches uint8     // outputs that a head with several destinations still has to visit
	stage    uint8     // those of them that it may visit next
	first    uint8     // of the packets behind the second
	size     uint8
	lastTurn int8
}

// next is, in an empty channel, the first cycle in which the next head may ask for the switch.
func (c *channel) next() noc.Cycle { return noc.Cycle(c.front[0]) }

func (c *channel) setNext(t noc.Cycle) { c.front[0] = packet(t) }

// New builds a network on the grid. It fails when the configuration is not valid there, and when a
// router would have more than MaxPorts ports.
func New(g topology.Grid, c buffered.Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	nodes, ports := g.Nodes(), g.Ports()
	if ports > MaxPorts {
		return nil, fmt.Errorf("buffered: %d ports on %s; the fast router has at most %d, so use the plain one", ports, g, MaxPorts)
	}
	links := nodes * ports
	n := &Network{config: c, grid: g, nodes: nodes, ports: ports, further: max(0, c.MostSlots()-2),
		bubble: g.Wrap && c.Bubble, reserved: c.Slots == buffered.Reserved, afterTail: c.RouteAfterTail,
		routes: newRoutes(g), wheel: fabric.NewWheel[events](max(c.SlotPhits, 2+c.LinkCycles) + c.RouteCycles + c.AllocationCycles), delays: delaysOf(c),
		due: make([]uint64, noc.SetWords(nodes)), feeds: make([]uint64, noc.SetWords(nodes)),
		Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.SlotPhits, ClassPhits: c.ClassPhits}),
		routers:    make([]*router, nodes), port: make([]port, links+maxPorts),
		channels: make([]channel, (links+maxPorts)<<classBits),
		waiting:  make([]stored, (links<<classBits)*max(0, c.MostSlots()-2)),
		entering: make([]shipment, 0, nodes),
		sent:     make([]shipment, nodes*(ports-1)+1), // and one for a packet on its way to a node
	}
	for class := range c.Classes {
		n.space[class] = c.SpaceOf(class)
	}
	all := make([]router, nodes)
	for node := range n.routers {
		r := &all[node]
		n.routers[node] = r
		r.base, r.id, r.due, r.bit = globalVC(node<<globalBits), int32(node), &n.due[node>>6], 1<<(node&63)
		r.firstVC = int32(node * ports << classBits)
		r.port = (*[maxPorts]port)(n.port[node*ports:])
		r.channel = (*[maxPorts << classBits]channel)(n.channels[node*ports<<classBits:])
	}
	n.port, n.channels = n.port[:links], n.channels[:links<<classBits]
	n.wire()
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants, CheckNotes: n.checkNotes, Room: func(node noc.NodeID, _ noc.Class) { n.testSink(int(node)) }}, c.EveryCycle)
	return n, nil
}

// wire fills the tables of neighbours and gives every sender its credits.
func (n *Network) wire() {
	g := n.grid
	for port := 1; port < n.ports; port++ {
		dim, sign := g.Direction(port)
		n.opposite[port] = uint8(g.Port(dim, -sign))
	}
	n.admits = patterns(n.opposite, n.bubble)
	for node := range n.routers {
		n.routers[node].idleLines = ^uint64(0)
		n.routers[node].turn = n.routers[node].idleLines
		n.routers[node].lastClass = -1
	}
	for link := range n.port {
		p := &n.port[link]
		router, number := link/n.ports, link%n.ports
		*p = port{far: globalVC(router << globalBits), idle: ^uint64(0)}
		n.routers[router].lastInput[number] = -1
		if number != topology.Local {
			p.far = -1
			if peer, entry, ok := g.Neighbour(noc.NodeID(router), number); ok {
				p.far = globalVC(int(peer)<<globalBits | entry<<classBits)
			}
		}
		p.peerVC = int32(n.channelIndex(p.far))
		for class := range n.config.Classes {
			ch := link<<classBits | class
			n.channels[ch].lastTurn = -1
			if p.far >= 0 {
				p.credits[class] = uint8(n.space[class].Slots - n.withheld(number, class))
			}
		}
	}
	for node := range n.nodes {
		n.routers[node].free = uint8(1<<n.config.Classes - 1)
		for localVC := uint(1 << classBits); localVC < uint(n.ports<<classBits); localVC++ {
			p, class := &n.routers[node].port[localVC>>classBits], localVC&(1<<classBits-1)
			p.open |= n.admits[localVC>>classBits][n.level(class, p.credits[class])] << class
		}
		n.testSink(node)
	}
}

// withheld returns how many slots of a channel its sender gets no credit for: an interface may send
// while it has any credit, so that it cannot take what has to stay free for others.
func (n *Network) withheld(port, class int) int {
	if port == topology.Local {
		return n.space[class].Ahead - 1
	}
	return 0
}

// Offer puts a packet into the source queue of its node and class.
func (n *Network) Offer(p noc.Packet) bool {
	if !n.Sources.Offer(&p, n.Clock) {
		return false
	}
	n.feeds[p.Src>>6] |= 1 << (p.Src & 63)
	return true
}

// work returns the next cycle in which a router, an interface or an event is due.
func (n *Network) work() noc.Cycle {
	for i := range n.due {
		if n.due[i]|n.feeds[i] != 0 {
			return n.Clock
		}
	}
	return n.wheel.Next(n.Clock)
}

// cycle simulates the current cycle: what was sent earlier takes effect, then each interface and
// each switch with work does its part.
func (n *Network) cycle() {
	t := n.Clock
	n.takeEvents(t)
	n.freedNow = n.wheel.At(t + creditDelay)
	if n.config.EveryCycle {
		for node := range n.routers {
			n.due[node>>6] |= 1 << (node & 63)
			n.feeds[node>>6] |= 1 << (node & 63)
		}
	}
	routers := n.routers
	for i, w := range n.feeds {
		for n.feeds[i] = 0; w != 0; w &= w - 1 {
			n.inject(routers[i<<6+bits.TrailingZeros64(w)], t)
		}
	}
	for i, w := range n.due {
		for n.due[i] = 0; w != 0; w &= w - 1 {
			n.allocate(routers[i<<6+bits.TrailingZeros64(w)], t)
		}
	}
	n.push(n.entering, t+injectDelay)
	n.entering = n.entering[:0]
	n.receive(t)
	if len(n.freedNow.freed[0])|len(n.freedNow.freed[1]) != 0 {
		n.wheel.On(t + creditDelay)
	}
}
