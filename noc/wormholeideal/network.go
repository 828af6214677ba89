package wormholeideal

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a network of ideal worms, flit by flit; it implements [noc.Network].
type Network struct {
	dispatch.Interfaces
	config   Config
	wiring   *topology.Wiring
	routing  routing.Function
	adaptive routing.Adaptive // nil where ways are fixed
	stages   *topology.Multistage
	plans    bool // worms may have several stops

	channels []channel // those of the wiring first
	places   []place
	ways     []int32 // per channel of the wiring: the place where headers queue for it
	outputs  []int32 // per router and port: the channel of the wiring
	entries  []int32 // per node and injection port: place of the injection channel
	exits    []int32 // per node: place of its ejection channels
	tokens   []int32 // per switch: place of its group's token, or none
	locals   []int32 // per switch: place of its own token, or none

	worms    []*worm
	spare    []*worm
	arriving []arrival // headers that have crossed and not decided
	passing  []arrival // tokens on their way to headers
	asked    []int32   // places at which headers wait
	freed    []port    // injection ports to fall free in the next cycle

	activity []noc.Activity
	busy     []uint64    // per router: cycles with a worm in it
	seen     []noc.Cycle // per router: the last of these, plus 1
	hops     uint64
	releases Releases
	choices  []int32   // scratch
	acting   []arrival // scratch
}

// none is no place, no channel, no position.
const none = int32(-1)

// kind is what headers queue for at a place.
type kind uint8

const (
	link      kind = iota // a channel between routers, or one of several
	injection             // the channel from a node into its router
	ejection              // the channels from a router into a node
	token
)

// place is where headers queue for one of some channels.
type place struct {
	kind     kind
	channels []int32
	queue    []request // the oldest first
	node     noc.NodeID
	passes   noc.Cycle // time of a free token to a header
	served   int32     // key of the request granted last
}

// channel is a link with the buffer behind it, an injection or ejection channel, or a token. One
// worm has it at a time.
type channel struct {
	from, to int32 // routers; none at the end of a node, and for tokens
	in       int32 // input port at to
	held     bool
	holder   *worm
	position int32 // of the holder
	freeAt   noc.Cycle
	phits    uint64
}

// request is a header's wish for one of a place's channels.
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
	c, err := c.On(w, r, planner)
	if err != nil {
		return nil, err
	}
	n := newNetwork(w, c, planner)
	n.routing = r
	n.adaptive, _ = r.(routing.Adaptive)
	places := fill(w.Routers)
	for i, l := range w.Channels {
		if n.adaptive == nil || places[l.From] == none {
			places[l.From] = n.addPlace(place{kind: link})
		}
		n.ways[i] = places[l.From]
		n.addChannel(n.ways[i], channel{from: int32(l.From), to: int32(l.To), in: int32(l.In)})
	}
	n.addNodes()
	return n, nil
}

// NewGrid builds a network on a mesh or torus with the routing that the configuration names.
func NewGrid(g topology.Grid, c Config, planner dispatch.Planner) (*Network, error) {
	w, r, err := c.OnGrid(g)
	if err != nil {
		return nil, err
	}
	return New(w, c, r, planner)
}

// NewStages builds a multistage network whose switches replicate worms as Config.Tree says.
func NewStages(m topology.Multistage, c Config, planner dispatch.Planner) (*Network, error) {
	c, err := c.OnStages(m)
	if err != nil {
		return nil, err
	}
	w := m.Wiring()
	n := newNetwork(w, c, planner)
	n.stages = &m
	up := int32(none)
	for i, l := range w.Channels { // ordered by switch and port
		switch {
		case int(l.Out) < m.Arity:
			n.ways[i], up = n.addPlace(place{kind: link}), none
		case up == none || w.Channels[i-1].From != l.From:
			up = n.addPlace(place{kind: link})
			n.ways[i] = up
		default:
			n.ways[i] = up
		}
		n.addChannel(n.ways[i], channel{from: int32(l.From), to: int32(l.To), in: int32(l.In)})
	}
	n.addNodes()
	return n, n.addTokens()
}

// newNetwork makes a network without places.
func newNetwork(w *topology.Wiring, c Config, planner dispatch.Planner) *Network {
	n := &Network{config: c, wiring: w, plans: planner != nil, ways: make([]int32, len(w.Channels)), tokens: fill(w.Routers), locals: fill(w.Routers),
		activity: make([]noc.Activity, w.Routers), busy: make([]uint64, w.Routers), seen: make([]noc.Cycle, w.Routers),
		Interfaces: dispatch.New(planner, c.Interfaces(w.Nodes()))}
	n.outputs = fill(w.Routers * w.Ports())
	for i, c := range w.Channels {
		n.outputs[int(c.From)*w.Ports()+int(c.Out)] = int32(i)
	}
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	return n
}

// addNodes adds the channels between nodes and routers.
func (n *Network) addNodes() {
	for node := range n.wiring.Nodes() {
		entry, exit := n.wiring.Entry[node], n.wiring.Exit[node]
		for range n.config.InjectionPorts {
			p := n.addPlace(place{kind: injection, node: noc.NodeID(node)})
			n.entries = append(n.entries, p)
			n.addChannel(p, channel{from: none, to: int32(entry.Router), in: int32(entry.Port)})
		}
		p := n.addPlace(place{kind: ejection, node: noc.NodeID(node)})
		n.exits = append(n.exits, p)
		for range n.config.EjectionChannels {
			n.addChannel(p, channel{from: int32(exit.Router), to: none})
		}
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
		p := n.addPlace(place{kind: token, passes: passes})
		n.addChannel(p, channel{from: none, to: none})
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
	p.served = ownWay - 1
	n.places = append(n.places, p)
	return int32(len(n.places) - 1)
}

func (n *Network) addChannel(p int32, c channel) {
	n.places[p].channels = append(n.places[p].channels, int32(len(n.channels)))
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

// work returns the next cycle in which something may happen: this one as long as worms are under way.
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
	n.grant(t, token)
	for _, a := range n.due(&n.passing, t) {
		n.branch(a.worm, a.position, t)
	}
	for n.grant(t, ejection) {
	}
	for n.moveAll(t); n.grant(t, link); n.moveAll(t) { // rule 7
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
