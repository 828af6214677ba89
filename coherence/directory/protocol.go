package directory

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// Protocol makes the controllers of one chip and holds what they share: the configuration and the
// transition counters. It belongs to one goroutine.
type Protocol struct {
	config Config
	cores  int
	homes  *coherence.Homes
	l1, l2 cache.Config
	mshrs  int
	skip   int // block number bits that choose the bank

	controller.Tables

	// What L1s look at most, for all of them together: it stays in the first cache of the host.
	rules coherence.Rules // for accesses; they count hits, in place of the cells
	marks *cache.Marks    // of the blocks in the L1s
}

// New prepares the protocol for a chip with the given arrays (l1 is each of a core's two) and MSHRs per
// core. It panics on arguments that Validate refuses.
func New(s coherence.System, c Config, l1, l2 cache.Config, mshrs int) *Protocol {
	for _, e := range []error{c.Validate(), l1.Validate(), l2.Validate()} {
		if e != nil {
			panic(fmt.Sprintf("directory: %v", e))
		}
	}
	return &Protocol{
		config: c, cores: s.Cores, homes: s.Homes, l1: l1, l2: l2, mshrs: mshrs,
		skip:   bits.TrailingZeros(uint(s.Homes.Banks)),
		Tables: controller.NewTables(&description, c.legal),
		rules:  newRules(), marks: cache.NewMarks(l1, s.Cores),
	}
}

// legal tells what a mark of the transition tables means.
func (c Config) legal(mark byte) bool {
	return mark == 'x' || mark == '*' && c.SilentS || mark == '+' && !c.SilentS
}

// NewCache makes the L1 controller of a core.
func (p *Protocol) NewCache(core int) coherence.CacheController { return p.newL1(core) }

// NewBank makes the controller of a bank of the L2 and its part of the directory.
func (p *Protocol) NewBank(index int) coherence.Controller { return p.newBank(index) }

// NewMemory makes a memory controller.
func (p *Protocol) NewMemory(index int) coherence.MemoryController { return p.newMemory(index) }

// Hits is how many accesses of each kind have hit in the L1s.
func (p *Protocol) Hits() [coherence.AccessKinds]uint64 { return p.rules.Hits() }

// Cells are the legal cells of the transition tables and how often each was taken, also by hits, which the rules count.
func (p *Protocol) Cells() []coherence.Cell {
	return p.CellsWith(func(r coherence.Role, e, s uint8) (n uint64) {
		for k := range coherence.AccessKinds {
			if r == coherence.Cache && (e == onLoad || e == onStore) && k.IsWrite() == (e == onStore) {
				n += p.rules.HitsOf(s, k)
			}
		}
		return n
	})
}

var _ coherence.Protocol = (*Protocol)(nil)
