package silicon

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// Parameters are unpublished properties of the chip. They are fitted, as the package documentation
// explains.
type Parameters struct {
	BufferFlits int `json:"buffer_flits"` // depth of a virtual channel
	Places      int `json:"places"`       // requests that a node holds; others wait in the network
	L1Latency   int `json:"l1_latency"`   // from a request's turn at a worker to its answer's first flit
	L1Setup     int `json:"l1_setup"`     // per packet of a worker, besides a cycle for each flit
	L1Memory    int `json:"l1_memory"`    // per KiB that a worker's memory gives or takes, for both networks
	DRAMLatency int `json:"dram_latency"` // from a request's turn at a node of DRAM to its answer's first flit
}

// Default is the set fitted to the 20 kernels that the package documentation names.
func Default() Parameters {
	return Parameters{BufferFlits: 14, Places: 3, L1Latency: 111, L1Setup: 6, L1Memory: 20, DRAMLatency: 147}
}

// What is known of the chip, or measured on it.
const (
	// barrier is what a processor takes at a barrier after the last answer, or at one where nothing
	// is missing.
	barrier = 80
	// flitPerKiB is a worker's rate: a flit per cycle.
	flitPerKiB = 1024 / FlitBytes
	// dramPerKiB is the rate of a node of DRAM, 23.2 bytes per cycle as the vendor's tools have it.
	dramPerKiB = 44
	// A router passes a header on after hop cycles, of which one is on the link.
	hop = 9
)

// server is how a node answers.
func (p Parameters) server(kind ttmetal.NodeKind) closedloop.Server {
	s := closedloop.Server{Latency: noc.Cycle(p.L1Latency), Setup: noc.Cycle(p.L1Setup), PerKiB: flitPerKiB,
		MemoryPerKiB: noc.Cycle(p.L1Memory), Places: p.Places}
	if kind == ttmetal.DRAM {
		s = closedloop.Server{Latency: noc.Cycle(p.DRAMLatency), PerKiB: dramPerKiB, Places: p.Places}
	}
	return s
}

// config is the replay's.
func (p Parameters) config() closedloop.Config {
	c := closedloop.Config{FlitBytes: FlitBytes, PacketBytes: PacketBytes, Request: request, Answer: answer, Poll: barrier, LeastWait: barrier}
	for n := range noc.NodeID(Nodes) {
		c.Servers = append(c.Servers, p.server(ttmetal.KindOf(placeOf(n))))
	}
	return c
}

// zeroLoad is what a read of some bytes takes from its issue to the arrival of its last flit when
// nothing else is under way: each way 10 cycles and hop for each link, the server's latency, and a
// cycle for each flit of data.
func (p Parameters) zeroLoad(links int, kind ttmetal.NodeKind, bytes uint32) noc.Cycle {
	return noc.Cycle(20+hop*links) + p.server(kind).Latency + noc.Cycle(bytes+FlitBytes-1)/FlitBytes
}

// links is how many links a request and its answer cross together: once round each ring in which
// the nodes differ.
func links(a, b noc.NodeID) int {
	n, x, y := 0, placeOf(a), placeOf(b)
	if x.X != y.X {
		n += Columns
	}
	if x.Y != y.Y {
		n += Rows
	}
	return n
}

// The chip: 10 columns and 12 rows of routers, with a node each.
const (
	Columns = ttmetal.Columns
	Rows    = ttmetal.Rows
	Nodes   = Columns * Rows
)

// Topologies are the two networks of the chip: the first leads right and down and routes along x
// first, the second leads up and left and routes along y first.
var Topologies = [2]string{"utorus:10x12", "utorus:10x12:-y-x"}

// FlitBytes is the payload of a flit, PacketBytes the longest of a packet.
const (
	FlitBytes   = 32
	PacketBytes = 8192
)

// nodeID is the number of a place, as topologies count.
func nodeID(n ttmetal.Node) (noc.NodeID, error) {
	if !n.OnChip() {
		return 0, fmt.Errorf("node %s is not on a chip of %d columns and %d rows", n, Columns, Rows)
	}
	return noc.NodeID(n.X + Columns*n.Y), nil
}

// placeOf is the place of a node.
func placeOf(id noc.NodeID) ttmetal.Node {
	return ttmetal.Node{X: int(id) % Columns, Y: int(id) / Columns}
}

// The message classes of the chip's networks that reads use.
const (
	request noc.Class = iota
	answer
	classes
)

// networks makes fresh networks of the chip, their routers plain or fast.
func (p Parameters) networks(plain bool) (all traffic.Networks, err error) {
	m, err := models.Lookup("wormhole")
	if err != nil {
		return nil, err
	}
	o := models.DefaultOptions()
	o.Classes, o.Plain = int(classes), plain
	o.Wormhole.VirtualChannels = channels
	o.Wormhole.BufferPhits, o.Wormhole.MaxPhits, o.Wormhole.PhitBits = p.BufferFlits, 1+PacketBytes/FlitBytes, 8*FlitBytes
	o.Wormhole.Injection, o.Wormhole.SourceQueue = 1, 1
	o.Wormhole.RouteCycles, o.Wormhole.SwitchCycles, o.Wormhole.LinkCycles, o.Wormhole.CreditCycles = hop-5, 2, 1, creditCycles
	for _, name := range Topologies {
		layout, err := topology.Open(name)
		if err != nil {
			return nil, err
		}
		o.Other = &layout
		n, err := m.Build(o)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// Of the hardware's virtual channels each class has two on either side of a ring's dateline. How
// long credits take is not known; what matters is the buffer that covers their time, which is
// fitted.
const (
	channels     = 4 * int(classes)
	creditCycles = 5
)
