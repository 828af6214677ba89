package treeworm

import (
	"cmp"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Release says when a switch gives a token back (section 4.1).
type Release string

// The rules.
const (
	// Headers gives it back when the headers below the switch hold the consumption channels of all their
	// destinations: what the other rule stands for.
	Headers Release = "headers"
	// Flits gives it back when more flits have been forwarded than the buffers on the way hold, B (n-j) from
	// stage j, or B (j+1) on the way down; at the latest when all headers have arrived, where the message is
	// not longer than that.
	Flits Release = "flits"
)

// Arbitration says which of the headers that wait for an output gets it. Tokens always go to the oldest.
type Arbitration string

// The rules.
const (
	// Oldest takes the one that asked first, then that of the lowest input. A header asks for all its outputs
	// at once, so that two that branch in one switch never get one output each, even without tokens.
	Oldest Arbitration = "oldest"
	// RoundRobin takes the first input after the one that the output served last.
	RoundRobin Arbitration = "round-robin"
)

// Config describes one network. Times are in cycles, one cycle being the time in which a flit crosses a
// channel; a phit of the contract is a flit.
type Config struct {
	Classes int
	// MaxPhits is the longest packet.
	MaxPhits int
	// BufferPhits is the depth of the buffer behind each channel; 0 takes what a header of one bit per node
	// needs.
	BufferPhits int
	// RouteCycles is what a header spends on the decision in each switch, beyond the crossing.
	RouteCycles int
	// HeaderPhits are flits that every worm carries beyond the packet.
	HeaderPhits int
	// Consumption is the number of consumption channels per node: 1, or the ports of a switch.
	Consumption int
	// Tokens makes branches wait for the token of their group. Without it worms deadlock.
	Tokens bool
	// LocalTokens makes messages that turn round in the first stage of a bidirectional network need a token
	// of their switch where it has no group, that is with several consumption channels.
	LocalTokens bool
	Release     Release
	Arbitration Arbitration
	// TokenHop is the time of a token from one switch of its group to the next: half the group is waited for.
	TokenHop int
	// Adaptive lets worms climb a bidirectional network by the lowest port that is free; otherwise they wait
	// for the lowest. Ordered packets always do.
	Adaptive bool
	// Startup is what a node spends before each message passing step, Preparation what the source of a
	// packet with several destinations spends before the first.
	Startup, Preparation int
	PhitBits             int
	// SourceQueue is the depth of each source queue (one per node and class) in packets.
	SourceQueue int
	// EveryCycle visits every cycle. Results are the same; only slower.
	EveryCycle bool
}

// Default is the network of the paper (section 5.1) in cycles of 20 ns: 0.5 us of startup, decisions of 60 ns,
// flits of 16 bits, buffers for one header.
func Default() Config {
	return Config{Classes: 1, MaxPhits: 64, RouteCycles: 3, HeaderPhits: 1, Consumption: 1, Tokens: true, LocalTokens: true,
		Release: Headers, Arbitration: Oldest, TokenHop: 1, Adaptive: true, Startup: 25, PhitBits: 16, SourceQueue: 16}
}

// maxArity bounds the ports of a switch, which are kept as bits.
const maxArity = 64

// Validate reports whether a network of this kind can be built.
func (c Config) Validate(m topology.Multistage) error {
	if err := cmp.Or(
		fabric.CheckRange("classes", c.Classes, 1, noc.MaxClasses),
		fabric.CheckRange("max_phits", c.MaxPhits, 1, 1<<14),
		fabric.CheckRange("buffer_phits", c.BufferPhits, 0, 1<<12),
		fabric.CheckRange("route_cycles", c.RouteCycles, 0, 1<<10),
		fabric.CheckRange("header_phits", c.HeaderPhits, 0, 1<<10),
		fabric.CheckRange("token_hop", c.TokenHop, 0, 1<<10),
		fabric.CheckRange("startup", c.Startup, 0, 1<<15),
		fabric.CheckRange("preparation", c.Preparation, 0, 1<<15),
		fabric.CheckRange("phit_bits", c.PhitBits, 1, 1<<16),
		fabric.CheckRange("source_queue", c.SourceQueue, 1, 1<<16-1),
	); err != nil {
		return fmt.Errorf("treeworm: %w", err)
	}
	if c.Release != Headers && c.Release != Flits {
		return fmt.Errorf("treeworm: release is %q; use %q or %q", c.Release, Headers, Flits)
	}
	if c.Arbitration != Oldest && c.Arbitration != RoundRobin {
		return fmt.Errorf("treeworm: arbitration is %q; use %q or %q", c.Arbitration, Oldest, RoundRobin)
	}
	if m.Stages < 1 || m.Arity < 2 || m.Arity > maxArity {
		return fmt.Errorf("treeworm: switches of %s have %d ports to each side; use 2 to %d", m, m.Arity, maxArity)
	}
	if _, err := multicast.NewSwitchGroups(m, c.Consumption); err != nil {
		return fmt.Errorf("treeworm: consumption: %w", err)
	}
	return nil
}

// Tree plans one worm that branches, for the planner of a Network.
type Tree struct{}

// Plan is the worm of a request.
func (Tree) Plan(r multicast.Request) (multicast.Plan, error) {
	stops := r.Targets()
	if len(stops) == 0 {
		return nil, nil
	}
	return multicast.Plan{{From: r.Source, Stops: stops, After: -1}}, nil
}
