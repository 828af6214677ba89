package controller

import (
	"math/bits"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
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

// The rest answers for protocols whose homes ask only those who have, or have had, a block. A
// protocol that broadcasts, or prefers some cores, has answers of its own.

// Ignores returns false: no message is for an agent that need not see it.
func (c *Chip) Ignores(int, *coherence.Message) bool { return false }

// Symmetric returns true: no rule prefers one core to another.
func (c *Chip) Symmetric() bool { return true }

// Hint returns false: every message counts.
func (c *Chip) Hint(*coherence.Message) bool { return false }

// Hints returns none.
func (c *Chip) Hints(coherence.Agent, coherence.Block) []coherence.Message { return nil }
