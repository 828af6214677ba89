// Package engine is the fast form of ideal worms: package wormholeideal says by which rules they
// travel.
//
// There are only a few types: [Network] is what [New], [NewGrid] and [NewStages] make of a
// configuration. Inside, a run is a stretch of a worm's way without a branch (run.go); a path is
// one run, a tree has several. Its parts are the allocator of channels (allocator.go), the tokens
// (tokens.go), the closed form of where tails are (tail.go) and the ways through switches
// (switches.go). What waits is explained, and deadlocks are found, by wormholeideal.Standing.
//
// Why worms instead of flits: a channel carries one worm at a time, so nothing but the ways of
// its headers decides when each flit moves. tail.go gives the closed form; the cost of a run
// follows the channels that headers cross, whatever the length of messages. Virtual channels
// share a link flit by flit, which no closed form covers: package wormhole is about them.
//
// Laws: a header's place depends on requests of earlier cycles and of this one, never on the
// order in which the engine looks at worms; a cycle without an event changes nothing and is
// skipped. The plain form does the same in every cycle, to which random networks hold both.
//
// The loop is that of fabric.Interfaces; the phases of a cycle are in cycle.
package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Network is a network of ideal worms; it implements [noc.Network].
type Network struct {
	dispatch.Interfaces
	*wormholeideal.Setup
	switches *switches // nil for paths
	release  noc.Cycle // from a tail leaving a buffer to the crossing of the next header
	calendar fabric.Calendar

	channels  []channel
	allocator allocator
	tokens    tokens
	runs
	worms []worm // by the dispatcher's numbers

	routers  []fabric.Counters
	received []int // per node: worms that CheckInvariants finds there
	phitHops uint64
}

// none is no run, no channel, no queue.
const none = wormholeideal.None

// Kinds of events. Those of one cycle take effect kind by kind; within a kind their order changes
// nothing.
const (
	portFalls     = iota // an injection port is free: node*portBase + port
	ejectionFalls        // an ejection channel of a node is free
	channelFalls         // a channel or token is free
	tailCrosses          // the tail of a run crosses into its next position
	headArrives          // the header of a run may ask for what is next
	tokenArrives         // the token has come to the header of a run
	kinds
)

// portBase is above every port.
const portBase = dispatch.Loopback + 1

// channel is a channel or a token, and who has it.
type channel struct {
	wormholeideal.Channel
	holder   int32 // run
	position int32 // of the run
	phits    uint64
}

// ownWay is the key of a copy that a node sends to itself in a multistage network.
const ownWay = int32(-1)

// New builds a network of worms that follow paths, on any wiring. planner may be nil: a packet
// then travels as one worm per destination.
func New(w *topology.Wiring, c wormholeideal.Config, r routing.Function, planner dispatch.Planner) (*Network, error) {
	return newNetwork(c.OnWiring(w, r, planner))
}

// NewGrid builds a network on a mesh or torus with the routing that the configuration names.
func NewGrid(g topology.Grid, c wormholeideal.Config, planner dispatch.Planner) (*Network, error) {
	return newNetwork(c.OnGrid(g, planner))
}

// NewStages builds a multistage network whose switches replicate worms as Config.Tree says.
func NewStages(m topology.Multistage, c wormholeideal.Config, planner dispatch.Planner) (*Network, error) {
	return newNetwork(c.OnStages(m, planner))
}

// newNetwork makes a network of a setup, if there is one.
func newNetwork(s *wormholeideal.Setup, err error) (*Network, error) {
	if err != nil {
		return nil, err
	}
	c := &s.Config
	n := &Network{Setup: s, release: c.ReleaseCycles(), routers: make([]fabric.Counters, s.Wiring.Routers), received: make([]int, s.Wiring.Nodes()),
		runs: runs{step: int64(c.BufferPhits - c.CreditCycles), depth: int32(c.BufferPhits)}, Interfaces: s.NewInterfaces()}
	for _, ch := range s.Channels {
		n.channels = append(n.channels, channel{Channel: ch, holder: none})
	}
	longest := max(c.MaxPhits+c.HeaderPhits, c.RouteCycles) + c.CreditCycles + 2
	if s.Stages != nil {
		n.switches = newSwitches(s)
		longest += 2*s.Stages.Stages + 2
	}
	for i := range s.Queues {
		longest = max(longest, int(s.Queues[i].Passes))
	}
	n.calendar = fabric.NewCalendar(longest+4, kinds)
	n.allocator = newAllocator(n, c.Oldest())
	n.tokens.net = n
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	return n, nil
}

// FreeSink gives back a place of a bounded sink.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.Interfaces.FreeSink(node, class)
	n.allocator.list(n.Exits[node])
}

// LimitSink bounds the sink of one node and class. Headers that wait there may find room.
func (n *Network) LimitSink(node noc.NodeID, class noc.Class, places int) {
	n.Interfaces.LimitSink(node, class, places)
	n.allocator.list(n.Exits[node])
}

// work returns the next cycle in which something can change.
func (n *Network) work() noc.Cycle {
	if n.allocator.busy() {
		return n.Clock
	}
	return min(n.calendar.Next(n.Clock), n.Dispatch.Next(n.Clock))
}

// cycle simulates the current cycle: channels fall free and tails move, nodes launch worms,
// headers ask for what is next, and every place that is free goes to the header that has asked
// for it longest.
func (n *Network) cycle() {
	t := n.Clock
	due := &n.calendar
	for i := due.Take(t, portFalls); i >= 0; i = due.Take(t, portFalls) {
		n.Dispatch.FreePort(noc.NodeID(i/portBase), i%portBase)
	}
	for node := due.Take(t, ejectionFalls); node >= 0; node = due.Take(t, ejectionFalls) {
		n.allocator.release(n.Exits[node])
	}
	for c := due.Take(t, channelFalls); c >= 0; c = due.Take(t, channelFalls) {
		n.allocator.freeChannel(c)
	}
	for r := due.Take(t, tailCrosses); r >= 0; r = due.Take(t, tailCrosses) {
		if n.stepTail(r, t); n.run[r].worm != none {
			n.followTail(r, t)
		}
	}
	for _, w := range n.Dispatch.Serve(t) {
		n.launch(w, t)
	}
	for r := due.Take(t, headArrives); r >= 0; r = due.Take(t, headArrives) {
		n.decide(r, t)
	}
	n.tokens.give(t)
	for r := due.Take(t, tokenArrives); r >= 0; r = due.Take(t, tokenArrives) {
		n.branch(r, t)
	}
	n.allocator.allocate(t)
	due.Finish(t)
}
