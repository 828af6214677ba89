package engine

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
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// Indices. A port index is router*ports+port: as an input it names the buffers there, as an
// output the link that leaves. Packets enter and leave by ports of nodes: on a grid each router
// has one, port 0, for both. Elsewhere a router may have several or none, and a node may leave by
// another router than the one by which it enters. A channel index is that of a word (words.go)
// times 64, plus a bit; an output's virtual channel is named by the input channel that it leads
// to. The node behind an exit is the channel [Network.nowhere], which always has room and belongs
// to nobody for long.

// Network is a network of virtual-channel routers; it implements [noc.Network].
type Network struct {
	dispatch.Interfaces
	config    wormhole.Config
	layout    layout
	wiring    *topology.Wiring
	grid      *topology.Grid // nil elsewhere
	flight    int            // cycles from a switch grant to the flit's arrival in the next buffer
	back      int            // cycles from a switch grant to the credit's use upstream
	nowhere   uint32
	bounded   bool   // some sink is
	entered   []int8 // by port 0 of a router: the input whose packet got a place of a bounded sink last
	enteredBy []int8 // by port: the channel of it
	attentive bool   // nodes want to know of headers, not only of tails
	routes    routes
	known     known
	sets      [noc.MaxClasses][2]uint32

	routers []router
	port    []port
	sides   []side // of ports
	worms   []flight
	// What a channel is made of, apart by what is touched together: by flits, by headers, and as bits.
	front    []front
	upstream []upstream
	channel  []channel
	behind   []int32 // worms of the packets behind its front one, BufferPhits places each
	turns    []int16 // place that the allocator gave it to last
	codes    []uint8 // where the front packet leaves, see layout.code
	words    []word
	robins   []robin     // likewise by word
	bitsOf   [256]uint64 // fields of a word, by inputs
	grants   grants      // what a grant changes in robins
	guesses  *guesses    // for speculation, or nil

	exit     []place    // per node: where packets leave to it
	entry    []uint32   // per node: channel index of its first channel
	asking   []uint32   // channels whose headers may get a virtual channel in this cycle
	asked    []uint32   // the list of the cycle before, for reuse
	refused  []proposal // scratch of allocateChannels
	accepted []uint32   // channels whose headers have got one in this cycle; for speculation
	banks    []bank
	ways     []way        // by lane of all banks
	match    matching     // scratch of banks whose routers are allocated together
	many     int          // a bank's are when more flits than this have moved in the cycle before
	going    []uint32     // channels of the flits that go in this cycle
	heads    []uint32     // headers among them
	tails    []uint32     // tails among them
	restless bool         // the next cycle may grant something, whatever comes
	agenda   [ahead]slot  // by cycle & mask
	movesOf  [ahead]moves // by the cycle of the grant & mask
	mask     uint         // of no more cycles than are needed: what was written lately is near
	busy     uint64       // bit c&mask: something is due in cycle c

	underWay []int   // scratch of CheckInvariants
	pending  pending // scratch of Activity and Links

	// Flits that a switch let pass, and to nodes, see countEjected.
	flits, ejected uint64
}

const none = ^uint32(0)

// router is what belongs to a router as a whole.
type router struct {
	injected         uint64 // flits from its nodes, see Network.countPending
	copied, branched uint64 // flits and packets of which a node takes a copy
	lookups          uint64 // of routes, see there, too
	fabric.Presence         // of packets: from the arrival of a header to the grant of the tail
}

// place is a port of a router: its index, and its number there.
type place struct {
	port, router uint32
	number       uint8
}

// port is what headers and tails need of an output: half a cache line.
type port struct {
	down    uint32 // channel index of the first virtual channel that the output leads to, or nowhere
	free    uint32 // virtual channels of the output that no packet has
	given   uint32 // those that were free at the start of cycle when, and were given to packets in it
	sleeper uint32 // first of the channels whose headers wait until one is free, or the node behind has room; or nowhere
	when    noc.Cycle
	phits   uint64 // of the packets that have got a channel there, see Network.countPending
}

// side is what else there is to know of a port: of its output, and from where flits come to the
// input of the same number.
type side struct {
	feeder uint32 // port index of the output that leads to the input, or none
	node   uint32 // that sends by the input, or none
	turns  uint16 // wide routers only: inputs after the one that the output was granted to last
	shared bool   // it leads to a node that takes flits of all inputs at the same time
}

// frontOf is the front packet of a channel.
func (n *Network) frontOf(ch uint32) *front { return &n.front[ch] }

// inputOf is the port index of a channel's input.
func (n *Network) inputOf(c *channel) uint32 { return c.base + uint32(c.input) }

// stage is what the packet at the front of a channel does.
type stage uint8

const (
	empty    stage = iota // there is none
	coming                // its header will be at the front in a cycle that is known
	unrouted              // its header's route is being computed
	waiting               // for a virtual channel
	active                // it has one
)

// front is what flits of a channel need to come and go: the number of flits that are there in the
// lowest 16 bits, the number of those of the front packet that have not been granted in the next
// 15, a bit while its header is among them, and in the upper half the channel that it goes to.
type front uint64

const (
	oneHere front = 1
	oneLeft front = 1 << 16
	fresh   front = 1 << 31

	leftBits = fresh - oneLeft
)

func (f front) here() uint16 { return uint16(f) }
func (f front) left() uint16 { return uint16(f & leftBits >> 16) }
func (f front) fresh() int   { return int(f >> 31 & 1) }
func (f front) to() uint32   { return uint32(f >> 32) }

// via is the front when a packet of some flits has got a channel to go to.
func (f front) via(to uint32, phits uint16) front {
	return f&(oneLeft-1) | front(phits)*oneLeft | fresh | front(to)<<32
}

// upstream is what is known of a channel where flits come from.
type upstream struct {
	credits int32  // free places
	owner   uint32 // the channel upstream whose packet it is for, or nowhere
}

// channel is the rest of a virtual channel of an input: what headers and tails need.
type channel struct {
	worm    int32 // front packet
	router  uint32
	base    uint32 // port index of its router's port 0
	out     uint32 // port index by which it leaves
	lane    uint32 // of all banks
	node    uint32 // that takes the packet here, or a copy
	next    uint32 // the channel behind it in the list of port.sleeper, or nowhere
	allowed uint32 // virtual channels of the output that it may take
	hops    uint16 // of the front packet up to here, if it leaves a copy
	phits   uint16 // of the front packet
	place   int16
	input   uint8 // port number
	number  uint8 // virtual channel
	output  uint8 // number of out
	steered uint8 // output in the bank's way
	stage   stage
	first   uint8 // of behind
	queued  uint8 // packets behind the front one
	last    int8  // virtual channel of the output that its allocator proposed and was granted
	flags   uint8
	own     bool // the input is a node's
}

// Flags of a channel.
const (
	copies  = 1 << iota // the node takes a copy of the front packet
	leaves              // it goes to the node
	chooses             // its header takes an output when its route has been computed, not before
)

// flight is what the network knows of a worm.
type flight struct {
	stop    uint32    // node
	allowed [2]uint32 // virtual channels that it may take, by half
	halves  uint16    // of a simple one: by which outputs it takes which half
	routers uint16    // that its header has reached
	phits   uint16
	class   noc.Class
	simple  bool // it has one stop, and the network routes it without a choice and in one half of each ring
}

// slot is what takes effect in a cycle to come.
type slot struct {
	headers []arrival // that reach a channel with their flit, or its front
	heads   []uint32  // channels whose header has its route
	ports   []uint32  // channels of nodes that can take the next packet
}

// ahead is how far ahead, at most, something takes effect: below it are all delays that a Config may have.
const ahead = 32

// arrival is a header that reaches a channel.
type arrival struct {
	channel uint32
	worm    int32
}

// proposal is what a header proposes: a channel to go to.
type proposal struct{ from, to uint32 }

// New builds a network on the grid. planner may be nil: a packet then travels as one worm per destination.
func New(g topology.Grid, c wormhole.Config, planner dispatch.Planner) (*Network, error) {
	return newOnGrid(g, c, planner, 0)
}

// newOnGrid does the same with at most so many inputs in a word, for tests; 0 takes as many as fit.
func newOnGrid(g topology.Grid, c wormhole.Config, planner dispatch.Planner, inputsPerWord int) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	w := g.Wiring()
	routes, err := newRoutes(g, w, c.Routing)
	if err != nil {
		return nil, err
	}
	return newNetwork(w, &g, g.Ports(), c, c.Parts(g), routes, planner, inputsPerWord)
}

// NewWiring builds a network on any wiring, with a routing function that is free of deadlock with
// one channel per link and class, or two where it is datelined. Where it leaves a choice, a
// header takes, when its route is computed, the first permitted output with a virtual channel
// free for it, or else the first.
func NewWiring(w *topology.Wiring, c wormhole.Config, r routing.Function, planner dispatch.Planner) (*Network, error) {
	return newOnWiring(w, c, r, planner, 0)
}

// newOnWiring does the same with at most so many inputs in a word, for tests; 0 takes as many as fit.
func newOnWiring(w *topology.Wiring, c wormhole.Config, r routing.Function, planner dispatch.Planner, inputsPerWord int) (*Network, error) {
	parts := 1
	datelined, _ := r.(routing.Datelined)
	if datelined != nil {
		parts = 2
	}
	if err := c.ValidateSize(w.Name, w.Routers, w.Ports(), parts); err != nil {
		return nil, err
	}
	if !dispatch.OneStop(planner) && !w.Direct() {
		return nil, fmt.Errorf("wormhole: worms with several stops need a node at every router, unlike %s", w.Name)
	}
	adaptive, _ := r.(routing.Adaptive)
	return newNetwork(w, nil, w.Ports(), c, parts, routes{wiring: w, function: r, adaptive: adaptive, datelined: datelined}, planner, inputsPerWord)
}

// newNetwork makes a network of routers with some ports, whose channels are in so many parts.
func newNetwork(w *topology.Wiring, g *topology.Grid, ports int, c wormhole.Config, parts int, routes routes, planner dispatch.Planner, inputsPerWord int) (*Network, error) {
	if !dispatch.OneStop(planner) && !c.EjectionPerInput {
		return nil, fmt.Errorf("wormhole: ejection_per_input is off; worms with several stops hand over copies while they pass, so switch it on")
	}
	channels, sets := c.Channels(parts), c.ClassChannels(parts)
	n := &Network{config: c, wiring: w, grid: g, routes: routes, many: manyFlits,
		layout: newLayout(ports, channels, inputsPerWord), known: newKnown(w),
		flight: 1 + c.SwitchCycles + c.LinkCycles, back: 1 + c.CreditCycles, sets: sets, routers: make([]router, w.Routers),
		Interfaces: dispatch.New(planner, c.Interfaces(w.Nodes(), parts))}
	n.mask = 1<<bits.Len(uint(max(n.flight, n.back, c.LinkCycles+c.RouteCycles, 1+c.RouteCycles))) - 1
	n.attentive = c.CutThrough || !dispatch.OneStop(planner)
	n.makeWords()
	n.makeBanks()
	n.makeChannels()
	n.wire()
	n.Drive(fabric.Engine{Work: n.nextWork, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	return n, nil
}

// makeChannels makes the ports and channels of all routers, with their lists.
func (n *Network) makeChannels() {
	ports, all := len(n.routers)*n.layout.ports, len(n.routers)*n.layout.words<<6
	n.nowhere = uint32(all)
	n.port, n.sides = make([]port, ports), make([]side, ports)
	n.front, n.channel = make([]front, all+1), make([]channel, all)
	// Mostly half of a word's bits are used, so upstream takes the parts of a processor's cache
	// that front leaves free.
	n.upstream, n.turns = slices.Repeat([]upstream{{owner: n.nowhere}}, all+33)[32:], slices.Repeat([]int16{-1}, all)
	n.upstream[n.nowhere].credits = math.MaxInt32
	n.behind = make([]int32, all*n.config.BufferPhits)
	for i := range n.port {
		n.port[i], n.sides[i] = port{down: n.nowhere, sleeper: n.nowhere}, side{feeder: none, node: none, turns: ^uint16(0)}
	}
	// Lists of flits that go have room for one of each input, and for what allow takes for granted.
	for i := range n.mask + 1 {
		n.movesOf[i] = moves{make([]uint32, 0, ports+64), make([]uint32, 0, ports)}
	}
	n.going, n.heads, n.tails = make([]uint32, 0, ports+64), make([]uint32, ports+1), make([]uint32, ports+1)
	if n.config.Speculative {
		n.guesses = newGuesses(len(n.words), len(n.routers), ports)
	}
	for r := range n.routers {
		for place := range n.layout.places {
			p, v := place/n.layout.channels, place%n.layout.channels
			n.channel[n.layout.channelAt(r, p, v)] = channel{worm: dispatch.None, router: uint32(r), base: n.layout.portAt(r, 0), last: -1,
				lane: uint32((r>>6*n.layout.words)<<6 + n.layout.firstLane(p) + v), place: int16(place), input: uint8(p), number: uint8(v)}
		}
	}
}

// every goes over all virtual channels of all routers.
func (n *Network) every(yield func(ch uint32, c *channel) bool) {
	for r := range n.routers {
		for place := range n.layout.places {
			ch := n.layout.channelAt(r, place/n.layout.channels, place%n.layout.channels)
			if !yield(ch, &n.channel[ch]) {
				return
			}
		}
	}
}

// wire fills the tables of neighbours and gives every sender its credits.
func (n *Network) wire() {
	l := &n.layout
	for _, c := range n.wiring.Channels {
		from, to := l.portAt(int(c.From), int(c.Out)), l.portAt(int(c.To), int(c.In))
		n.port[from].down, n.port[from].free = l.channelAt(int(c.To), int(c.In), 0), 1<<l.channels-1
		n.sides[to].feeder = from
		for v := range l.channels {
			n.upstream[l.channelAt(int(c.To), int(c.In), v)].credits = int32(n.config.BufferPhits)
		}
	}
	for node := range n.Nodes() {
		entry, exit := n.wiring.Entry[node], n.wiring.Exit[node]
		n.sides[l.portAt(int(entry.Router), int(entry.Port))].node = uint32(node)
		n.entry = append(n.entry, l.channelAt(int(entry.Router), int(entry.Port), 0))
		at := l.portAt(int(exit.Router), int(exit.Port))
		n.exit = append(n.exit, place{at, uint32(exit.Router), uint8(exit.Port)})
		if n.config.EjectionPerInput {
			n.sides[at].shared = true
			n.banks[exit.Router>>6].shared[exit.Port] |= 1 << (exit.Router & 63)
			if l.narrow {
				n.robins[exit.Router].shared |= 0xff << (8 * exit.Port)
			}
		}
		for v := range l.channels {
			n.channel[l.channelAt(int(entry.Router), int(entry.Port), v)].own = true
		}
	}
}

// LimitSink bounds the sink of one node and class.
func (n *Network) LimitSink(node noc.NodeID, class noc.Class, places int) {
	n.Interfaces.LimitSink(node, class, places)
	if !n.bounded {
		n.bounded = true
		n.entered, n.enteredBy = slices.Repeat([]int8{-1}, len(n.port)), slices.Repeat([]int8{-1}, len(n.port))
	}
}

// FreeSink gives back a place of a bounded sink.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.Sinks.Release(node, class)
	n.wakeSleepers(&n.port[n.exit[node].port])
}
