package wormholeideal

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a network of ideal worms, flit by flit; it implements [noc.Network].
type Network struct {
	dispatch.Interfaces
	*Setup
	channels []channel // what changes of Resources.Channels
	queues   []queue   // what changes of Resources.Queues

	worms    []*worm
	spare    []*worm
	arriving []arrival // headers that have crossed and not decided
	passing  []arrival // tokens on their way to headers
	asked    []int32   // queues in which headers wait
	freed    []port    // injection ports to fall free in the next cycle

	activity []noc.Activity
	busy     []uint64    // per router: cycles with a worm in it
	seen     []noc.Cycle // per router: the last of these, plus 1
	hops     uint64
	releases Releases
	choices  []int32   // scratch
	acting   []arrival // scratch
}

// queue is the headers that wait for a resource.
type queue struct {
	requests []request // the oldest first
	served   int32     // key of the request granted last
}

// channel is who has a channel or a token.
type channel struct {
	held     bool
	holder   *worm
	position int32 // of the holder
	freeAt   noc.Cycle
	phits    uint64
}

// request is a header's wish for one of a queue's channels.
type request struct {
	worm     *worm
	position int32 // to be crossed into; of a token, and of a stop where a worm goes on, the one the header is in
	channel  int32 // that it prefers, among the links of a router
	copies   bool  // the node takes a copy and the worm may go on
	since    noc.Cycle
	key      int32 // decides among requests of one cycle
}

// arrival is the header behind a position of a worm, and the cycle in which it acts.
type arrival struct {
	worm     *worm
	position int32
	at       noc.Cycle
}

// port is an injection port of a node.
type port struct {
	node   noc.NodeID
	number int32
}

// New builds a network of worms that follow paths, on any wiring. planner may be nil: a packet
// then travels as one worm per destination.
func New(w *topology.Wiring, c Config, r routing.Function, planner dispatch.Planner) (*Network, error) {
	return newNetwork(c.OnWiring(w, r, planner))
}

// NewGrid builds a network on a mesh or torus with the routing that the configuration names.
func NewGrid(g topology.Grid, c Config, planner dispatch.Planner) (*Network, error) {
	return newNetwork(c.OnGrid(g, planner))
}

// NewStages builds a multistage network whose switches replicate worms as Config.Tree says.
func NewStages(m topology.Multistage, c Config, planner dispatch.Planner) (*Network, error) {
	return newNetwork(c.OnStages(m, planner))
}

// newNetwork makes a network of a setup, if there is one.
func newNetwork(s *Setup, err error) (*Network, error) {
	if err != nil {
		return nil, err
	}
	routers := s.Wiring.Routers
	n := &Network{Setup: s, channels: make([]channel, len(s.Channels)), queues: slices.Repeat([]queue{{served: ownWay - 1}}, len(s.Queues)),
		activity: make([]noc.Activity, routers), busy: make([]uint64, routers), seen: make([]noc.Cycle, routers), Interfaces: s.NewInterfaces()}
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants}, s.Config.EveryCycle)
	return n, nil
}

// work returns the next cycle in which something may happen: this one as long as worms are under
// way.
func (n *Network) work() noc.Cycle {
	if len(n.worms)+len(n.freed) > 0 {
		return n.Clock
	}
	return n.Dispatch.Next(n.Clock)
}

// cycle simulates the current cycle: nodes launch worms, headers decide and ask, tokens, ejection
// channels and channels go to those who have asked for them longest, flits move, and what is
// given back falls free.
func (n *Network) cycle() {
	t := n.Clock
	for _, p := range n.freed {
		n.Dispatch.FreePort(p.node, p.number)
	}
	n.freed = n.freed[:0]
	for _, id := range n.Dispatch.Serve(t) {
		n.launch(id, t)
	}
	for _, a := range n.due(&n.arriving, t) {
		n.decide(a.worm, a.position, t)
	}
	n.grant(t, Token)
	for _, a := range n.due(&n.passing, t) {
		n.branch(a.worm, a.position, t)
	}
	for n.grant(t, Ejection) {
	}
	for n.moveAll(t); n.grant(t, Link); n.moveAll(t) { // rule 7
	}
	n.finish(t)
}

// due takes those out of a list whose cycle has come; the slice is good until the next call.
func (n *Network) due(list *[]arrival, t noc.Cycle) []arrival {
	kept := (*list)[:0]
	n.acting = n.acting[:0]
	for _, a := range *list {
		if a.at > t {
			kept = append(kept, a)
		} else {
			n.acting = append(n.acting, a)
		}
	}
	*list = kept
	return n.acting
}
