package wormholeideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a network of ideal worms; it implements [noc.Network].
type Network struct {
	dispatch.Interfaces
	*setup
	holdings []holding // by the numbers of resources.Channels
	waits    []waiting // by the numbers of resources.Queues
	toServe  [phases][]int32
	serving  []int32 // scratch: the queues of one round
	granted  []grant // scratch: channels given away in one round
	choices  []int32 // scratch

	worms     []worm // by the dispatcher's numbers
	positions arena
	ended     []int32 // worms that leave the network in this cycle

	calendar fabric.Calendar
	routers  []counters
	hops     uint64
	inside   uint64 // flits of the worms inside
	releases Releases

	// OnHeader, if it is set, is told when a node may act on the header of a message.
	OnHeader func(message noc.Tag, from noc.Cycle)
}

// holding is what changes of a channel or a token.
type holding struct {
	holder int32 // position of the worm that has it, or none
	freeAt noc.Cycle
	phits  uint64
}

// The kinds of events. Those of one cycle take effect kind by kind, in the order of cycle; within
// a kind their order changes nothing.
const (
	portFalls    = iota // an injection port is free: node*portBase + port
	channelFalls        // a channel or a token is free
	tailCrosses         // the tail of a worm crosses into a position
	headerReady         // the header in a position may ask for what is next
	tokenComes          // the token for branching is at the switch of a position
	flitsPassed         // enough flits have been forwarded for a token to be given back
	kinds
)

// portBase is the number of port numbers of a node, Loopback included.
const portBase = dispatch.Loopback + 1

// New builds a network. With Config.Tree it is a multistage one, whose switches replicate worms; else
// worms follow paths, by a routing function or, on a grid without one, by the routing that the
// configuration names. planner may be nil: a packet then travels as one worm per destination.
func New(l topology.Layout, c Config, r routing.Function, planner dispatch.Planner) (*Network, error) {
	s, err := c.on(l, r, planner)
	if err != nil {
		return nil, err
	}
	n := &Network{setup: s, holdings: make([]holding, len(s.channels)), waits: make([]waiting, len(s.queues)),
		routers: make([]counters, s.wiring.Routers), Interfaces: s.newInterfaces()}
	for c := range n.holdings {
		n.holdings[c].holder = none
	}
	for q := range n.waits {
		n.waits[q].free, n.waits[q].served = s.queues[q].count, ownWay-1
	}
	n.calendar = fabric.NewCalendar(s.horizon(), kinds)
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants, Room: func(node noc.NodeID, _ noc.Class) { n.list(n.exits[node]) }}, s.config.EveryCycle)
	return n, nil
}

// horizon returns how many cycles ahead an event may lie: the tail of a worm crosses at most its
// length, and the positions of a tree, after the header that decides it.
func (s *setup) horizon() int {
	c := &s.config
	cycles := max(c.MaxPhits+c.HeaderPhits, c.RouteCycles) + c.CreditCycles + 6
	if s.stages != nil {
		cycles += 2*s.stages.Stages + 2
	}
	for i := range s.queues {
		cycles = max(cycles, int(s.queues[i].passes)+4)
	}
	return cycles
}

// work returns the next cycle in which something can change.
func (n *Network) work() noc.Cycle {
	for _, queues := range n.toServe {
		if len(queues) > 0 {
			return n.Clock
		}
	}
	return min(n.calendar.Next(n.Clock), n.Dispatch.Next(n.Clock))
}

// cycle simulates the current cycle: ports and channels fall free and tails move, nodes launch
// worms, headers request what they need next, tokens, ejection channels and channels go to the
// oldest requests, and what is no longer needed is given back.
func (n *Network) cycle() {
	t, due := n.Clock, &n.calendar
	if n.config.EveryCycle {
		for q := range n.waits {
			n.list(int32(q))
		}
	}
	for i := due.Take(t, portFalls); i >= 0; i = due.Take(t, portFalls) {
		n.Dispatch.FreePort(noc.NodeID(i/portBase), i%portBase)
	}
	for c := due.Take(t, channelFalls); c >= 0; c = due.Take(t, channelFalls) {
		n.fall(c)
	}
	for k := due.Take(t, tailCrosses); k >= 0; k = due.Take(t, tailCrosses) {
		n.tailCrosses(k, t)
	}
	for _, id := range n.Dispatch.Serve(t) {
		n.launch(id, t)
	}
	for k := due.Take(t, headerReady); k >= 0; k = due.Take(t, headerReady) {
		n.decide(k, t)
	}
	n.give(tokenPhase, t)
	for k := due.Take(t, tokenComes); k >= 0; k = due.Take(t, tokenComes) {
		n.branch(k, t)
	}
	n.give(ejectionPhase, t)
	n.give(linkPhase, t)
	for k := due.Take(t, flitsPassed); k >= 0; k = due.Take(t, flitsPassed) {
		n.flitsPassed(k, t)
	}
	n.endWorms()
	due.Finish(t)
}
