package controller

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
)

// Chip is what the controllers of one chip share: the protocol's description and transition tables,
// with how often they have taken each cell, the shapes of the caches, and what L1s look at most. A
// protocol embeds it, and so answers most of coherence.Protocol.
type Chip struct {
	*coherence.Description
	Seeded uint8 // number of the defect that all controllers have; 0 in a run
	cells  [coherence.Roles]cells

	Cores  int
	Homes  *coherence.Homes
	L1, L2 cache.Config // each of a core's two arrays; one bank
	MSHRs  int          // per core
	// Victims is the size of an L1's victim buffer.
	Victims int

	// Kept once for all L1s, so that it stays in the host's first cache.
	HitTable coherence.HitTable    // what accesses need; it counts hits, in place of the cells
	columns  *[256]uint8           // of the states in the HitTable, where they are not those of lines
	Presence *cache.PresenceFilter // of the blocks in the L1s
}

// NewChip returns what a chip's controllers share. legal reports which marks of the tables stand
// for a legal pair; columns, which may be nil, has the column of each state in hits. It panics on
// caches that Validate refuses.
func NewChip(d *coherence.Description, s coherence.System, l1, l2 cache.Config, mshrs int, hits coherence.HitTable, columns *[256]uint8, legal func(mark byte) bool) Chip {
	for _, shape := range []cache.Config{l1, l2} {
		if err := shape.Validate(); err != nil {
			panic(fmt.Sprintf("%s: %v", d.Name, err))
		}
	}
	c := Chip{Description: d, Cores: s.Cores, Homes: s.Homes, L1: l1, L2: l2, MSHRs: mshrs, Victims: s.Victims,
		HitTable: hits, columns: columns, Presence: cache.NewPresenceFilter(l1, s.Cores)}
	for r := range c.cells {
		for e, row := range d.Legal[r] {
			for mark := range row {
				c.cells[r].at(uint8(e), uint8(mark)).legal = legal(row[mark])
			}
		}
	}
	return c
}

// Hits returns how many accesses of each kind have hit in the L1s.
func (c *Chip) Hits() [coherence.AccessKinds]uint64 { return c.HitTable.Hits() }

// Cells returns the legal cells and how often each was taken, also by the hits that the HitTable
// has counted.
func (c *Chip) Cells() (list []coherence.Cell) {
	var hits [2][256]uint64 // by event and column
	for state := range c.HitTable {
		column := c.column(uint8(state))
		for k := range coherence.AccessKinds {
			event := OnLoad
			if k.IsWrite() {
				event = OnStore
			}
			hits[event][column] += c.HitTable.HitsOf(uint8(state), k)
		}
	}
	for r := range coherence.Roles {
		for e, event := range c.Events[r] {
			for s, state := range c.States[r] {
				x := c.cells[r].at(uint8(e), uint8(s))
				if !x.legal {
					continue
				}
				cell := coherence.Cell{Role: r, State: state, Event: event, Count: x.count}
				if r == coherence.Cache && e < len(hits) {
					cell.Count += hits[e][s]
				}
				list = append(list, cell)
			}
		}
	}
	return list
}

// column returns the column of an L1 line's state in the transition table.
func (c *Chip) column(state uint8) uint8 {
	if c.columns == nil {
		return state
	}
	return c.columns[state]
}

// Took counts a transition of a controller that is not called for it.
func (c *Chip) Took(r coherence.Role, e, s uint8) { c.cells[r].at(e, s).count++ }

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

// cells have room for the largest number of events and states of any role, 16 of each.
type cells [256]cell

// cell counts how often a pair was taken.
type cell struct {
	count uint64
	legal bool
}

func (t *cells) at(e, s uint8) *cell { return &t[e<<4|s&15] }

// Describe returns what can be said of the protocol without its actions.
func (c *Chip) Describe() *coherence.Description { return c.Description }

// Seed makes all controllers make a mistake; false when there is none of that name.
func (c *Chip) Seed(name string) bool {
	d := slices.IndexFunc(c.Description.Defects, func(d coherence.Defect) bool { return d.Name == name })
	if d < 1 {
		return false
	}
	c.Seeded = uint8(d)
	return true
}
