package controller

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Chip is what the controllers of one chip share: the protocol's tables, the shapes of the caches,
// and what L1s look at most. A protocol embeds it, and so answers most of coherence.Protocol.
type Chip struct {
	Tables
	Cores  int
	Homes  *coherence.Homes
	L1, L2 cache.Config // each of a core's two arrays; one bank
	MSHRs  int          // per core
	// Victims is the size of an L1's victim buffer.
	Victims int

	// Kept once for all L1s, so that it stays in the host's first cache.
	HitTable coherence.HitTable    // what accesses need; it counts hits, in place of the cells
	Presence *cache.PresenceFilter // of the blocks in the L1s
}

// NewChip returns what a chip's controllers share. legal reports which marks of the tables stand
// for a legal pair.
func NewChip(d *Description, s coherence.System, l1, l2 cache.Config, mshrs int, hits coherence.HitTable, legal func(mark byte) bool) Chip {
	return Chip{Tables: NewTables(d, legal), Cores: s.Cores, Homes: s.Homes, L1: l1, L2: l2, MSHRs: mshrs, Victims: s.Victims,
		HitTable: hits, Presence: cache.NewPresenceFilter(l1, s.Cores)}
}

// Hits returns how many accesses of each kind have hit in the L1s.
func (c *Chip) Hits() [coherence.AccessKinds]uint64 { return c.HitTable.Hits() }

// Cells returns the legal cells and how often each was taken, also by the hits that the HitTable
// has counted.
func (c *Chip) Cells() []coherence.Cell {
	return c.CellsWith(func(r coherence.Role, e, s uint8) (n uint64) {
		for k := range coherence.AccessKinds {
			if r == coherence.Cache && e <= OnStore && k.IsWrite() == (e == OnStore) {
				n += c.HitTable.HitsOf(s, k)
			}
		}
		return n
	})
}

// NewBankArray returns the array of a bank, whose blocks share the address bits that choose the
// bank.
func (c *Chip) NewBankArray() cache.Array {
	return cache.NewArray(c.L2, bits.TrailingZeros(uint(c.Homes.Banks)))
}

// The other methods are for protocols whose homes send requests only to cores that have, or have
// had, a block. A protocol that broadcasts, or prefers some cores, has its own.

// Ignores returns false: no message is for an agent that need not see it.
func (c *Chip) Ignores(int, *coherence.Message) bool { return false }

// Symmetric returns true: no rule prefers one core to another.
func (c *Chip) Symmetric() bool { return true }

// Hint returns false: every message counts.
func (c *Chip) Hint(*coherence.Message) bool { return false }

// Hints returns none.
func (c *Chip) Hints(coherence.Agent, coherence.Block) []coherence.Message { return nil }

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
	States, Events [coherence.Roles][]string
	// Legal has one string per event with one mark per state; '.' is never legal, and what other
	// marks mean is for the protocol to say.
	Legal [coherence.Roles][]string
	// Generates lists, for an input class at a role, the classes that accepting it may send.
	Generates [coherence.Roles][noc.MaxClasses][]noc.Class
	// Flags names the protocol's own flags by bit, from coherence.FirstOwnFlag on.
	Flags []string
	// Counters are the protocol's own.
	Counters []coherence.Counter
	// Latencies are the cycles from accepting a message to sending what follows from it.
	Latencies [coherence.Roles]noc.Cycle
	// Defects are the mistakes that can be seeded, by number; number 0 is none.
	Defects []coherence.Defect
}

// Message returns a message of a kind on behalf of a core, with the version v if the kind carries
// data.
func (d *Description) Message(kind uint8, b coherence.Block, v coherence.Version, core uint16) coherence.Message {
	m := coherence.Message{Block: b, Kind: kind, Class: d.ClassOf[kind], Requestor: core}
	if d.CarriesData[kind] {
		m.Flags, m.Version = coherence.HasData, v
	}
	return m
}

// ClassPhits returns the length of the longest message of each class, and 0 beyond the classes.
func (d *Description) ClassPhits() (phits [noc.MaxClasses]int) {
	for class := range d.Classes {
		phits[class] = coherence.CommandPhits
	}
	for kind, carries := range d.CarriesData {
		if carries {
			phits[d.ClassOf[kind]] = coherence.DataPhits
		}
	}
	for _, class := range d.DataClasses {
		phits[class] = coherence.DataPhits
	}
	return phits
}

// Tables are a protocol's transition tables with how often the controllers of a chip have taken
// each cell.
type Tables struct {
	*Description
	Seeded uint8 // number of the defect that all controllers have; 0 in a run
	cells  [coherence.Roles]cells
}

// cells have room for the largest number of events and states of any role, 16 of each.
type cells [256]cell

// cell counts how often a pair was taken.
type cell struct {
	count uint64
	legal bool
}

func (t *cells) at(e, s uint8) *cell { return &t[e<<4|s&15] }

// NewTables returns tables without counts. legal reports whether a mark means a legal pair.
func NewTables(d *Description, legal func(mark byte) bool) Tables {
	t := Tables{Description: d}
	for r := range t.cells {
		for e, row := range d.Legal[r] {
			for s := range row {
				t.cells[r].at(uint8(e), uint8(s)).legal = legal(row[s])
			}
		}
	}
	return t
}

// Name returns the protocol's name.
func (t *Tables) Name() string { return t.Description.Name }

// Classes returns the number of message classes.
func (t *Tables) Classes() int { return len(t.Description.Classes) }

// ClassName names a message class.
func (t *Tables) ClassName(c noc.Class) string { return t.Description.Classes[c] }

// KindName names a kind of messages.
func (t *Tables) KindName(kind uint8) string { return t.Kinds[kind] }

// FlagName names one of the protocol's own flags.
func (t *Tables) FlagName(f coherence.Flags) string {
	i := bits.TrailingZeros8(uint8(f / coherence.FirstOwnFlag))
	if i >= len(t.Flags) {
		return ""
	}
	return t.Flags[i]
}

// OwnCounters describes the protocol's own counters.
func (t *Tables) OwnCounters() []coherence.Counter { return t.Counters }

// StateName names the state of a line.
func (t *Tables) StateName(r coherence.Role, state uint8) string { return t.States[r][state] }

// Latency returns the cycles from accepting a message to sending what follows from it.
func (t *Tables) Latency(r coherence.Role) noc.Cycle { return t.Latencies[r] }

// Generates lists, for an input class at a role, the classes that accepting it may send.
func (t *Tables) Generates(r coherence.Role, in noc.Class) []noc.Class {
	return t.Description.Generates[r][in]
}

// CellsWith returns the legal cells and how often each was taken, with what has been counted
// elsewhere, by role, event and state.
func (t *Tables) CellsWith(more func(r coherence.Role, e, s uint8) uint64) (list []coherence.Cell) {
	for r := range coherence.Roles {
		for e, event := range t.Events[r] {
			for s, state := range t.States[r] {
				if c := t.cells[r].at(uint8(e), uint8(s)); c.legal {
					list = append(list, coherence.Cell{Role: r, State: state, Event: event, Count: c.count + more(r, uint8(e), uint8(s))})
				}
			}
		}
	}
	return list
}

// Defects lists the mistakes that can be seeded.
func (t *Tables) Defects() []coherence.Defect { return slices.Clone(t.Description.Defects[1:]) }

// Seed makes all controllers make a mistake; false when there is none of that name.
func (t *Tables) Seed(name string) bool {
	d := slices.IndexFunc(t.Description.Defects, func(d coherence.Defect) bool { return d.Name == name })
	if d < 1 {
		return false
	}
	t.Seeded = uint8(d)
	return true
}
