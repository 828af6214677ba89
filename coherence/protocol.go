package coherence

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// System is what a protocol needs to know of the chip.
type System struct {
	Cores int
	Homes *Homes
	Seed  uint64
	// Victims is the size of each L1's victim buffer, in blocks, up to 64. It keeps evicted blocks
	// that speculative loads have read, with their permissions, until the loads are no longer
	// speculative. So another core that writes such a block must take it from this L1 first.
	Victims int
}

// Protocol makes the controllers of one coherence protocol and knows its laws.
type Protocol interface {
	// Describe returns what can be said of the protocol without its actions.
	Describe() *Description
	NewCache(core int) CacheController
	NewBank(index int) Controller
	NewMemory(index int) MemoryController

	// Ignores reports whether a message to the L1 of a core is one of those that L1s receive most
	// of: a request for a block that it does not have. Then the message has been counted, and
	// Accept, which would do no more, is not to be called.
	Ignores(core int, m *Message) bool
	// Hits is how many accesses of each kind have hit in the L1s.
	Hits() [AccessKinds]uint64

	// CheckBlock verifies the protocol's laws for one block, given every controller's line and
	// every message of the block in flight. final adds what holds only when nothing moves any more.
	CheckBlock(b Block, lines []AgentLine, inFlight []Message, final bool) error

	// Cells are the protocol's transition tables with how often the controllers have taken each
	// cell.
	Cells() []Cell
}

// Description is what can be said of a protocol without its actions. One serves all chips.
type Description struct {
	Name           string
	Kinds, Classes []string // of messages, by number
	// ClassOf is the class of each kind, and CarriesData are the kinds that carry the block, for
	// Message.
	ClassOf     []noc.Class
	CarriesData []bool
	// DataClasses are further classes whose messages may carry the block, where kinds do not tell.
	DataClasses []noc.Class
	// States and Events name the columns and rows of each role's transition table, at most 16 of
	// each.
	States, Events [Roles][]string
	// Legal has one string per event with one mark per state; '.' is never legal, and what other
	// marks mean is for the protocol to say.
	Legal [Roles][]string
	// Generates lists, for an input class at a role, the classes that accepting it may send.
	Generates [Roles][noc.MaxClasses][]noc.Class
	// Flags names the protocol's own flags by bit, from FirstOwnFlag on.
	Flags []string
	// Counters names the totals that the protocol counts beside those of all, such as "reissues".
	Counters []string
	// Defects are the mistakes that can be seeded, by number; number 0 is none.
	Defects []Defect
}

// Mistakes lists the mistakes that can be seeded.
func (d *Description) Mistakes() []Defect { return d.Defects[1:] }

// Message returns a message of a kind on behalf of a core, with the version v if the kind carries
// data.
func (d *Description) Message(kind uint8, b Block, v Version, core uint16) Message {
	m := Message{Block: b, Kind: kind, Class: d.ClassOf[kind], Requestor: core}
	if d.CarriesData[kind] {
		m.Flags, m.Version = HasData, v
	}
	return m
}

// ClassBytes returns the length of the longest message of each class, and 0 beyond the classes.
func (d *Description) ClassBytes() (bytes [noc.MaxClasses]int) {
	for class := range d.Classes {
		bytes[class] = CommandBytes
	}
	for kind, carries := range d.CarriesData {
		if carries {
			bytes[d.ClassOf[kind]] = DataBytes
		}
	}
	for _, class := range d.DataClasses {
		bytes[class] = DataBytes
	}
	return bytes
}

// FlagName names one of the protocol's own flags, or returns "".
func (d *Description) FlagName(f Flags) string {
	if i := bits.TrailingZeros8(uint8(f / FirstOwnFlag)); i < len(d.Flags) {
		return d.Flags[i]
	}
	return ""
}

// Cell is one cell of a controller's transition table.
type Cell struct {
	Role  Role
	State string
	Event string
	Count uint64
}

// AgentLine is one controller's line of a block.
type AgentLine struct {
	Agent Agent
	Line  Line
}

// Defect is a mistake that can be seeded into a protocol to see that the checks find it.
type Defect struct {
	Name   string
	Breaks string // what the protocol then does
	// Trap is the well-known trap for implementations that the mistake falls into, or "".
	Trap string
}

// Defective is a protocol into which mistakes can be seeded. A run never asks for one.
type Defective interface {
	Protocol
	// Seed makes all controllers make a mistake; false when there is none of that name.
	Seed(name string) bool
}

// HomeOwner is the Owner of a resident for which its home bank answers.
const HomeOwner = -1

// Resident is a block that caches hold before the first cycle, in a state in which nothing moves or
// waits. All copies have version 0, as memory has.
type Resident struct {
	Block   Block
	Holders noc.NodeSet // cores whose L1s hold it
	// Owner is the core that answers for the block, or HomeOwner. The only holder is the owner.
	Owner int
	// Modified tells that memory is to be written before the block may be forgotten, OwnerWrote
	// that the owner has written it last.
	Modified, OwnerWrote bool
}

// Preloader is implemented by controllers that can be filled before the first cycle. The caller
// fills each L1 and bank in the order in which its blocks were used, at most up to its size, with
// the same residents; banks only with blocks that they are to hold, and memory controllers with
// all blocks that any cache holds.
type Preloader interface {
	// Preload puts a block into a cache, or notes at a memory controller that it is in one. array
	// is that of an L1: 0 for data, 1 for instructions.
	Preload(r *Resident, array int)
}

// Copier is implemented by banks and memory controllers that are [Preloader]s.
type Copier interface {
	// CopyFrom fills a controller that holds nothing like another one of the same index and
	// configuration, on a chip that has been filled and has not run.
	CopyFrom(filled Controller)
}

// Homes maps blocks to their home bank and memory controller. Consecutive blocks go to consecutive
// banks (static NUCA by low-order bits); every bank belongs to one memory controller.
type Homes struct {
	// Banks is the number of L2 banks, a power of two.
	Banks int
	// Hash exchanges the bank number for its exclusive-or with the next higher address bits, to
	// break power-of-two strides.
	Hash bool
	// MemoryOfBank is the memory controller of each bank.
	MemoryOfBank []uint16
}

// Bank returns the home bank of a block.
func (h *Homes) Bank(b Block) uint16 {
	if h.Hash {
		b ^= b / Block(h.Banks)
	}
	return uint16(int(b) & (h.Banks - 1))
}

// Memory returns the memory controller of a block.
func (h *Homes) Memory(b Block) uint16 { return h.MemoryOfBank[h.Bank(b)] }
