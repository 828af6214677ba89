package closedloop

import "github.com/carousel-sim/carousel/noc"

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
