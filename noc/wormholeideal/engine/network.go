package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Network is a wormhole network; it implements [noc.Network].
type Network struct {
	config wormholeideal.Config
	wiring *topology.Wiring
	router routing.Function

	dispatch.Interfaces
	calendar fabric.Calendar

	channels  []channel // the wiring's, then one per injection port with InjectionChannels
	receivers []receiver
	routers   []fabric.Counters
	worms     []worm // by the dispatcher's numbers

	freed []int32 // channels to be arbitrated in this cycle
	asked []int32 // nodes whose ejection channels are to be arbitrated
	again []int32 // scratch: those of the next round of this cycle
	plans bool    // worms may have several stops
	wanting

	phitHops uint64
}

// none is no worm, no channel, no message.
const none = int32(-1)

// Kinds of events. Those of one cycle take effect kind by kind; within a kind their order changes nothing.
const (
	portFalls     = iota // an injection port is free: node*portBase + port
	ejectionFalls        // an ejection channel of a node is free
	channelFalls         // a channel is free
	tailLeaves           // a worm's tail leaves its position
	headArrives          // a worm's header may ask for its next place
	kinds
)

// portBase is above every port.
const portBase = dispatch.Loopback + 1

// channel is one link and the buffer behind it: one worm holds both, from the crossing of its header until
// its tail has left the buffer.
type channel struct {
	holder int32
	queue  int32 // first worm that asks for it
	from   int32 // router; none for injection channels
	to     int32
	in     uint16 // port at to, for arbitration
	out    uint16
	listed bool // in freed
	phits  uint64
}

// receiver is where a node takes worms from its router.
type receiver struct {
	idle   int32 // ejection channels
	queue  int32
	listed bool // in asked
}

// New builds a network on a wiring. planner may be nil: a packet then travels as one worm per destination.
func New(w *topology.Wiring, c wormholeideal.Config, r routing.Function, planner dispatch.Planner) (*Network, error) {
	c, err := c.On(w, r, planner)
	if err != nil {
		return nil, err
	}
	nodes := w.Nodes()
	n := &Network{config: c, wiring: w, router: r, plans: planner != nil, wanting: newWanting(r, w.Routers),
		Interfaces: dispatch.New(planner, c.Interfaces(nodes)),
		calendar:   fabric.NewCalendar(max(c.MaxPhits+c.HeaderPhits, c.RouteCycles)+c.CreditCycles+2, kinds),
		receivers:  make([]receiver, nodes), routers: make([]fabric.Counters, w.Routers)}
	for _, l := range w.Channels {
		n.channels = append(n.channels, channel{holder: none, queue: none, from: int32(l.From), to: int32(l.To), in: l.In, out: l.Out})
	}
	for node := range nodes {
		n.receivers[node] = receiver{idle: int32(c.EjectionChannels), queue: none}
		for range c.InjectionPorts {
			if c.InjectionChannels {
				entry := w.Entry[node]
				n.channels = append(n.channels, channel{holder: none, queue: none, from: none, to: int32(entry.Router), in: entry.Port})
			}
		}
	}
	n.Drive(fabric.Engine{Work: n.nextWork, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	return n, nil
}

// NewGrid builds a network on a mesh or torus with the routing that the configuration names.
func NewGrid(g topology.Grid, c wormholeideal.Config, planner dispatch.Planner) (*Network, error) {
	w, r, err := c.OnGrid(g)
	if err != nil {
		return nil, err
	}
	return New(w, c, r, planner)
}

// FreeSink gives back a place of a bounded sink.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.Sinks.Release(node, class)
	n.askReceiver(int32(node))
}

// nextWork is the next cycle in which something can change.
func (n *Network) nextWork() noc.Cycle {
	if len(n.asked)+len(n.freed) > 0 {
		return n.Clock
	}
	return min(n.calendar.Next(n.Clock), n.Dispatch.Next(n.Clock))
}

// cycle simulates the current cycle: places fall free, nodes launch worms, headers ask for their next
// places, and every place that is free goes to the worm that has asked for it longest.
func (n *Network) cycle() {
	t := n.Clock
	due := &n.calendar
	for i := due.Take(t, portFalls); i >= 0; i = due.Take(t, portFalls) {
		n.Dispatch.FreePort(noc.NodeID(i/portBase), i%portBase)
	}
	for node := due.Take(t, ejectionFalls); node >= 0; node = due.Take(t, ejectionFalls) {
		n.receivers[node].idle++
		n.askReceiver(node)
	}
	for c := due.Take(t, channelFalls); c >= 0; c = due.Take(t, channelFalls) {
		n.freeChannel(c)
	}
	for w := due.Take(t, tailLeaves); w >= 0; w = due.Take(t, tailLeaves) {
		n.leave(w, t)
		n.followTail(w, t)
	}
	for _, w := range n.Dispatch.Serve(t) {
		n.launch(w, t)
	}
	for w := due.Take(t, headArrives); w >= 0; w = due.Take(t, headArrives) {
		n.advance(w, t)
	}
	n.arbitrate(t)
	due.Finish(t)
}
