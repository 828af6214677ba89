package treeworm

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a multistage network of switches that replicate; it implements [noc.Network].
type Network struct {
	config Config
	of     topology.Multistage
	wiring *topology.Wiring
	powers []int32 // of the arity

	dispatch.Interfaces
	calendar fabric.Calendar

	places   []place
	channels []channel // of places, one after the other
	outputs  []int32   // [router*arity+port]: place of the output that the destination decides
	upwards  []int32   // [router]: place of the outputs up
	tokens   []int32   // [router]: place of the token of its group; none
	locals   []int32   // [router]: place of the token of the switch alone; none
	entries  []int32   // [node]: place of the injection channel
	exits    []int32   // [node]: place of the consumption channels
	links    []int32   // [channel of the wiring]: channel

	routers   []fabric.Counters
	worms     []worm // by the dispatcher's numbers
	positions []position
	spare     [maxBlock][]int32 // free blocks of positions, by the logarithm of their size
	scratch   []position
	spans     []span
	listed    []int32 // places to be arbitrated in this cycle
	asked     []int32 // tokens to be given in this cycle
	plans     bool

	phitHops uint64
	releases Releases
}

// none is no worm, no position, no place.
const none = int32(-1)

// Kinds of events. Those of one cycle take effect kind by kind; within a kind their order changes nothing.
const (
	portFalls    = iota // an injection port is free: node*portBase + port
	channelFalls        // a channel, consumption channel or token is free
	tailArrives         // the tail of a worm reaches a leaf
	headArrives         // the header at a position may ask for its outputs
	tokenArrives        // the token has come to the header at a position
	kinds
)

// portBase is above every port.
const portBase = dispatch.Loopback + 1

// kind is what a place is.
type kind uint8

const (
	link        kind = iota
	upward           // the channels up from a switch
	injection        // from a node into its switch
	consumption      // from a switch into a node
	token
)

// place is what headers queue for: some channels, of which any will do.
type place struct {
	kind   kind
	listed bool
	queue  int32  // first position that waits for it
	first  int32  // of its channels
	free   uint64 // of its channels, as bits
	node   int32  // of consumption and injection
	passes int32  // cycles until a token comes
	served int32  // key of the header that got it last
}

// channel is a link or consumption channel, or a token.
type channel struct {
	place  int32
	member uint8
	holder int32 // position
	from   int32 // router; none for injection channels
	to     int32 // router; none for consumption channels and tokens
	in     int32 // port at to, for arbitration
	phits  uint64
}

// New builds a network. planner may be nil: a packet then travels as one worm per destination.
func New(m topology.Multistage, c Config, planner dispatch.Planner) (*Network, error) {
	if err := c.Validate(m); err != nil {
		return nil, err
	}
	w := m.Wiring()
	nodes := w.Nodes()
	if c.BufferPhits == 0 {
		c.BufferPhits = (nodes + c.PhitBits - 1) / c.PhitBits
	}
	n := &Network{config: c, of: m, wiring: w, plans: planner != nil, routers: make([]fabric.Counters, w.Routers),
		Interfaces: dispatch.New(planner, dispatch.Config{Nodes: nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits,
			Startup: c.Startup, Preparation: c.Preparation, HeaderPhits: c.HeaderPhits, Ports: 1, PortsOf: []uint32{1}, OwnWay: true})}
	for p := int32(1); len(n.powers) <= m.Stages; p *= int32(m.Arity) {
		n.powers = append(n.powers, p)
	}
	if err := n.lay(); err != nil {
		return nil, err
	}
	deepest := 2*m.Stages + 2
	n.calendar = fabric.NewCalendar(max(c.MaxPhits+c.HeaderPhits+deepest, c.RouteCycles, n.slowestToken())+4, kinds)
	n.Drive(fabric.Engine{Work: n.nextWork, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	return n, nil
}

// FreeSink gives back a place of a bounded sink.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.Sinks.Release(node, class)
	n.list(n.exits[node])
}

// nextWork is the next cycle in which something can change.
func (n *Network) nextWork() noc.Cycle {
	if len(n.listed) > 0 {
		return n.Clock
	}
	return min(n.calendar.Next(n.Clock), n.Dispatch.Next(n.Clock))
}

// cycle simulates the current cycle: places fall free, nodes launch worms, headers ask for tokens and
// outputs, tokens go to those who have asked for them longest, and then every other free place.
func (n *Network) cycle() {
	t := n.Clock
	due := &n.calendar
	for i := due.Take(t, portFalls); i >= 0; i = due.Take(t, portFalls) {
		n.Dispatch.FreePort(noc.NodeID(i/portBase), i%portBase)
	}
	for c := due.Take(t, channelFalls); c >= 0; c = due.Take(t, channelFalls) {
		n.free(c, t)
	}
	for p := due.Take(t, tailArrives); p >= 0; p = due.Take(t, tailArrives) {
		n.deliver(p, t)
	}
	for _, w := range n.Dispatch.Serve(t) {
		n.launch(w, t)
	}
	for p := due.Take(t, headArrives); p >= 0; p = due.Take(t, headArrives) {
		n.ask(p, t)
	}
	n.giveTokens(t)
	for p := due.Take(t, tokenArrives); p >= 0; p = due.Take(t, tokenArrives) {
		n.branch(p, t)
	}
	for i := 0; i < len(n.listed); i++ {
		n.places[n.listed[i]].listed = false
		n.grant(n.listed[i], t)
	}
	n.listed = n.listed[:0]
	due.Finish(t)
}
