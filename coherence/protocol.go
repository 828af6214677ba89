package coherence

import "github.com/carousel-sim/carousel/noc"

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
	Name() string
	// Classes is the number of message classes.
	Classes() int
	ClassName(c noc.Class) string
	KindName(kind uint8) string
	// FlagName names one of the protocol's own flags.
	FlagName(f Flags) string
	// StateName names the State of a controller's line.
	StateName(r Role, state uint8) string

	NewCache(core int) CacheController
	NewBank(index int) Controller
	NewMemory(index int) MemoryController

	// Ignores reports whether a message to the L1 of a core is one of those that L1s receive most
	// of: a request for a block that it does not have. Then the message has been counted, and
	// Accept, which would do no more, is not to be called.
	Ignores(core int, m *Message) bool
	// Hits is how many accesses of each kind have hit in the L1s.
	Hits() [AccessKinds]uint64

	// OwnCounters describes the counters that the protocol has beside those of all protocols.
	OwnCounters() []Counter

	// Latency is the cycles from accepting a message to sending what follows from it.
	Latency(r Role) noc.Cycle
	// Generates lists, for an input class at a role, the classes that accepting it may send.
	Generates(r Role, in noc.Class) []noc.Class

	// CheckBlock verifies the protocol's laws for one block, given every controller's line and
	// every message of the block in flight. final adds what holds only when nothing moves any more.
	CheckBlock(b Block, lines []AgentLine, inFlight []Message, final bool) error

	// Cells are the protocol's transition tables with how often the controllers have taken each
	// cell.
	Cells() []Cell
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
