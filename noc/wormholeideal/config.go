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
	// Labels follows the labels of a Hamiltonian path: to the neighbour with the label nearest to the
	// destination's that does not go beyond it. Free of deadlock with one channel per link, alone and
	// together with label-ordered multicast worms.
	Labels Routing = "labels"
	// DimensionOrder goes along x, then y, and so on: meshes only, for a torus would deadlock. It is free
	// of deadlock alone and with column-path worms, but not with label-ordered worms.
	DimensionOrder Routing = "dimension-order"
)

// Config describes one wormhole network. Times are in cycles, one cycle being the time in which a flit
// crosses a channel; a phit of the contract is a flit.
type Config struct {
	Classes int `key:"-"`
	// MaxPhits is the longest packet.
	MaxPhits int `unit:"phits" doc:"longest packet"`
	// BufferPhits is the depth of the buffer behind each channel, one flit or more.
	BufferPhits int `unit:"phits" doc:"depth of the buffer behind a channel"`
	// CreditCycles is the number of cycles from a flit leaving a buffer to the next flit taking its place;
	// with 0 both happen in the same cycle. A buffer must be deeper than that, or it could not stream.
	CreditCycles int `unit:"cycles" doc:"time from a flit leaving a buffer until the next one takes its place; 0 is the same cycle"`
	// RouteCycles is what a header spends in each router it enters over a channel, beyond the crossing.
	RouteCycles int `unit:"cycles" doc:"time of a header in each router, beyond the crossing of a channel"`
	// InjectionPorts is the number of worms that a node can send at once, EjectionChannels the number it
	// can receive at once; 0 takes as many as its router has channels.
	InjectionPorts   int `unit:"ports" doc:"worms that a node can send at once; 0 takes as many as its router has channels"`
	EjectionChannels int `unit:"channels" doc:"worms that a node can receive at once; 0 takes as many as its router has channels"`
	// InjectionChannels says that the way from a node into its router is a channel with a buffer, as in
	// networks of switches. Otherwise a header enters the router's crossbar at once.
	InjectionChannels bool `doc:"a node enters its router through a channel with a buffer"`
	// HeaderPhits are flits that every worm carries beyond the packet.
	HeaderPhits int `unit:"phits" doc:"flits that every worm carries beyond the packet"`
	// Startup is time that a node spends before each message passing step, Preparation what the source of a
	// packet with several destinations spends before the first, on planning.
	Startup     int `unit:"cycles" doc:"time that a node spends before each message passing step"`
	Preparation int `unit:"cycles" doc:"time that the source of a multicast spends before the first step"`
	// CutThrough lets a node begin to forward a message when its header has arrived, not its tail, and
	// begin the next round when headers have left.
	CutThrough bool    `doc:"a node forwards a message once its header has arrived, not its tail"`
	Routing    Routing `choices:"by-scheme,labels,dimension-order,fixed" doc:"how packets are routed: by-scheme, labels or dimension-order; where there are no dimensions, by-scheme (adaptive) or fixed"`
	PhitBits   int     `unit:"bits" doc:"width of links, buffers and crossbar"`
	// SourceQueue is the depth of each source queue (one per node and class) in packets.
	SourceQueue int `unit:"packets" doc:"depth of a source queue, one per node and class"`
	// EveryCycle visits every channel and node in every cycle. Results are the same; only slower.
	EveryCycle bool `key:"-"`
}

// Default is the network of path-based multicasting: buffers of one flit, all ports at once, no startup.
func Default() Config {
	return Config{Classes: 6, MaxPhits: 128, BufferPhits: 1, Routing: Labels, PhitBits: 128, SourceQueue: 16}
}

// maxPorts bounds injection ports, which are kept as bits.
const maxPorts = 15

// Validate reports whether a network of this kind can be built on the wiring.
func (c Config) Validate(w *topology.Wiring) error {
	if err := cmp.Or(
		fabric.CheckRange("classes", c.Classes, 1, noc.MaxClasses),
		fabric.CheckRange("max_phits", c.MaxPhits, 1, 1<<14),
		fabric.CheckRange("buffer_phits", c.BufferPhits, 1, 1<<12),
		fabric.CheckRange("credit_cycles", c.CreditCycles, 0, 1<<8),
		fabric.CheckRange("route_cycles", c.RouteCycles, 0, 1<<10),
		fabric.CheckRange("injection_ports", c.InjectionPorts, 0, maxPorts),
		fabric.CheckRange("ejection_channels", c.EjectionChannels, 0, 1<<10),
		fabric.CheckRange("header_phits", c.HeaderPhits, 0, 1<<10),
		fabric.CheckRange("startup", c.Startup, 0, 1<<15),
		fabric.CheckRange("preparation", c.Preparation, 0, 1<<15),
		fabric.CheckRange("phit_bits", c.PhitBits, 1, 1<<16),
		fabric.CheckRange("source_queue", c.SourceQueue, 1, 1<<16-1),
	); err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
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
