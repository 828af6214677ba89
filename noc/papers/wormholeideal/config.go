package wormholeideal

import (
	"cmp"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Routing tells how the network routes a worm that brings no path of its own.
type Routing string

// The routings.
const (
	// Labels follows the labels of a Hamiltonian path: to the neighbour with the label nearest to
	// the destination's that does not go beyond it. Free of deadlock with one channel per link,
	// alone and together with label-ordered multicast worms.
	Labels Routing = "labels"
	// DimensionOrder goes along x, then y, and so on: meshes only, for a torus would deadlock. It
	// is free of deadlock alone and with column-path worms, but not with label-ordered worms.
	DimensionOrder Routing = "dimension-order"
)

// Config describes one wormhole network. Times are in cycles, one cycle being the time in which a
// flit crosses a channel; a phit of the contract is a flit.
type Config struct {
	Classes     int `key:"-"`
	MaxPhits    int `unit:"phits" doc:"longest packet"`
	BufferPhits int `unit:"phits" doc:"depth of the buffer behind a channel"`
	// A buffer must be deeper than CreditCycles, or it could not stream.
	CreditCycles     int `unit:"cycles" doc:"time from a flit leaving a buffer until the next one enters it; 0 means in the same cycle"`
	RouteCycles      int `unit:"cycles" doc:"time of a header in each router, beyond the crossing of a channel"`
	InjectionPorts   int `unit:"ports" doc:"worms that a node can send at the same time; 0 means as many as its router has channels"`
	EjectionChannels int `unit:"channels" doc:"worms that a node can receive at the same time; 0 means as many as its router has channels"`
	// InjectionChannels is for networks of switches. Otherwise a header enters the router's crossbar
	// at once.
	InjectionChannels bool `doc:"put a buffered channel between a node and its router"`
	HeaderPhits       int  `unit:"phits" doc:"flits that every worm carries beyond the packet"`
	Startup           int  `unit:"cycles" doc:"time that a node spends before each step of sending messages"`
	Preparation       int  `unit:"cycles" doc:"time that the source of a multicast spends before the first step"`
	// With CutThrough a node also begins the next round when headers have left.
	CutThrough  bool    `doc:"a node that passes a multicast on does so once the header has arrived, instead of the tail"`
	Routing     Routing `choices:"by-scheme,labels,dimension-order,fixed" doc:"routing: by-scheme, dimension-order or labels; on networks without dimensions by-scheme (adaptive) or fixed"`
	PhitBits    int     `unit:"bits" doc:"width of links, buffers and crossbar"`
	SourceQueue int     `unit:"packets" doc:"depth of a source queue, one per node and class"`
	// Tree is for multistage networks whose switches replicate worms; nil elsewhere.
	Tree       *Tree `key:"-" json:",omitempty"`
	EveryCycle bool  `key:"-"` // visits every channel and node in every cycle, with the same results; for tests
}

// Default returns the network of path-based multicasting: buffers of one flit, all ports at once,
// no startup.
func Default() Config {
	return Config{Classes: 6, MaxPhits: 128, BufferPhits: 1, Routing: Labels, PhitBits: 128, SourceQueue: 16}
}

// MaxPorts bounds injection ports, and maxArity the ports to each side of a switch: engines keep
// both as bits.
const (
	MaxPorts = 15
	maxArity = 64
)

// Validate reports whether a network of this kind can be built on the wiring.
func (c Config) Validate(w *topology.Wiring) error {
	if err := c.validateRanges(1); err != nil {
		return err
	}
	if c.BufferPhits <= c.CreditCycles {
		return fmt.Errorf("wormholeideal: buffer_phits is %d; a credit takes %d cycles, so use %d or more",
			c.BufferPhits, c.CreditCycles, c.CreditCycles+1)
	}
	if c.Routing != Labels && c.Routing != DimensionOrder {
		return fmt.Errorf("wormholeideal: routing is %q; use %q or %q", c.Routing, Labels, DimensionOrder)
	}
	if w.Routers == 0 || w.Nodes() == 0 {
		return fmt.Errorf("wormholeideal: topology %s has no routers or no nodes", w.Name)
	}
	return nil
}

func (c Config) validateRanges(leastBuffer int) error {
	if err := cmp.Or(
		fabric.CheckRange("classes", c.Classes, 1, noc.MaxClasses),
		fabric.CheckRange("max_phits", c.MaxPhits, 1, 1<<14),
		fabric.CheckRange("buffer_phits", c.BufferPhits, leastBuffer, 1<<12),
		fabric.CheckRange("credit_cycles", c.CreditCycles, 0, 1<<8),
		fabric.CheckRange("route_cycles", c.RouteCycles, 0, 1<<10),
		fabric.CheckRange("injection_ports", c.InjectionPorts, 0, MaxPorts),
		fabric.CheckRange("ejection_channels", c.EjectionChannels, 0, 1<<10),
		fabric.CheckRange("header_phits", c.HeaderPhits, 0, 1<<10),
		fabric.CheckRange("startup", c.Startup, 0, 1<<15),
		fabric.CheckRange("preparation", c.Preparation, 0, 1<<15),
		fabric.CheckRange("phit_bits", c.PhitBits, 1, 1<<16),
		fabric.CheckRange("source_queue", c.SourceQueue, 1, 1<<16-1),
	); err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
	}
	return nil
}

// ReleaseCycles returns the time from a tail leaving a buffer to the crossing of the next header
// (rule 6).
func (c Config) ReleaseCycles() noc.Cycle {
	if c.Tree != nil {
		return 1
	}
	return noc.Cycle(c.CreditCycles)
}

// Oldest reports whether the oldest request gets a channel.
func (c Config) Oldest() bool { return c.Tree == nil || c.Tree.Arbitration == Oldest }

// mostChannels returns the largest number of channels that leave or enter one router.
func mostChannels(w *topology.Wiring) int {
	out, in := make([]int, w.Routers), make([]int, w.Routers)
	most := 1
	for _, c := range w.Channels {
		out[c.From]++
		in[c.To]++
		most = max(most, out[c.From], in[c.To])
	}
	return most
}

// Ports returns the number of worms that a node can send at once.
func (c Config) Ports(w *topology.Wiring) int {
	if c.InjectionPorts > 0 {
		return c.InjectionPorts
	}
	return min(mostChannels(w), MaxPorts)
}
