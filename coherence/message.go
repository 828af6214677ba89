package coherence

import "github.com/carousel-sim/carousel/noc"

// Block is a block address: a physical byte address divided by the block size of 64 bytes.
type Block uint32

// BlockBytes is the size of a block.
const BlockBytes = 64

// Lengths of messages, in bytes: a command, and a header, as long as a command, with a block behind
// it.
const (
	CommandBytes = 16
	DataBytes    = CommandBytes + BlockBytes
)

// Version stands for the data of a block: every store makes the next version, so two copies hold
// the same data exactly when their versions are equal. Version 0 is what memory holds at the start.
type Version uint64

// Role is what a controller does.
type Role uint8

// The roles.
const (
	Cache  Role = iota // the private L1 caches of one core
	Bank               // one bank of the shared L2
	Memory             // one memory controller
	Roles
)

// String returns the role's name in messages and tables.
func (r Role) String() string { return [...]string{"cache", "bank", "memory"}[r] }

// Agent names one controller.
type Agent struct {
	Role  Role
	Index uint16
}

// Flags are facts about a message or its data.
type Flags uint8

// HasData is the flag of messages that carry the 64 bytes of the block. The bits from FirstOwnFlag
// up to, but not including, EndOfFlags are the protocol's own.
const (
	HasData      Flags = 1
	FirstOwnFlag Flags = 1 << 1
	EndOfFlags   Flags = 1 << 5
)

// Message is what controllers exchange. Protocols give Kind and Count their meaning.
type Message struct {
	Block     Block
	Version   Version // of the data, when HasData
	Sequence  uint32  // position among the ordered messages of one pair of agents, from 0
	Kind      uint8
	Class     noc.Class
	Flags     Flags
	From      Agent
	Requestor uint16 // core on whose behalf the message travels
	Count     int16  // tokens, or acknowledgements
}

// Has reports whether all the given flags are set.
func (m Message) Has(f Flags) bool { return m.Flags&f == f }

// Bytes returns the length of the message.
func (m *Message) Bytes() int {
	if m.Has(HasData) {
		return DataBytes
	}
	return CommandBytes
}

// Send is a message on its way out, with its destinations: either one agent, or any of a set of L1
// caches, the block's home bank and its memory controller.
type Send struct {
	Message
	One  Agent // the destination when Many is false
	Many bool
	// Caches is the set of destination cores, Home and Memory add the block's home bank and memory
	// controller.
	Caches       noc.NodeSet
	Home, Memory bool
	// Ordered messages between two agents must be accepted in the order sent. The sender's
	// interface sends them as unicasts and stamps Sequence.
	Ordered bool
	// Receipt asks for a call of Sent when the last copy has left the sender's interface.
	Receipt bool
}

// AppendReceivers appends the agents that get a copy: cores first, then the home bank and the memory
// controller.
func (s *Send) AppendReceivers(list []Agent, h *Homes) []Agent {
	if !s.Many {
		return append(list, s.One)
	}
	for core, ok := s.Caches.Next(0); ok; core, ok = s.Caches.Next(core + 1) {
		list = append(list, Agent{Role: Cache, Index: uint16(core)})
	}
	if s.Home {
		list = append(list, Agent{Role: Bank, Index: h.Bank(s.Block)})
	}
	if s.Memory {
		list = append(list, Agent{Role: Memory, Index: h.Memory(s.Block)})
	}
	return list
}
