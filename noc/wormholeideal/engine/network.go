// Package engine is the fast form of ideal worms: package wormholeideal says by which rules they travel.
//
// There are only a few types: [Network] is what [New], [NewGrid] and [NewStages] make of a
// configuration. Inside, a run is a stretch of a worm's way without a branch; a path is one run,
// a tree has several. A place is what headers queue for: a channel, all channels of a router
// where routing leaves a choice, the ejection channels of a node, or a token.
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
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Network is a network of ideal worms; it implements [noc.Network].
type Network struct {
	dispatch.Interfaces
	config   wormholeideal.Config
	wiring   *topology.Wiring
	router   routing.Function
	adaptive routing.Adaptive // nil where ways are fixed
	stages   *topology.Multistage
	powers   []int32   // of the switches' arity
	oldest   bool      // the oldest request gets a channel, not that whose turn it is
	release  noc.Cycle // from a tail leaving a buffer to the crossing of the next header
	step     int64     // what a buffer on the way takes: B-r, see tail.go
	calendar fabric.Calendar

	channels []channel // those of the wiring first
	places   []place
	outputs  []int32 // per switch and port down, or to the right: the channel of the wiring
	upwards  []int32 // per switch: its first channel up
	entries  int32   // channel of the first node's first injection port
	exits    []int32 // per node: place of its ejection channels
	received []int   // per node: worms that CheckInvariants finds there
	tokens   []int32 // per switch: place of its group's token, or none
	locals   []int32 // per switch: place of its own token, or none

	routers []fabric.Counters
	runs    []run
	spare   []int32 // runs not in use
	worms   []worm  // by the dispatcher's numbers

	listed   []int32 // places of channels to be arbitrated
	asked    []int32 // nodes whose ejection channels are
	needed   []int32 // places of tokens that are
	again    []int32 // scratch: those of the next round of this cycle
	chosen   []int32 // scratch: runs whose headers cross in this round
	choices  []int32 // scratch
	plans    bool    // worms may have several stops
	phitHops uint64
	releases wormholeideal.Releases
}

// none is no run, no channel, no place.
const none = int32(-1)

// Kinds of events. Those of one cycle take effect kind by kind; within a kind their order changes nothing.
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

// channel is a link and the buffer behind it, an injection channel or a token: one worm has it at a time.
type channel struct {
	holder   int32 // run
	position int32 // of the run
	place    int32
	from     int32 // router; none for injection channels and tokens
	to       int32 // router; none for tokens
	in       int32 // input port at to
	phits    uint64
}

// kind is what headers queue for at a place.
type kind uint8

const (
	link kind = iota // channels between routers, or an injection channel
	ejection
	token
)

// place is where headers queue for one of some channels.
type place struct {
	kind   kind
	listed bool  // to be arbitrated
	queue  int32 // first run that waits; for one cycle by key
	first  int32 // of its channels
	count  int32 // of these
	free   int32 // channels that nobody has
	node   int32 // of ejection
	passes int32 // cycles until a token comes
	served int32 // key of the request granted last
}

// ownWay is the key of a copy that a node sends to itself in a multistage network.
const ownWay = int32(-1)

// New builds a network of worms that follow paths, on any wiring. planner may be nil: a packet
// then travels as one worm per destination.
func New(w *topology.Wiring, c wormholeideal.Config, r routing.Function, planner dispatch.Planner) (*Network, error) {
	c, err := c.On(w, r, planner)
	if err != nil {
		return nil, err
	}
	n := newNetwork(w, c, planner)
	n.router = r
	n.adaptive, _ = r.(routing.Adaptive)
	for i, l := range w.Channels { // ordered by router
		if n.adaptive == nil || i == 0 || w.Channels[i-1].From != l.From {
			n.addPlace(place{kind: link})
		}
		n.addChannel(channel{from: int32(l.From), to: int32(l.To), in: int32(l.In)})
	}
	n.addNodes()
	n.calendar = fabric.NewCalendar(max(c.MaxPhits+c.HeaderPhits, c.RouteCycles)+c.CreditCycles+2, kinds)
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

// NewStages builds a multistage network whose switches replicate worms as Config.Tree says.
func NewStages(m topology.Multistage, c wormholeideal.Config, planner dispatch.Planner) (*Network, error) {
	c, err := c.OnStages(m)
	if err != nil {
		return nil, err
	}
	w := m.Wiring()
	n := newNetwork(w, c, planner)
	n.stages = &m
	for p := int32(1); len(n.powers) <= m.Stages; p *= int32(m.Arity) {
		n.powers = append(n.powers, p)
	}
	n.outputs, n.upwards = fill(w.Routers*m.Arity), fill(w.Routers)
	for i, l := range w.Channels { // ordered by switch and port: the channels up from a switch follow each other
		if int(l.Out) < m.Arity {
			n.outputs[int(l.From)*m.Arity+int(l.Out)] = int32(i)
			n.addPlace(place{kind: link})
		} else if n.upwards[l.From] == none {
			n.upwards[l.From] = int32(i)
			n.addPlace(place{kind: link})
		}
		n.addChannel(channel{from: int32(l.From), to: int32(l.To), in: int32(l.In)})
	}
	n.addNodes()
	if err := n.addTokens(); err != nil {
		return nil, err
	}
	slowest := int32(0)
	for i := range n.places {
		slowest = max(slowest, n.places[i].passes)
	}
	n.calendar = fabric.NewCalendar(max(c.MaxPhits+c.HeaderPhits+2*m.Stages+2, c.RouteCycles, int(slowest))+4, kinds)
	return n, nil
}

// newNetwork makes a network without places.
func newNetwork(w *topology.Wiring, c wormholeideal.Config, planner dispatch.Planner) *Network {
	n := &Network{config: c, wiring: w, oldest: c.Oldest(), release: c.ReleaseCycles(), step: int64(c.BufferPhits - c.CreditCycles), plans: planner != nil, tokens: fill(w.Routers), locals: fill(w.Routers),
		routers: make([]fabric.Counters, w.Routers), received: make([]int, w.Nodes()), Interfaces: dispatch.New(planner, c.Interfaces(w.Nodes()))}
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	return n
}

// addNodes adds the channels between nodes and routers.
func (n *Network) addNodes() {
	n.entries = int32(len(n.channels))
	for node := range n.wiring.Nodes() {
		for range n.config.InjectionPorts {
			n.addPlace(place{kind: link})
			n.addChannel(channel{from: none, to: int32(n.wiring.Entry[node].Router), in: int32(n.wiring.Entry[node].Port)})
		}
	}
	for node := range n.wiring.Nodes() {
		n.exits = append(n.exits, n.addPlace(place{kind: ejection, node: int32(node)}))
		n.places[n.exits[node]].free = int32(n.config.EjectionChannels)
	}
}

// addTokens adds a token for each group of switches, and one for each switch of the first stage of a bidirectional
// network that belongs to none.
func (n *Network) addTokens() error {
	t := n.config.Tree
	if !t.Tokens {
		return nil
	}
	groups, err := multicast.NewSwitchGroups(*n.stages, n.config.EjectionChannels)
	if err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
	}
	places := map[int32]int32{}
	add := func(passes noc.Cycle) int32 {
		p := n.addPlace(place{kind: token, passes: int32(passes)})
		n.addChannel(channel{from: none, to: none})
		return p
	}
	for r := range n.wiring.Routers {
		g := groups.Of(noc.NodeID(r))
		if g < 0 {
			if stage, _ := n.stages.Place(noc.NodeID(r)); n.stages.Bidirectional && stage == 0 && t.LocalTokens {
				n.locals[r] = add(0)
			}
			continue
		}
		if _, known := places[g]; !known {
			places[g] = add(t.Passes(groups.Size(g)))
		}
		n.tokens[r] = places[g]
	}
	return nil
}

func (n *Network) addPlace(p place) int32 {
	p.queue, p.first, p.served = none, int32(len(n.channels)), ownWay-1
	n.places = append(n.places, p)
	return int32(len(n.places) - 1)
}

// addChannel adds a channel to the place that was added last.
func (n *Network) addChannel(c channel) {
	c.place, c.holder = int32(len(n.places)-1), none
	n.places[c.place].count++
	n.places[c.place].free++
	n.channels = append(n.channels, c)
}

// fill returns a table of none.
func fill(size int) []int32 {
	list := make([]int32, size)
	for i := range list {
		list[i] = none
	}
	return list
}

// FreeSink gives back a place of a bounded sink.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) {
	n.Sinks.Release(node, class)
	n.list(n.exits[node])
}

// work returns the next cycle in which something can change.
func (n *Network) work() noc.Cycle {
	if len(n.asked)+len(n.listed)+len(n.needed) > 0 {
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
		n.places[n.exits[node]].free++
		n.list(n.exits[node])
	}
	for c := due.Take(t, channelFalls); c >= 0; c = due.Take(t, channelFalls) {
		n.freeChannel(c)
	}
	for r := due.Take(t, tailCrosses); r >= 0; r = due.Take(t, tailCrosses) {
		if n.stepTail(r, t); n.runs[r].worm != none {
			n.followTail(r, t)
		}
	}
	for _, w := range n.Dispatch.Serve(t) {
		n.launch(w, t)
	}
	for r := due.Take(t, headArrives); r >= 0; r = due.Take(t, headArrives) {
		n.decide(r, t)
	}
	n.giveTokens(t)
	for r := due.Take(t, tokenArrives); r >= 0; r = due.Take(t, tokenArrives) {
		n.branch(r, t)
	}
	n.arbitrate(t)
	due.Finish(t)
}
