package wormholeideal

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Tree describes switches that replicate worms. Worms then follow the destinations'
// digits, whatever Config.Routing says.
type Tree struct {
	// Tokens makes branches wait for the token of their group of switches. Without it worms
	// deadlock.
	Tokens      bool
	Release     Release
	Arbitration Arbitration
	// TokenHop is the time of a token from one switch of its group to the next, in cycles: a
	// request waits for half the group.
	TokenHop  int
	TokenTime TokenTime
	// Multiple lets worms of a bidirectional network turn round at several stages: they branch on
	// the way up, too. All switches then share one token, which a worm with several destinations
	// takes in its first switch: further on, it would hold channels for which the worm with the
	// token may wait.
	Multiple bool
	// Dilated gives each link into stage j of a unidirectional network as many channels as there
	// are nodes before it, Arity^j. With as many ejection channels as nodes no tokens are needed.
	Dilated bool
	// Adaptive lets worms climb a bidirectional network by the lowest port that is free. Otherwise
	// they wait for the lowest.
	Adaptive bool
}

// TokenTime says which branches of a worm wait for their tokens to come.
type TokenTime string

// The rules. Branches need the token of their group in any case.
const (
	// Stage charges the passing time at every switch at which a worm branches.
	Stage TokenTime = "stage"
	// Once charges it at the first such switch only: the tokens below are there when they are
	// free.
	Once TokenTime = "once"
)

// Release says when a switch gives a token back (rule 9).
type Release string

// The rules.
const (
	// Headers gives it back when the headers below the switch have the ejection channels of all
	// their destinations.
	Headers Release = "headers"
	// Flits gives it back when more flits have been forwarded than the buffers on the route hold,
	// and when all headers have arrived if the message is not longer than that.
	Flits Release = "flits"
)

// Arbitration says which of the headers that wait for an output gets it. Tokens always go to the
// oldest request.
type Arbitration string

// The rules.
const (
	// Oldest takes the one that asked first, then that of the lowest input. A header asks for all
	// its outputs at once, so that two that branch in one switch never get one output each, even
	// without tokens.
	Oldest Arbitration = "oldest"
	// RoundRobin takes the first input after the one that the output served last.
	RoundRobin Arbitration = "round-robin"
)

// DefaultTree returns the network of Varavithya and Mohapatra (section 5.1) in cycles of 20 ns:
// 0.5 us of startup, decisions of 60 ns, flits of 16 bits, buffers for one header.
func DefaultTree() Config {
	return Config{Classes: 1, MaxPhits: 64, RouteCycles: 3, HeaderPhits: 1, EjectionChannels: 1, Startup: 25, PhitBits: 16, SourceQueue: 16,
		Tree: &Tree{Tokens: true, Release: Headers, Arbitration: Oldest, TokenHop: 1, TokenTime: Stage, Adaptive: true}}
}

// TreePlanner plans one worm that branches, for the planner of a multistage network whose switches
// replicate.
type TreePlanner struct{}

// Plan returns the worm of a request.
func (TreePlanner) Plan(r multicast.Request) (multicast.Plan, error) {
	stops := r.Targets()
	if len(stops) == 0 {
		return nil, nil
	}
	return multicast.Plan{{From: r.Source, Stops: stops, After: -1}}, nil
}

// validateTree reports whether a multistage network of switches that replicate worms can be built.
func (c Config) validateTree(m topology.Multistage) error {
	if err := c.validateRanges(0); err != nil {
		return err
	}
	if err := cmp.Or(
		fabric.CheckRange("token_hop", c.Tree.TokenHop, 0, 1<<10),
		fabric.CheckChoice("release", c.Tree.Release, Headers, Flits),
		fabric.CheckChoice("token_time", c.Tree.TokenTime, Stage, Once),
		fabric.CheckChoice("arbitration", c.Tree.Arbitration, Oldest, RoundRobin),
	); err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
	}
	if c.Tree.Dilated && (m.Bidirectional || c.Tree.Tokens) || c.Tree.Multiple && !m.Bidirectional {
		return fmt.Errorf("wormholeideal: dilated is for unidirectional networks without tokens, multiple turnaround for bidirectional ones; the topology is %s", m)
	}
	if m.Stages < 1 || m.Arity < 2 || m.Arity > maxArity {
		return fmt.Errorf("wormholeideal: switches of %s have %d ports to each side; use 2 to %d", m, m.Arity, maxArity)
	}
	if _, err := multicast.NewSwitchGroups(m, c.EjectionChannels); err != nil && !(c.Tree.Dilated && c.EjectionChannels == m.Nodes()) {
		return fmt.Errorf("wormholeideal: ejection_channels: %w", err)
	}
	return nil
}

// onStages returns the setup of a multistage network whose switches replicate worms, or tells what
// does not fit. A node has one channel into its switch, credits take no time, and buffers of 0
// phits take a header of one bit per node.
func (c Config) onStages(m topology.Multistage, planner dispatch.Planner) (*setup, error) {
	if err := c.validateTree(m); err != nil {
		return nil, err
	}
	if c.BufferPhits == 0 {
		c.BufferPhits = (m.Nodes() + c.PhitBits - 1) / c.PhitBits
	}
	c.InjectionChannels, c.InjectionPorts, c.CutThrough, c.CreditCycles = true, 1, false, 0
	s := &setup{config: c, wiring: m.Wiring(), stages: &m, planner: planner}
	if c.Tree.Dilated {
		s.wiring = dilated(m)
	}
	s.resources = newResources(s.wiring, c, func(before, c topology.Channel) bool {
		return before.Out == c.Out || int(before.Out) >= m.Arity && int(c.Out) >= m.Arity
	})
	return s, s.addTokens(c, m)
}

// dilated returns the wiring of a network with several channels in each link.
func dilated(m topology.Multistage) *topology.Wiring {
	w := *m.Wiring()
	links := w.Channels
	w.Channels = nil
	for _, l := range links {
		stage, _ := m.Place(l.To)
		w.Channels = append(w.Channels, slices.Repeat([]topology.Channel{l}, m.Power(stage))...)
	}
	return &w
}

// What leads to a position of a tree, if it is no output port of its own.
const (
	climbs = int32(-1) // any port up
	ends   = int32(-2) // the channel into the node
)

// split divides the stops of a header in a switch among the outputs, and asks for a token if there
// are several.
func (n *Network) split(at int32, t noc.Cycle) {
	p := *n.positions.at(at)
	n.routers[p.router].decided++
	stage, _ := n.stages.Place(noc.NodeID(p.router))
	stops := n.Dispatch.At(p.worm).Stops
	several := false
	for low := p.low; low < p.high; {
		port, high := n.output(&p, stage, stops[low]), low+1
		for port != ends && high < p.high && n.output(&p, stage, stops[high]) == port {
			high++
		}
		several = several || high-low < p.high-p.low
		child := n.positions.at(n.add(p.worm, at))
		child.port, child.low, child.high, child.owed = port, low, high, high-low
		if port == ends {
			child.node = int32(stops[low])
		}
		low = high
	}
	if n.config.Tree.Multiple {
		several = p.depth == 1 && p.high-p.low > 1
	}
	if several {
		needs := n.tokens[p.router]
		if needs == none && p.depth == 1 {
			needs = n.locals[p.router]
		}
		if needs != none {
			n.ask(needs, request{position: at}, at, t)
			return
		}
	}
	n.branch(at, t)
}

// output returns the output port of a switch towards a destination. A worm climbs a bidirectional
// network up to the stage from which all its destinations are below, or this one.
func (n *Network) output(p *position, stage int, d noc.NodeID) int32 {
	m, turn := n.stages, n.worms[p.worm].turn
	if n.config.Tree.Multiple {
		turn = int32(m.TurnStage(n.Dispatch.At(p.worm).From, d))
	}
	switch {
	case m.Bidirectional && p.depth <= turn:
		return climbs
	case m.Bidirectional && stage == 0, !m.Bidirectional && stage == m.Stages-1:
		return ends
	}
	return int32(m.Towards(stage, d))
}

// branch lets a header ask for its outputs.
func (n *Network) branch(at int32, t noc.Cycle) {
	p := n.positions.at(at)
	n.routers[p.router].replicated += uint64(p.behind - 1)
	for k := p.child; k != none; k = n.positions.at(k).sibling {
		child := n.positions.at(k)
		to := none
		switch child.port {
		case ends:
			to = n.exits[child.node]
		case climbs:
			to = n.queueOf(p.router, int32(n.stages.Arity))
		default:
			to = n.queueOf(p.router, child.port)
		}
		n.ask(to, request{position: k}, at, t)
	}
}

// queueOf returns the queue for an output of a switch.
func (n *Network) queueOf(router, port int32) int32 {
	return n.channels[n.outputs[int(router)*n.ports+int(port)]].queue
}
