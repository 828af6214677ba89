package silicon

import (
	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/noc"
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
func (p Parameters) server(kind NodeKind) closedloop.Server {
	s := closedloop.Server{Latency: noc.Cycle(p.L1Latency), Setup: noc.Cycle(p.L1Setup), PerKiB: flitPerKiB,
		MemoryPerKiB: noc.Cycle(p.L1Memory), Places: p.Places}
	if kind == DRAM {
		s = closedloop.Server{Latency: noc.Cycle(p.DRAMLatency), PerKiB: dramPerKiB, Places: p.Places}
	}
	return s
}

// config is the replay's.
func (p Parameters) config() closedloop.Config {
	c := closedloop.Config{FlitBytes: FlitBytes, PacketBytes: PacketBytes, Request: request, Answer: answer, Poll: barrier, LeastWait: barrier, StallLimit: 1_000_000}
	for n := range noc.NodeID(Nodes) {
		c.Servers = append(c.Servers, p.server(KindOf(placeOf(n))))
	}
	return c
}

// zeroLoad is what a read of some bytes takes from its issue to the arrival of its last flit when
// nothing else is under way: each way 10 cycles and hop for each link, the server's latency, and a
// cycle for each flit of data.
func (p Parameters) zeroLoad(links int, kind NodeKind, bytes uint32) noc.Cycle {
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
