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
	Presence *cache.PresenceFilter // of the blocks in the L1s
}

// NewChip returns what a chip's controllers share. legal reports which marks of the tables stand
// for a legal pair. It panics on caches that Validate refuses.
func NewChip(d *coherence.Description, s coherence.System, l1, l2 cache.Config, mshrs int, hits coherence.HitTable, legal func(mark byte) bool) Chip {
	for _, shape := range []cache.Config{l1, l2} {
		if err := shape.Validate(); err != nil {
			panic(fmt.Sprintf("%s: %v", d.Name, err))
		}
	}
	c := Chip{Description: d, Cores: s.Cores, Homes: s.Homes, L1: l1, L2: l2, MSHRs: mshrs, Victims: s.Victims,
		HitTable: hits, Presence: cache.NewPresenceFilter(l1, s.Cores)}
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

// CellsWith returns the legal cells and how often each was taken, with what has been counted
// elsewhere, by role, event and state.
func (c *Chip) CellsWith(more func(r coherence.Role, e, s uint8) uint64) (list []coherence.Cell) {
	for r := range coherence.Roles {
		for e, event := range c.Events[r] {
			for s, state := range c.States[r] {
				if x := c.cells[r].at(uint8(e), uint8(s)); x.legal {
					list = append(list, coherence.Cell{Role: r, State: state, Event: event, Count: x.count + more(r, uint8(e), uint8(s))})
				}
			}
		}
	}
	return list
}

// Defects lists the mistakes that can be seeded.
func (c *Chip) Defects() []coherence.Defect { return slices.Clone(c.Description.Defects[1:]) }

// Seed makes all controllers make a mistake; false when there is none of that name.
func (c *Chip) Seed(name string) bool {
	d := slices.IndexFunc(c.Description.Defects, func(d coherence.Defect) bool { return d.Name == name })
	if d < 1 {
		return false
	}
	c.Seeded = uint8(d)
	return true
}
