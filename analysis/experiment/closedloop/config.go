package closedloop

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// Config is what a replay needs to know of nodes and interfaces.
type Config struct {
	// Open makes steps begin when they did in the recording.
	Open bool
	// FlitBytes is the payload of a flit; a packet has one more, its header. PacketBytes is the
	// longest payload.
	FlitBytes, PacketBytes uint32
	// Request and Answer are the message classes of the two ways.
	Request, Answer noc.Class
	// Poll is from the arrival of the last answer to the end of a wait that was for it, LeastWait
	// what any wait takes.
	Poll, LeastWait noc.Cycle
	// Servers answer requests, by node; every node serves all networks, each by itself.
	Servers []Server
}

// Server is how a node answers requests of one network.
type Server struct {
	// Latency is from the time when work at a request begins to when the first flit of its answer
	// is offered to the network.
	Latency noc.Cycle
	// Setup is what each packet costs in addition to its bytes, PerKiB what 1024 bytes of payload
	// take, in cycles. Both keep the server from the next request.
	Setup, PerKiB noc.Cycle
	// MemoryPerKiB is what 1024 bytes take of the node's memory, in cycles, whether they are read
	// for an answer or have come with one. Its uses follow each other, whatever network they are
	// for; 0 is a memory that is never busy.
	MemoryPerKiB noc.Cycle
	// Places is how many requests the server holds, the one that it works at included; others wait
	// in the network. 0 is any number.
	Places int
}

// occupied is how long a server works at a packet.
func (s *Server) occupied(bytes uint32) noc.Cycle {
	return s.Setup + (s.PerKiB*noc.Cycle(bytes)+1023)/1024
}

// remembered is how long the memory does.
func (s *Server) remembered(bytes uint32) noc.Cycle {
	return (s.MemoryPerKiB*noc.Cycle(bytes) + 1023) / 1024
}

// Validate reports whether a program can be replayed.
func (c Config) Validate(nodes, networks int, p Program) error {
	switch {
	case c.FlitBytes == 0 || c.PacketBytes == 0 || c.PacketBytes%c.FlitBytes != 0:
		return fmt.Errorf("closedloop: packets of %d bytes and flits of %d; a packet must be a whole number of flits", c.PacketBytes, c.FlitBytes)
	case len(c.Servers) != nodes:
		return fmt.Errorf("closedloop: %d servers for %d nodes", len(c.Servers), nodes)
	}
	for i, q := range p.Processes {
		for k, s := range q.Steps {
			if int(q.Node) >= nodes || s.Kind != Multicast && int(s.Peer) >= nodes {
				return fmt.Errorf("closedloop: process %d, step %d: node %d or %d is not one of %d", i, k, q.Node, s.Peer, nodes)
			}
			switch {
			case s.Network == AllNetworks && !s.Kind.Waits():
				return fmt.Errorf("closedloop: process %d, step %d: a transfer is for all networks; name one", i, k)
			case s.Network != AllNetworks && int(s.Network) >= networks:
				return fmt.Errorf("closedloop: process %d, step %d: network %d is not one of %d", i, k, s.Network, networks)
			}
		}
	}
	return nil
}

// Program is what the processes of a chip do.
type Program struct {
	Processes []Process
}

// Process is what one processor does.
type Process struct {
	Node  noc.NodeID
	Start noc.Cycle // when its first step's After begins
	Steps []Step
}

// Step is one thing that a process does.
type Step struct {
	Kind Kind
	// Network carries the transfer; a wait is for transfers on this network, or on all with
	// AllNetworks.
	Network uint8
	// Posted transfers are not acknowledged: writes and atomics.
	Posted bool
	Peer   noc.NodeID  // the other end
	Set    noc.NodeSet // destinations of a multicast
	Bytes  uint32
	After  noc.Cycle // from the end of the step before it to its beginning
	At     noc.Cycle // recorded beginning; for open replays
}

// AllNetworks stands for every network in a wait.
const AllNetworks = 255

// Kind is what a step does.
type Kind uint8

// The kinds.
const (
	Pause     Kind = iota // nothing, for the time given by After
	Read                  // fetches bytes from Peer
	Write                 // sends bytes to Peer
	Multicast             // sends bytes to every node of Set
	Atomic                // changes a word at Peer
	// The waits: for answers of reads, for acknowledgements of writes and multicasts, for those of
	// atomics, for all of these; and until writes have left the node, which the interface learns by
	// their arrival.
	AwaitReads
	AwaitWrites
	AwaitAtomics
	AwaitAll
	AwaitSent
)

// Waits reports whether a step of this kind waits.
func (k Kind) Waits() bool { return k >= AwaitReads }

// awaits reports whether a wait is for a transfer of some kind on some network.
func (s *Step) awaits(kind Kind, network uint8) bool {
	if s.Network != AllNetworks && s.Network != network {
		return false
	}
	switch s.Kind {
	case AwaitReads:
		return kind == Read
	case AwaitWrites, AwaitSent:
		return kind == Write || kind == Multicast
	case AwaitAtomics:
		return kind == Atomic
	}
	return true
}
